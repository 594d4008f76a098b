// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/model/plan.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Says what of the GPUs is decided before a search. Of a share, a GPU below 0 is open, and so are SMs where no task
/// has some.
template <class Plan>
struct decided_parts {
  Plan plan{};
  bool sms = false;
  bool gpus = false;

  constexpr decided_parts() = default;
  constexpr explicit decided_parts(const Plan& given) : plan{given} {
    for (const sm_share& s : plan.shares) {
      sms = sms || s.sms > 0;
      gpus = gpus || s.gpu >= 0;
    }
  }

  [[nodiscard]] constexpr auto units() const noexcept -> bool { return sms || !plan.percents.empty(); }
  [[nodiscard]] constexpr auto gpu(std::size_t task) const -> std::size_t {
    return gpus && plan.shares[task].gpu > 0 ? static_cast<std::size_t>(plan.shares[task].gpu) : 0;
  }
  /// Returns what a task has, in the units that its GPU hands out. Pre: they are decided.
  [[nodiscard]] constexpr auto units_of(std::size_t task, std::int32_t step, bool by_percent) const -> std::int32_t {
    TAKT_EXPECTS(!by_percent || plan.percents.empty() || task < plan.percents.size());
    TAKT_EXPECTS(by_percent || !sms || (task < plan.shares.size() && step > 0));
    if (by_percent) { return plan.percents.empty() ? 0 : plan.percents[task]; }
    return sms ? plan.shares[task].sms / step : 0;
  }
  /// Returns whether they are about so many tasks on so many GPUs, of which some hand out SMs or places, or per cent.
  [[nodiscard]] constexpr auto fits(std::size_t tasks, bool shares_out, bool by_percent, std::size_t boards) const
      -> bool {
    if (!plan.percents.empty() && (plan.percents.size() != tasks || !by_percent)) { return false; }
    if (plan.shares.empty()) { return true; }
    if (plan.shares.size() != tasks || !shares_out) { return false; }
    for (const sm_share& s : plan.shares) {
      if (s.gpu >= static_cast<std::int32_t>(boards)) { return false; }
    }
    return true;
  }
};

}  // namespace takt::inline TAKT_ABI::detail
