// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

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

/// What a user may ask beyond the verdict itself. Most kinds of files leave no choice.
struct question {
  analysis_method method = analysis_method::rtgpu_best;
  search_method search = search_method::exact;
};

}  // namespace takt::program
