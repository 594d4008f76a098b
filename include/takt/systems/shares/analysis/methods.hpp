// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/analysis/judge_known.hpp>
#include <takt/analysis/method_list.hpp>
#include <takt/analysis/pools/share_rule_bounds.hpp>
#include <takt/systems/shares/analysis/share_method.hpp>

namespace takt::inline TAKT_ABI {

/// Lists what is known of applications with shares of a GPU.
inline constexpr methods<analysis::detail::shared_applications> share_methods{};

}  // namespace takt::inline TAKT_ABI
