// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include <boost/hana/basic_tuple.hpp>

#include <takt/model/each_of.hpp>
#include <takt/model/mutex_key.hpp>
#include <takt/model/segment.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Segments of a chain that hold a mutex from before the first until after the last of them.
template <class Mutex, Segment... Segments>
struct critical_section {
  using resource = Mutex;
  static constexpr std::size_t segment_count = sizeof...(Segments);

  boost::hana::basic_tuple<Segments...> chain;

  /// Calls f with each segment, in order of execution.
  template <class F>
  constexpr void each(const F& f) const {
    detail::each_of(chain, f, std::index_sequence_for<Segments...>{});
  }
};

/// Stops compilation where a section holds nothing, or another section.
template <bool Flat>
struct section_is_flat {
  static constexpr bool passed = Flat;
  static_assert(Flat,
                "takt: locks<mutex>(...) takes cpu(), copy(), kernel() or visit(), at least one of them, and no other "
                "locks<...>(...): sections do not nest. See docs/errors.md#E103");
};

}  // namespace detail

/// Makes a critical section of a task: `locks<queue_mutex>(cpu(500_us))` in its chain. `Mutex` is a type of the user's,
/// of which the board has `pool(queue_mutex{}, locked(priority_ceiling_order))`.
template <class Mutex, class... Segments>
[[nodiscard]] constexpr auto locks(const Segments&... segments) {
  constexpr bool flat =
      ((Segment<Segments> && !detail::is_critical_section<Segments>) && ... && (sizeof...(Segments) > 0));
  if constexpr (detail::section_is_flat<flat>::passed) {
    return detail::critical_section<Mutex, Segments...>{boost::hana::basic_tuple<Segments...>(segments...)};
  }
}

}  // namespace takt::inline TAKT_ABI
