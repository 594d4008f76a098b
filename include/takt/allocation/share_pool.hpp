// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Holds what is left of each GPU while shares are handed out.
class share_pool {
 public:
  /// Pre: `platform` outlives the pool.
  constexpr explicit share_pool(const platform_record& platform) : platform_{&platform} {
    for (std::size_t g = 0; g < size(); ++g) { free_[g] = gpu(g).budget(); }
  }

  [[nodiscard]] constexpr auto size() const -> std::size_t { return platform_->gpus.size(); }
  [[nodiscard]] constexpr auto gpu(std::size_t g) const -> const gpu_record& { return platform_->gpus[g]; }
  [[nodiscard]] constexpr auto free(std::size_t g) const -> std::int32_t {
    TAKT_EXPECTS(g < size());
    return free_[g];
  }
  [[nodiscard]] constexpr auto untouched(std::size_t g) const -> bool { return free_[g] == gpu(g).budget(); }
  /// Returns the least shares that what is left can be cut into.
  [[nodiscard]] constexpr auto units() const -> std::int32_t {
    std::int32_t units = 0;
    for (std::size_t g = 0; g < size(); ++g) { units += free_[g] / gpu(g).granularity; }
    return units;
  }

  constexpr void take(std::size_t g, std::int32_t sms) {
    TAKT_EXPECTS(g < size());
    free_[g] -= sms;
  }
  constexpr void give_back(std::size_t g, std::int32_t sms) {
    TAKT_EXPECTS(g < size());
    free_[g] += sms;
  }

  /// Adds one unit, on the GPU where the share lies or else the one with most units left; false if there is none.
  constexpr auto grow(sm_share& share) -> bool {
    const std::size_t g = share.sms > 0 ? static_cast<std::size_t>(share.gpu) : emptiest();
    if (g == size() || !has_unit(g)) { return false; }
    share = {static_cast<std::int32_t>(g), share.sms + gpu(g).granularity};
    take(g, gpu(g).granularity);
    return true;
  }
  [[nodiscard]] constexpr auto has_unit(std::size_t g) const -> bool { return free_[g] >= gpu(g).granularity; }

 private:
  [[nodiscard]] constexpr auto emptiest() const -> std::size_t {
    std::size_t best = size() == 0 ? size() : 0;
    for (std::size_t g = 1; g < size(); ++g) {
      best = free_[best] / gpu(best).granularity < free_[g] / gpu(g).granularity ? g : best;
    }
    return best;
  }

  const platform_record* platform_;
  std::array<std::int32_t, max_gpus> free_{};
};

/// Hands out unit by unit, in turn, to every task that needs some, until nothing more fits.
template <std::size_t N>
constexpr void split_evenly(const platform_record& platform, std::size_t tasks, const std::array<bool, N>& needs,
                            std::array<sm_share, N>& shares) {
  share_pool pool{platform};
  for (std::size_t k = 0; k < tasks; ++k) { shares[k] = {}; }
  for (bool given = true; given;) {
    given = false;
    for (std::size_t k = 0; k < tasks; ++k) { given = (needs[k] && pool.grow(shares[k])) || given; }
  }
}

}  // namespace takt::inline TAKT_ABI::detail
