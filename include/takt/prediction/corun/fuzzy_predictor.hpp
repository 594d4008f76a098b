// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <takt/core/number.hpp>
#include <takt/model/shares/share.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/prediction/corun/co_run_model.hpp>
#include <takt/prediction/corun/indicators.hpp>

namespace takt::inline TAKT_ABI {

/// Predicts for the share scheduler from one trained network per application. Its times are estimates: they bound
/// nothing, and need not fall as the own share grows.
template <std::size_t MaxRules, std::size_t Indicators = workload_indicators>
class fuzzy_predictor {
 public:
  using model_type = co_run_model<Indicators + 1, MaxRules>;
  using profile = workload_profile<Indicators>;

  /// One model and one profile per task, which must outlive the predictor.
  constexpr fuzzy_predictor(std::span<const model_type> models, std::span<const profile> profiles) noexcept
      : models_{models}, profiles_{profiles} {}

  /// Returns a time, rounded up; `unbounded_time` where there is no estimate. `load`: a range of {task, held}.
  template <class Load>
  [[nodiscard]] constexpr auto predict(std::size_t task, share own, const Load& load) const noexcept -> ticks {
    constexpr double largest = 0x1p62;
    const co_run_estimate e = estimate(task, own, load);
    if (!e || e.time > largest) { return unbounded_time; }
    const auto whole = static_cast<ticks>(e.time);
    return static_cast<double>(whole) < e.time ? whole + 1 : whole;
  }

  /// Returns an estimate that says whether the network was trained on loads such as this.
  template <class Load>
  [[nodiscard]] constexpr auto estimate(std::size_t task, share own, const Load& load) const noexcept
      -> co_run_estimate {
    if (task >= models_.size()) { return {}; }
    workload_input<Indicators> x{};
    for (const auto& other : load) {
      if (other.task >= profiles_.size()) { return {}; }
      for (std::size_t i = 0; i < Indicators; ++i) { x[i] += profiles_[other.task][i] * other.held.percent() / 100; }
    }
    x[Indicators] = own.percent();
    return models_[task].estimate(x);
  }

 private:
  std::span<const model_type> models_;
  std::span<const profile> profiles_;
};

}  // namespace takt::inline TAKT_ABI
