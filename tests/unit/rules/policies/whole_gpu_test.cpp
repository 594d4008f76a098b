// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/rules/policies/whole_gpu.hpp>

TEST_CASE("kernels under time slices have the whole GPU one at a time, in turns of the driver or of a given length") {
  takt::time_sliced_policy policy;
  CHECK(policy.kernels_at_once() == 1);
  CHECK(policy.slice == takt::driver_slice);
  CHECK(policy.parameter() == 0);
  CHECK(policy.set("2ms"));
  CHECK(policy.parameter() == 2'000'000);
  CHECK_FALSE(policy.set("2"));
  CHECK(policy.parameter() == 2'000'000);
  takt::gpu_hardware gpu{};
  CHECK(policy.missing(gpu) == "context_switch");
  gpu.switch_is_known = true;
  CHECK(policy.missing(gpu).empty());
}
