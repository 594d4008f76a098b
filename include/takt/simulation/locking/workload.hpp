// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::simulation {

using resource_id = std::int32_t;

/// What an operation locks. Engines stand in rows, one resource per GPU side by side.
struct operand {
  resource_id resource = 0;
  bool of_token = false;  ///< `resource` is that of GPU 0, and that of the GPU of the held token is meant

  [[nodiscard]] friend constexpr auto operator==(const operand&, const operand&) noexcept -> bool = default;
};

enum class operation_kind : std::uint8_t {
  execute,
  suspend,
  lock,  ///< several operands are one request: all are enqueued at once, in the given order
  unlock,
};

inline constexpr std::size_t largest_group = 8;
using operands = inline_vector<operand, largest_group>;

struct operation {
  operation_kind what = operation_kind::execute;
  ticks time = 0;  ///< of `lock`: declared length of the critical section
  operands on{};
  bool preemptible = true;  ///< of `execute`: whether it may be interrupted once it runs
};

/// Its jobs run one after the other, each through the whole program.
struct lock_task {
  std::int32_t cluster = 0;
  std::size_t first_operation = 0;
  std::size_t operation_count = 0;
  std::size_t first_job = 0;
  std::size_t job_count = 0;
};

/// The release of a job for which an event sets release and priority, see `ReleaseHooks`.
inline constexpr ticks on_event = std::numeric_limits<ticks>::min();

/// Pending from its release or, if that is later, from the completion of the job before it.
struct lock_job {
  ticks release = 0;
  priority_point priority{};
};

/// What runs: tasks in the order of their numbers, each with a program and its releases. Written task by task:
/// `w.task().execute(1).lock(r).suspend(4).unlock(r).released(0, {1})`.
class lock_workload {
 public:
  /// What is said from here on until the next call belongs to a new task.
  auto task(std::int32_t cluster = 0) -> lock_workload& {
    tasks_.push_back({.cluster = cluster, .first_operation = operations_.size(), .first_job = jobs_.size()});
    return *this;
  }
  auto execute(ticks time) -> lock_workload& { return add({.what = operation_kind::execute, .time = time}); }
  auto execute_without_preemption(ticks time) -> lock_workload& {
    return add({.what = operation_kind::execute, .time = time, .preemptible = false});
  }
  auto suspend(ticks time) -> lock_workload& { return add({.what = operation_kind::suspend, .time = time}); }
  auto lock(resource_id r) -> lock_workload& { return lock(std::array{operand{r}}); }
  auto unlock(resource_id r) -> lock_workload& { return unlock(std::array{operand{r}}); }
  /// The engine of that row on the GPU of the held token.
  auto lock_of_token(resource_id row) -> lock_workload& { return lock(std::array{operand{row, true}}); }
  auto unlock_of_token(resource_id row) -> lock_workload& { return unlock(std::array{operand{row, true}}); }
  auto lock(std::span<const operand> group) -> lock_workload& { return add(operation_kind::lock, group); }
  auto unlock(std::span<const operand> group) -> lock_workload& {
    add(operation_kind::unlock, group);
    return declare_lengths();
  }
  auto released(ticks release, priority_point priority) -> lock_workload& {
    jobs_.push_back({release, priority});
    if (!tasks_.empty()) { ++tasks_.back().job_count; }
    return *this;
  }

  auto released_by_events(std::size_t count) -> lock_workload& {
    for (std::size_t j = 0; j < count; ++j) { released(on_event, {}); }
    return *this;
  }

  [[nodiscard]] auto tasks() const noexcept -> std::span<const lock_task> { return tasks_; }
  [[nodiscard]] auto operations() const noexcept -> std::span<const operation> { return operations_; }
  [[nodiscard]] auto jobs() const noexcept -> std::span<const lock_job> { return jobs_; }
  [[nodiscard]] auto program(const lock_task& t) const noexcept -> std::span<const operation> {
    return operations().subspan(t.first_operation, t.operation_count);
  }
  [[nodiscard]] auto jobs(const lock_task& t) const noexcept -> std::span<const lock_job> {
    return jobs().subspan(t.first_job, t.job_count);
  }
  /// An operand list was longer than `largest_group` or empty, or something was said before the first task.
  [[nodiscard]] auto malformed() const noexcept -> bool {
    return malformed_ || (tasks_.empty() && !(jobs_.empty() && operations_.empty()));
  }

 private:
  auto add(const operation& o) -> lock_workload& {
    operations_.push_back(o);
    if (!tasks_.empty()) { ++tasks_.back().operation_count; }
    return *this;
  }
  auto add(operation_kind what, std::span<const operand> group) -> lock_workload& {
    operation o{.what = what};
    malformed_ = malformed_ || group.empty();
    for (const operand& x : group) { malformed_ = !o.on.push_back(x) || malformed_; }
    return add(o);
  }
  /// The time between each lock that the last operation ends and that operation.
  auto declare_lengths() -> lock_workload& {
    if (tasks_.empty()) { return *this; }
    const std::size_t first = tasks_.back().first_operation;
    for (const operand& x : operations_.back().on) {
      ticks length = 0;
      for (std::size_t i = operations_.size() - 1; i-- > first;) {
        operation& o = operations_[i];
        const bool takes_time = o.what == operation_kind::execute || o.what == operation_kind::suspend;
        if (takes_time && !checked_add(length, o.time, length)) { break; }  // `check` refuses such a program
        if (o.what == operation_kind::lock && names(o, x)) {
          o.time = length;
          break;
        }
      }
    }
    return *this;
  }
  [[nodiscard]] static auto names(const operation& o, const operand& x) noexcept -> bool {
    for (const operand& y : o.on) {
      if (y == x) { return true; }
    }
    return false;
  }

  std::vector<lock_task> tasks_;
  std::vector<operation> operations_;
  std::vector<lock_job> jobs_;
  bool malformed_ = false;
};

}  // namespace takt::simulation
