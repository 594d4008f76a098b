// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/number.hpp>
#include <takt/core/value.hpp>
#include <takt/model/shares/share.hpp>
#include <takt/model/shares/wcet_row.hpp>

namespace takt::inline TAKT_ABI {

/// Another application with an active job, and what it holds.
struct co_runner {
  std::uint32_t task = 0;
  share held{};
};

/// Says how long a whole job of an application takes with a share while certain others run with theirs, if that stayed
/// so. `load` names each other application with an active job once; one that holds 0 slows nothing down.
///
/// `unbounded_time` if none is known or it does not fit; so does a time count that is not positive. Pre: own >= 1.
template <class P>
concept CoRunPredictor =
    Copyable<P> && requires(const P& p, std::size_t task, share own, std::span<const co_runner> load) {
      { p.predict(task, own, load) } -> std::same_as<ticks>;
    };

/// One that also bounds that time whatever the others hold, as long as they leave `own` alone. What `others` hold is
/// not looked at.
template <class P>
concept WorstLoadPredictor =
    CoRunPredictor<P> && requires(const P& p, std::size_t task, share own, std::span<const co_runner> others) {
      { p.predict_worst(task, own, others) } -> std::same_as<ticks>;
    };

/// Says whether a predictor promises that no time increases with the own share: the least is then found by bisection.
template <class P>
inline constexpr bool falls_with_share = requires { requires P::falls_with_share; };

namespace detail {

/// Returns a prediction as a time that can be reckoned with.
[[nodiscard]] constexpr auto usable_time(ticks predicted) noexcept -> ticks {
  return predicted > 0 ? predicted : unbounded_time;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
