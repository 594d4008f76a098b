// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/model/shares/share.hpp>
#include <takt/prediction/corun/scaled_predictor.hpp>

namespace takt::inline TAKT_ABI {

/// Lets a predictor without worst-load times work under rules that ask for them. It takes its longest time when the
/// others hold nothing, or one of them holds all that is left. That is the worst load where slow-downs add up and grow
/// with each share, as in a linear contention model; for a trained network it is a guess.
template <class Predictor>
class worst_corner_heuristic : public detail::share_monotony<Predictor> {
 public:
  constexpr explicit worst_corner_heuristic(Predictor from) : from_{std::move(from)} {}

  template <class Load>
  [[nodiscard]] constexpr auto predict(std::size_t task, share own, Load load) const -> ticks {
    return from_.predict(task, own, load);
  }
  template <class Other, std::size_t Extent>
  [[nodiscard]] constexpr auto predict_worst(std::size_t task, share own, std::span<Other, Extent> others) const
      -> ticks {
    std::array<std::remove_const_t<Other>, 1> corner{};
    ticks worst = from_.predict(task, own, std::span<Other>{});
    for (const Other& other : others) {
      corner[0] = other;
      corner[0].held = share::bounded(full_share.percent() - own.percent());
      const ticks time = from_.predict(task, own, std::span<Other>{corner});
      worst = time > worst ? time : worst;
    }
    return worst;
  }

 private:
  Predictor from_;
};

}  // namespace takt::inline TAKT_ABI
