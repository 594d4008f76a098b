// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/rules/budget.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include "support/environment.hpp"
#include "support/traces.hpp"

using takt::budget_account;
using takt::budget_action;
using takt::budget_actions;
using takt::job_budget;
using takt::overrun_policy;
using takt::ticks;

namespace {

using charge = std::pair<std::size_t, ticks>;

constexpr ticks forever = std::numeric_limits<ticks>::max();

auto rounds() -> std::uint64_t { return takt_tests::from_environment("TAKT_BUDGET_RUNS", 500); }

[[nodiscard]] constexpr auto job(ticks refill, ticks period, ticks deadline, std::int32_t number = 0) -> job_budget {
  return {.refill = refill, .period = period, .left = refill, .deadline = deadline, .priority = {deadline, number}};
}

[[nodiscard]] auto actions(std::initializer_list<budget_action> wanted) -> budget_actions {
  budget_actions out;
  for (const auto a : wanted) { out.unchecked_push_back(a); }
  return out;
}

/// Tick by tick, by the definition.
[[nodiscard]] auto naive_charges(std::vector<job_budget>& jobs, ticks used) -> std::vector<charge> {
  std::vector<charge> out;
  while (used > 0) {
    const auto payer = std::ranges::min_element(jobs, {}, &job_budget::priority);
    if (payer->left == 0) {
      payer->left = payer->refill;
      payer->deadline += payer->period;
      payer->priority.point += payer->period;
      ++payer->skipped_jobs;
      continue;
    }
    --payer->left;
    --used;
    out.emplace_back(static_cast<std::size_t>(payer - jobs.begin()), 1);
  }
  return out;
}

[[nodiscard]] auto ticks_of(const std::vector<charge>& charges) -> std::vector<charge> {
  std::vector<charge> out;
  for (const auto& [who, amount] : charges) { out.insert(out.end(), static_cast<std::size_t>(amount), {who, 1}); }
  return out;
}

[[nodiscard]] auto random_jobs(takt::random_stream& random) -> std::vector<job_budget> {
  std::vector<job_budget> jobs;
  const auto n = random.between(1, 5);
  for (std::int32_t i = 0; i < n; ++i) {
    jobs.push_back(job(random.between(1, 6), random.between(1, 40), random.below(60), i));
    jobs.back().left = random.below(8);
  }
  return jobs;
}

}  // namespace

TEST_CASE("an exhausted job takes deadline and budget of the next one, as often as it needs" *
          takt_tests::traces("GSD-81")) {
  budget_account account{overrun_policy::early_release, job(5, 20, 20)};
  budget_actions todo;
  REQUIRE(account.charge(5, todo));
  CHECK(todo.empty());
  CHECK(account.budget().deadline == 20);
  CHECK(account.budget().left == 0);
  REQUIRE(account.charge(1, todo));
  CHECK(todo == actions({budget_action::lower_priority, budget_action::reevaluate_locks}));
  CHECK(account.budget().deadline == 40);
  CHECK(account.budget().priority.point == 40);
  CHECK(account.budget().left == 4);
  CHECK(account.budget().skipped_jobs == 1);
  REQUIRE(account.charge(14, todo));
  CHECK(account.budget().deadline == 80);
  CHECK(account.budget().left == 0);
  CHECK(account.budget().skipped_jobs == 3);
  CHECK(account.overrun() == 0);

  job_budget fixed = job(5, 20, 20);
  fixed.deadline_driven = false;
  budget_account by_rank{overrun_policy::early_release, fixed};
  REQUIRE(by_rank.charge(6, todo));
  CHECK(todo.empty());
  CHECK(by_rank.budget().deadline == 40);
  CHECK(by_rank.budget().priority == fixed.priority);
}

TEST_CASE("early releases keep the long-run rate: what was used is covered by the jobs that were taken" *
          takt_tests::traces("GSD-81")) {
  takt::random_stream random{81};
  for (std::uint64_t round = 0; round < rounds(); ++round) {
    const job_budget start = random_jobs(random).front();
    budget_account account{overrun_policy::early_release, start};
    ticks used = 0;
    for (auto n = random.below(20); n > 0; --n) {
      budget_actions todo;
      const ticks amount = random.below(30);
      const auto before = account.budget().skipped_jobs;
      REQUIRE(account.charge(amount, todo));
      REQUIRE(todo.empty() == (account.budget().skipped_jobs == before));
      used += amount;
    }
    const job_budget& b = account.budget();
    REQUIRE(used == start.left + b.skipped_jobs * start.refill - b.left);
    REQUIRE(b.deadline == start.deadline + b.skipped_jobs * start.period);
    REQUIRE((b.skipped_jobs == 0 || b.left < start.refill));
  }
}

