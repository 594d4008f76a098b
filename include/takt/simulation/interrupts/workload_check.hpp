// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/simulation/calendar.hpp>
#include <takt/simulation/interrupts/workload.hpp>

namespace takt::simulation {

inline constexpr std::size_t most_interrupt_tasks = 32;

namespace detail {

[[nodiscard]] constexpr auto in_range(ticks time) noexcept -> bool { return time >= 0 && time < never; }

[[nodiscard]] inline auto step_fault(const interrupt_workload& w, const interrupt_step& s) -> model_fault {
  if (!is_known(s.what)) { return model_fault::choice_out_of_range; }
  if (!in_range(s.time)) { return model_fault::time_out_of_range; }
  if (s.what != interrupt_step_kind::issue) { return model_fault::none; }
  const device_operation& o = s.operation;
  if (o.engine < 0 || static_cast<std::size_t>(o.engine) >= w.engines().size()) { return model_fault::unknown_engine; }
  for (const ticks time : {o.time, o.top_half, o.bottom_half, o.work_item, o.callback}) {
    if (!in_range(time)) { return model_fault::time_out_of_range; }
  }
  return in_range(o.bottom_half + o.work_item) ? model_fault::none : model_fault::time_out_of_range;
}

[[nodiscard]] inline auto check_program(const interrupt_workload& w, std::size_t task) -> model_error {
  const std::span<const interrupt_step> program = w.program(w.tasks()[task]);
  bool under_way = false;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const interrupt_step& s = program[i];
    if (const model_fault f = step_fault(w, s); f != model_fault::none) { return fault_at(f, task, i); }
    if (s.what == interrupt_step_kind::lock && under_way) { return fault_at(model_fault::operations_overlap, task, i); }
    if (s.what == interrupt_step_kind::await && !under_way) { return fault_at(model_fault::awaits_nothing, task, i); }
    if (s.what == interrupt_step_kind::lock) { under_way = true; }
    if (s.what == interrupt_step_kind::await) { under_way = false; }
  }
  if (under_way) { return fault_at(model_fault::ends_in_an_operation, task, program.size()); }
  ticks last = 0;
  for (const ticks release : w.releases(w.tasks()[task])) {
    if (!in_range(release)) { return fault_at(model_fault::time_out_of_range, task, program.size()); }
    if (release < last) { return fault_at(model_fault::releases_descend, task, program.size()); }
    last = release;
  }
  return {};
}

}  // namespace detail

/// The first thing that is wrong with a workload on so many processors.
[[nodiscard]] inline auto check(const interrupt_workload& w, std::int32_t processors) -> model_error {
  if (w.malformed()) { return {model_fault::malformed}; }
  if (processors < 1) { return {model_fault::no_processor}; }
  if (w.tasks().size() > most_interrupt_tasks) { return {model_fault::too_many_tasks}; }
  for (std::size_t d = 0; d < w.devices().size(); ++d) {
    const std::int32_t p = w.devices()[d].processor;
    if (p < 0 || p >= processors) { return fault_at(model_fault::unknown_processor, d); }
  }
  for (std::size_t e = 0; e < w.engines().size(); ++e) {
    const std::int32_t d = w.engines()[e].device;
    if (d < 0 || static_cast<std::size_t>(d) >= w.devices().size()) { return fault_at(model_fault::unknown_device, e); }
  }
  for (std::size_t t = 0; t < w.tasks().size(); ++t) {
    if (const model_error e = detail::check_program(w, t)) { return e; }
  }
  return {};
}

}  // namespace takt::simulation
