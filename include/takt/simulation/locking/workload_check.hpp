// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/simulation/locking/workload.hpp>

namespace takt::simulation {

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

  [[nodiscard]] auto check() -> model_error {
    if (workload_.malformed()) { return {.fault = model_fault::malformed}; }
    if (environment_.processors < 1 || environment_.clusters < 1) { return {.fault = model_fault::no_processor}; }
    if (workload_.tasks().size() > environment_.most_tasks) { return {.fault = model_fault::too_many_tasks}; }
    for (task_ = 0; task_ < workload_.tasks().size(); ++task_) {
      if (const model_error e = check_task(workload_.tasks()[task_])) { return e; }
    }
    return check_priorities();
  }

 private:
  static constexpr ticks latest = std::numeric_limits<ticks>::max() / 4;

  [[nodiscard]] auto error(model_fault fault, std::size_t operation = 0) const -> model_error {
    return fault_at(fault, task_, operation);
  }

  [[nodiscard]] auto check_task(const lock_task& t) -> model_error {
    if (t.cluster < 0 || t.cluster >= environment_.clusters) { return error(model_fault::unknown_cluster); }
    ticks work = 0;
    const auto program = workload_.program(t);
    held_.clear();
    for (std::size_t i = 0; i < program.size(); ++i) {
      const model_fault f = check_operation(program[i], work);
      if (f != model_fault::none) { return error(f, i); }
    }
    if (!held_.empty()) { return error(model_fault::locked_at_the_end, program.size()); }
    ticks before = 0;
    for (const lock_job& j : workload_.jobs(t)) {
      const ticks release = j.release == on_event ? latest : j.release;
      if (release < 0) { return error(model_fault::negative_time); }
      if (release < before || (before == latest && j.release != on_event)) {
        return error(model_fault::releases_descend);
      }
      if (!checked_add(total_, work, total_) || total_ > latest || release > latest) {
        return error(model_fault::time_overflow);
      }
      before = release;
    }
    return {};
  }

  [[nodiscard]] auto check_operation(const operation& o, ticks& work) -> model_fault {
    if (o.time < 0) { return model_fault::negative_time; }
    for (const operand& x : o.on) {
      const model_fault f = check_operand(x);
      if (f != model_fault::none) { return f; }
    }
    switch (o.what) {
      case operation_kind::lock: return take(o.on);
      case operation_kind::unlock: return give_back(o.on);
      case operation_kind::execute:
      case operation_kind::suspend:
        return checked_add(work, o.time, work) ? model_fault::none : model_fault::time_overflow;
    }
    return model_fault::choice_out_of_range;
  }
  [[nodiscard]] auto check_operand(const operand& x) const -> model_fault {
    const auto resources = static_cast<resource_id>(environment_.token_gpus.size());
    if (x.resource < 0 || x.resource >= resources) { return model_fault::unknown_resource; }
    if (!x.of_token) { return model_fault::none; }
    const std::int32_t gpus = gpus_of_token();
    if (gpus == 0) { return model_fault::no_token; }
    return x.resource + gpus <= resources ? model_fault::none : model_fault::unknown_resource;
  }
  [[nodiscard]] auto gpus_of_token() const -> std::int32_t {
    for (const operand& h : held_) {
      const std::int32_t gpus = h.of_token ? 0 : environment_.token_gpus[static_cast<std::size_t>(h.resource)];
      if (gpus > 0) { return gpus; }
    }
    return 0;
  }
  [[nodiscard]] auto take(const operands& group) -> model_fault {
    const std::size_t outer = held_.size();
    for (const operand& x : group) {
      if (std::ranges::find(held_, x) != held_.end()) { return model_fault::locked_twice; }
      for (std::size_t i = 0; i < outer && environment_.ordered; ++i) {
        if (held_[i].resource >= x.resource) { return model_fault::out_of_order; }
      }
      held_.push_back(x);
    }
    return model_fault::none;
  }
  [[nodiscard]] auto give_back(const operands& group) -> model_fault {
    for (const operand& x : group) {
      if (std::erase(held_, x) == 0) { return model_fault::unlocked_without_lock; }
    }
    return model_fault::none;
  }

  [[nodiscard]] auto check_priorities() const -> model_error {
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
        return fault_at(model_fault::equal_priorities, std::max(all[i].task, all[i - 1].task), 0);
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
[[nodiscard]] inline auto check(const lock_workload& workload, const lock_environment& environment) -> model_error {
  return detail::workload_checker{workload, environment}.check();
}

}  // namespace takt::simulation
