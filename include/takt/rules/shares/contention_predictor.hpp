// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/number.hpp>
#include <takt/core/wide_natural.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/margin.hpp>
#include <takt/rules/shares/co_run_predictor.hpp>

namespace takt::inline TAKT_ABI {

/// Times by pairwise contention: the time alone with the share, longer by the sum of what each co-runner adds per share
/// that it holds. Exact but for one rounding up. An `error`, of all applications or of each, falsifies it; `margin`
/// lengthens it on purpose; both in parts per million. With a margin of `margin_against(e)` errors down to -e leave no
/// time too short.
///
/// The table must outlive the predictor. Pre: errors > -10^6, margin >= 0, all below 2^40.
template <std::size_t MaxTasks>
class contention_predictor {
 public:
  static constexpr bool falls_with_share = true;

  constexpr explicit contention_predictor(const application_set<MaxTasks>& table, std::int64_t error_ppm = 0,
                                          std::int64_t margin_ppm = 0) noexcept
      : table_{&table}, margin_ppm_{margin_ppm} {
    TAKT_EXPECTS(is_error(error_ppm) && is_margin(margin_ppm));
    errors_ppm_.fill(error_ppm);
  }
  /// `errors_ppm`: by application, in the order of the table.
  constexpr contention_predictor(const application_set<MaxTasks>& table,
                                 const std::array<std::int64_t, MaxTasks>& errors_ppm,
                                 std::int64_t margin_ppm = 0) noexcept
      : table_{&table}, errors_ppm_{errors_ppm}, margin_ppm_{margin_ppm} {
    for (const std::int64_t error : errors_ppm) { TAKT_EXPECTS(is_error(error)); }
    TAKT_EXPECTS(is_margin(margin_ppm));
  }

  [[nodiscard]] constexpr auto predict(std::size_t task, share own, std::span<const co_runner> load) const noexcept
      -> ticks {
    std::int64_t added = 0;
    for (std::size_t i = 0; i < load.size(); ++i) {
      added += std::int64_t{table_->contention.ppm(task, load[i].task)} * load[i].held.percent();
    }
    return slowed(task, own, added);
  }

  /// The sum of what the others add is linear in their shares, hence greatest when one of them holds all that is left.
  [[nodiscard]] constexpr auto predict_worst(std::size_t task, share own,
                                             std::span<const co_runner> others) const noexcept -> ticks {
    std::uint32_t greatest = 0;
    for (std::size_t i = 0; i < others.size(); ++i) {
      const std::uint32_t ppm = table_->contention.ppm(task, others[i].task);
      greatest = greatest < ppm ? ppm : greatest;
    }
    return slowed(task, own, std::int64_t{greatest} * (full_share.percent() - own.percent()));
  }

 private:
  static constexpr std::int64_t limit_ppm = std::int64_t{1} << 40;

  [[nodiscard]] static constexpr auto is_error(std::int64_t ppm) noexcept -> bool {
    return -millionths < ppm && ppm < limit_ppm;
  }
  [[nodiscard]] static constexpr auto is_margin(std::int64_t ppm) noexcept -> bool {
    return 0 <= ppm && ppm < limit_ppm;
  }
  /// Returns ceil(M (10^8 + added) (10^6 + its error) (10^6 + margin) / 10^20).
  [[nodiscard]] constexpr auto slowed(std::size_t task, share own, std::int64_t added) const noexcept -> ticks {
    const ticks alone = table_->tasks[task].alone.at(own);
    if (alone == unbounded_time) { return unbounded_time; }
    const std::int64_t slowdown = 100 * millionths + added;
    const std::int64_t error_ppm = errors_ppm_[task];
    if (error_ppm == 0 && margin_ppm_ == 0) { return detail::scaled_up(alone, slowdown, 100 * millionths); }
    detail::wide_natural time{alone};
    time *= slowdown;
    time *= millionths + error_ppm;
    time *= millionths + margin_ppm_;
    time.divide_up(100 * millionths * millionths);
    time.divide_up(millionths);
    return time.to_ticks();
  }

  const application_set<MaxTasks>* table_;
  std::array<std::int64_t, MaxTasks> errors_ppm_{};
  std::int64_t margin_ppm_;
};

}  // namespace takt::inline TAKT_ABI
