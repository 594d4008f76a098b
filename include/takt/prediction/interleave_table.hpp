// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/rational.hpp>
#include <takt/model/segment.hpp>

namespace takt::inline TAKT_ABI {

/// Says what a kernel's instructions mostly are.
enum class kernel_class : std::uint8_t { computation, branch, memory, special };

/// Returns the largest measured slowdown of a synthetic kernel by one of any class beside it, two to an SM of a GTX
/// 1080 Ti. Source: Zou et al. 2021, section 4.2 and Fig. 5.
[[nodiscard]] constexpr auto largest_cross_interleave(kernel_class c) noexcept -> rational {
  switch (c) {
    case kernel_class::computation: return {9, 5};
    case kernel_class::branch:
    case kernel_class::memory: return {17, 10};
    case kernel_class::special: return {29, 20};
  }
  return {9, 5};
}

inline constexpr std::array<kernel_class, 4> kernel_classes{kernel_class::computation, kernel_class::branch,
                                                            kernel_class::memory, kernel_class::special};

namespace detail {

/// Physical SMs of the columns of `self_interleave_table`.
inline constexpr std::array<std::int32_t, 4> self_interleave_sms{1, 2, 4, 8};

struct self_interleave_row {
  std::string_view benchmark;
  std::array<rational, self_interleave_sms.size()> ratio;

  [[nodiscard]] constexpr auto smallest() const noexcept -> rational {
    rational out = ratio[0];
    for (std::size_t i = 1; i < ratio.size(); ++i) { out = ratio[i] < out ? ratio[i] : out; }
    return out;
  }
  [[nodiscard]] constexpr auto largest() const noexcept -> rational {
    rational out = ratio[0];
    for (std::size_t i = 1; i < ratio.size(); ++i) { out = out < ratio[i] ? ratio[i] : out; }
    return out;
  }
};

}  // namespace detail

/// Measured slowdown of kernels whose two halves share an SM of a GTX 1080 Ti. `interleave_gain(2, ratio)` is what the
/// sharing gains. Source: Zou et al. 2021, section 6.2 and Table 2.
inline constexpr std::array<detail::self_interleave_row, 5> self_interleave_table{{
    {"Dxtc", {{{168, 100}, {166, 100}, {169, 100}, {164, 100}}}},
    {"BFS", {{{156, 100}, {161, 100}, {159, 100}, {157, 100}}}},
    {"Particle Filter", {{{142, 100}, {145, 100}, {141, 100}, {146, 100}}}},
    {"Vectoradd", {{{180, 100}, {177, 100}, {180, 100}, {178, 100}}}},
    {"Quasirand", {{{122, 100}, {123, 100}, {124, 100}, {123, 100}}}},
}};

/// Returns a ratio from these tables as the attribute of a kernel.
[[nodiscard]] constexpr auto interleave(rational ratio) noexcept -> kernel_interleave {
  return interleave(ratio.numerator(), ratio.denominator());
}
[[nodiscard]] constexpr auto self_interleave(rational ratio) noexcept -> kernel_interleave {
  return self_interleave(ratio.numerator(), ratio.denominator());
}

}  // namespace takt::inline TAKT_ABI
