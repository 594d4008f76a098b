// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <takt/core/duration.hpp>

namespace takt::inline TAKT_ABI {

/// The context, which is that of a process, in which a kernel runs where contexts take turns. Kernels of one number are
/// of one context, whatever their tasks; without it each task is a process.
struct kernel_context {
  static constexpr std::string_view name = "context";
  std::int32_t number = 0;
};
/// The slice of the kernel's context, if it is another than that of the rule.
struct kernel_slice {
  static constexpr std::string_view name = "slice";
  duration time;
};

[[nodiscard]] constexpr auto in_context(std::int32_t number) noexcept -> kernel_context { return {number}; }
[[nodiscard]] constexpr auto own_slice(duration time) noexcept -> kernel_slice { return {time}; }

}  // namespace takt::inline TAKT_ABI