TEST_CASE("an overrun is signalled once, and not while an engine is locked") {
  budget_account account{overrun_policy::signal, job(5, 20, 20)};
  budget_actions todo;
  account.engine_locked();
  REQUIRE(account.charge(5, todo));
  CHECK(todo.empty());
  REQUIRE(account.charge(2, todo));
  CHECK(todo.empty());
  account.engine_locked();
  CHECK(account.engine_unlocked().empty());
  CHECK(account.engine_unlocked() == actions({budget_action::deliver_signal}));
  account.engine_locked();
  REQUIRE(account.charge(3, todo));
  CHECK(account.engine_unlocked().empty());
  CHECK(account.overrun() == 5);
  CHECK(account.budget().deadline == 20);

  budget_account immediate{overrun_policy::signal, job(5, 20, 20)};
  REQUIRE(immediate.charge(6, todo));
  CHECK(todo == actions({budget_action::deliver_signal}));
  budget_account unwatched{overrun_policy::none, job(5, 20, 20)};
  REQUIRE(unwatched.charge(9, todo));
  CHECK(todo.empty());
  CHECK(unwatched.overrun() == 4);
}

TEST_CASE("a policy of one's own: who is told of an overrun takes the next budget as well") {
  constexpr overrun_policy both{.signals = true, .releases_early = true};
  job_budget waiting = job(5, 20, 20);
  waiting.waits_for_token = true;
  budget_account account{both, waiting};
  budget_actions todo;
  REQUIRE(account.charge(6, todo));
  CHECK(todo == actions({budget_action::abort_request, budget_action::lower_priority, budget_action::reevaluate_locks,
                         budget_action::reissue_request, budget_action::deliver_signal}));
  CHECK(account.budget().deadline == 40);
  CHECK(account.overrun() == 0);
  REQUIRE(account.charge(5, todo));
  CHECK(todo.size() == 4);  // nobody is told twice
}

TEST_CASE("lenders cannot pay where nobody takes a budget early") {
  constexpr overrun_policy unpaid{.lenders_pay = true};
  static_assert(!unpaid.valid());
  static_assert(overrun_policy::none.valid() && overrun_policy::bandwidth_inheritance.valid());
  budget_account account{unpaid, job(5, 20, 20)};
  budget_actions todo;
  CHECK_FALSE(account.charge(1, todo));
  CHECK(account.budget().left == 5);
}

TEST_CASE("budgets refuse negative work, meaningless jobs and times that run over, and change nothing") {
  budget_actions todo;
  const auto unchanged = [&](const job_budget& b, ticks used) {
    budget_account account{overrun_policy::early_release, b};
    return !account.charge(used, todo) && account == budget_account{overrun_policy::early_release, b};
  };
  CHECK(unchanged(job(5, 20, 20), -1));
  CHECK(unchanged(job(0, 20, 20), 1));
  CHECK(unchanged(job(5, 0, 20), 1));
  CHECK(unchanged(job(5, 20, forever - 10), 6));
  CHECK(unchanged(job(1, forever / 2, 0), 10));
  budget_account endless{overrun_policy::none, job(5, 20, 20)};
  REQUIRE(endless.charge(forever, todo));
  CHECK_FALSE(endless.charge(forever, todo));
  CHECK(endless.overrun() == forever - 5);

  const auto ignore = [](auto&&...) {};
  std::array<job_budget, 2> jobs{job(5, 20, 20), job(5, 20, forever - 1, 1)};
  CHECK_FALSE(takt::charge_lenders(jobs, -1, ignore, ignore));
  jobs[0].lends = false;
  CHECK_FALSE(takt::charge_lenders(jobs, 6, ignore, ignore));
  CHECK(jobs[1].left == 0);
  CHECK(jobs[1].deadline == forever - 1);
  jobs[1].lends = false;
  CHECK_FALSE(takt::charge_lenders(jobs, 1, ignore, ignore));
  CHECK(takt::charge_lenders(jobs, 0, ignore, ignore));
}

TEST_CASE("budgets drain in priority order: eight equal jobs pay for one that overruns" *
          takt_tests::traces("GSD-82")) {
  std::vector<job_budget> jobs;
  for (std::int32_t i = 0; i < 8; ++i) { jobs.push_back(job(3, 100, 100, i)); }
  std::vector<charge> charges;
  REQUIRE(takt::charge_lenders(
      jobs, 26, [&](std::size_t i, ticks amount) { charges.emplace_back(i, amount); }, [](auto&&...) {}));
  REQUIRE(charges.size() == 9);
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(charges[i] == charge{i, 3});
    CHECK(jobs[i].deadline == 200);
  }
  CHECK(charges[8] == charge{0, 2});
}

TEST_CASE("charges of random jobs are those of a drain tick by tick" * takt_tests::traces("GSD-82")) {
  takt::random_stream random{82};
  for (std::uint64_t round = 0; round < rounds(); ++round) {
    auto jobs = random_jobs(random);
    auto naive = jobs;
    const ticks used = random.below(60);
    std::vector<charge> charges;
    REQUIRE(takt::charge_lenders(
        jobs, used, [&](std::size_t i, ticks amount) { charges.emplace_back(i, amount); }, [](auto&&...) {}));
    const auto expected = naive_charges(naive, used);
    REQUIRE(ticks_of(charges) == expected);
    REQUIRE(jobs == naive);
  }
}

