// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/task_set.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator/earliest_deadline_first.hpp>
#include <takt/rules/accelerator/highest_priority_first.hpp>
#include <takt/rules/accelerator/planned_kernels.hpp>
#include <takt/rules/accelerator/strategy_of.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/runtime/accelerator/accelerator_options.hpp>
#include <takt/runtime/accelerator/accelerator_runtime.hpp>
#include <takt/runtime/accelerator/concepts.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/enforced.hpp>
#include <takt/runtime/rights.hpp>
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
[[nodiscard]] auto options_for([[maybe_unused]] const Rule& rule, const Table& table, const run_options& asked,
                               const accelerator_hooks& hooks) -> accelerator_options {
  accelerator_options out{.overrun = asked.overrun, .lengths = asked.lengths, .seed = asked.seed};
  out.expected = asked.expected;
  out.on_violation = asked.on_violation;
  out.watch = asked.watch;
  out.hooks = hooks;
  std::size_t pieces = 64;
  const auto count_every = [&pieces, &asked](ticks period) {
    pieces +=
        std::min(trace_limit, 4 * static_cast<std::size_t>(std::max<ticks>(0, asked.length.count()) / period + 1));
  };
  for (std::size_t i = 0; i < table.size(); ++i) { count_every(table.tasks[i].period); }
  if constexpr (ReservesSlots<Rule>) { count_every(rule.pinned.period); }
  const bool traced = !std::same_as<Recorder, no_trace>;
  out.trace_capacity = traced ? std::min(trace_limit, pieces) : 0;
  return out;
}

/// Whether bindings and expectations are of tasks that there are. A task has one segment.
template <class Table, class Bound>
[[nodiscard]] auto well_named(const Table& table, const Bound& bound, const std::vector<expectation>& expected)
    -> bool {
  const bool known = bound.empty() || bound.rbegin()->first < table.size();
  return known && expected.size() <= table.size() &&
         std::ranges::all_of(expected, [](const expectation& e) { return e.visits.size() <= 1; });
}

/// The runtime for the rule of a platform.
template <class Runtime, AcceleratorPlatform P, class Strategy, AcceleratorDevice D>
[[nodiscard]] auto runtime_for(const P& platform, const Strategy& strategy, D& device, accelerator_options options)
    -> Runtime {
  if constexpr (ReservesSlots<typename P::accelerator_rule>) {
    const auto& rule = platform.strategy();
    return Runtime{{}, strategy, device, {.pinned = rule.pinned, .gang = rule.gang}, std::move(options)};
  } else {
    return Runtime{{}, strategy, device, std::move(options)};
  }
}

/// Waits until an instant, or until there is nothing to wait for. Whether the run is stopped before, by the options or
/// by `over`.
template <class Kernels>
[[nodiscard]] auto wait_for_stop(Kernels& kernels, ticks stop, const run_options& options,
                                 const std::atomic<bool>& over) -> bool {
  if (options.stop == nullptr && !ends_run(options.at_violation)) { kernels.sleep_until(stop); }
  while (now() < stop) {
    if (over || is_asked_to_stop(options)) { return true; }
    const ticks look = std::min(stop, now() + stop_poll);
    kernels.sleep_until(look);
    if (now() < look) { return over; }
  }
  return false;
}

/// From the request to the operating system to the last notice. `over`: a violation has ended the run.
template <class Kernels, AcceleratorDevice D>
[[nodiscard]] auto run_kernels(Kernels& kernels, D& device, const run_options& options, const std::atomic<bool>& over)
    -> run_result {
  run_result told;
  if (options.check_machine) {
    told.findings = findings_of(device);
    told.notes = notes_on(told.findings);
  }
  const ticks start = now() + lead_time;
  const ticks stop = later(start, std::max<ticks>(0, options.length.count()));
  if (!kernels.start({start, stop})) {
    told.ended = observation_status::no_threads;
    (void)report_fault(device, told);
    return told;
  }
  {
    // Blocks of the device may compute and must not keep a decision from being made.
    rights asked{{{.handle = kernels.native_handle(), .priority = usual_priority + 1}}, told.notes};
    (void)ask(options.pin_to_cores, "affinity", told, [&told] {
      told.notes.emplace_back("affinity: not pinned, because no task has a thread of its own");
      return false;
    });
    told.granted.memory_locked = ask(options.lock_memory, "memory", told, [&] { return asked.lock_memory(); });
    told.granted.real_time = ask(options.real_time, "scheduling", told, [&] {
      return asked.be_real_time(usual_priority + 2,
                                "the scheduler at " + std::to_string(usual_priority + 1) + " above the device", "",
                                [&device](bool above) { return device.serve_at(above ? usual_priority : 0); });
    });
    note_clock(told);
    told.notes.push_back("device: " + std::string{device.name()});
    told.stopped = wait_for_stop(kernels, stop, options, over);
  }
  if (told.stopped) { kernels.stop(); }
  kernels.drain(told.stopped ? now() : stop);
  run_result out = kernels.result();
  out.stopped = told.stopped;
  out.granted = told.granted;
  out.findings = std::move(told.findings);
  out.notes.insert(out.notes.begin(), told.notes.begin(), told.notes.end());
  return out;
}

}  // namespace detail

