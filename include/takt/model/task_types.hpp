// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>

#include <takt/model/segment.hpp>
#include <takt/model/task_attributes.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

template <Segment... Segments>
struct typed_task;
template <Segment... Segments>
struct pooled_task;

template <class... Segments>
struct segment_list {};

template <class T>
struct chain_of {};
template <Segment... Segments>
struct chain_of<typed_task<Segments...>> {
  using type = segment_list<Segments...>;
};
template <Segment... Segments>
struct chain_of<pooled_task<Segments...>> : chain_of<typed_task<Segments...>> {};

}  // namespace detail

template <class T>
concept Task = requires(const T& t) {
  { t.attributes } -> std::convertible_to<task_attributes>;
  { T::segment_count } -> std::convertible_to<std::size_t>;
  t.chain;
};

template <Task... Tasks>
struct task_set;

namespace detail {

/// Tells whether a task says what only the rules of pools read, whatever its segments are.
template <class T>
inline constexpr bool is_pooled_task = false;
template <Segment... Segments>
inline constexpr bool is_pooled_task<pooled_task<Segments...>> = true;

template <class T>
inline constexpr bool has_own_visits = false;
template <Segment... Segments>
inline constexpr bool has_own_visits<pooled_task<Segments...>> = true;
template <Segment... Segments>
inline constexpr bool has_own_visits<typed_task<Segments...>> = (requires { typename Segments::resource; } || ...);

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
