// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/core/wide_natural.hpp>
#include <takt/model/shares/margin.hpp>
#include <takt/model/shares/share.hpp>
#include <takt/model/shares/wcet_row.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Returns time x (1 + ppm / 10^6), up; `unbounded_time` if that does not fit. Pre: time >= 0, -10^6 < ppm <= 10^12.
[[nodiscard]] constexpr auto slowed_down(ticks time, std::int64_t ppm) noexcept -> ticks {
  TAKT_EXPECTS(time >= 0 && ppm > -millionths && ppm <= millionths * millionths);
  return time == unbounded_time ? time : scaled_up(time, millionths + ppm, millionths);
}

template <class Predictor>
struct share_monotony {};
template <class Predictor>
  requires requires { Predictor::falls_with_share; }
struct share_monotony<Predictor> {
  static constexpr bool falls_with_share = true;
};

}  // namespace detail

/// Makes the estimates of another predictor wrong by `error_ppm`, to study what an error does, and then raises them by
/// `margin_ppm`. Rounds up both times. With `margin_ppm >= margin_against(e)` an error down to -e leaves no estimate
/// below the other predictor's.
template <class Predictor>
class scaled_predictor : public detail::share_monotony<Predictor> {
 public:
  /// Pre: -10^6 < error_ppm <= 10^12, 0 <= margin_ppm <= 10^12.
  constexpr explicit scaled_predictor(Predictor from, std::int64_t error_ppm, std::int64_t margin_ppm = 0)
      : from_{std::move(from)}, error_ppm_{error_ppm}, margin_ppm_{margin_ppm} {
    TAKT_EXPECTS(error_ppm > -millionths && error_ppm <= millionths * millionths);
    TAKT_EXPECTS(margin_ppm >= 0 && margin_ppm <= millionths * millionths);
  }

  template <class Load>
  [[nodiscard]] constexpr auto predict(std::size_t task, share own, Load load) const -> ticks {
    return scaled(from_.predict(task, own, load));
  }
  template <class Load>
    requires requires(const Predictor& p, std::size_t task, share own, Load load) { p.predict_worst(task, own, load); }
  [[nodiscard]] constexpr auto predict_worst(std::size_t task, share own, Load others) const -> ticks {
    return scaled(from_.predict_worst(task, own, others));
  }

 private:
  [[nodiscard]] constexpr auto scaled(ticks time) const noexcept -> ticks {
    return detail::slowed_down(detail::slowed_down(time, error_ppm_), margin_ppm_);
  }

  Predictor from_;
  std::int64_t error_ppm_;
  std::int64_t margin_ppm_;
};

}  // namespace takt::inline TAKT_ABI
