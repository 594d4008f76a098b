// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <takt/core/value.hpp>
#include <takt/rules/accelerator/backend.hpp>
#include <takt/rules/accelerator/job_order.hpp>

namespace takt::inline TAKT_ABI {

/// Says how the accelerator is shared: which of the incomplete jobs are submitted, and where. A pure state machine
/// without time that `kernel_server` tells what happens.
///
/// - `enqueue(k, core, orders)`: k has a job from now on, for one core or, with `unassigned_core`, for all.
/// - `complete(k)`, `yielded(k)`: the submitted job of k is done, or has stopped and is still incomplete.
/// - `decide(orders, backend)`: issues what follows from all that has happened. A second call issues nothing.
/// - `levels()`: kernels that it submits to one core at a time, at most.
template <class S>
concept AcceleratorStrategy = Copyable<S> && requires(S s, const S c, kernel_id k, std::int32_t core,
                                                      const job_orders<ticks, S::max_tasks>& orders,
                                                      detail::command_list<S::max_tasks>& backend) {
  { S::max_tasks } -> std::convertible_to<std::size_t>;
  s.enqueue(k, core, orders);
  s.complete(k);
  s.yielded(k);
  s.decide(orders, backend);
  { c.cores() } -> std::same_as<std::int32_t>;
  { c.levels() } -> std::same_as<std::int32_t>;
};

namespace detail {

/// One that lets kernels run only while their slot is open. `set_open(core, open)` is for the kernels of that core or,
/// with `unassigned_core`, for those that need all.
template <class S>
concept SlotStrategy = AcceleratorStrategy<S> && requires(S s, const S c, std::int32_t core, bool open) {
  s.set_open(core, open);
  { c.is_open(core) } -> std::same_as<bool>;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