namespace {

/// One token under the R2DGLP; whose job waits for whom decides who lends. Checks every step of an early release.
class token_host {
 public:
  explicit token_host(std::vector<job_budget> jobs) : jobs_{std::move(jobs)} {}

  void request(takt::request_id r) {
    (void)tokens_.issue(r, {.priority = of(r).priority});
    of(r).waits_for_token = tokens_.waits(r);
    refresh();
  }

  void holder_runs(ticks used) {
    REQUIRE(takt::charge_lenders(
        jobs_, used, [&](std::size_t i, ticks amount) { charges.emplace_back(i, amount); },
        [&](std::size_t i, budget_action a) { carry_out(static_cast<takt::request_id>(i), a); }));
  }

  [[nodiscard]] auto of(takt::request_id r) -> job_budget& { return jobs_[static_cast<std::size_t>(r)]; }
  [[nodiscard]] auto tokens() const -> const takt::r2dglp<1, 4>& { return tokens_; }
  [[nodiscard]] auto holder_priority() const -> takt::priority_point {
    takt::priority_point best{forever, 0};
    for (const auto& j : jobs_) { best = j.lends ? std::min(best, j.priority) : best; }
    return best;
  }

  std::vector<charge> charges;
  std::vector<std::pair<takt::request_id, budget_action>> carried_out;
  std::vector<takt::priority_point> holder_after;  ///< each step

 private:
  void carry_out(takt::request_id r, budget_action a) {
    carried_out.emplace_back(r, a);
    switch (a) {
      case budget_action::abort_request:
        REQUIRE(tokens_.waits(r));
        REQUIRE(tokens_.request(r).priority == of(r).priority);
        (void)tokens_.withdraw(r);
        break;
      case budget_action::lower_priority:
        REQUIRE_FALSE(tokens_.waits(r));
        REQUIRE(of(r).left == of(r).refill);
        break;
      case budget_action::reissue_request: (void)tokens_.issue(r, {.priority = of(r).priority}); break;
      default: break;
    }
    refresh();
    holder_after.push_back(holder_priority());
  }

  void refresh() {
    for (takt::request_id r = 0; r < static_cast<takt::request_id>(jobs_.size()); ++r) {
      takt::request_id up = r;
      while (up != takt::no_request && !tokens_.holds(up)) { up = tokens_.inheritor(up); }
      of(r).lends = up != takt::no_request;
    }
  }

  std::vector<job_budget> jobs_;
  takt::r2dglp<1, 4> tokens_{{.replicas = 1, .cluster = 2}};
};

}  // namespace

TEST_CASE("a waiter without budget is aborted, lowered, re-evaluated and issued again" *
          takt_tests::traces("GSD-21 GSD-82 GSD-90")) {
  token_host host{{job(9, 100, 50, 0), job(9, 100, 60, 1), job(3, 100, 40, 2)}};
  host.request(0);
  host.request(1);
  host.request(2);
  REQUIRE(host.tokens().donee_of(2) == 1);
  CHECK(host.holder_priority().point == 40);

  host.holder_runs(3);
  CHECK(host.charges == std::vector<charge>{{2, 3}});
  CHECK(host.carried_out.empty());

  host.holder_runs(5);
  CHECK(host.charges == std::vector<charge>{{2, 3}, {0, 5}});
  using step = std::pair<takt::request_id, budget_action>;
  CHECK(host.carried_out == std::vector<step>{{2, budget_action::abort_request},
                                              {2, budget_action::lower_priority},
                                              {2, budget_action::reevaluate_locks},
                                              {2, budget_action::reissue_request}});
  for (const auto& p : host.holder_after) { CHECK(p.point == 50); }
  CHECK(host.tokens().in_priority_queue(2));
  CHECK(host.tokens().request(2).priority.point == 140);
  CHECK_FALSE(host.of(2).lends);
  CHECK(host.of(0).left == 4);
  CHECK(host.of(1).left == 9);
}

TEST_CASE("a holder without budget keeps its locks and only its priorities are put right" *
          takt_tests::traces("GSD-90")) {
  token_host host{{job(2, 100, 50, 0), job(9, 100, 60, 1)}};
  host.request(0);
  host.request(1);
  host.holder_runs(5);
  CHECK(host.charges == std::vector<charge>{{0, 2}, {1, 3}});
  using step = std::pair<takt::request_id, budget_action>;
  CHECK(host.carried_out ==
        std::vector<step>{{0, budget_action::lower_priority}, {0, budget_action::reevaluate_locks}});
  CHECK(host.tokens().holds(0));
  CHECK(host.holder_priority().point == 60);
}
