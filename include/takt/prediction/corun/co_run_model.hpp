// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <takt/prediction/corun/exponential.hpp>
#include <takt/prediction/corun/fuzzy_network.hpp>
#include <takt/prediction/corun/value_range.hpp>

namespace takt::inline TAKT_ABI {

enum class target_scale : std::uint8_t {
  linear,
  logarithmic,  ///< errors count relative to the time, which goes as 1 / share
};
[[nodiscard]] constexpr auto last_of(target_scale) noexcept -> target_scale { return target_scale::logarithmic; }

enum class estimate_status : std::uint8_t {
  estimated,
  extrapolated,  ///< an input is outside of what the network was trained on
  none,          ///< no rule, an input is not finite, or the result is no positive time
};

struct co_run_estimate {
  estimate_status status = estimate_status::none;
  double time = 0;

  [[nodiscard]] constexpr explicit operator bool() const noexcept { return status != estimate_status::none; }
};

[[nodiscard]] constexpr auto name_of(target_scale e) noexcept -> std::string_view {
  switch (e) {
    case target_scale::linear: return "linear";
    case target_scale::logarithmic: return "logarithmic";
  }
  return "";
}

/// Is a trained network with the ranges that lead to and from its units. It bounds nothing, and knows only the
/// applications that it was trained beside and the type of GPU they ran on: no input describes another one.
template <std::size_t Inputs, std::size_t MaxRules>
struct co_run_model {
  using network_type = fuzzy_network<Inputs, MaxRules>;
  using input = std::array<double, Inputs>;

  network_type network;
  std::array<value_range, Inputs> inputs{};
  value_range target;  ///< of times, or of their logarithms
  target_scale scale = target_scale::logarithmic;

  [[nodiscard]] constexpr auto to_units(const input& x) const noexcept -> input {
    input out{};
    for (std::size_t i = 0; i < Inputs; ++i) { out[i] = inputs[i].to_unit(x[i]); }
    return out;
  }

  [[nodiscard]] constexpr auto estimate(const input& x) const noexcept -> co_run_estimate {
    constexpr double largest = std::numeric_limits<double>::max();
    bool known = true;
    for (std::size_t i = 0; i < Inputs; ++i) {
      if (!(x[i] >= -largest && x[i] <= largest)) { return {}; }
      known = known && inputs[i].holds(x[i]);
    }
    if (network.rules.empty()) { return {}; }
    const double value = target.from_unit(network.output(to_units(x)));
    double time = 0;
    switch (scale) {
      case target_scale::linear: time = value; break;
      case target_scale::logarithmic: time = exponential(value); break;
    }
    const bool is_time = time > 0 && time <= largest;
    if (!is_time) { return {}; }
    return {known ? estimate_status::estimated : estimate_status::extrapolated, time};
  }
};

}  // namespace takt::inline TAKT_ABI
