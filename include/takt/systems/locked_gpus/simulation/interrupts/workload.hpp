// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/simulation/calendar.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Says what one operation on a device takes from its start until its job is woken.
struct device_operation {
  std::int32_t engine = 0;
  ticks time = 0;         ///< on the engine
  ticks top_half = 0;     ///< of the interrupt at its end
  ticks bottom_half = 0;  ///< what the top half defers
  ticks work_item = 0;    ///< what the bottom half defers in turn: its thread does it right after the bottom half
  ticks callback = 0;     ///< on the thread that wakes the job
};

namespace detail {

/// Names the parts of an operation that take time, in this order; in traces each is a segment of its own.
enum class operation_part : std::uint8_t { engine, top_half, bottom_half, callback };

}  // namespace detail
inline constexpr std::size_t operation_parts = 4;

enum class interrupt_step_kind : std::uint8_t {
  execute,
  lock,   ///< the engine of the operation that follows
  issue,  ///< on the locked engine
  await,  ///< the end of the operation, and unlock its engine
};
[[nodiscard]] constexpr auto last_of(interrupt_step_kind) noexcept -> interrupt_step_kind {
  return interrupt_step_kind::await;
}

struct interrupt_step {
  interrupt_step_kind what = interrupt_step_kind::execute;
  ticks time = 0;                ///< of `execute`
  device_operation operation{};  ///< of `lock` and `issue`
  std::uint32_t segment = 0;     ///< of `execute` and of the first part of an issued operation
};

/// Its jobs run one after the other, each through the whole program.
struct interrupt_task {
  std::int64_t point = 0;  ///< fixed priority: less is more important, equal points in the order of the tasks
  std::size_t first_step = 0;
  std::size_t step_count = 0;
  std::size_t first_job = 0;
  std::size_t job_count = 0;
};

struct interrupting_device {
  std::int32_t processor = 0;  ///< gets its interrupts
};

/// Serves one operation at a time, locked first come, first served.
struct device_engine {
  std::int32_t device = 0;
  track shown{};
};

/// Holds what runs: devices with their engines, and tasks in the order of their numbers, each with a program and
/// releases. Written task by task: `w.task(1).execute(2).operate({.engine = e, .time = 4}).execute(1).released(0)`.
class interrupt_workload {
 public:
  auto device(std::int32_t processor = 0) -> std::int32_t {
    devices_.push_back({processor});
    return static_cast<std::int32_t>(devices_.size()) - 1;
  }
  auto engine(std::int32_t device, const track& shown) -> std::int32_t {
    engines_.push_back({device, shown});
    return static_cast<std::int32_t>(engines_.size()) - 1;
  }

  /// Begins a new task, to which all belongs that is said until the next call.
  auto task(std::int64_t point) -> interrupt_workload& {
    tasks_.push_back({.point = point, .first_step = steps_.size(), .first_job = releases_.size()});
    segments_ = 0;
    return *this;
  }
  auto execute(ticks time) -> interrupt_workload& {
    return add({.what = interrupt_step_kind::execute, .time = time}, 1);
  }
  /// The job suspends itself until the operation has ended.
  auto operate(const device_operation& o) -> interrupt_workload& { return begin(o).await(); }
  /// The job goes on while the operation is under way.
  auto begin(const device_operation& o) -> interrupt_workload& {
    add({.what = interrupt_step_kind::lock, .operation = o}, 0);
    return add({.what = interrupt_step_kind::issue, .operation = o}, operation_parts);
  }
  auto await() -> interrupt_workload& { return add({.what = interrupt_step_kind::await}, 0); }
  auto released(ticks release) -> interrupt_workload& {
    releases_.push_back(release);
    if (!tasks_.empty()) { ++tasks_.back().job_count; }
    return *this;
  }

  [[nodiscard]] auto tasks() const noexcept -> std::span<const interrupt_task> { return tasks_; }
  [[nodiscard]] auto devices() const noexcept -> std::span<const interrupting_device> { return devices_; }
  [[nodiscard]] auto engines() const noexcept -> std::span<const device_engine> { return engines_; }
  [[nodiscard]] auto steps() const noexcept -> std::span<const interrupt_step> { return steps_; }
  [[nodiscard]] auto releases() const noexcept -> std::span<const ticks> { return releases_; }
  [[nodiscard]] auto program(const interrupt_task& t) const noexcept -> std::span<const interrupt_step> {
    return steps().subspan(t.first_step, t.step_count);
  }
  [[nodiscard]] auto releases(const interrupt_task& t) const noexcept -> std::span<const ticks> {
    return releases().subspan(t.first_job, t.job_count);
  }
  /// Something was said before the first task.
  [[nodiscard]] auto malformed() const noexcept -> bool {
    return tasks_.empty() ? !(steps_.empty() && releases_.empty())
                          : tasks_.front().first_step != 0 || tasks_.front().first_job != 0;
  }

 private:
  auto add(interrupt_step s, std::size_t segments) -> interrupt_workload& {
    s.segment = segments_;
    segments_ += static_cast<std::uint32_t>(segments);
    steps_.push_back(s);
    if (!tasks_.empty()) { ++tasks_.back().step_count; }
    return *this;
  }

  std::vector<interrupting_device> devices_;
  std::vector<device_engine> engines_;
  std::vector<interrupt_task> tasks_;
  std::vector<interrupt_step> steps_;
  std::vector<ticks> releases_;
  std::uint32_t segments_ = 0;
};

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

/// Returns the first thing that is wrong with a workload on so many processors.
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

}  // namespace takt::inline TAKT_ABI::simulation
