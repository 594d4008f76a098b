// SPDX-License-Identifier: Apache-2.0
// Rules whose bounds leave something out, which tests plant to see that they are caught.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <doctest/doctest.h>

#include <takt/analysis/pools/bounds.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/demand.hpp>

namespace mistaken_bounds {

using changed = std::span<takt::visit_demand>;
inline constexpr std::size_t most_visits = 64;

/// A rule whose bounds look at other demands than there are: `Change::change(all, i)` makes those that visit i sees.
/// `Change::saved(rule, visit)`, where it is there, is taken off besides.
template <class Rule, class Change>
struct looks_away : Rule {
  using demands = std::array<takt::visit_demand, most_visits>;
  using bounds = takt::analysis::detail::pool_bounds<Rule>;

  void responds(changed given, std::int32_t units) const {
    const demands kept = copy_of(given);
    for (std::size_t i = 0; i < given.size(); ++i) {
      demands seen = kept;
      const changed all{seen.data(), given.size()};
      Change::change(all, i);
      all[i].response = all[i].wcet;
      for (auto& d : all) { d.moved = true; }
      bounds::responds(*this, all, units);
      takt::ticks response = all[i].response;
      if constexpr (requires { Change::saved(*this, all[i]); }) { response -= Change::saved(*this, all[i]); }
      given[i].response = std::max(kept[i].response, response);
    }
  }
  [[nodiscard]] auto decides(std::span<const takt::visit_demand> given, std::int32_t units) const -> bool
    requires takt::analysis::detail::KnowsDeadlines<Rule>
  {
    demands seen = copy_of(given);
    const changed all{seen.data(), given.size()};
    Change::change(all, 0);
    return bounds::decides(*this, all, units);
  }

 private:
  static auto copy_of(std::span<const takt::visit_demand> given) -> demands {
    REQUIRE(given.size() <= most_visits);
    demands out{};
    std::ranges::copy(given, out.begin());
    return out;
  }
};

struct leaves_jitter_out {
  static void change(changed all, std::size_t /*i*/) {
    for (auto& d : all) { d.jitter = 0; }
  }
};
/// Visits of the same task that run beside each other are taken for a sequence.
struct leaves_own_branches_out {
  static void change(changed all, std::size_t i) {
    for (auto& d : all) {
      if (d.task == all[i].task) { d.ancestors = (takt::visit_mask{1} << d.position) - 1; }
    }
  }
};
/// So are those of another task.
struct leaves_branches_of_others_out {
  static void change(changed all, std::size_t i) {
    for (auto& d : all) {
      if (d.task != all[i].task) { d.ancestors = (takt::visit_mask{1} << d.position) - 1; }
    }
  }
};
/// Own ordered visits take no time, so that no backlog of theirs is seen.
struct leaves_own_backlog_out {
  static void change(changed all, std::size_t i) {
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (k != i && takt::ordered(all[k], all[i])) { all[k].wcet = 0; }
    }
  }
};
/// Visits that come later in the order take no time. Pre: demands stand in the order of their points.
struct leaves_later_ones_out {
  static void change(changed all, std::size_t i) {
    for (std::size_t k = i + 1; k < all.size(); ++k) { all[k].wcet = all[k].task == all[i].task ? all[k].wcet : 0; }
  }
};

}  // namespace mistaken_bounds
