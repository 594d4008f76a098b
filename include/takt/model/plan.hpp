// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform_record.hpp>

namespace takt::inline TAKT_ABI {

/// SMs that a task has for itself: physical ones under isolated sharing, virtual ones under shared. A task without
/// kernels has none.
struct sm_share {
  std::int32_t gpu = 0;
  std::int32_t sms = 0;

  [[nodiscard]] friend constexpr auto operator==(const sm_share&, const sm_share&) noexcept -> bool = default;
};

struct search_effort {
  std::uint64_t evaluations = 0;  ///< task analyses, relaxed ones included
  std::uint64_t plans = 0;        ///< whole plans reached
  std::uint64_t nodes = 0;        ///< shares tried; for branch and bound also sets of plans
  bool complete = true;           ///< false when none was found, which does not mean that there is none
};

/// Everything that is decided about a task set on a platform. Searches and analyses fill it, simulations and runs take
/// it, and none of them takes a part that it does not use. A part that is empty is not decided here: the tasks or the
/// platform's rules say it. Tasks stand in the given order, visits in that of the flat table (of graphs the refined
/// one).
template <std::size_t MaxTasks, std::size_t MaxVisits = 0>
struct plan {
  static constexpr std::size_t max_tasks = MaxTasks;
  static constexpr std::size_t max_visits = MaxVisits;

  inline_vector<sm_share, MaxTasks> shares;
  inline_vector<std::int32_t, MaxTasks> cores;       ///< core, or cluster of CPUs, or SM of an accelerator
  inline_vector<std::int32_t, MaxTasks> priorities;  ///< 0 is the highest
  inline_vector<std::int32_t, MaxTasks>
      percents;  ///< lasting share of a GPU that is granted by shares; 101: none is enough
  inline_vector<std::int32_t, max_gpus> tokens;      ///< of each GPU
  inline_vector<slot_reservation<ticks>, 2> slots;   ///< of kernels pinned to SMs, and of those that need all
  inline_vector<ticks, MaxVisits> offsets;           ///< of the nominal release of a visit from that of its task
  inline_vector<ticks, MaxVisits> local_deadlines;   ///< relative priority point of a visit
  inline_vector<std::int32_t, MaxVisits> instances;  ///< jobs of a visit that can be under way at a time
  bool may_guard = false;  ///< where a plan has no offsets, an analysis may choose some and local deadlines
  bool feasible = false;   ///< every deadline is proven, says a search or a verdict; false where written by hand
  search_effort effort{};
  bool cut = false;  ///< copied from one that has more entries than there is room for here: it fits nothing
};

/// A plan by hand, for one GPU: `takt::dedicate(2, 1, 0)` gives the first task two SMs, the second one, the third none.
template <class... Counts>
[[nodiscard]] constexpr auto dedicate(Counts... sms) -> plan<sizeof...(Counts)> {
  plan<sizeof...(Counts)> out;
  (out.shares.unchecked_push_back({0, static_cast<std::int32_t>(sms)}), ...);
  return out;
}

/// Parts of a plan that an analysis or a host uses.
struct plan_parts {
  bool shares = false;
  bool cores = false;
  bool priorities = false;
  bool percents = false;
  bool tokens = false;
  bool slots = false;
  bool offsets = false;
  bool local_deadlines = false;
  bool instances = false;
};

/// Returns `plan_part_unused` for a plan that decides something else. Returns `plan_does_not_fit` for one that was cut,
/// or a used part that is neither empty nor has one entry for each of so many tasks or visits.
template <std::size_t MaxTasks, std::size_t MaxVisits>
[[nodiscard]] constexpr auto parts_fault(const plan<MaxTasks, MaxVisits>& p, const plan_parts& used, std::size_t tasks,
                                         std::size_t visits = 0) -> model_error {
  model_error out;
  const auto check = [&out](std::size_t entries, bool is_used, std::size_t wanted) {
    if (out || entries == 0) { return; }
    if (!is_used) { out = {.fault = model_fault::plan_part_unused}; }
    if (is_used && entries != wanted) { out = {.fault = model_fault::plan_does_not_fit}; }
  };
  check(p.shares.size(), used.shares, tasks);
  check(p.cores.size(), used.cores, tasks);
  check(p.priorities.size(), used.priorities, tasks);
  check(p.percents.size(), used.percents, tasks);
  check(p.tokens.size(), used.tokens, p.tokens.size());
  check(p.slots.size(), used.slots, 2);
  check(p.offsets.size(), used.offsets, visits);
  check(p.local_deadlines.size(), used.local_deadlines, visits);
  check(p.instances.size(), used.instances, visits);
  if (!out && p.cut) { out = {.fault = model_fault::plan_does_not_fit}; }
  return out;
}

}  // namespace takt::inline TAKT_ABI
