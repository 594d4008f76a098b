// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/model/shares/application.hpp>

namespace takt::simulation {

/// Says when jobs come. `release(task, number, out)`: that of the job of this number, from 0; false when there are no
/// more. Releases of an application never decrease.
template <class R>
concept ShareReleases = requires(const R& r, std::size_t task, std::int64_t number, ticks& out) {
  { r.release(task, number, out) } -> std::same_as<bool>;
};

/// Releases at offset + k period, without end.
template <std::size_t MaxTasks>
class periodic_share_releases {
 public:
  /// Applications beyond the end of `offsets` have none. Both outlive the source.
  constexpr explicit periodic_share_releases(const application_set<MaxTasks>& table,
                                             std::span<const ticks> offsets = {})
      : table_{&table}, offsets_{offsets} {}

  [[nodiscard]] constexpr auto release(std::size_t task, std::int64_t number, ticks& out) const -> bool {
    const ticks offset = task < offsets_.size() ? offsets_[task] : 0;
    return checked_multiply(table_->tasks[task].period, number, out) && checked_add(out, offset, out);
  }

 private:
  const application_set<MaxTasks>* table_;
  std::span<const ticks> offsets_;
};

/// Releases that are written down, for each application in rising order.
class listed_share_releases {
 public:
  explicit listed_share_releases(std::size_t tasks) : releases_(tasks) {}

  void add(std::size_t task, ticks release) { releases_[task].push_back(release); }
  [[nodiscard]] auto of(std::size_t task) const -> std::span<const ticks> { return releases_[task]; }

  [[nodiscard]] auto release(std::size_t task, std::int64_t number, ticks& out) const -> bool {
    const auto n = static_cast<std::size_t>(number);
    if (task >= releases_.size() || n >= releases_[task].size()) { return false; }
    out = releases_[task][n];
    return true;
  }

 private:
  std::vector<std::vector<ticks>> releases_;
};

/// Legal sporadic releases before `until`, made to hurt: all at once, or each at first somewhere within the time that
/// another one has, so that it comes upon a job in mid-life; then as soon as its period allows, or a part of it later.
/// Pre: `until` and two more periods fit.
template <std::size_t MaxTasks>
[[nodiscard]] auto hostile_share_releases(const application_set<MaxTasks>& table, ticks until, std::uint64_t seed)
    -> listed_share_releases {
  random_stream random{seed};
  listed_share_releases out{table.size()};
  const bool together = random.chance(1, 4);
  const bool hurried = random.chance(1, 2);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const share_task& t = table.tasks[i];
    const share_task& other = table.tasks[static_cast<std::size_t>(random.below(static_cast<ticks>(table.size())))];
    ticks release = together ? 0 : random.chance(1, 2) ? random.below(other.deadline) : random.below(t.period);
    while (release < until) {
      out.add(i, release);
      release += t.period + (hurried || random.chance(1, 2) ? 0 : random.below(t.period));
    }
  }
  return out;
}

static_assert(ShareReleases<periodic_share_releases<1>>);
static_assert(ShareReleases<listed_share_releases>);

}  // namespace takt::simulation
