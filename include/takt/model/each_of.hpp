// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include <boost/hana/basic_tuple.hpp>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Calls f with each element, in order. It is one function, while `boost::hana::for_each` is a chain of seven that a
/// compiler instantiates for every f.
template <class... Xs, class F, std::size_t... At>
constexpr void each_of(const boost::hana::basic_tuple<Xs...>& xs, const F& f, std::index_sequence<At...> /*all*/) {
  (f(boost::hana::at_c<At>(xs)), ...);
}

/// Calls f with the element at a position. Pre: there is one.
template <class... Xs, class F, std::size_t... At>
constexpr void one_of(const boost::hana::basic_tuple<Xs...>& xs, std::size_t wanted, const F& f,
                      std::index_sequence<At...> /*all*/) {
  TAKT_EXPECTS(wanted < sizeof...(At));
  static_cast<void>(((wanted == At ? (f(boost::hana::at_c<At>(xs)), true) : false) || ...));
}

}  // namespace takt::inline TAKT_ABI::detail
