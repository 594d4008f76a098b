// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/task_set.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator/earliest_deadline_first.hpp>
#include <takt/rules/accelerator/highest_priority_first.hpp>
#include <takt/rules/accelerator/strategy_for.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/runtime/accelerator/accelerator_options.hpp>
#include <takt/runtime/accelerator/accelerator_rights.hpp>
#include <takt/runtime/accelerator/accelerator_runtime.hpp>
#include <takt/runtime/accelerator/concepts.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/run.hpp>
#include <takt/runtime/run_end.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_result.hpp>

namespace takt::runtime {

/// The user's own kernels, by the position of their task. Tasks without one only take time.
template <AcceleratorDevice D>
using kernel_bindings = std::map<std::uint32_t, typename D::kernel>;

namespace detail {

/// Cores that a strategy has room for.
inline constexpr std::size_t most_cores = 512;

template <class Recorder, AcceleratorRule Rule, class Table>
[[nodiscard]] auto options_for(const Rule& rule, const Table& table, const run_options& asked,
                               const accelerator_hooks& hooks) -> accelerator_options {
  accelerator_options out{.overrun = asked.overrun, .lengths = asked.lengths, .seed = asked.seed};
  out.expected = asked.expected;
  out.on_violation = asked.on_violation;
  out.hooks = hooks;
  std::size_t pieces = 64;
  const auto count_every = [&pieces, &asked](ticks period) {
    pieces +=
        std::min(trace_limit, 4 * static_cast<std::size_t>(std::max<ticks>(0, asked.length.count()) / period + 1));
  };
  for (std::size_t i = 0; i < table.size(); ++i) { count_every(table.tasks[i].period); }
  if constexpr (CoreSlots<Rule>) {
    out.pinned_slot = rule.pinned;
    out.gang_slot = rule.gang;
    count_every(rule.pinned.period);
  }
  const bool traced = !std::same_as<Recorder, no_trace>;
  out.trace_capacity = traced ? std::min(trace_limit, pieces) : 0;
  return out;
}

}  // namespace detail

/// Runs kernels on an accelerator for `options.length` under the rule of its pool, every task released for the first
/// time at the start and then once per period.
///
/// Kernels stop at the ends of their waves only. The trace and all times of the result count from the start; what is
/// unfinished at the end is abandoned. A device that says that it has failed (`FallibleDevice`) ends the run there.
/// `options.pin_to_cores` is not looked at: no task has a thread. Error: see `run_status`.
template <AcceleratorPlatform P, AcceleratorTaskSet T, AcceleratorDevice D, TraceRecorder Recorder>
[[nodiscard]] auto run(const P& platform, const T& tasks, D& device, const run_options& options, Recorder& recorder,
                       const kernel_bindings<D>& bound = {}, const accelerator_hooks& hooks = {}) -> run_result {
  using rule = typename P::accelerator_rule;
  using order = kernel_order<rule>;
  using policy = std::conditional_t<EarliestDeadlineFirst<order>, earliest_deadline_first, highest_priority_first>;
  auto table = tasks.template table<ticks>();
  constexpr std::size_t max_tasks = decltype(table)::max_tasks;
  const accelerator_record& accelerator = platform.accelerator();
  run_result result;
  const auto refuse = [&result](run_status why) {
    result.status = why;
    return result;
  };
  result.error = platform.validate();
  if (!result.error) { result.error = fits_accelerator<rule>(table, accelerator); }
  if (!result.error && accelerator.cores > static_cast<std::int32_t>(detail::most_cores)) {
    result.error = {.fault = model_fault::platform_size_out_of_range};
  }
  if (!is_known(options.lengths) || !is_known(options.overrun)) {
    result.error = {.fault = model_fault::choice_out_of_range};
  }
  if (result.error) { return refuse(run_status::invalid_model); }
  const auto strategy =
      takt::detail::strategy_for<rule, max_tasks, detail::most_cores>(platform.strategy(), accelerator);
  if (!device.serves({.cores = strategy.cores(), .levels = strategy.levels()})) {
    return refuse(run_status::wrong_device);
  }
  if (!bound.empty() && bound.rbegin()->first >= table.size()) { return refuse(run_status::wrong_binding); }

  rank_kernels<order>(table);
  accelerator_runtime<policy, std::remove_const_t<decltype(strategy)>, D> kernels{
      {}, strategy, device, detail::options_for<Recorder>(platform.strategy(), table, options, hooks)};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto own = bound.find(static_cast<std::uint32_t>(i));
    (void)(own == bound.end() ? kernels.add_timed(table.tasks[i]) : kernels.add(table.tasks[i], own->second));
  }
  run_result granted;
  if (options.check_machine) {
    granted.findings = findings_of(device);
    granted.notes = notes_on(granted.findings);
  }
  const ticks start = now() + detail::lead_time;
  const ticks stop = later(start, std::max<ticks>(0, options.length.count()));
  if (!kernels.start({start, stop})) {
    result.status = run_status::no_threads;
    (void)report_fault(device, result);
    return result;
  }
  {
    accelerator_rights<D> rights{kernels.native_handle(), device, granted.notes};
    const auto ask = [&granted](bool wanted, const char* what, auto request) {
      if (!wanted) { granted.notes.push_back(std::string{what} + ": left as it is, as asked"); }
      return wanted && request();
    };
    granted.granted.memory_locked = ask(options.lock_memory, "memory", [&] { return rights.lock_memory(); });
    granted.granted.real_time = ask(options.real_time, "scheduling", [&] { return rights.be_real_time(); });
    granted.granted.clock_resolution = clock_resolution();
    granted.notes.push_back("clock: CLOCK_MONOTONIC, resolution " + std::to_string(clock_resolution()) + "ns");
    granted.notes.push_back("device: " + std::string{device.name()});
    kernels.sleep_until(stop);
  }
  kernels.drain(stop);
  result = kernels.result();
  result.granted = granted.granted;
  result.findings = std::move(granted.findings);
  result.notes.insert(result.notes.begin(), granted.notes.begin(), granted.notes.end());
  if (const std::uint64_t lost = kernels.replay(recorder); lost > 0) {
    result.notes.push_back("trace: " + std::to_string(lost) + " pieces did not fit and are missing");
  }
  return result;
}

template <AcceleratorPlatform P, AcceleratorTaskSet T, AcceleratorDevice D>
[[nodiscard]] auto run(const P& platform, const T& tasks, D& device, const run_options& options = {}) -> run_result {
  no_trace nothing;
  return run(platform, tasks, device, options, nothing);
}

}  // namespace takt::runtime
