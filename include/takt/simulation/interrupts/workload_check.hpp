// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include <takt/core/number.hpp>
#include <takt/simulation/calendar.hpp>
#include <takt/simulation/interrupts/workload.hpp>

namespace takt::simulation {

inline constexpr std::size_t most_interrupt_tasks = 32;

/// What can be wrong with a workload. `never_ends` shows only when the simulation gets there.
enum class interrupt_fault : std::uint8_t {
  none,
  malformed,
  no_processor,
  too_many_tasks,
  unknown_processor,
  unknown_device,
  unknown_engine,
  time_out_of_range,
  releases_descend,
  operations_overlap,
  awaits_nothing,
  ends_in_an_operation,
  never_ends,
};

[[nodiscard]] constexpr auto name_of(interrupt_fault f) noexcept -> std::string_view {
  switch (f) {
    case interrupt_fault::none: return "";
    case interrupt_fault::malformed: return "a step is of no known kind, or comes before the first task like a release";
    case interrupt_fault::no_processor: return "there is no processor";
    case interrupt_fault::too_many_tasks: return "there are more tasks than the simulator holds";
    case interrupt_fault::unknown_processor: return "a device interrupts a processor that does not exist";
    case interrupt_fault::unknown_device: return "an engine is part of a device that does not exist";
    case interrupt_fault::unknown_engine: return "an operation is for an engine that does not exist";
    case interrupt_fault::time_out_of_range: return "a time is negative or too large";
    case interrupt_fault::releases_descend: return "the releases of a task do not ascend";
    case interrupt_fault::operations_overlap: return "a job begins an operation before it has awaited the one before";
    case interrupt_fault::awaits_nothing: return "a job awaits an operation that it has not begun";
    case interrupt_fault::ends_in_an_operation: return "a program ends before its operation";
    case interrupt_fault::never_ends: return "a job does not end within the time that can be simulated";
  }
  return "";
}

/// What and where: the task, and the step of its program; of a device or an engine its number.
struct interrupt_error {
  interrupt_fault fault = interrupt_fault::none;
  std::size_t of = 0;
  std::size_t step = 0;

  [[nodiscard]] constexpr explicit operator bool() const noexcept { return fault != interrupt_fault::none; }
  [[nodiscard]] friend constexpr auto operator==(const interrupt_error&, const interrupt_error&) noexcept
      -> bool = default;
};

namespace detail {

[[nodiscard]] constexpr auto in_range(ticks time) noexcept -> bool { return time >= 0 && time < never; }

[[nodiscard]] inline auto step_fault(const interrupt_workload& w, const interrupt_step& s) -> interrupt_fault {
  if (!is_known(s.what)) { return interrupt_fault::malformed; }
  if (!in_range(s.time)) { return interrupt_fault::time_out_of_range; }
  if (s.what != interrupt_step_kind::issue) { return interrupt_fault::none; }
  const device_operation& o = s.operation;
  if (o.engine < 0 || static_cast<std::size_t>(o.engine) >= w.engines().size()) {
    return interrupt_fault::unknown_engine;
  }
  for (const ticks time : {o.time, o.top_half, o.bottom_half, o.work_item, o.callback}) {
    if (!in_range(time)) { return interrupt_fault::time_out_of_range; }
  }
  return in_range(o.bottom_half + o.work_item) ? interrupt_fault::none : interrupt_fault::time_out_of_range;
}

[[nodiscard]] inline auto check_program(const interrupt_workload& w, std::size_t task) -> interrupt_error {
  const std::span<const interrupt_step> program = w.program(w.tasks()[task]);
  bool under_way = false;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const interrupt_step& s = program[i];
    if (const interrupt_fault f = step_fault(w, s); f != interrupt_fault::none) { return {f, task, i}; }
    if (s.what == interrupt_step_kind::lock && under_way) { return {interrupt_fault::operations_overlap, task, i}; }
    if (s.what == interrupt_step_kind::await && !under_way) { return {interrupt_fault::awaits_nothing, task, i}; }
    if (s.what == interrupt_step_kind::lock) { under_way = true; }
    if (s.what == interrupt_step_kind::await) { under_way = false; }
  }
  if (under_way) { return {interrupt_fault::ends_in_an_operation, task, program.size()}; }
  ticks last = 0;
  for (const ticks release : w.releases(w.tasks()[task])) {
    if (!in_range(release)) { return {interrupt_fault::time_out_of_range, task, program.size()}; }
    if (release < last) { return {interrupt_fault::releases_descend, task, program.size()}; }
    last = release;
  }
  return {};
}

}  // namespace detail

/// The first thing that is wrong with a workload on so many processors.
[[nodiscard]] inline auto check(const interrupt_workload& w, std::int32_t processors) -> interrupt_error {
  if (w.malformed()) { return {interrupt_fault::malformed}; }
  if (processors < 1) { return {interrupt_fault::no_processor}; }
  if (w.tasks().size() > most_interrupt_tasks) { return {interrupt_fault::too_many_tasks}; }
  for (std::size_t d = 0; d < w.devices().size(); ++d) {
    const std::int32_t p = w.devices()[d].processor;
    if (p < 0 || p >= processors) { return {interrupt_fault::unknown_processor, d}; }
  }
  for (std::size_t e = 0; e < w.engines().size(); ++e) {
    const std::int32_t d = w.engines()[e].device;
    if (d < 0 || static_cast<std::size_t>(d) >= w.devices().size()) { return {interrupt_fault::unknown_device, e}; }
  }
  for (std::size_t t = 0; t < w.tasks().size(); ++t) {
    if (const interrupt_error e = detail::check_program(w, t)) { return e; }
  }
  return {};
}

}  // namespace takt::simulation
