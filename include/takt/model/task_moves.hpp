// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/visit_fact.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Adds task `i` of `from` behind those of `to`, with all that is known of it. False when `to` has no room, and `to` is
/// of no use then. Pre: i < from.size().
template <class To, class From>
[[nodiscard]] constexpr auto copy_task(const From& from, std::size_t i, To& to) -> bool {
  TAKT_EXPECTS(i < from.size());
  const runtime_task& t = from.tasks[i];
  if (!to.add_task(t)) { return false; }
  const auto own = static_cast<std::uint32_t>(to.size() - 1);
  for (std::uint32_t p = 0; p < t.visit_count; ++p) {
    runtime_visit v = from.visits[t.first_visit + p];
    if (v.known.has(visit_fact::wcet_by_share)) {
      const auto row = static_cast<std::uint32_t>(to.rows.size());
      if (!to.rows.try_push_back(from.rows[v.row])) { return false; }
      v.row = row;
    }
    if (v.known.has(visit_fact::times_on_sms)) {
      const auto first = static_cast<std::uint32_t>(to.samples.size());
      for (std::uint32_t k = 0; k < v.samples; ++k) {
        if (!to.samples.try_push_back(from.samples[v.first_sample + k])) { return false; }
      }
      v.first_sample = first;
    }
    if (!to.add_visit(v)) { return false; }
  }
  for (runtime_edge e : from.history) {
    if (e.task != i) { continue; }
    e.task = own;
    if (!to.history.try_push_back(e)) { return false; }
  }
  return true;
}

}  // namespace detail

/// Returns the position of the first task with a name; size() if there is none.
template <class Tasks>
[[nodiscard]] constexpr auto position_of(const Tasks& all, std::string_view name) -> std::size_t {
  std::size_t i = 0;
  while (i < all.size() && all.tasks[i].name != name) { ++i; }
  return i;
}

/// Adds the tasks of `more` behind those of `to`. Error, and no change: a name that is there already, or no room.
template <class To, class From>
[[nodiscard]] constexpr auto append_tasks(const From& more, To& to) -> model_error {
  To out = to;
  for (std::size_t i = 0; i < more.size(); ++i) {
    const auto at = static_cast<std::uint32_t>(i);
    if (position_of(out, more.tasks[i].name) < out.size()) {
      return {.fault = model_fault::duplicate_name, .task = at, .name = more.tasks[i].name};
    }
    if (!detail::copy_task(more, i, out)) {
      return {.fault = model_fault::too_many_tasks, .task = at, .name = more.tasks[i].name};
    }
  }
  to = out;
  return {};
}

namespace detail {

/// Returns all but task `i`.
template <class Tasks>
[[nodiscard]] constexpr auto without_task(const Tasks& all, std::size_t i) -> Tasks {
  Tasks out;
  for (std::size_t k = 0; k < all.size(); ++k) {
    // There is room for what comes out of as much room.
    if (k != i) { static_cast<void>(copy_task(all, k, out)); }
  }
  return out;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
