// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include <boost/hana/basic_tuple.hpp>

#include <takt/core/padded_capacity.hpp>
#include <takt/model/each_of.hpp>
#include <takt/model/typed_visits.hpp>
#include <takt/model/visit_source.hpp>

namespace takt::inline TAKT_ABI {

/// Tasks of several spellings on one board: `takt::workload(takt::task(...), takt::graph(...), applications)`. A part
/// is one task, one graph, a set, or a table. Such a board is proven from the rules of its pools.
template <class... Parts>
struct [[nodiscard]] workload {
  static constexpr bool known = (VisitSource<Parts> && ... && (sizeof...(Parts) > 0));
  static_assert(known,
                "takt: a workload takes tasks, graphs, sets and tables of them; give it at least one, and nothing "
                "else. See docs/errors.md#E97");

  boost::hana::basic_tuple<Parts...> parts;

  constexpr explicit workload(const Parts&... given) : parts{given...} {}

  /// Calls f with each part, in the given order.
  template <class F>
  constexpr void each(const F& f) const {
    detail::each_of(parts, f, std::index_sequence_for<Parts...>{});
  }
};

template <class... Parts>
workload(const Parts&...) -> workload<Parts...>;

template <class... Parts>
struct visit_source<workload<Parts...>> {
  using segments = typename detail::joined_segments<typename visit_source<Parts>::segments...>::type;
  static constexpr std::size_t max_tasks = padded_capacity((visit_source<Parts>::max_tasks + ... + 0));
  static constexpr std::size_t max_visits = padded_capacity((visit_source<Parts>::max_visits + ... + 0));
  static constexpr bool needs_pools = true;

  template <VisitSink Sink>
  static constexpr void each(const workload<Parts...>& all, Sink& sink) {
    detail::take_apart(all.parts, sink, std::index_sequence_for<Parts...>{});
  }
};

}  // namespace takt::inline TAKT_ABI
