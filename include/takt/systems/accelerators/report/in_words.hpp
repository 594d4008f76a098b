// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <takt/systems/accelerators/report/summarize.hpp>

namespace takt::inline TAKT_ABI::report::detail {

/// Names the system of whole kernels on an accelerator among those that a question may need.
struct accelerators_in_words {
  static constexpr std::string_view name = "accelerators";
};

}  // namespace takt::inline TAKT_ABI::report::detail
