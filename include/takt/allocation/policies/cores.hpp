// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/described_tasks.hpp>

namespace takt {

namespace detail {

/// Time on processors in parts of a unit, not exact: it only says where to look first.
template <class Tasks>
[[nodiscard]] constexpr auto rough_demand(const Tasks& all, const described_task& t, visit_place where)
    -> std::int64_t {
  ticks sum = 0;
  for (std::uint32_t p = 0; p < t.visit_count; ++p) {
    const described_visit& v = all.visits[t.first_visit + p];
    const ticks time = v.known.has(visit_fact::time) ? v.time.upper : 0;
    if (v.where == where && time > 0 && time <= longest_visit_time) { sum += time; }
  }
  constexpr ticks unit = ticks{1} << 20;
  const ticks step = t.period / unit + 1;
  return t.period < 1 ? 0 : sum / step * unit / (t.period / step + 1);
}

}  // namespace detail

/// Demands up to which processors are filled before others are used, in thousandths; 0: each task goes where there is
/// the least. Tried one after the other.
inline constexpr std::int32_t core_fillings[]{0, 750};

/// Gives each task that names no core one of `processors`, of which `together` are scheduled together, each time the
/// one with the largest demand of those that are left: to the first on which `filling` is not exceeded, else to the
/// least loaded. Pre: processors >= 1, together >= 1.
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
constexpr void choose_cores(described_tasks<N, V, R, S>& all, std::int32_t processors, std::int32_t together,
                            std::int32_t filling) {
  const std::int64_t full = (std::int64_t{1} << 20) * filling / 1000 * together;
  const std::int32_t clusters = processors / together < 1 ? 1 : processors / together;
  std::int64_t demands[N]{};
  bool open[N]{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    demands[i] = detail::rough_demand(all, all.tasks[i], visit_place::processor);
    open[i] = all.tasks[i].core == any_core;
  }
  const auto load = [&](std::int32_t cluster) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      sum += all.tasks[i].core >= 0 && all.tasks[i].core / together == cluster ? demands[i] : 0;
    }
    return sum;
  };
  for (std::size_t count = 0; count < all.size(); ++count) {
    std::size_t next = all.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (open[i] && (next == all.size() || demands[next] < demands[i])) { next = i; }
    }
    if (next == all.size()) { return; }
    open[next] = false;
    std::int32_t to = 0;
    std::int64_t least = load(0);
    bool fits = least + demands[next] <= full;
    for (std::int32_t c = 1; c < clusters && !fits; ++c) {
      const std::int64_t there = load(c);
      fits = there + demands[next] <= full;
      if (fits || there < least) {
        to = c;
        least = there;
      }
    }
    all.tasks[next].core = to * together;
  }
}

}  // namespace takt
