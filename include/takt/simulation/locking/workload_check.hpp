// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/simulation/locking/workload.hpp>

namespace takt::simulation {

/// What can be wrong with a workload. From `locked_twice` on it may also show only when the simulation gets there.
enum class workload_fault : std::uint8_t {
  none,
  malformed,
  no_processor,
  too_many_tasks,
  tokens_differ_from_replicas,
  unknown_cluster,
  negative_time,
  time_overflow,
  releases_descend,
  equal_priorities,
  unknown_resource,
  out_of_order,
  locked_at_the_end,
  locked_twice,
  unlocked_without_lock,
  no_token,
  too_many_inserted,
  unexpected_release,
};

[[nodiscard]] constexpr auto name_of(workload_fault f) noexcept -> std::string_view {
  switch (f) {
    case workload_fault::none: return "";
    case workload_fault::malformed:
      return "an operation is of no known kind, names no resource or too many, or comes before the first task";
    case workload_fault::no_processor: return "there is no cluster, or clusters have no processor";
    case workload_fault::too_many_tasks: return "there are more tasks than the locks hold";
    case workload_fault::tokens_differ_from_replicas: return "a token pool has not one replica per token";
    case workload_fault::unknown_cluster: return "a task is on a cluster that does not exist";
    case workload_fault::negative_time: return "a time is negative";
    case workload_fault::time_overflow: return "times overflow 64 bits";
    case workload_fault::releases_descend: return "the releases of a task do not ascend";
    case workload_fault::equal_priorities: return "jobs of two tasks have the same priority";
    case workload_fault::unknown_resource: return "an operation names a resource that does not exist";
    case workload_fault::out_of_order: return "a nested lock is not after those that are held";
    case workload_fault::locked_at_the_end: return "a program ends with a lock";
    case workload_fault::locked_twice: return "a lock is taken by its holder";
    case workload_fault::unlocked_without_lock: return "a lock is given back that is not held";
    case workload_fault::no_token: return "an engine of the token's GPU is used without a token";
    case workload_fault::too_many_inserted: return "a grant puts more operations in front of a program than fit there";
    case workload_fault::unexpected_release: return "an event releases a job that is not there or has been released";
  }
  return "";
}

/// Where and what: positions of a task and of an operation of its program.
struct workload_error {
  workload_fault fault = workload_fault::none;
  std::size_t task = 0;
  std::size_t operation = 0;

  [[nodiscard]] constexpr explicit operator bool() const noexcept { return fault != workload_fault::none; }
  [[nodiscard]] friend constexpr auto operator==(const workload_error&, const workload_error&) noexcept
      -> bool = default;
};

/// What a check needs to know of the locks and the processors.
struct lock_environment {
  std::size_t most_tasks = 0;
  std::int32_t processors = 1;  ///< per cluster
  std::int32_t clusters = 1;
  std::span<const std::int32_t> token_gpus{};  ///< per resource: the GPUs that its replicas stand for, 0: no tokens
  bool ordered = true;                         ///< nested locks ascend by resource, so that no deadlock is possible
};

namespace detail {

class workload_checker {
 public:
  workload_checker(const lock_workload& workload, const lock_environment& environment)
      : workload_{workload}, environment_{environment} {}

  [[nodiscard]] auto check() -> workload_error {
    if (workload_.malformed()) { return {.fault = workload_fault::malformed}; }
    if (environment_.processors < 1 || environment_.clusters < 1) { return {.fault = workload_fault::no_processor}; }
    if (workload_.tasks().size() > environment_.most_tasks) { return {.fault = workload_fault::too_many_tasks}; }
    for (task_ = 0; task_ < workload_.tasks().size(); ++task_) {
      if (const workload_error e = check_task(workload_.tasks()[task_])) { return e; }
    }
    return check_priorities();
  }

 private:
  static constexpr ticks latest = std::numeric_limits<ticks>::max() / 4;

  [[nodiscard]] auto error(workload_fault fault, std::size_t operation = 0) const -> workload_error {
    return {fault, task_, operation};
  }