/// Runs kernels on an accelerator for `options.length` under the rule of its pool and a plan, every task released for
/// the first time at the start and then once per period.
///
/// Kernels stop at the ends of their waves only. The trace and all times of the result count from the start; what is
/// unfinished at the end is abandoned. A device that says that it has failed (`FallibleDevice`) ends the run there. No
/// task has a thread that could be pinned to a core. A platform whose rule is not enforced here does not compile.
/// Error: see `observation_status`.
template <HasAccelerator P, TaskSet T, std::size_t N, AcceleratorDevice D, TraceRecorder Recorder>
[[nodiscard]] auto run(const P& platform, const T& tasks, const plan<N>& p, D& device, const run_options& options,
                       Recorder& recorder, const kernel_bindings<D>& bound = {}, const accelerator_hooks& hooks = {},
                       takt::detail::refusal&& /*refused*/ = takt::detail::refusal{
                           detail::check_accelerator_run<P, T>::passed}) -> run_result {
  run_result result;
  if constexpr (AcceleratorPlatform<P> && AcceleratorTaskSet<T>) {
    using rule = typename P::accelerator_rule;
    using order = kernel_order<rule>;
    using policy = std::conditional_t<EarliestDeadlineFirst<order>, earliest_deadline_first, highest_priority_first>;
    const auto refuse = [&result](observation_status why) {
      result.ended = why;
      return result;
    };
    auto table = tasks.template table<ticks>();
    constexpr std::size_t max_tasks = decltype(table)::max_tasks;
    const accelerator_record& accelerator = platform.accelerator();
    result.error = platform.validate();
    if (!result.error) { result.error = simple_stop_fault(options); }
    if (!result.error) { result.error = plan_fault(platform.strategy(), table, p); }
    if (!result.error) { table = planned_kernels(table, p); }
    if (!result.error) { result.error = located(fits_accelerator<rule>(table, accelerator), table.tasks); }
    if (!result.error && accelerator.cores > static_cast<std::int32_t>(detail::most_cores)) {
      result.error = {.fault = model_fault::platform_size_out_of_range};
    }
    if (result.error) { return result; }
    rank_kernels<order>(table);
    const auto strategy = strategy_of<max_tasks, detail::most_cores>(platform.strategy(), accelerator);
    if (!device.serves({.cores = strategy.cores(), .levels = strategy.levels()})) {
      return refuse(observation_status::wrong_device);
    }
    if (!detail::well_named(table, bound, options.expected)) { return refuse(observation_status::wrong_binding); }

    using runtime = accelerator_runtime<policy, std::remove_const_t<decltype(strategy)>, D>;
    std::atomic<bool> over = false;
    accelerator_options asked = detail::options_for<Recorder>(platform.strategy(), table, options, hooks);
    if (ends_run(options.at_violation)) {
      asked.on_violation = [&over, &told = options.on_violation](const violation& v) {
        if (told) { told(v); }
        over = true;
      };
    }
    auto kernels = detail::runtime_for<runtime>(platform, strategy, device, std::move(asked));
    for (std::size_t i = 0; i < table.size(); ++i) {
      const auto own = bound.find(static_cast<std::uint32_t>(i));
      (void)(own == bound.end() ? kernels.add_timed(table.tasks[i]) : kernels.add(table.tasks[i], own->second));
    }
    result = detail::run_kernels(kernels, device, options, over);
    if (const std::uint64_t lost = kernels.replay(recorder); lost > 0) {
      result.notes.push_back("trace: " + std::to_string(lost) + " pieces did not fit and are missing");
    }
  }
  return result;
}

template <HasAccelerator P, TaskSet T, std::size_t N, AcceleratorDevice D>
[[nodiscard]] auto run(const P& platform, const T& tasks, const plan<N>& p, D& device, const run_options& options = {},
                       takt::detail::refusal&& /*refused*/ = takt::detail::refusal{
                           detail::check_accelerator_run<P, T>::passed}) -> run_result {
  no_trace nothing;
  return run(platform, tasks, p, device, options, nothing);
}

}  // namespace takt::runtime
