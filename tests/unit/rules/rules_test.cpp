// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <takt/rules/dedicated_sms.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/rules/priority_server.hpp>
#include <takt/rules/rank_set.hpp>

#include "support/small_systems.hpp"
#include "support/traces.hpp"

using namespace takt_tests;

namespace {

/// All reachable states of one server with three clients: each client may ask when it is idle, the holder may finish,
/// a waiting client may give up, and after each step the server decides.
template <takt::preemption Preemption>
class every_interleaving {
 public:
  using server = takt::priority_server<Preemption, 3>;

  void explore(const server& s) {
    if (std::ranges::find(seen_, s) != seen_.end()) { return; }
    seen_.push_back(s);
    for (takt::rank r = 0; r < 3; ++r) {
      if (s.running() != r && !s.waits(r)) {
        server next = s;
        next.request(r);
        settle(s, next);
      }
      if (s.waits(r)) {
        server next = s;
        next.withdraw(r);
        settle(s, next);
      }
    }
    if (s.running() != takt::nobody) {
      server next = s;
      next.complete();
      settle(s, next);
    }
  }
  [[nodiscard]] auto states() const -> std::size_t { return seen_.size(); }

 private:
  void settle(const server& before, server after) {
    const bool holder_stays = after.running() != takt::nobody;
    const takt::dispatch d = after.decide();
    takt::rank best_waiting = takt::nobody;
    for (takt::rank r = 2; r >= 0; --r) {
      if (after.waits(r)) { best_waiting = r; }
    }
    CHECK((after.running() != takt::nobody || best_waiting == takt::nobody));
    CHECK((after.running() == takt::nobody || !after.waits(after.running())));
    if (Preemption == takt::preemption::allowed && best_waiting != takt::nobody) {
      CHECK(after.running() < best_waiting);
    }
    if (Preemption == takt::preemption::forbidden && holder_stays) {
      CHECK(after.running() == before.running());
      CHECK(d.preempted == takt::nobody);
    }
    if (d.started != takt::nobody) {
      CHECK(d.started == after.running());
      CHECK((best_waiting == takt::nobody || d.started < best_waiting));
    }
    CHECK(after.decide() == takt::dispatch{});
    explore(after);
  }

  std::vector<server> seen_;
};

}  // namespace

TEST_CASE("servers keep priority order, lose nobody and never idle with work, in every reachable state") {
  every_interleaving<takt::preemption::allowed> preemptive;
  preemptive.explore({});
  // Idle, or the highest of a non-empty set of clients runs and the rest wait.
  CHECK(preemptive.states() == 8);
  every_interleaving<takt::preemption::forbidden> nonpreemptive;
  nonpreemptive.explore({});
  // Idle, or any of three runs with any subset of the other two waiting.
  CHECK(nonpreemptive.states() == 1 + 3 * 4);
}

TEST_CASE("servers put the preempted client back") {
  takt::priority_server<takt::preemption::allowed, 130> s;
  s.request(129);
  CHECK(s.decide() == takt::dispatch{129, takt::nobody});
  s.request(64);
  CHECK(s.decide() == takt::dispatch{64, 129});
  CHECK(s.waits(129));
  s.complete();
  CHECK(s.decide() == takt::dispatch{129, takt::nobody});
}

TEST_CASE("dedicated SMs never overlap, and a kernel of a chain is granted at once" * takt_tests::traces("RTGPU-10")) {
  takt::platform_record p = board(8, 2);
  p.gpus.unchecked_push_back({4, 2, 2, true});
  takt::plan<8> plan;
  plan.shares.unchecked_push_back({0, 3});
  plan.shares.unchecked_push_back({0, 0});
  plan.shares.unchecked_push_back({1, 6});
  plan.shares.unchecked_push_back({0, 5});
  plan.shares.unchecked_push_back({1, 2});
  takt::dedicated_sms<8> d{p, plan};
  REQUIRE(d.valid());
  std::set<std::pair<std::int32_t, std::int32_t>> owned;
  for (std::size_t i = 0; i < plan.shares.size(); ++i) {
    CHECK(d.range(i).count == plan.shares[i].sms);
    for (std::int32_t s = 0; s < d.range(i).count; ++s) {
      CHECK(d.range(i).first + s < p.gpus[static_cast<std::size_t>(d.range(i).gpu)].budget());
      CHECK(owned.emplace(d.range(i).gpu, d.range(i).first + s).second);
    }
  }
  for (const std::size_t task : {0U, 2U, 3U, 4U}) { CHECK(d.request(task)); }
  CHECK_FALSE(d.request(0));
  d.complete(0);
  CHECK(d.request(0));
}

TEST_CASE("a plan that does not fit is not valid" * takt_tests::traces("RTGPU-10")) {
  const auto valid = [](const std::vector<takt::sm_share>& shares, std::int32_t granularity = 1) {
    takt::platform_record p = board(4, 2);
    p.gpus[0].granularity = granularity;
    takt::plan<8> plan;
    for (const auto& s : shares) { plan.shares.unchecked_push_back(s); }
    return takt::dedicated_sms<8>{p, plan}.valid();
  };
  CHECK(valid({{0, 4}}));
  CHECK(valid({{0, 2}, {0, 2}}, 2));
  CHECK_FALSE(valid({{0, 5}}));
  CHECK_FALSE(valid({{0, 3}, {0, 2}}));
  CHECK_FALSE(valid({{0, 3}}, 2));
  CHECK_FALSE(valid({{1, 1}}));
  CHECK_FALSE(valid({{-1, 1}}));
  CHECK_FALSE(valid({{0, -1}}));
}

TEST_CASE("priorities: deadline monotonic by default, rate monotonic on request, the user's when complete" *
          takt_tests::traces("RTGPU-49")) {
  table t;
  const auto add = [&t](std::string_view name, ticks period, ticks deadline, std::int32_t priority) {
    t.add_task(name, period, deadline, priority);
    t.add_segment({.time = {1, 1}});
  };
  const auto order = [](table copy, auto wanted) {
    takt::prioritize(copy, wanted);
    std::string names;
    for (const auto& task : copy.tasks) { names += task.name; }
    return names;
  };
  add("a", 50, 40, 2);
  add("b", 30, 30, 9);
  add("c", 20, 20, 5);
  add("d", 60, 20, 0);
  CHECK(order(t, takt::by_given_priority{}) == "dacb");
  CHECK(order(t, takt::by_relative_deadline{}) == "cdba");
  CHECK(order(t, takt::by_period{}) == "cbad");
  t.tasks[1].priority = takt::no_priority;
  CHECK(order(t, takt::by_given_priority{}) == "cdba");
  CHECK(takt::name_of_order(t, takt::by_given_priority{}) == "deadline monotonic");
}
