// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/rules/shares/job_progress.hpp>
#include <takt/systems/shares/figures/synthetic_platform.hpp>
#include <takt/systems/shares/run/share_manager.hpp>

#include "share_fixture.hpp"
#include "support/traces.hpp"

namespace {

using namespace share_test;
using takt::ticks;
using kind = takt::runtime::share_message_kind;

constexpr ticks us = 1'000;
constexpr ticks half_hour = 1'800'000 * ms;

/// The realistic set of Yao et al. 2022, Table 4, sporadic applications at their densest.
auto airborne() -> table_type {
  namespace generation = takt::generation;
  table_type table;
  const auto& all = generation::synthetic_airborne;
  for (std::size_t i = 0; i < all.size(); ++i) {
    (void)table.add({.name = all[i].name,
                     .period = all[i].period * us,
                     .deadline = all[i].period * us,
                     .priority = all[i].priority,
                     .alone = takt::wcet_row::scaling(all[i].wcet * us, all[i].fixed_permille),
                     .request = {},
                     .memory = {}});
    for (std::size_t k = 0; k < all.size(); ++k) {
      table.contention.set(i, k,
                           static_cast<std::uint32_t>(generation::detail::synthetic_slowdown_ppm(all[i], all[k])));
    }
  }
  return table;
}

/// Clients that run their jobs at the speed that their published shares give, in virtual time.
class airborne_computer {
 public:
  explicit airborne_computer(const table_type& table) : table_{&table}, jobs_(table.size()) {}

  /// The end of the job if nothing changes.
  [[nodiscard]] auto end_of(std::size_t i) const -> ticks {
    return since_ + jobs_[i].progress.time_left(jobs_[i].whole);
  }
  [[nodiscard]] auto runs(std::size_t i) const -> bool {
    return jobs_[i].active && jobs_[i].whole != takt::unbounded_time;
  }
  void begin(std::size_t i) {
    jobs_[i] = {.active = true,
                .whole = takt::unbounded_time,
                .progress = takt::fixed_progress::start(table_->tasks[i].deadline)};
  }
  void drop(std::size_t i) { jobs_[i].active = false; }
  void advance(ticks now) {
    for (auto& j : jobs_) {
      if (j.active && now > since_) { j.progress.advance(now - since_, j.whole); }
    }
    since_ = now;
  }
  [[nodiscard]] auto finished(std::size_t i) const -> bool { return jobs_[i].active && jobs_[i].progress.finished(); }
  void obey(const takt::runtime::share_page& page) {
    const takt::contention_predictor<max_tasks> truth{*table_};
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      std::vector<takt::co_runner> load;
      for (std::uint32_t k = 0; k < jobs_.size(); ++k) {
        const auto held = takt::share::bounded(page.read(k).share());
        if (k != i && jobs_[k].active && held) { load.push_back({k, held}); }
      }
      const auto own = takt::share::bounded(page.read(i).share());
      jobs_[i].whole = own ? truth.predict(i, own, load) : takt::unbounded_time;
    }
  }

 private:
  struct job {
    bool active = false;
    ticks whole = takt::unbounded_time;
    takt::fixed_progress progress{};
  };
  const table_type* table_;
  std::vector<job> jobs_;
  ticks since_ = 0;
};

}  // namespace

TEST_CASE("the monitor counts no miss in half an hour of the airborne set" * takt_tests::traces("WAMP-47")) {
  const table_type table = airborne();
  takt::runtime::share_page page;
  letter_box box;
  takt::runtime::share_manager<scheduler_type> manager{table, scheduler_of(table), page, {.records = 64}};
  airborne_computer computer{table};
  std::vector<std::uint32_t> asked(table.size(), 0);
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    manager.receive(i, join_message(table, i), 0, box);
    expected += static_cast<std::uint64_t>(half_hour / table.tasks[i].period);
  }
  for (ticks now = 0; now < half_hour;) {
    computer.advance(now);
    for (std::size_t i = 0; i < table.size(); ++i) {
      const auto app = static_cast<std::uint16_t>(i);
      if (computer.finished(i)) {
        computer.drop(i);
        manager.receive(i, {.kind = kind::finish, .application = app, .job = asked[i]}, now, box);
      }
      if (now % table.tasks[i].period == 0) {
        computer.begin(i);
        manager.receive(i, {.kind = kind::allocate, .application = app, .job = ++asked[i]}, now, box);
      }
    }
    manager.expire(now, box);
    manager.settle(now, box);
    computer.obey(page);
    for (const auto& letter : box.take()) { REQUIRE(letter.message.kind != kind::deny); }
    ticks next = half_hour;
    for (std::size_t i = 0; i < table.size(); ++i) {
      next = std::min(next, (now / table.tasks[i].period + 1) * table.tasks[i].period);
      if (computer.runs(i)) { next = std::min(next, computer.end_of(i)); }
    }
    now = std::max(now + 1, std::min(next, manager.next_wake()));
  }
  const auto counts = manager.monitor().counts();
  CHECK(counts.misses == 0);
  CHECK(counts.denials == 0);
  CHECK(counts.jobs >= expected - table.size());
  CHECK(counts.jobs <= expected);
  CHECK(counts.operations > counts.jobs);
  // The last events are at hand, in the order of time.
  const auto records = manager.monitor().records();
  CHECK(records.size() == 64);
  CHECK(std::ranges::is_sorted(records, {}, &takt::runtime::share_record::time));
  CHECK(manager.monitor().lost() > 0);
}
