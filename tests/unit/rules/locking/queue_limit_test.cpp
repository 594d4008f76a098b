// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/rules/locking/queue_limit.hpp>

TEST_CASE("queues of an R2DGLP have place for all CPUs of a cluster together, and not less") {
  using takt::model_fault;
  CHECK_FALSE(takt::validate(takt::r2dglp_options{}, 1));
  CHECK(takt::validate(takt::r2dglp_options{}, 1).least == 1);
  CHECK_FALSE(takt::validate({.replicas = 2, .cluster = 7, .queue_limit = 4}, 2));
  CHECK(takt::validate({.replicas = 2, .cluster = 7, .queue_limit = 3}, 2) ==
        takt::queue_limit_check{model_fault::queue_limit_without_bound, 4});
  for (const takt::r2dglp_options wrong :
       {takt::r2dglp_options{.replicas = 0}, {.replicas = 3}, {.cluster = 0}, {.queue_limit = -1}}) {
    CHECK(takt::validate(wrong, 2) == takt::queue_limit_check{model_fault::lock_size_out_of_range, 0});
  }
}
