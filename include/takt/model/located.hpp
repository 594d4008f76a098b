// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

template <class T>
constexpr void note(const T& from, std::int64_t& to, bool& known) {
  if constexpr (std::integral<T>) {
    to = static_cast<std::int64_t>(from);
    known = true;
  }
}

/// Notes what the field that a fault names holds, for the fields of a whole task.
template <class Row>
constexpr void note_values(const Row& row, model_error& e) {
  const auto value = [&e](const auto& x) { note(x, e.value, e.has_value); };
  const auto limit = [&e](const auto& x) { note(x, e.limit, e.has_limit); };
  if (e.fault == model_fault::period_not_positive) { value(row.period); }
  if constexpr (requires { row.deadline; }) {
    if (e.fault == model_fault::deadline_not_positive || e.fault == model_fault::deadline_exceeds_period) {
      value(row.deadline);
    }
    if (e.fault == model_fault::deadline_exceeds_period) { limit(row.period); }
  }
  if constexpr (requires { row.priority; }) {
    if (e.fault == model_fault::negative_priority || e.fault == model_fault::duplicate_priority) {
      value(row.priority);
    }
  }
  if constexpr (requires { row.core; }) {
    if (e.fault == model_fault::negative_core || e.fault == model_fault::core_out_of_range) { value(row.core); }
  }
  if constexpr (requires { row.wcet; }) {
    if (e.fault == model_fault::kernel_time_not_positive) { value(row.wcet); }
  }
  if constexpr (requires { row.preemption_cost; }) {
    if (e.fault == model_fault::preemption_cost_exceeds_time || e.fault == model_fault::negative_time) {
      value(row.preemption_cost);
    }
    if (e.fault == model_fault::preemption_cost_exceeds_time) { limit(row.wcet); }
  }
  if constexpr (requires { row.cluster; }) {
    if (e.fault == model_fault::cluster_out_of_range) { value(row.cluster); }
  }
}

}  // namespace detail

/// Returns the same fault with the name of its task and with what the field holds, where one field of one task causes
/// it. `rows` are the tasks, graphs or applications of a flat table. Cost: their number.
template <class Rows>
[[nodiscard]] constexpr auto located(model_error e, const Rows& rows) -> model_error {
  for (std::size_t i = 0; e && e.name.empty() && i < rows.size(); ++i) {
    std::size_t id = i;
    if constexpr (requires { rows[i].id; }) { id = rows[i].id; }
    if (id != e.task) { continue; }
    e.name = rows[i].name;
    if (!e.has_value) { detail::note_values(rows[i], e); }
  }
  return e;
}

}  // namespace takt::inline TAKT_ABI
