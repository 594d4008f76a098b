// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/rules/accelerator/backend.hpp>
#include <takt/rules/accelerator/job_order.hpp>
#include <takt/rules/accelerator/policy.hpp>
#include <takt/rules/accelerator/strategy.hpp>

namespace takt {

/// The scheduler of an accelerator: who is important is the policy's part, how the cores are shared the strategy's, and
/// what a command means the backend's. Without time and threads; whoever has those tells it what happens and then calls
/// `reschedule`: after each activation and completion, and where kernels yield or slots open and close, after that.
///
/// The life of a kernel: `add`; `pin` where it wants one core only; then for each job `activate` (the `subscribe` of
/// the paper), `reschedule` (`resched`), which submits it sooner or later, and `complete`. None of these calls depends
/// on policy, strategy or backend. Source: Zahaf and Lipari 2020, section 5.
template <class Policy, AcceleratorStrategy Strategy, ExactNumber Number = ticks>
  requires AcceleratorPolicy<Policy, Number>
class accelerator_scheduler {
 public:
  static constexpr std::size_t max_tasks = Strategy::max_tasks;

  constexpr explicit accelerator_scheduler(const Strategy& strategy, const Policy& policy = {})
      : strategy_{strategy}, policy_{policy} {}

  /// Registers a kernel. It needs all cores unless its task names one. `no_kernel` when there is no room, or no such
  /// core.
  constexpr auto add(const accelerator_task<Number>& t) -> kernel_id {
    if (t.core >= strategy_.cores() || !tasks_.push_back(t)) { return no_kernel; }
    const auto k = static_cast<kernel_id>(tasks_.size()) - 1;
    if (needs_all_cores(t.width)) { tasks_[index(k)].core = any_core; }
    return k;
  }
  /// The kernel wants this core only (the `allocate_to_sm` of the paper), from its next job on. False: no such core.
  [[nodiscard]] constexpr auto pin(kernel_id k, std::int32_t core) noexcept -> bool {
    if (core < 0 || core >= strategy_.cores()) { return false; }
    tasks_[index(k)].core = core;
    return true;
  }
  /// `any_core`: all of them.
  [[nodiscard]] constexpr auto core_of(kernel_id k) const noexcept -> std::int32_t { return tasks_[index(k)].core; }

  /// A job waits from now on. False, and no change, if its priority does not fit. Pre: the one before is complete.
  [[nodiscard]] constexpr auto activate(kernel_id k, const Number& release) -> bool {
    job_order<Number> order{.point = Number(0), .release = release, .kernel = k};
    if (!policy_.point(tasks_[index(k)], release, order.point)) { return false; }
    orders_[index(k)] = order;
    strategy_.enqueue(k, core_of(k), orders_);
    return true;
  }
  /// Pre: the job was submitted.
  constexpr void complete(kernel_id k) { strategy_.complete(k); }
  /// The answer to a request to yield, if the job is not complete. It waits again.
  constexpr void yielded(kernel_id k) { strategy_.yielded(k); }

  /// A slot opens or closes, for a core or, with `any_core`, for all. What was submitted for a slot that closes is
  /// asked to yield.
  constexpr void set_open(std::int32_t core, bool open) noexcept
    requires SlotStrategy<Strategy>
  {
    strategy_.set_open(core, open);
  }

  /// Issues the commands that follow from all that has happened.
  template <AcceleratorBackend Backend>
  constexpr void reschedule(Backend& backend) {
    strategy_.decide(orders_, backend);
  }

  [[nodiscard]] constexpr auto strategy() const noexcept -> const Strategy& { return strategy_; }
  [[nodiscard]] constexpr auto streams() const noexcept -> stream_layout {
    return {.cores = strategy_.cores(), .levels = strategy_.levels()};
  }

 private:
  [[nodiscard]] static constexpr auto index(kernel_id k) noexcept -> std::size_t { return static_cast<std::size_t>(k); }

  inline_vector<accelerator_task<Number>, max_tasks> tasks_;
  job_orders<Number, max_tasks> orders_{};
  Strategy strategy_;
  [[no_unique_address]] Policy policy_;
};

}  // namespace takt
