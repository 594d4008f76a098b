// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/model/shares/share.hpp>
#include <takt/model/shares/share_allocation.hpp>

namespace takt::inline TAKT_ABI {

/// Holds shares as whole groups of SMs.
template <std::size_t MaxTasks>
struct sm_partition {
  bool possible = false;  ///< each application that holds a share has a group
  std::int32_t sms = 0;
  std::array<std::int32_t, MaxTasks> held{};  ///< SMs, in whole groups
  std::array<std::int32_t, MaxTasks> lost{};  ///< hundredths of an SM that the share is worth more than what is held
  std::int32_t lost_sum = 0;                  ///< what rounding costs those that it costs anything
  std::int32_t greatest_loss = 0;

  /// Returns the share that the SMs of an application are worth, rounded down: what a guarantee can rest on.
  [[nodiscard]] constexpr auto effective(std::size_t task) const noexcept -> share {
    return share::bounded(sms > 0 ? held[task] * 100 / sms : 0);
  }
};

/// Rounds shares to groups of SMs, the smallest that a device can dedicate. It rounds down, but to one group at least.
/// What is left of the sum of the shares, rounded up, goes to the greatest remainders, ties to the first. Where the
/// minimum of one group takes too much, those give back whose holding exceeds their share by most. SMs beyond whole
/// groups stay unused.
///
/// Not `possible` with fewer groups than applications, nor out of 1 <= group <= sms <= 2^20. Cost: groups x tasks.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto sm_shares(const share_allocation<MaxTasks>& shares, std::int32_t sms,
                                       std::int32_t group = 1) -> sm_partition<MaxTasks> {
  sm_partition<MaxTasks> out;
  constexpr std::int32_t most_sms = std::int32_t{1} << 20;
  if (group < 1 || sms < group || sms > most_sms) { return out; }
  out.sms = sms;
  const std::int32_t groups = sms / group;
  std::int32_t holders = 0;
  std::int32_t taken = 0;
  std::array<std::int32_t, MaxTasks> units{};
  for (std::size_t i = 0; i < MaxTasks; ++i) {
    if (!shares[i]) { continue; }
    ++holders;
    units[i] = shares[i].percent() * groups / 100;
    units[i] = units[i] < 1 ? 1 : units[i];
    taken += units[i];
  }
  if (holders > groups) { return out; }
  std::int32_t target = ceil_divide(shares.sum() * groups, 100);
  target = target < holders ? holders : target;
  // Hundredths of a group that a share is worth beyond what it has.
  const auto remainder = [&](std::size_t i) { return shares[i].percent() * groups - units[i] * 100; };
  for (; taken < target; ++taken) {
    std::size_t best = MaxTasks;
    for (std::size_t i = 0; i < MaxTasks; ++i) {
      if (shares[i] && (best == MaxTasks || remainder(i) > remainder(best))) { best = i; }
    }
    ++units[best];
  }
  for (; taken > target; --taken) {
    std::size_t best = MaxTasks;
    for (std::size_t i = 0; i < MaxTasks; ++i) {
      if (units[i] > 1 && (best == MaxTasks || remainder(i) < remainder(best))) { best = i; }
    }
    --units[best];
  }
  out.possible = true;
  for (std::size_t i = 0; i < MaxTasks; ++i) {
    out.held[i] = units[i] * group;
    const std::int32_t short_by = shares[i].percent() * sms - out.held[i] * 100;
    out.lost[i] = short_by > 0 ? short_by : 0;
    out.lost_sum += out.lost[i];
    out.greatest_loss = out.greatest_loss < out.lost[i] ? out.lost[i] : out.greatest_loss;
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI
