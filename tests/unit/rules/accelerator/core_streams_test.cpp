// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>
#include <takt/rules/accelerator/event_driven_gang.hpp>
#include "support/traces.hpp"

namespace {

using takt::kernel_id;
using takt::ticks;
using takt::unassigned_core;

constexpr std::size_t max_tasks = 7;
constexpr std::size_t max_cores = 3;
template <class Order>
using gang = takt::event_driven_gang<max_tasks, max_cores, Order>;

/// Streams with kernels in them, as a device sees it.
class device {
 public:
  device(std::int32_t cores, std::int32_t levels) : streams_{cores, levels} {}

  void submit(kernel_id k, const takt::kernel_placement& where) {
    CHECK_FALSE(placed_[index(k)].has_value());
    CHECK(where.level >= 0);
    CHECK(where.level < streams_.levels);
    for (const auto& other : placed_) {
      if (!other) { continue; }
      CHECK(streams_.stream_of(*other) != streams_.stream_of(where));
      CHECK((other->core == unassigned_core) == (where.core == unassigned_core));
      CHECK((other->core != where.core || other->level < where.level));
    }
    placed_[index(k)] = where;
  }
  void request_yield(kernel_id k) {
    CHECK(placed_[index(k)].has_value());
    CHECK_FALSE(leaving_[index(k)]);
    leaving_[index(k)] = true;
  }
  void remove(kernel_id k) {
    placed_[index(k)].reset();
    leaving_[index(k)] = false;
  }
  [[nodiscard]] auto leaves(kernel_id k) const -> bool { return leaving_[index(k)]; }
  [[nodiscard]] auto has(kernel_id k) const -> bool { return placed_[index(k)].has_value(); }
  /// The kernels on the highest level of their cores.
  [[nodiscard]] auto running() const -> std::set<kernel_id> {
    std::set<kernel_id> out;
    for (std::size_t i = 0; i < max_tasks; ++i) {
      bool top = placed_[i].has_value();
      for (const auto& other : placed_) {
        top = top && (!other || other->core != placed_[i]->core || other->level <= placed_[i]->level);
      }
      if (top) { out.insert(static_cast<kernel_id>(i)); }
    }
    return out;
  }

 private:
  [[nodiscard]] static auto index(kernel_id k) -> std::size_t { return static_cast<std::size_t>(k); }

  takt::stream_layout streams_;
  std::array<std::optional<takt::kernel_placement>, max_tasks> placed_{};
  std::array<bool, max_tasks> leaving_{};
};

/// Who runs, by walking all incomplete jobs in order of importance.
auto walk(const std::vector<takt::job_order<ticks>>& jobs, const std::vector<std::int32_t>& cores, std::int32_t count,
          bool strictly) -> std::set<kernel_id> {
  std::set<kernel_id> out;
  std::set<std::int32_t> taken;
  for (const auto& j : jobs) {
    const std::int32_t core = cores[static_cast<std::size_t>(j.kernel)];
    if (core == unassigned_core) {
      if (!taken.empty()) {
        if (strictly) { break; }
        continue;
      }
      for (std::int32_t c = 0; c < count; ++c) { taken.insert(c); }
    } else if (!taken.insert(core).second) {
      continue;
    }
    out.insert(j.kernel);
  }
  return out;
}

/// Random jobs come and go; those who are asked to yield do so at once, or after a while.
template <class Order>
void play(std::uint64_t seed, Order /*order*/, bool at_once) {
  takt::random_stream random{seed};
  const auto cores = static_cast<std::int32_t>(random.between(1, max_cores));
  const auto levels = static_cast<std::int32_t>(random.between(1, 3));
  gang<Order> strategy{cores, levels};
  device d{cores, levels};
  std::vector<std::int32_t> core_of(max_tasks);
  for (auto& c : core_of) { c = static_cast<std::int32_t>(random.below(cores + 1)) - 1; }
  takt::job_orders<ticks, max_tasks> orders{};
  std::vector<takt::job_order<ticks>> jobs;
  const auto settle = [&] {
    for (bool again = true; again;) {
      strategy.decide(orders, d);
      again = false;
      for (kernel_id k = 0; at_once && k < static_cast<kernel_id>(max_tasks); ++k) {
        if (!d.leaves(k)) { continue; }
        d.remove(k);
        strategy.yielded(k);
        again = true;
      }
    }
  };
  for (ticks step = 0; step < 60; ++step) {
    const auto k = static_cast<kernel_id>(random.below(max_tasks));
    const auto job = std::ranges::find(jobs, k, &takt::job_order<ticks>::kernel);
    if (job == jobs.end()) {
      orders[static_cast<std::size_t>(k)] = {.point = random.below(10), .release = step, .kernel = k};
      jobs.push_back(orders[static_cast<std::size_t>(k)]);
      std::ranges::sort(jobs, takt::goes_before<ticks>);
      strategy.enqueue(k, core_of[static_cast<std::size_t>(k)], orders);
    } else if (d.has(k) && (d.leaves(k) && random.chance(1, 2))) {
      d.remove(k);
      strategy.yielded(k);
    } else if (d.running().contains(k)) {
      d.remove(k);
      jobs.erase(job);
      strategy.complete(k);
    } else {
      continue;
    }
    settle();
    if (at_once) { CHECK(d.running() == walk(jobs, core_of, cores, std::is_same_v<Order, takt::strict_order>)); }
  }
}

}  // namespace

TEST_CASE("kernels pinned to different cores never share a stream, and one for all cores is alone" *
          takt_tests::traces("AP-10")) {
  constexpr takt::stream_layout streams{.cores = 2, .levels = 2};
  static_assert(streams.count() == 6);
  std::set<std::int32_t> seen;
  for (const std::int32_t core : {0, 1, unassigned_core}) {
    for (const std::int32_t level : {0, 1}) {
      const std::int32_t stream = streams.stream_of({core, level});
      CHECK(streams.level_of(stream) == level);
      CHECK(stream < streams.count());
      seen.insert(stream);
    }
  }
  CHECK(seen.size() == 6);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    play(seed, takt::backfill, false);
    play(seed, takt::strict, false);
  }
}

TEST_CASE("the heads of the core queues and the whole-GPU jobs give the same choice as a walk over all jobs" *
          takt_tests::traces("AP-10")) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    play(seed, takt::backfill, true);
    play(seed, takt::strict, true);
  }
}
