// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <boost/multiprecision/cpp_int.hpp>

#include <takt/core/number.hpp>

namespace takt_vectors {

/// Rationals of any size. Expression templates are off: an analysis stores what an operator returns.
using exact = boost::multiprecision::number<boost::multiprecision::cpp_rational_backend, boost::multiprecision::et_off>;

}  // namespace takt_vectors

template <>
struct takt::number_traits<takt_vectors::exact> {
  using exact = takt_vectors::exact;
  static constexpr bool integral = false;

  [[nodiscard]] static auto floor_quotient(const exact& a, const exact& b) -> exact {
    const exact q = a / b;
    const exact whole{boost::multiprecision::cpp_int(numerator(q) / denominator(q))};
    return whole;
  }
  [[nodiscard]] static auto multiply(const exact& a, std::int64_t factor, exact& out) -> bool {
    out = a * factor;
    return true;
  }
  [[nodiscard]] static auto divide_down(const exact& a, std::int64_t divisor) -> exact { return a / divisor; }
  [[nodiscard]] static auto divide_up(const exact& a, std::int64_t divisor) -> exact { return a / divisor; }
};

static_assert(takt::ExactNumber<takt_vectors::exact>);
