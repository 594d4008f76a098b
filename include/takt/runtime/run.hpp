// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/located.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/task_set.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/rules/planned_table.hpp>
#include <takt/rules/time_slices.hpp>
#include <takt/runtime/bindings.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/enforced.hpp>
#include <takt/runtime/rights.hpp>
#include <takt/runtime/run_end.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_result.hpp>
#include <takt/runtime/runnable.hpp>
#include <takt/runtime/start_line.hpp>
#include <takt/runtime/task_runner.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::runtime {

namespace detail {

/// Time for all threads to reach their first release.
inline constexpr ticks lead_time = 5'000'000;
/// Trace entries kept per task and kind at most.
inline constexpr std::size_t trace_limit = std::size_t{1} << 20;

/// Where there are turns, `slice` is how long one lasts, else 0.
template <class Recorder, class Task>
void reserve_trace(task_log& log, ticks length, const Task& task, ticks slice) {
  if constexpr (!std::same_as<Recorder, no_trace>) {
    const auto jobs = std::min(trace_limit, static_cast<std::size_t>(length / task.period) + 1);
    std::size_t slices = task.chain.size();
    for (const auto& s : task.chain) {
      const bool in_turns = slice > 0 && s.where == stage::kernel;
      if (in_turns) { slices += std::min(trace_limit, static_cast<std::size_t>(s.length.upper / slice) + 1); }
    }
    log.reserve(std::min(trace_limit, jobs * slices), std::min(trace_limit, 3 * jobs));
  }
}

/// The SMs of each task: all of the GPU where contexts take turns, else those of the plan. Pre: `plan_fault` found
/// nothing.
template <class P, class Table, std::size_t N>
[[nodiscard]] auto ranges_of(const Table& table, const platform_record& record, const plan<N>& p)
    -> std::vector<sm_range> {
  std::vector<sm_range> out(table.size());
  const dedicated_sms<N> partitions{record, p};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto id = table.tasks[i].id;
    const bool in_turns = TurnsPlatform<P> && table.has_kernel(i);
    if (in_turns) { out[id] = {.gpu = 0, .first = 0, .count = record.gpus[0].budget()}; }
    if (!TurnsPlatform<P> && id < p.shares.size()) { out[id] = partitions.range(id); }
  }
  return out;
}

/// How contexts take turns, if they do. A platform that is no `platform<...>` says it by `turns()`.
template <class P>
[[nodiscard]] auto turns_on(const P& platform) -> turn_times {
  turn_times out{};
  if constexpr (requires { platform.turns(); }) { return platform.turns(); }
  if constexpr (requires { platform.each([](const auto&) {}); }) {
    platform.each([&out](const auto& pool) {
      if constexpr (TakesTurns<std::remove_cvref_t<decltype(pool.rule)>>) { out = pool.rule.turns(); }
    });
  }
  return out;
}

/// The threads of a run, from their start to their end.
template <Device D, std::size_t MaxTasks>
class crew {
 public:
  using runner = task_runner<D, MaxTasks>;

  explicit crew(std::vector<std::unique_ptr<runner>>& runners) {
    for (const auto& r : runners) {
      threads_.emplace_back([this, task = r.get()] {
        if (const auto window = line_.wait()) { task->serve(window->start); }
      });
    }
  }
  crew(const crew&) = delete;
  auto operator=(const crew&) -> crew& = delete;
  ~crew() { line_.call_off(); }

  [[nodiscard]] auto complete() const -> bool {
    return std::ranges::all_of(threads_, [](const thread& t) { return t.started(); });
  }
  [[nodiscard]] auto handle(std::size_t position) const -> pthread_t { return threads_[position].native_handle(); }
  void start(const run_window& window) { line_.open(window); }
  void join() {
    for (thread& t : threads_) { t.join(); }
  }

 private:
  start_line line_;
  std::vector<thread> threads_;
};

/// Moves what was seen of each task into the result, in the given order.
template <class Runners>
void summarize(const Runners& runners, run_result& result) {
  std::vector<const task_log*> logs;
  for (const auto& r : runners) { logs.push_back(&r->log()); }
  std::ranges::sort(logs, {}, &task_log::task);
  std::uint64_t lost = 0;
  for (const task_log* log : logs) {
    log->report(result);
    const auto& seen = log->first_violation();
    if (seen && (!result.first_violation || seen->time < result.first_violation->time)) {
      result.first_violation = seen;
    }
    lost += log->lost();
  }
  if (lost > 0) { result.notes.push_back("trace: " + std::to_string(lost) + " entries did not fit and are missing"); }
}

