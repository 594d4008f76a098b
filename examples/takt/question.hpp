// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <takt/allocation/search.hpp>

namespace takt::program {

enum class analysis_method : std::uint8_t {
  rtgpu,
  rtgpu_sharper,
  rtgpu_best,
  self_suspension,
  busy_waiting,
  enhanced_mpcp,
};

/// What a user may ask beyond the verdict itself, and whether it was asked. Most kinds of files leave no choice.
struct question {
  std::optional<analysis_method> given_method{};
  std::optional<search_method> given_search{};

  [[nodiscard]] auto method() const noexcept -> analysis_method {
    return given_method.value_or(analysis_method::rtgpu_best);
  }
  [[nodiscard]] auto search() const noexcept -> search_method { return given_search.value_or(default_search); }
};

}  // namespace takt::program
