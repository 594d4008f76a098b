// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <takt/model/accelerator.hpp>

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

/// Stops compilation where a platform with an accelerator and a task set do not go together.
template <bool KnownRule, bool KernelsWithWcet>
struct accelerator_check {
  static constexpr bool passed = KnownRule && KernelsWithWcet;
  static_assert(KnownRule,
                "takt: no bound is known for this rule on the accelerator pool; nonpreemptive(...), levels(...), "
                "slots(...) and gang(...) have one. See docs/errors.md#E47");
  static_assert(KernelsWithWcet,
                "takt: an accelerator runs kernels with wcet(), and no other platform does; this set is of the other "
                "kind. See docs/errors.md#E45");
};

template <class T>
using check_chains = accelerator_check<true, !AcceleratorTaskSet<T>>;

}  // namespace takt::inline TAKT_ABI::detail