  [[nodiscard]] auto check_task(const lock_task& t) -> workload_error {
    if (t.cluster < 0 || t.cluster >= environment_.clusters) { return error(workload_fault::unknown_cluster); }
    ticks work = 0;
    const auto program = workload_.program(t);
    held_.clear();
    for (std::size_t i = 0; i < program.size(); ++i) {
      const workload_fault f = check_operation(program[i], work);
      if (f != workload_fault::none) { return error(f, i); }
    }
    if (!held_.empty()) { return error(workload_fault::locked_at_the_end, program.size()); }
    ticks before = 0;
    for (const lock_job& j : workload_.jobs(t)) {
      const ticks release = j.release == on_event ? latest : j.release;
      if (release < 0) { return error(workload_fault::negative_time); }
      if (release < before || (before == latest && j.release != on_event)) {
        return error(workload_fault::releases_descend);
      }
      if (!checked_add(total_, work, total_) || total_ > latest || release > latest) {
        return error(workload_fault::time_overflow);
      }
      before = release;
    }
    return {};
  }

  [[nodiscard]] auto check_operation(const operation& o, ticks& work) -> workload_fault {
    if (o.time < 0) { return workload_fault::negative_time; }
    for (const operand& x : o.on) {
      const workload_fault f = check_operand(x);
      if (f != workload_fault::none) { return f; }
    }
    switch (o.what) {
      case operation_kind::lock: return take(o.on);
      case operation_kind::unlock: return give_back(o.on);
      case operation_kind::execute:
      case operation_kind::suspend:
        return checked_add(work, o.time, work) ? workload_fault::none : workload_fault::time_overflow;
    }
    return workload_fault::malformed;
  }
  [[nodiscard]] auto check_operand(const operand& x) const -> workload_fault {
    const auto resources = static_cast<resource_id>(environment_.token_gpus.size());
    if (x.resource < 0 || x.resource >= resources) { return workload_fault::unknown_resource; }
    if (!x.of_token) { return workload_fault::none; }
    const std::int32_t gpus = gpus_of_token();
    if (gpus == 0) { return workload_fault::no_token; }
    return x.resource + gpus <= resources ? workload_fault::none : workload_fault::unknown_resource;
  }
  [[nodiscard]] auto gpus_of_token() const -> std::int32_t {
    for (const operand& h : held_) {
      const std::int32_t gpus = h.of_token ? 0 : environment_.token_gpus[static_cast<std::size_t>(h.resource)];
      if (gpus > 0) { return gpus; }
    }
    return 0;
  }
  [[nodiscard]] auto take(const operands& group) -> workload_fault {
    const std::size_t outer = held_.size();
    for (const operand& x : group) {
      if (std::ranges::find(held_, x) != held_.end()) { return workload_fault::locked_twice; }
      for (std::size_t i = 0; i < outer && environment_.ordered; ++i) {
        if (held_[i].resource >= x.resource) { return workload_fault::out_of_order; }
      }
      held_.push_back(x);
    }
    return workload_fault::none;
  }
  [[nodiscard]] auto give_back(const operands& group) -> workload_fault {
    for (const operand& x : group) {
      if (std::erase(held_, x) == 0) { return workload_fault::unlocked_without_lock; }
    }
    return workload_fault::none;
  }

  [[nodiscard]] auto check_priorities() const -> workload_error {
    struct owner {
      priority_point priority;
      std::size_t task;
    };
    std::vector<owner> all;
    all.reserve(workload_.jobs().size());
    for (std::size_t t = 0; t < workload_.tasks().size(); ++t) {
      for (const lock_job& j : workload_.jobs(workload_.tasks()[t])) {
        if (j.release != on_event) { all.push_back({j.priority, t}); }
      }
    }
    std::ranges::sort(all, {}, &owner::priority);
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (all[i].priority == all[i - 1].priority && all[i].task != all[i - 1].task) {
        return {workload_fault::equal_priorities, std::max(all[i].task, all[i - 1].task), 0};
      }
    }
    return {};
  }

  const lock_workload& workload_;
  const lock_environment& environment_;
  std::vector<operand> held_;
  std::size_t task_ = 0;
  ticks total_ = 0;
};

}  // namespace detail

/// The first thing that is wrong with a workload, task by task. Cost: each operation once per lock around it.
[[nodiscard]] inline auto check(const lock_workload& workload, const lock_environment& environment) -> workload_error {
  return detail::workload_checker{workload, environment}.check();
}

}  // namespace takt::simulation
