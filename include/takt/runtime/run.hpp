// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/task_set.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/runtime/bindings.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/privileges.hpp>
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

template <class Recorder>
void reserve_trace(task_log& log, ticks length, ticks period, std::size_t segments) {
  if constexpr (!std::same_as<Recorder, no_trace>) {
    const auto jobs = std::min(trace_limit, static_cast<std::size_t>(length / period) + 1);
    log.reserve(std::min(trace_limit, jobs * segments), std::min(trace_limit, 3 * jobs));
  }
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

template <class Runners>
void summarize(const Runners& runners, run_result& result) {
  std::uint64_t lost = 0;
  for (const auto& r : runners) {
    const auto& seen = r->log().first_violation();
    if (seen && (!result.first_violation || seen->time < result.first_violation->time)) {
      result.first_violation = seen;
    }
    lost += r->log().lost();
  }
  for (const task_observation& t : result.tasks) {
    if (t.misses > 0) { result.status = run_status::missed; }
  }
  if (lost > 0) { result.notes.push_back("trace: " + std::to_string(lost) + " entries did not fit and are missing"); }
}

}  // namespace detail

/// Runs a task set on this machine's threads and a device for `options.length`, every task released for the first time
/// at the start and then once per period.
///
/// CPU segments consume CPU time on the task's core under preemptive fixed priority, copies pass the arbiter of their
/// engine, kernels run on the task's own SMs. The trace and all times of the result count from the start. Nothing
/// emulated outlasts the run, and a thread above all tasks ends their real-time priority on time, so that bound code
/// which does not return cannot keep the machine.
///
/// Once the device says that it has failed (`FallibleDevice`), there are no more releases; the run ends when the
/// operations and the bound code under way have.
///
/// Pre: `table` is in priority order. Error: see `run_status`.
template <class Table, std::size_t MaxShares, Device D, TraceRecorder Recorder = no_trace>
  requires std::same_as<typename Table::number, ticks>
[[nodiscard]] auto run(const Table& table, const platform_record& platform, const plan<MaxShares>& p, D& device,
                       const run_options& options, Recorder& recorder, const bindings<D>& bound = {}) -> run_result {
  using runner = task_runner<D, Table::max_tasks>;
  run_result result;
  const auto refuse = [&result](run_status why) {
    result.status = why;
    return result;
  };
  result.error = runnable(table, platform, p);
  if (!is_known(options.lengths) || !is_known(options.overrun)) {
    result.error = {.fault = model_fault::choice_out_of_range};
  }
  if (result.error) { return refuse(run_status::invalid_model); }
  if (!device.serves(platform)) { return refuse(run_status::wrong_device); }
  if (!well_bound(table, platform, bound)) { return refuse(run_status::wrong_binding); }

  if (options.check_machine) {
    result.findings = findings_of(device);
    result.notes = notes_on(result.findings);
  }
  const dedicated_sms<MaxShares> partitions{platform, p};
  run_end<D> end{device};
  std::vector<copy_arbiter<Table::max_tasks>> arbiters(static_cast<std::size_t>(platform.copy_engines));
  std::vector<std::unique_ptr<runner>> runners;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    const sm_range range = t.id < p.shares.size() ? partitions.range(t.id) : sm_range{};
    task_log log{t.id, t.segment_count, t.id < options.expected.size() ? &options.expected[t.id] : nullptr,
                 &options.on_violation};
    detail::reserve_trace<Recorder>(log, options.length.count(), t.period, t.segment_count);
    runners.push_back(std::make_unique<runner>(resolve(table, i, platform, range, options, bound), device.open(range),
                                               arbiters, end, length_source{options.lengths, options.seed, t.id},
                                               std::move(log)));
  }

  detail::crew<D, Table::max_tasks> crew{runners};
  if (report_fault(device, result)) { return result; }
  if (!crew.complete() || !device.ready()) { return refuse(run_status::no_threads); }
  std::vector<placed_thread> threads;
  for (std::size_t i = 0; i < table.size(); ++i) { threads.push_back({crew.handle(i), table.tasks[i].core}); }
  privileges<D> rights{std::move(threads), device, result.notes};
  const auto ask = [&result](bool wanted, const char* what, auto request) {
    if (!wanted) { result.notes.push_back(std::string{what} + ": left as it is, as asked"); }
    return wanted && request();
  };
  result.granted.pinned = ask(options.pin_to_cores, "affinity", [&] { return rights.pin(); });
  result.granted.memory_locked = ask(options.lock_memory, "memory", [&] { return rights.lock_memory(); });
  result.granted.real_time = ask(options.real_time, "scheduling", [&] { return rights.be_real_time(); });
  result.granted.clock_resolution = clock_resolution();
  result.notes.push_back("clock: CLOCK_MONOTONIC, resolution " + std::to_string(result.granted.clock_resolution) +
                         "ns");
  result.notes.push_back("device: " + std::string{device.name()});

  const ticks start = now() + detail::lead_time;
  const ticks stop = later(start, std::max<ticks>(0, options.length.count()));
  end.plan(stop);
  crew.start({start, stop});
  end.sleep_until(stop);
  rights.give_back();
  crew.join();
  result.lasted = std::max<ticks>(0, end.instant() - start);

  result.tasks.resize(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    result.tasks[t.id] = runners[i]->log().observation(std::string{t.name});
    runners[i]->log().replay(recorder);
  }
  detail::summarize(runners, result);
  (void)report_fault(device, result);
  return result;
}

template <class Table, std::size_t MaxShares, Device D>
  requires std::same_as<typename Table::number, ticks>
[[nodiscard]] auto run(const Table& table, const platform_record& platform, const plan<MaxShares>& p, D& device,
                       const run_options& options = {}) -> run_result {
  no_trace nothing;
  return run(table, platform, p, device, options, nothing);
}

/// The same from the typed description, in the priority order that the platform's CPU rule names. The composition is
/// the one that this runtime enforces.
template <DedicatedGpuPlatform P, TaskSet Tasks, std::size_t MaxShares, Device D, TraceRecorder Recorder>
[[nodiscard]] auto run(const P& platform, const Tasks& tasks, const plan<MaxShares>& p, D& device,
                       const run_options& options, Recorder& recorder, const bindings<D>& bound = {}) -> run_result {
  auto table = tasks.template table<ticks>();
  prioritize(table, P::cpu_rule::order);
  return run(table, platform.record(), p, device, options, recorder, bound);
}

template <DedicatedGpuPlatform P, TaskSet Tasks, std::size_t MaxShares, Device D>
[[nodiscard]] auto run(const P& platform, const Tasks& tasks, const plan<MaxShares>& p, D& device,
                       const run_options& options = {}) -> run_result {
  no_trace nothing;
  return run(platform, tasks, p, device, options, nothing);
}

}  // namespace takt::runtime
