// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/rules/policies/sharing_policy.hpp>
#include <takt/systems/locked_gpus/report/words.hpp>
#include <takt/systems/locked_gpus/rules/locked_engines.hpp>

namespace {

using locking = takt::locked_engines_policy<takt::r2dglp_order_rule>;

struct no_tasks {};

[[nodiscard]] constexpr auto locking_with(std::int32_t tokens) -> locking {
  return takt::with_locked_engines(takt::tokens_r2dglp_policy{.tokens = tokens}, takt::gpusync_board<>{});
}

}  // namespace

TEST_CASE("holders of tokens that lock engines share a whole GPU, one kernel at a time") {
  CHECK(locking::name == "tokens-r2dglp");
  CHECK(locking_with(3).parameter() == 3);
  CHECK(takt::kernels_at_once(locking_with(3)) == 1);
  CHECK_FALSE(takt::is_of_pools(locking_with(3), takt::g_edf));
  CHECK(locking_with(2).missing({}).empty());
}

TEST_CASE("a number of tokens that is left open is tried from one to four where engines have locks") {
  CHECK(locking_with(0).choice_count({.sms = 1}, no_tasks{}) == 4);
  CHECK(locking_with(0).choice({.sms = 1}, no_tasks{}, 2).tokens == 3);
  CHECK(locking_with(2).choice_count({.sms = 1}, no_tasks{}) == 1);
  CHECK(locking_with(2).choice({.sms = 1}, no_tasks{}, 0).tokens == 2);
}

TEST_CASE("a policy with locked engines has the words of its engines") {
  locking policy = locking_with(takt::any_number_of_tokens);
  policy.engines.shape.gpus = 4;
  policy.engines.shape.gpu_cluster_size = 2;
  policy.engines.shape.migration = takt::migration_path::peer_to_peer;
  const auto rule = takt::report::rule_of_policy(policy);
  CHECK(rule.sharing == "tokens");
  CHECK(rule.protocol == "r2dglp");
  CHECK(rule.tokens_per_gpu == 0);
  CHECK(rule.engine_order == "fifo");
  CHECK(rule.migration == "peer-to-peer");
  CHECK(rule.uncontended == "shared");
  CHECK(rule.clusters == 2);
}
