// SPDX-License-Identifier: Apache-2.0
// Workloads with deadlines after the period, and networks that share a GPU, judged and simulated by the words of
// policies.
#include <takt/systems/judge_by_keyword.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace {

using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;
using tasks_type = takt::runtime_task_set<10, 24, 4, 4>;
using question = takt::report::policy_query<tasks_type>;
using bounds = std::vector<ticks>;

constexpr ticks ms = 1'000'000;

struct row {
  std::string_view name;
  ticks period = 0;
  std::optional<ticks> deadline;
  std::vector<std::pair<resource_kind, ticks>> visits;
  std::int32_t priority = takt::no_priority;
  ticks jitter = 0;
  ticks least = 0;  ///< of visits of processors, else the longest time
  std::int32_t core = 0;
};

auto tasks_of(const std::vector<row>& rows) -> tasks_type {
  tasks_type out;
  for (const row& r : rows) {
    REQUIRE(out.add_task({.name = r.name,
                          .period = r.period * ms,
                          .deadline = r.deadline.value_or(r.period) * ms,
                          .limited = r.deadline.has_value(),
                          .jitter = r.jitter * ms,
                          .priority = r.priority,
                          .core = r.core}));
    takt::visit_mask before = 0;
    for (const auto& [where, time] : r.visits) {
      takt::runtime_visit v{.where = where, .predecessors = before};
      if (where == resource_kind::gpu) {
        v.known.add(visit_fact::wcet);
        v.wcet = time * ms;
        v.known.add(visit_fact::preemption_cost);
        v.preemption_cost = v.wcet;
      } else {
        v.known.add(visit_fact::time);
        v.time = {r.least * ms, time * ms};
      }
      REQUIRE(out.add_visit(v));
      before = before == 0 ? 1 : before << 1U;
    }
  }
  return out;
}
auto board_with(std::int32_t processors, const std::optional<takt::gpu_hardware>& gpu = {}) -> takt::hardware {
  takt::hardware out{.processors = processors, .copy_engines = 1, .gpus = {}, .own = {}};
  if (gpu) { REQUIRE(out.gpus.try_push_back(*gpu)); }
  return out;
}
template <class Rule>
auto judge(const Rule& rule, std::string policy, std::string cpus, const tasks_type& tasks,
           const takt::hardware& board) {
  question q;
  q.policy = std::move(policy);
  q.cpus = std::move(cpus);
  auto found = takt::report::judge_by_keyword(rule, q, tasks, board);
  REQUIRE(found->judged);
  return found;
}
/// In milliseconds; none where the set is not proven.
template <class Judged>
auto bounds_of(const Judged& found) -> bounds {
  bounds out;
  for (const auto& t : found->verdict.tasks) {
    if (found->verdict.schedulable()) { out.push_back(t.bound.value / ms); }
  }
  return out;
}
constexpr auto cpu = resource_kind::processor;
constexpr auto gpu = resource_kind::gpu;
const std::string any_policy = "whole-gpu";

}  // namespace

TEST_CASE("deadlines after the period order and bound jobs under every rule of processors") {
  const auto late = tasks_of({{"late", 20, 60, {{cpu, 5}}}, {"soon", 40, 40, {{cpu, 5}}}});
  CHECK(bounds_of(judge(takt::edf, any_policy, "edf", late, board_with(1))) == bounds{10, 5});
  CHECK(bounds_of(judge(takt::deadline_monotonic, any_policy, "deadline-monotonic", late, board_with(1))) ==
        bounds{10, 5});
  CHECK(bounds_of(judge(takt::fixed_priority, any_policy, "fixed-priority", late, board_with(1))) == bounds{10, 5});
  for (const std::optional<ticks> deadline : {std::optional<ticks>{118}, std::optional<ticks>{}}) {
    const auto fifth = tasks_of({{"T1", 70, 70, {{cpu, 26}}, 1}, {"T2", 100, deadline, {{cpu, 62}}, 2}});
    CHECK(bounds_of(judge(takt::fixed_priority, any_policy, "fixed-priority", fifth, board_with(1))) ==
          bounds{26, 118});
  }
  const auto jitter = tasks_of({{"T11", 30, 30, {{cpu, 10}}, 1, 5}, {"T12", 15, {}, {{cpu, 3}}, 2, 6}});
  CHECK(bounds_of(judge(takt::fixed_priority, any_policy, "fixed-priority", jitter, board_with(1))) == bounds{15, 19});
}

TEST_CASE("a kernel that comes in bursts behind late jobs is not proven") {
  takt::gpu_hardware one{.sms = 1};
  one.preemption_levels = 2;
  one.switch_is_known = true;
  const auto bursts = tasks_of({{"A", 10, 100, {{cpu, 1}, {gpu, 2}}, takt::no_priority, 0, 1},
                                {"B", 100, 60, {{cpu, 35}}, takt::no_priority, 0, 35},
                                {"C", 100, 40, {{gpu, 30}}}});
  for (const std::string policy : {"time-sliced:1ms", "whole-gpu", "levels", "gang"}) {
    CAPTURE(policy);
    CHECK_FALSE(judge(takt::edf, policy, "edf", bursts, board_with(1, one))->verdict.schedulable());
  }
}

TEST_CASE("kernels of networks take no longer than all of them together") {
  std::vector<row> ten;
  for (std::int32_t i = 0; i < 10; ++i) {
    static constexpr std::string_view names[]{"m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9"};
    ten.push_back({names[i], 200, 200, {{gpu, 10}}, takt::no_priority, 0, 0, i});
  }
  takt::gpu_hardware six{.sms = 68};
  six.preemption_levels = 6;
  six.switch_is_known = true;
  const auto all =
      bounds_of(judge(takt::fixed_priority, "levels", "fixed-priority", tasks_of(ten), board_with(16, six)));
  REQUIRE(all.size() == 10);
  CHECK(*std::ranges::max_element(all) <= 100);

  takt::gpu_hardware xavier{.sms = 8};
  xavier.preemption_levels = 2;
  const auto two = tasks_of({{"detection", 60, 60, {{cpu, 1}, {gpu, 20}, {cpu, 1}}, takt::no_priority, 0, 0, 0},
                             {"freespace", 60, 60, {{cpu, 1}, {gpu, 30}, {cpu, 1}}, takt::no_priority, 0, 0, 1}});
  for (const std::string policy : {"levels", "gang"}) {
    CHECK(bounds_of(judge(takt::fixed_priority, policy, "fixed-priority", two, board_with(8, xavier))) ==
          bounds{52, 52});
  }
}
