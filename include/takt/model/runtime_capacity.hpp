// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <takt/core/number.hpp>
#include <takt/model/facts.hpp>
#include <takt/model/kernel_facts.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/model/task_table.hpp>
#include <takt/model/task_types.hpp>
#include <takt/model/visit_source.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

template <class S>
inline constexpr std::size_t samples_said = 0;
template <class S>
  requires requires(const S& s) { std::remove_cvref_t<decltype(s.law)>::sampled_shares; }
inline constexpr std::size_t samples_said<S> = std::remove_cvref_t<decltype(S::law)>::sampled_shares;

template <class Segments>
inline constexpr std::size_t rows_among = 0;
template <class... S>
inline constexpr std::size_t rows_among<segment_list<S...>> = (std::size_t{knows<wcet_row, S>} + ... + 0);
template <class Segments>
inline constexpr std::size_t samples_among = 0;
template <class... S>
inline constexpr std::size_t samples_among<segment_list<S...>> = (samples_said<S> + ... + 0);

/// Rows and samples that tasks of a type have at most. What was read from a file says so by its capacity.
template <class T>
struct facts_said {
  static constexpr std::size_t rows = rows_among<typename visit_source<T>::segments>;
  static constexpr std::size_t samples = samples_among<typename visit_source<T>::segments>;
};
template <std::size_t N, std::size_t Segments, std::size_t Samples>
struct facts_said<task_table<ticks, N, Segments, Samples>> {
  static constexpr std::size_t rows = 0;
  static constexpr std::size_t samples = Samples;
};
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
struct facts_said<runtime_task_set<N, V, R, S>> {
  static constexpr std::size_t rows = R;
  static constexpr std::size_t samples = S;
};
template <class... Parts>
struct facts_said<workload<Parts...>> {
  static constexpr std::size_t rows = (facts_said<Parts>::rows + ... + 0);
  static constexpr std::size_t samples = (facts_said<Parts>::samples + ... + 0);
};

[[nodiscard]] constexpr auto at_least_one(std::size_t n) noexcept -> std::size_t { return n == 0 ? 1 : n; }

}  // namespace detail

/// Run-time tasks with capacity for all that a workload of type `T` says.
template <VisitSource T>
using runtime_task_set_for =
    runtime_task_set<tasks_of<T>, visits_of<T>, detail::at_least_one(detail::facts_said<T>::rows),
                     detail::at_least_one(detail::facts_said<T>::samples)>;

}  // namespace takt::inline TAKT_ABI
