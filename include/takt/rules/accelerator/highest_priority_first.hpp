// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/rules/accelerator/policy.hpp>

namespace takt {

/// Fixed priorities. Pre: each task has one, and no two have the same.
struct highest_priority_first {
  template <ExactNumber Number>
  [[nodiscard]] static constexpr auto point(const accelerator_task<Number>& t, const Number& /*release*/, Number& out)
      -> bool {
    out = Number(t.priority);
    return true;
  }

  [[nodiscard]] friend constexpr auto operator==(const highest_priority_first&, const highest_priority_first&) noexcept
      -> bool = default;
};

static_assert(AcceleratorPolicy<highest_priority_first>);

}  // namespace takt
