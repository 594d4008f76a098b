// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/task_table.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Several shares of which a task is to get one: `least` to `most` SMs, all on one of the GPUs.
struct share_choice {
  std::uint32_t gpus = 0;  ///< bit g for GPU g
  std::int32_t least = 0;
  std::int32_t most = 0;

  [[nodiscard]] static constexpr auto bit(std::size_t g) noexcept -> std::uint32_t { return std::uint32_t{1} << g; }
  [[nodiscard]] constexpr auto on(std::size_t g) const noexcept -> bool { return (gpus & bit(g)) != 0; }

  [[nodiscard]] friend constexpr auto operator==(const share_choice&, const share_choice&) noexcept -> bool = default;
};

namespace detail {

/// Returns whether there is a share at all.
[[nodiscard]] constexpr auto any_sms(const sm_share& share) noexcept -> bool { return share.sms > 0; }
[[nodiscard]] constexpr auto any_sms(const share_choice& choice) noexcept -> bool { return choice.least > 0; }

/// Tells whether a GPU of the choice has the least share.
[[nodiscard]] constexpr auto exists_on(const platform_record& platform, const share_choice& choice) noexcept -> bool {
  for (std::size_t g = 0; g < platform.gpus.size(); ++g) {
    if (choice.on(g) && choice.least <= choice.most && choice.least <= platform.gpus[g].budget()) { return true; }
  }
  return false;
}

}  // namespace detail

/// Into how many pieces a relaxation cuts a choice. Each is bounded by itself, so more pieces make it tighter.
inline constexpr std::size_t share_pieces = 8;

namespace detail {

/// Calls `visit` for consecutive pieces of a choice, at most `share_pieces`, from the largest shares down. A kernel's
/// time falls with the reciprocal of the share, so pieces grow with it; the last one is the least share alone.
template <class Visit>
constexpr void for_each_piece(const share_choice& choice, const Visit& visit) {
  std::int32_t ends[share_pieces + 1] = {choice.least};  // one beyond each piece
  std::size_t count = 0;
  while (ends[count] <= choice.most) {
    const std::int32_t from = ends[count++];
    const std::int32_t length = 1 + (from - choice.least) / 2;
    const bool last = count == share_pieces || choice.most - from < length;
    ends[count] = last ? choice.most + 1 : from + length;
  }
  for (; count > 0; --count) { visit(share_choice{choice.gpus, ends[count - 1], ends[count] - 1}); }
}

}  // namespace detail

/// Returns the shortest and longest time of a kernel on a share whose virtual SMs count `factor` times.
template <class Table>
[[nodiscard]] constexpr auto kernel_time(const Table& table, const segment_record<typename Table::number>& s,
                                         const platform_record& platform, const sm_share& share,
                                         std::int32_t factor = 1) -> interval<typename Table::number> {
  sm_power power = platform.gpus[static_cast<std::size_t>(share.gpu)].power(share.sms);
  power.virtual_sms *= factor;
  interval<typename Table::number> out = s.time;
  (void)table.kernel_bounds(s, power, out);
  return out;
}

/// Returns the greatest of the shortest and the least of the longest times over a choice. The one leaves others the
/// widest gap, the other gives the task its best response. Pre: some share of the choice exists.
template <class Table>
[[nodiscard]] constexpr auto kernel_time(const Table& table, const segment_record<typename Table::number>& s,
                                         const platform_record& platform, const share_choice& choice,
                                         std::int32_t factor = 1) -> interval<typename Table::number> {
  TAKT_EXPECTS(detail::exists_on(platform, choice));
  interval<typename Table::number> out{};
  bool found = false;
  const auto add = [&](std::size_t g, std::int32_t sms) {
    const auto one = kernel_time(table, s, platform, sm_share{static_cast<std::int32_t>(g), sms}, factor);
    out.lower = !found || out.lower < one.lower ? one.lower : out.lower;
    out.upper = !found || one.upper < out.upper ? one.upper : out.upper;
    found = true;
  };
  for (std::size_t g = 0; g < platform.gpus.size(); ++g) {
    const std::int32_t budget = platform.gpus[g].budget();
    const std::int32_t most = choice.most < budget ? choice.most : budget;
    if (!choice.on(g) || most < choice.least) { continue; }
    add(g, choice.least);
    // Divisible work takes least on the most SMs; measured times need not fall.
    for (std::int32_t sms = s.samples == 0 ? most : choice.least + 1; sms <= most; ++sms) { add(g, sms); }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
