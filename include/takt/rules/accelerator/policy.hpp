// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include <takt/core/number.hpp>
#include <takt/core/value.hpp>
#include <takt/model/accelerator.hpp>

namespace takt {

/// Says how important a job is, for life, when it is activated; the smaller point is the more important one. `point`
/// is false, and leaves `out` alone, where the point does not fit.
template <class P, class Number = ticks>
concept AcceleratorPolicy =
    Copyable<P> && requires(const P p, const accelerator_task<Number>& t, const Number& release, Number& out) {
      { p.point(t, release, out) } -> std::same_as<bool>;
    };

}  // namespace takt
