// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include <takt/core/random.hpp>
#include <takt/prediction/corun/fuzzy_network.hpp>
#include <takt/prediction/corun/random_draws.hpp>

namespace takt::inline TAKT_ABI {

/// The paper gives only the first width, the same for every input; the rest here keeps dozens of rules for thousands of
/// samples.
template <std::size_t Inputs>
struct fuzzy_structure_options {
  std::array<double, Inputs> first_width{};
  double growth_threshold = 0.6;  ///< in (0, 1): a sample that fires no rule above it founds one
  double firing_threshold = 0.05;
  double idle_decay = 1;
  double active_growth = 1;
  double first_importance = 1;
  double pruning_bound = -1;  ///< below 0: no pruning. At 1e-3 a rule dies of ten idle samples, fit or not
};

namespace detail {

struct fuzzy_structure_step {
  bool grown = false;
  bool full = false;  ///< a rule was due, but the network holds no more
  std::size_t pruned = 0;
};

/// Returns how much a rule matters after it did or did not fire: towards 0 by a factor between 1/2 and 1, or up by ever
/// less. Source: Yao et al. 2022, Eq. 7.
[[nodiscard]] constexpr auto next_importance(double now, bool fired, double idle_decay, double active_growth) noexcept
    -> double {
  if (!fired) { return now / (1 + exponential(-idle_decay * now)); }
  constexpr double largest_exponent = 700;
  const double exponent = active_growth * now;
  return now + now / (1 + exponential(exponent < largest_exponent ? exponent : largest_exponent));
}

/// Removes rules at or below the bound, keeping the order; the most important one stays in any case.
template <std::size_t Inputs, std::size_t MaxRules>
constexpr auto prune(fuzzy_network<Inputs, MaxRules>& net, double bound) noexcept -> std::size_t {
  std::size_t best = 0;
  for (std::size_t j = 1; j < net.rules.size(); ++j) {
    if (net.rules[j].importance > net.rules[best].importance) { best = j; }
  }
  std::size_t kept = 0;
  for (std::size_t j = 0; j < net.rules.size(); ++j) {
    if (j == best || net.rules[j].importance > bound) {
      net.rules[kept] = net.rules[j];
      ++kept;
    }
  }
  const std::size_t pruned = net.rules.size() - kept;
  static_cast<void>(net.rules.resize(kept));
  return pruned;
}

/// Shows a network one sample: growth, then the importance of every rule, then pruning. Rules that stay idle for long
/// are removed, so samples have to come shuffled. Of samples sorted by co-runners only the last group would be kept.
/// One random weight in [-1, 1) per new rule. Source: Yao et al. 2022, Eq. 5 to 7; the order of the steps, and that the
/// last rule stays, are left open there.
template <std::size_t Inputs, std::size_t MaxRules>
auto learn_structure(fuzzy_network<Inputs, MaxRules>& net, const std::array<double, Inputs>& x,
                     const fuzzy_structure_options<Inputs>& o, random_stream& random) noexcept -> fuzzy_structure_step {
  fuzzy_structure_step out;
  std::array<double, MaxRules> firings = net.log_firings(x);
  const double growth_level = std::log(o.growth_threshold);
  const double firing_level = std::log(o.firing_threshold);
  bool covered = false;
  for (std::size_t j = 0; j < net.rules.size(); ++j) { covered = covered || firings[j] > growth_level; }
  if (!covered) {
    fuzzy_rule<Inputs> rule{
        .center = x, .width = o.first_width, .slope = {}, .weight = 0, .importance = o.first_importance};
    if (!net.rules.full()) {
      rule.weight = 2 * draw_unit(random) - 1;
      firings[net.rules.size()] = 0;
      out.grown = net.rules.try_push_back(rule);
    }
    out.full = !out.grown;
  }
  for (std::size_t j = 0; j < net.rules.size(); ++j) {
    const bool fired = firings[j] >= firing_level;
    net.rules[j].importance = detail::next_importance(net.rules[j].importance, fired, o.idle_decay, o.active_growth);
  }
  out.pruned = detail::prune(net, o.pruning_bound);
  return out;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
