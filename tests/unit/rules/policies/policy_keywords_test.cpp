// SPDX-License-Identifier: Apache-2.0
#include <takt/rules/policies/policy_keywords.hpp>
#include <takt/rules/policies/published.hpp>

#include <string_view>

#include <doctest/doctest.h>

#include <takt/model/runtime_task_set.hpp>
#include <takt/rules/policies/cpu_keywords.hpp>

namespace {

using takt::keyword_fault;

struct asked {
  keyword_fault fault = keyword_fault::unknown;
  std::string_view name{};
  std::int64_t parameter = 0;
};
[[nodiscard]] constexpr auto ask(std::string_view text) -> asked {
  asked out;
  out.fault = takt::with_policy(takt::published_policies, text, [&out](const auto& policy) {
    out.name = policy.name;
    out.parameter = takt::parameter_of(policy);
  });
  return out;
}

}  // namespace

TEST_CASE("a policy is found by its name, with what is written behind it") {
  CHECK(ask("gang").name == "gang");
  CHECK(ask("tokens-k-fmlp").parameter == 0);
  CHECK(ask("tokens-r2dglp:3").parameter == 3);
  CHECK(ask("levels:2").parameter == 2);
  CHECK(ask("time-sliced").parameter == 0);
  CHECK(ask("time-sliced:2ms").parameter == 2'000'000);
  CHECK(ask("time-sliced:1.5ms").parameter == 1'500'000);
}

TEST_CASE("what is no policy, or has the wrong thing behind its name, is told apart") {
  CHECK(ask("foo").fault == keyword_fault::unknown);
  CHECK(ask("").fault == keyword_fault::unknown);
  CHECK(ask("gang:2").fault == keyword_fault::no_parameter);
  CHECK(ask("gang:").fault == keyword_fault::no_parameter);
  for (const std::string_view text :
       {"tokens-k-fmlp:0", "tokens-k-fmlp:", "tokens-k-fmlp:-1", "tokens-k-fmlp:2x",
        "tokens-k-fmlp:99999999999999999999", "levels:2.5", "time-sliced:1", "time-sliced:0ms", "time-sliced:ms",
        "time-sliced:1.ms", "time-sliced:0.5ns", "time-sliced:9999999999s"}) {
    CAPTURE(text);
    CHECK(ask(text).fault == keyword_fault::bad_parameter);
    CHECK(ask(text).name.empty());
  }
}

TEST_CASE("times with a unit are exact") {
  CHECK(takt::detail::parse_time("7ns").value == 7);
  CHECK(takt::detail::parse_time("1.024ms").value == 1'024'000);
  CHECK(takt::detail::parse_time("200us").value == 200'000);
  CHECK(takt::detail::parse_time("1s").value == 1'000'000'000);
  CHECK_FALSE(takt::detail::parse_time("1.0000001ms").good);
  CHECK_FALSE(takt::detail::parse_time("1 ms").good);
}

TEST_CASE("slots that are given are the one choice there is") {
  takt::runtime_task_set<2, 2> tasks;
  for (const auto width : {takt::kernel_width::one_core, takt::kernel_width::all_cores}) {
    REQUIRE(tasks.add_task({.period = 100, .deadline = 100}));
    takt::runtime_visit v{.where = takt::resource_kind::gpu, .wcet = 5, .width = width, .sm = 0};
    v.known.add(takt::visit_fact::pinning);
    REQUIRE(tasks.add_visit(v));
  }
  const takt::gpu_hardware gpu{.sms = 2};
  CHECK(takt::slots_policy{}.choice_count(gpu, tasks) > 1);
  CHECK(takt::slots_policy{.pinned = {0, 4, 10}, .gang = {4, 6, 10}}.choice_count(gpu, tasks) == 1);
  const takt::slots_policy half{.gang = {4, 6, 10}};
  CHECK(half.choice_count(gpu, tasks) == 1);
  CHECK(half.choice(gpu, tasks, 0).gang.period == 10);
  CHECK(half.choice(gpu, tasks, 0).pinned.period == 0);
}

TEST_CASE("rules of processors have the words of files") {
  CHECK(takt::cpu_keyword<takt::edf_rule> == "edf");
  CHECK(takt::cpu_keyword<decltype(takt::nonpreemptive(takt::rate_monotonic))> == "nonpreemptive-rate-monotonic");
  CHECK(takt::cpu_keyword<decltype(takt::clustered(takt::edf, 2))> == "g-edf");
  CHECK(takt::tokens_ck_omlp_policy::name == "tokens-ck-omlp");
}

TEST_CASE("kernels and copies follow the order of the processors where it is one for them") {
  using takt::kernel_order_beside;
  CHECK(std::is_same_v<kernel_order_beside<decltype(takt::clustered(takt::edf, 2))>, takt::edf_rule>);
  CHECK(std::is_same_v<kernel_order_beside<decltype(takt::nonpreemptive(takt::rate_monotonic))>,
                       std::remove_const_t<decltype(takt::rate_monotonic)>>);
  CHECK(std::is_same_v<kernel_order_beside<takt::fifo_rule>, std::remove_const_t<decltype(takt::fixed_priority)>>);
  CHECK(std::is_same_v<decltype(takt::device_rule(takt::fifo)), takt::fifo_rule>);
  CHECK(std::is_same_v<decltype(takt::device_rule(takt::g_edf)), takt::nonpreemptive_rule<takt::edf_rule>>);
}

TEST_CASE("what is asked of a policy by its word is what the policy says") {
  constexpr const auto& all = takt::published_policies;
  static_assert(takt::serves_one_kernel(all, "whole-gpu"));
  static_assert(takt::serves_one_kernel(all, "tokens-k-fmlp:1"));
  static_assert(!takt::serves_one_kernel(all, "tokens-k-fmlp:2"));
  static_assert(!takt::serves_one_kernel(all, "gang"));
  static_assert(takt::locks_gpus(all, "tokens-r2dglp"));
  static_assert(!takt::locks_gpus(all, "levels"));
  CHECK(takt::handover_under(all, "whole-gpu") == takt::kernel_handover::host);
  CHECK(takt::handover_under(all, "time-sliced") == takt::kernel_handover::hardware);
}

TEST_CASE("words of rules of clusters are told from those of cores") {
  for (const std::string_view word : {"g-edf", "g-fixed-priority", "gel"}) { CHECK(takt::is_cluster_keyword(word)); }
  for (const std::string_view word : {"edf", "fixed-priority", "gang", ""}) {
    CHECK_FALSE(takt::is_cluster_keyword(word));
  }
}
