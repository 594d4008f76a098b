// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/exact.hpp>
#include <takt/rules/accelerator/policy.hpp>

namespace takt {

struct earliest_deadline_first {
  template <ExactNumber Number>
  [[nodiscard]] static constexpr auto point(const accelerator_task<Number>& t, const Number& release, Number& out)
      -> bool {
    return add_exactly(release, t.deadline, out);
  }

  [[nodiscard]] friend constexpr auto operator==(const earliest_deadline_first&,
                                                 const earliest_deadline_first&) noexcept -> bool = default;
};

static_assert(AcceleratorPolicy<earliest_deadline_first>);

}  // namespace takt
