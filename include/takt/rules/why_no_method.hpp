// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Names what stops compilation where no method is known of tasks on a board: `type`, with a member `passed`. A system
/// with tasks or resources of its own specialises it beside its rules; of others the pools say what is missing.
template <class P, class T>
struct why_no_method {
  using type = void;
};

/// Holds if a system has a sentence of its own.
template <class P, class T>
concept SaysWhyNoMethod = !std::is_void_v<typename why_no_method<P, T>::type>;

}  // namespace takt::inline TAKT_ABI::detail
