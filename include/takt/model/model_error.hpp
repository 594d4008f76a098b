// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/model/model_fault.hpp>
#include <takt/model/visit_fact.hpp>

namespace takt::inline TAKT_ABI {

inline constexpr std::uint32_t no_index = 0xFFFF'FFFF;

/// Holds what is wrong, and where. `task` is the position of a task, graph or application in the given order; `visit`
/// that of a segment in its chain, of a node in the whole table, or of a step in a program. `value` is what the field
/// holds and `limit` what it should not pass, where `has_value` and `has_limit` say so.
struct model_error {
  model_fault fault = model_fault::none;
  std::uint32_t task = no_index;
  std::uint32_t visit = no_index;
  std::uint32_t edge = no_index;
  std::uint32_t pool = no_index;  ///< position in the platform
  std::string_view name{};        ///< of the task, or of the option that is not used
  std::int64_t value = 0;
  std::int64_t limit = 0;
  bool has_value = false;
  bool has_limit = false;
  lacking_facts lacks{};  ///< of a `visit_time_unknown`

  [[nodiscard]] constexpr explicit operator bool() const noexcept { return fault != model_fault::none; }
  /// Returns whether both are the same fault at the same place, whatever is known of its values.
  [[nodiscard]] friend constexpr auto operator==(const model_error& a, const model_error& b) noexcept -> bool {
    return a.fault == b.fault && a.task == b.task && a.visit == b.visit && a.edge == b.edge && a.pool == b.pool;
  }
};

[[nodiscard]] constexpr auto fault_at(model_fault fault, std::size_t task, std::size_t visit = no_index) noexcept
    -> model_error {
  return {.fault = fault, .task = static_cast<std::uint32_t>(task), .visit = static_cast<std::uint32_t>(visit)};
}

namespace detail {

/// Gives what compilers print as the place of a fault: `segment[3]` of the task whose name stands beside it.
inline constexpr char segment[4096]{};
inline constexpr char task_itself{};
inline constexpr char platform_or_plan{};

/// Not constexpr on purpose: a constant expression that reaches it is refused, and the compiler prints the call.
inline void stop_compilation(const char* /*sentence*/) noexcept {}

/// Its first argument refuses a constant expression. It is the difference of pointers into two objects. Compilers print
/// both, so a message names the task and the place in it.
constexpr void stop_compilation(std::ptrdiff_t /*place*/, const char* /*sentence*/) noexcept {}

// clang-format off: the compiler shows the line of the call, so each sentence stays on it.
constexpr void refuse(model_fault fault, const char* at, const char* of) noexcept {
  switch (fault) {
    case model_fault::none: return;
    case model_fault::no_task:
      return stop_compilation(at - of, "takt: the task set has no task; give it one. See docs/errors.md#E03");
    case model_fault::empty_chain:
      return stop_compilation(at - of, "takt: a task has no segment; give it a cpu(). See docs/errors.md#E02");
    case model_fault::too_many_tasks:
      return stop_compilation(at - of, "takt: too many tasks; raise the capacity of the table. See docs/errors.md#E04");
    case model_fault::too_many_segments:
      return stop_compilation(at - of, "takt: too many segments; raise the capacity of the table. See docs/errors.md#E05");
    case model_fault::period_not_positive:
      return stop_compilation(at - of, "takt: a period is not positive; give period() at least 1ns. See docs/errors.md#E06");
    case model_fault::deadline_not_positive:
      return stop_compilation(at - of, "takt: a deadline is not positive; give deadline() at least 1ns. See docs/errors.md#E07");
    case model_fault::deadline_exceeds_period:
      return stop_compilation(at - of, "takt: a deadline exceeds its period; make deadline() <= period(), or ask the combiners, too. See docs/errors.md#E08");
    case model_fault::negative_time:
      return stop_compilation(at - of, "takt: a time is negative; every time is at least 0. See docs/errors.md#E09");
    case model_fault::best_case_exceeds_worst_case:
      return stop_compilation(at - of, "takt: a best case exceeds its worst case; write (lower, upper) with lower <= upper. See docs/errors.md#E10");
    case model_fault::interleave_below_one:
      return stop_compilation(at - of, "takt: an interleave ratio is below 1; interleaving never speeds a kernel up. See docs/errors.md#E11");
    case model_fault::overhead_exceeds_work:
      return stop_compilation(at - of, "takt: a kernel's overhead exceeds its stretched work; overhead is part of work(). See docs/errors.md#E12");
    case model_fault::negative_priority:
      return stop_compilation(at - of, "takt: a priority is negative; 0 is the highest. See docs/errors.md#E13");
    case model_fault::negative_core:
      return stop_compilation(at - of, "takt: a core is negative; cores count from 0. See docs/errors.md#E14");
    case model_fault::duplicate_name:
      return stop_compilation(at - of, "takt: two tasks, or two nodes of a graph, have the same name; give each its own. See docs/errors.md#E15");
    case model_fault::duplicate_priority:
      return stop_compilation(at - of, "takt: two tasks have the same priority; give each its own. See docs/errors.md#E16");
    case model_fault::core_out_of_range:
      return stop_compilation(at - of, "takt: a task is on a core that the platform lacks; use on_core(0) to on_core(count - 1). See docs/errors.md#E17");
    case model_fault::copy_without_engine:
      return stop_compilation(at - of, "takt: a task copies, but the platform has no copy engine; add pool(copy_engines(1), ...). See docs/errors.md#E18");
    case model_fault::kernel_without_gpu:
      return stop_compilation(at - of, "takt: a task has a kernel, but the platform has no GPU; add pool(virtual_sms(...), federated), or for graphs block_slots(...). See docs/errors.md#E19");
    case model_fault::chain_does_not_alternate:
      return stop_compilation(at - of, "takt: a chain does not alternate; write cpu [copy] kernel [copy] cpu .... See docs/errors.md#E20");
    case model_fault::interleave_among_own_blocks_only:
      return stop_compilation(at - of, "takt: self_interleave() does not hold on shared SMs; use interleave() with the worst ratio beside any kernel. See docs/errors.md#E31");
    case model_fault::more_gpu_tasks_than_sms:
      return stop_compilation(at - of, "takt: more tasks with kernels than SMs; each needs one of its own. See docs/errors.md#E21");
    case model_fault::platform_size_out_of_range:
      return stop_compilation(at - of, "takt: the size of a pool is out of range; at least 1, at most 2 copy engines and 1048576 virtual SMs, and clusters divide the processors. See docs/errors.md#E22");
    case model_fault::plan_does_not_fit:
      return stop_compilation(at - of, "takt: the plan does not fit the platform; every GPU task needs an SM, and the sum must not exceed the GPU. See docs/errors.md#E23");
    case model_fault::plan_part_unused:
      return stop_compilation(at - of, "takt: the plan decides something that this platform does not use; leave that part empty. See docs/errors.md#E37");
    case model_fault::memory_exceeded:
      return stop_compilation(at - of, "takt: the tasks need more memory than the GPU has; give them less or the GPU more. See docs/errors.md#E57");
    case model_fault::one_core_and_gpu_only:
      return stop_compilation(at - of, "takt: this analysis knows one core and one GPU; use a platform with one of each. See docs/errors.md#E26");
    case model_fault::kernel_time_not_positive:
      return stop_compilation(at - of, "takt: a kernel takes no time; give it a positive time. See docs/errors.md#E49");
    case model_fault::preemption_cost_exceeds_time:
      return stop_compilation(at - of, "takt: preempting a kernel costs more than its own time; it is at most one wave of blocks. See docs/errors.md#E41");
    case model_fault::slot_out_of_range:
      return stop_compilation(at - of, "takt: a slot does not lie in its period; use 0 <= offset < period and 0 <= budget <= period. See docs/errors.md#E42");
    case model_fault::slots_overlap:
      return stop_compilation(at - of, "takt: two slots overlap or have different periods; give them one period and no common instant. See docs/errors.md#E43");
    case model_fault::choice_out_of_range:
      return stop_compilation(at - of, "takt: a choice is none of those that its type names; use one of the enumerators. See docs/errors.md#E79");
    case model_fault::core_not_chosen:
      return stop_compilation(at - of, "takt: a kernel has no core, and its rule tells cores apart; add on_sm(). See docs/errors.md#E58");
    case model_fault::time_overflow:
      return stop_compilation(at - of, "takt: times overflow 64-bit nanoseconds; keep their sum below 2^63 ns. See docs/errors.md#E24");
    case model_fault::no_node:
      return stop_compilation(at - of, "takt: there is no graph, or one without nodes; give each graph a node(). See docs/errors.md#E63");
    case model_fault::too_large:
      return stop_compilation(at - of, "takt: too many nodes or edges; raise the capacity of the table. See docs/errors.md#E04");
    case model_fault::unknown_node:
      return stop_compilation(at - of, "takt: an edge names a node that its graph lacks; name two nodes of the same graph. See docs/errors.md#E60");
    case model_fault::duplicate_edge:
      return stop_compilation(at - of, "takt: two edges join the same nodes; keep one of them. See docs/errors.md#E61");
    case model_fault::cycle_without_history:
      return stop_compilation(at - of, "takt: the edges of a graph form a cycle; remove one, or make it history(). See docs/errors.md#E62");
    case model_fault::lag_not_positive:
      return stop_compilation(at - of, "takt: a history edge has no lag; 1 is the invocation before. See docs/errors.md#E62");
    case model_fault::kernel_shape_out_of_range:
      return stop_compilation(at - of, "takt: a kernel has no block, no time, or a block that no SM takes; see grid() and block_length(). See docs/errors.md#E64");
    case model_fault::negative_parallelism:
      return stop_compilation(at - of, "takt: a node allows no job at a time; give parallelism() 1 or more. See docs/errors.md#E64");
    case model_fault::cluster_out_of_range:
      return stop_compilation(at - of, "takt: a graph is on a CPU cluster that the platform lacks; use on_cluster(0) to on_cluster(clusters - 1). See docs/errors.md#E68");
    case model_fault::amount_out_of_range:
      return stop_compilation(at - of, "takt: token amounts are out of range; produce and consume are at least 1, and threshold >= consume. See docs/errors.md#E69");
    case model_fault::rates_disagree:
      return stop_compilation(at - of, "takt: two edges bring tokens to a node at different rates; one queue would grow forever. See docs/errors.md#E69");
    case model_fault::visit_time_unknown:
      return stop_compilation(at - of, "takt: the facts of a visit do not say how long it takes where the plan puts it; give it one that the rule reads. See docs/errors.md#E82");
    case model_fault::edge_between_jobs:
      return stop_compilation(at - of, "takt: an edge joins two jobs of a graph, and a job of this board is alone; leave history() out, or use g_edf, g_fl or gel with fifo_blocks. See docs/errors.md#E95");
    case model_fault::too_many_visits:
      return stop_compilation(at - of, "takt: a job has more than 64 visits; make two tasks of it. See docs/errors.md#E95");
    case model_fault::workload_part_unused:
      return stop_compilation(at - of, "takt: a task says what no pool reads: parallelism() above 1, relative_point(), memory, a share_request(), contention; leave it out. See docs/errors.md#E95");
    case model_fault::visit_without_pool:
      return stop_compilation(at - of, "takt: a visit is of a resource that no pool of the platform is; add pool(its resource, a rule). See docs/errors.md#E81");
    case model_fault::mutex_without_pool:
      return stop_compilation(at - of, "takt: a section locks a mutex that no pool of the platform is; add pool(mutex{}, locked(priority_inheritance_order)). See docs/errors.md#E102");
    case model_fault::rule_serves_no_code:
      return stop_compilation(at - of, "takt: the server of a rule does not say who has a unit, so no code runs under it; give it holders() and finish(). See docs/errors.md#E115");
    case model_fault::section_off_its_processor:
      return stop_compilation(at - of, "takt: a section of a mutex of one processor is not time on that one alone, under a preemptive rule; keep its tasks on one core, or use locked(priority_mutex_order). See docs/errors.md#E103");
    case model_fault::sections_nest:
      return stop_compilation(at - of, "takt: a section holds a mutex and a token of the GPU at once; sections do not nest. See docs/errors.md#E103");
    case model_fault::region_exceeds_time:
      return stop_compilation(at - of, "takt: a non-preemptive region is longer than its segment; give nonpreemptive_region() at most the wcet of its cpu(). See docs/errors.md#E126");
    case model_fault::region_not_honoured:
      return stop_compilation(at - of, "takt: a CPU segment has a non-preemptive region, and the rule or the method of this board takes its processor back at any instant; use fixed_priority, edf, g_edf, g_fl, or leave it out. See docs/errors.md#E126");
    case model_fault::nonpreemptive_task_divided:
      return stop_compilation(at - of, "takt: a non-preemptive task has two CPU segments in a row, between which others would run; make one of them, or say cooperative. See docs/errors.md#E126");
    case model_fault::slice_out_of_range:
      return stop_compilation(at - of, "takt: a time slice is not positive or longer than 18 minutes; give time_slices(), and own_slice() of a kernel, at least 1ns. See docs/errors.md#E114");
    case model_fault::switch_out_of_range:
      return stop_compilation(at - of, "takt: a switch between two time slices takes negative time or more than 18 minutes; where switching is free, give time_slices(slice, 0ns). See docs/errors.md#E114");
    case model_fault::negative_context:
      return stop_compilation(at - of, "takt: the number of a context is negative; in_context() counts from 0. See docs/errors.md#E114");
    case model_fault::processors_out_of_range:
      return stop_compilation(at - of, "takt: the number of CPUs, GPUs or nodes is out of range; 1 to 64 CPUs and 1 to 32 GPUs. See docs/errors.md#E70");
    case model_fault::cluster_does_not_divide:
      return stop_compilation(at - of, "takt: clusters do not divide the CPUs or GPUs; give all clusters of a kind one size. See docs/errors.md#E71");
    case model_fault::tokens_out_of_range:
      return stop_compilation(at - of, "takt: a GPU's tokens, copy engines or chunks are out of range; 1 to 64 tokens or unlimited_tokens. See docs/errors.md#E72");
    case model_fault::copy_engines_out_of_range:
      return stop_compilation(at - of, "takt: a GPU's tokens, copy engines or chunks are out of range; 0, 1 or 2 copy engines. See docs/errors.md#E72");
    case model_fault::chunk_not_positive:
      return stop_compilation(at - of, "takt: a GPU's tokens, copy engines or chunks are out of range; chunks have at least one byte. See docs/errors.md#E72");
    case model_fault::association_out_of_range:
      return stop_compilation(at - of, "takt: the association names a cluster that the platform lacks; name clusters of the platform. See docs/errors.md#E73");
    case model_fault::r2dglp_across_clusters:
      return stop_compilation(at - of, "takt: the R2DGLP knows one CPU cluster; use the CK-OMLP, or one CPU cluster per GPU cluster. See docs/errors.md#E74");
    case model_fault::unlimited_across_clusters:
      return stop_compilation(at - of, "takt: tokens without a limit, and a GPU cluster serves several CPU clusters; limit them. See docs/errors.md#E75");
    case model_fault::negative_overhead:
      return stop_compilation(at - of, "takt: an overhead is negative; every time is at least 0. See docs/errors.md#E09");
    case model_fault::no_time:
      return stop_compilation(at - of, "takt: a task takes no time; give it a positive time. See docs/errors.md#E49");
    case model_fault::section_exceeds_wcet:
      return stop_compilation(at - of, "takt: CPU time inside a GPU section exceeds the task's; it is part of wcet. See docs/errors.md#E76");
    case model_fault::negative_bytes:
      return stop_compilation(at - of, "takt: bytes are negative; they are at least 0. See docs/errors.md#E76");
    case model_fault::cpu_cluster_out_of_range:
      return stop_compilation(at - of, "takt: a task is on a CPU cluster that the platform lacks. See docs/errors.md#E76");
    case model_fault::gpu_cluster_out_of_range:
      return stop_compilation(at - of, "takt: a task uses a GPU cluster that the platform lacks. See docs/errors.md#E76");
    case model_fault::clusters_not_associated:
      return stop_compilation(at - of, "takt: a task uses a GPU cluster that does not serve its CPU cluster. See docs/errors.md#E76");
    case model_fault::gpu_task_not_placed:
      return stop_compilation(at - of, "takt: a task with GPU work has no GPU cluster. See docs/errors.md#E76");
    case model_fault::gpu_demand_without_gpu:
      return stop_compilation(at - of, "takt: a task with GPU work has no GPU cluster. See docs/errors.md#E76");
    case model_fault::priority_missing:
      return stop_compilation(at - of, "takt: a task has no priority, and the scheduler is one of fixed priorities. See docs/errors.md#E76");
    case model_fault::wcet_not_positive:
      return stop_compilation(at - of, "takt: a task takes no time; give it a positive time. See docs/errors.md#E49");
    case model_fault::lock_size_out_of_range:
      return stop_compilation(at - of, "takt: the size of a lock is out of range; at least 1 CPU and 1 replica, and no more replicas than it has room for. See docs/errors.md#E35");
    case model_fault::queue_limit_without_bound:
      return stop_compilation(at - of, "takt: a queue limit below ceil(cluster / replicas) has no bound; raise it, or use 0 for the least sound one. See docs/errors.md#E35");
    case model_fault::no_processor:
    case model_fault::too_many_processors:
    case model_fault::parallelism_not_given:
    case model_fault::deadline_is_not_the_period:
    case model_fault::gpu_size_out_of_range:
    case model_fault::gpus_differ:
    case model_fault::length_not_positive:
    case model_fault::no_block:
    case model_fault::block_exceeds_sm:
    case model_fault::negative_jitter:
    case model_fault::owner_missing:
    case model_fault::options_out_of_range:
    case model_fault::option_unused:
    case model_fault::set_does_not_fit:
    case model_fault::too_many_kernels:
    case model_fault::too_many_jobs:
    case model_fault::stalled:
    case model_fault::too_many_tokens:
    case model_fault::distances_do_not_fit:
    case model_fault::demands_do_not_fit:
    case model_fault::budget_policy_unknown:
    case model_fault::aberration_out_of_range:
    case model_fault::malformed:
    case model_fault::releases_descend:
    case model_fault::unknown_resource:
    case model_fault::no_token:
    case model_fault::unknown_processor:
    case model_fault::unknown_device:
    case model_fault::unknown_engine:
    case model_fault::time_out_of_range:
    case model_fault::operations_overlap:
    case model_fault::awaits_nothing:
    case model_fault::ends_in_an_operation:
    case model_fault::never_ends:
    case model_fault::plan_incomplete:
    case model_fault::instances_out_of_range:
    case model_fault::violation_not_handled:
    case model_fault::threads_not_positive:
    case model_fault::negative_copies:
    case model_fault::thread_without_processor:
    case model_fault::waits_unpreempted:
    case model_fault::interrupts_leave_no_time:
      return stop_compilation(at - of, "takt: an argument of an analysis, a generator or a simulator is wrong; describe(error.fault) says what. See docs/errors.md#E77");
  }
}
// clang-format on

constexpr void refuse(model_fault fault) noexcept { refuse(fault, &task_itself, &platform_or_plan); }
constexpr void refuse(const model_error& error) noexcept {
  if (!error) { return; }
  const char* const at = error.visit < sizeof segment ? &segment[error.visit] : &task_itself;
  const char* const of = error.name.empty() ? &platform_or_plan : error.name.data();
  refuse(error.fault, at, of);
}

/// Keeps what is wrong with a model and, in a constant expression, stops compilation when it is destroyed.
///
/// Entry points take one as a defaulted argument. It is then destroyed in the caller's expression, not inside a call:
/// otherwise g++ prints every enclosing call with all types and arguments, thousands of characters above the sentence.
struct refusal {
  model_error error{};

  constexpr refusal() noexcept = default;
  constexpr explicit refusal(bool /*checked_before*/) noexcept {}
  refusal(const refusal&) = delete;
  auto operator=(const refusal&) -> refusal& = delete;
  constexpr ~refusal() {
    if (std::is_constant_evaluated()) { refuse(error); }
  }
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