/// What a run of a table on the device ends with, if it does not begin.
template <class Table, Device D, class Recorder>
void run_table(const Table& table, const platform_record& platform, const std::vector<sm_range>& ranges, ticks slice,
               D& device, const run_options& options, Recorder& recorder, const bindings<D>& bound,
               run_result& result) {
  using runner = task_runner<D, Table::max_tasks>;
  if (options.check_machine) {
    result.findings = findings_of(device);
    result.notes = notes_on(result.findings);
  }
  run_end<D> end{device, options.stop != nullptr || ends_run(options.at_violation)};
  std::vector<copy_arbiter<Table::max_tasks>> arbiters(static_cast<std::size_t>(platform.copy_engines));
  std::vector<std::unique_ptr<runner>> runners;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    const sm_range range = ranges[t.id];
    task_log log{t.id, t.name, t.segment_count, t.id < options.expected.size() ? &options.expected[t.id] : nullptr,
                 &options.on_violation};
    log.tell(options.watch);
    auto task = resolve(table, i, platform, range, options, bound);
    reserve_trace<Recorder>(log, options.length.count(), task, slice);
    runners.push_back(std::make_unique<runner>(std::move(task), device.open(range), arbiters, end,
                                               length_source{options.lengths, options.seed, t.id}, std::move(log)));
  }

  crew<D, Table::max_tasks> threads{runners};
  if (report_fault(device, result)) { return; }
  if (!threads.complete() || !device.ready()) {
    result.ended = observation_status::no_threads;
    return;
  }
  const priority_ladder ladder{table.size()};
  std::vector<run_thread> placed;
  for (std::size_t i = 0; i < table.size(); ++i) {
    placed.push_back({.handle = threads.handle(i), .priority = ladder.of(i), .core = table.tasks[i].core});
  }
  rights asked{std::move(placed), result.notes};
  result.granted.pinned = ask(options.pin_to_cores, "affinity", result, [&] { return asked.pin(); });
  result.granted.memory_locked = ask(options.lock_memory, "memory", result, [&] { return asked.lock_memory(); });
  result.granted.real_time = ask(options.real_time, "scheduling", result, [&] {
    return asked.be_real_time(ladder.highest() + 2, ladder.words(), ": task priorities hold for copies, not on the CPU",
                              [&](bool above) { return device.serve_at(above ? ladder.highest() + 1 : 0); });
  });
  if (result.granted.real_time && ladder.shares()) {
    result.notes.emplace_back("scheduling: more tasks than priorities: the lowest share one");
  }
  note_clock(result);
  result.notes.push_back("device: " + std::string{device.name()});

  const ticks start = now() + lead_time;
  const ticks stop = later(start, std::max<ticks>(0, options.length.count()));
  end.plan(stop);
  threads.start({start, stop});
  if (options.stop == nullptr) { end.sleep_until(stop); }
  while (now() < end.instant()) {
    end.sleep_until(std::min(stop, now() + stop_poll));
    if (is_asked_to_stop(options)) { end.end_now(); }
  }
  asked.give_back();
  threads.join();
  result.end = std::max<ticks>(0, end.instant() - start);
  result.stopped = end.instant() < stop;
  for (const auto& r : runners) { r->log().replay(recorder); }
  summarize(runners, result);
  (void)report_fault(device, result);
}

}  // namespace detail

/// Runs a task set on this machine's threads and a device for `options.length`, every task released for the first time
/// at the start and then once per period.
///
/// CPU segments consume CPU time on the task's core under preemptive fixed priority, copies pass the arbiter of their
/// engine, kernels run on the task's own SMs or, under time slices, in turns on the whole GPU. The trace and all times
/// of the result count from the start. Nothing emulated outlasts the run, and a thread above all tasks ends their
/// real-time priority on time, so that bound code which does not return cannot keep the machine.
///
/// Once the device says that it has failed (`FallibleDevice`), there are no more releases; the run ends when the
/// operations and the bound code under way have.
///
/// A platform whose rules are not enforced here does not compile. Error: see `observation_status`.
template <Platform P, TaskSet T, std::size_t N, Device D, TraceRecorder Recorder>
  requires(!HasAccelerator<P>)
[[nodiscard]] auto run(const P& platform, const T& tasks, const plan<N>& p, D& device, const run_options& options,
                       Recorder& recorder, const bindings<D>& bound = {},
                       takt::detail::refusal&& /*refused*/ = takt::detail::refusal{
                           detail::check_chain_run<P>::passed && detail::check_turns<P, D>::passed &&
                           takt::detail::check_chains<T>::passed}) -> run_result {
  run_result result;
  if constexpr (EnforcedForChains<P> && detail::check_turns<P, D>::passed && !AcceleratorTaskSet<T>) {
    const auto table = planned_table(platform, tasks, p);
    const platform_record record = platform.record();
    const auto refuse = [&result](observation_status why) {
      result.ended = why;
      return result;
    };
    result.error = platform.validate();
    if (!result.error) { result.error = choice_fault(options); }
    if (!result.error && options.stop_when_idle != nullptr) {
      result.error = {.fault = model_fault::violation_not_handled};
    }
    if (!result.error) { result.error = located(runnable(table, record), table.tasks); }
    if (!result.error) { result.error = plan_fault(platform, table, p); }
    if (result.error) { return result; }
    const auto ranges = detail::ranges_of<P>(table, record, p);
    result.error = located(length_fault(table, record, ranges), table.tasks);
    if (result.error) { return result; }
    const turn_times turns = detail::turns_on(platform);
    if (!device.serves(record)) { return refuse(observation_status::wrong_device); }
    if constexpr (TurnsPlatform<P> && TurnsDevice<D>) {
      if (record.gpus.size() > 1 || !device.takes_turns(turns)) { return refuse(observation_status::wrong_device); }
    }
    if (!well_bound(table, record, bound) || !well_expected(table, options.expected)) {
      return refuse(observation_status::wrong_binding);
    }
    detail::run_table(table, record, ranges, turns.slice, device, options, recorder, bound, result);
  }
  return result;
}

template <Platform P, TaskSet T, std::size_t N, Device D>
  requires(!HasAccelerator<P>)
[[nodiscard]] auto run(const P& platform, const T& tasks, const plan<N>& p, D& device, const run_options& options = {},
                       takt::detail::refusal&& /*refused*/ = takt::detail::refusal{
                           detail::check_chain_run<P>::passed && detail::check_turns<P, D>::passed &&
                           takt::detail::check_chains<T>::passed}) -> run_result {
  no_trace nothing;
  return run(platform, tasks, p, device, options, nothing);
}

}  // namespace takt::runtime
