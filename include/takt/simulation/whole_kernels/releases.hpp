// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/rules/accelerator/job_order.hpp>

namespace takt::simulation {

/// A job to come: when it is released and how much work it has, at most its task's `wcet`.
template <ExactNumber Number>
struct planned_job {
  Number release{};
  Number work{};
};

/// Where jobs come from. `job(task, number, out)`: the job of that number, from 0, of a task; false when there are no
/// more, or its release does not fit. Releases of a task never decrease.
template <class R, class Number>
concept ReleaseSource = requires(const R& r, std::size_t task, std::int64_t number, planned_job<Number>& out) {
  { r.job(task, number, out) } -> std::same_as<bool>;
};

/// Releases at offset + k period while that is before `until`, with full work each.
template <ExactNumber Number, std::size_t MaxTasks>
class periodic_releases {
 public:
  /// Tasks beyond the end of `offsets` have none. Both outlive the source.
  constexpr periodic_releases(const accelerator_table<Number, MaxTasks>& table, const Number& until,
                              std::span<const Number> offsets = {})
      : table_{&table}, until_{until}, offsets_{offsets} {}

  [[nodiscard]] constexpr auto job(std::size_t task, std::int64_t number, planned_job<Number>& out) const -> bool {
    const auto& t = table_->tasks[task];
    Number release(0);
    if (!number_traits<Number>::multiply(t.period, number, release)) { return false; }
    if (task < offsets_.size() && !add_exactly(release, offsets_[task], release)) { return false; }
    if (!(release < until_)) { return false; }
    out = {release, t.wcet};
    return true;
  }

 private:
  const accelerator_table<Number, MaxTasks>* table_;
  Number until_;
  std::span<const Number> offsets_;
};

/// Jobs that are written down, for each task in the order of their releases.
template <ExactNumber Number>
class listed_releases {
 public:
  explicit listed_releases(std::size_t tasks) : jobs_(tasks) {}

  void add(std::size_t task, const planned_job<Number>& j) { jobs_[task].push_back(j); }
  [[nodiscard]] auto of(std::size_t task) const -> std::span<const planned_job<Number>> { return jobs_[task]; }

  [[nodiscard]] auto job(std::size_t task, std::int64_t number, planned_job<Number>& out) const -> bool {
    const auto n = static_cast<std::size_t>(number);
    if (task >= jobs_.size() || n >= jobs_[task].size()) { return false; }
    out = jobs_[task][n];
    return true;
  }

 private:
  std::vector<std::vector<planned_job<Number>>> jobs_;
};

/// Legal sporadic releases before `until`, most of them as bad as they get: the tasks come one after the other, each
/// with an earlier deadline than the one before, a few units apart, so that as many as possible have started when the
/// urgent ones come; then each as soon as its period allows, or a little later. Now and then a job is short.
/// Pre: `until` and two more periods fit.
template <std::size_t MaxTasks>
[[nodiscard]] inline auto hostile_releases(const accelerator_table<ticks, MaxTasks>& table, ticks until,
                                           std::uint64_t seed) -> listed_releases<ticks> {
  random_stream random{seed};
  listed_releases<ticks> out(table.size());
  std::vector<std::size_t> order(table.size());
  for (std::size_t i = 0; i < order.size(); ++i) { order[i] = i; }
  std::ranges::sort(order, {}, [&table](std::size_t i) { return std::pair{-table.tasks[i].deadline, i}; });
  const ticks gap = random.between(0, 2);
  const bool together = random.chance(1, 4);
  const bool hurried = random.chance(1, 2);
  const bool shortens = random.chance(1, 4);
  ticks first = 0;
  for (const std::size_t i : order) {
    const auto& t = table.tasks[i];
    first += together || random.chance(1, 8) ? 0 : random.between(std::min<ticks>(gap, 1), 1 + gap);
    const ticks skipped = random.chance(1, 8) ? random.below(t.period) : 0;
    for (ticks release = first + skipped; release < until;) {
      const bool full = !shortens || random.chance(1, 2);
      out.add(i, {release, full ? t.wcet : random.between(1, t.wcet)});
      release += t.period + (hurried || random.chance(2, 3) ? 0 : random.below(t.period));
    }
  }
  return out;
}

static_assert(ReleaseSource<periodic_releases<ticks, 1>, ticks>);
static_assert(ReleaseSource<listed_releases<ticks>, ticks>);

}  // namespace takt::simulation
