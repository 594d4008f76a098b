// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <takt/model/model_fault.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what is wrong, and what is allowed, without the values.
struct fault_text {
  std::string_view field;    ///< the field's name in the file format
  std::string_view problem;  ///< continues the field's value: "exceeds the period"
  std::string_view allowed;
};

[[nodiscard]] constexpr auto describe(model_fault fault) noexcept -> fault_text {
  switch (fault) {
    case model_fault::none: return {"", "", ""};
    case model_fault::no_task: return {"tasks", "there is no task", "at least one task"};
    case model_fault::empty_chain: return {"segments", "the chain is empty", "at least one cpu segment"};
    case model_fault::too_many_tasks: return {"tasks", "there are more tasks than this program holds", "fewer tasks"};
    case model_fault::too_many_segments:
      return {"segments", "there are more segments than this program holds", "fewer segments"};
    case model_fault::period_not_positive: return {"period", "is not positive", "a time of at least 1ns"};
    case model_fault::deadline_not_positive: return {"deadline", "is not positive", "a time of at least 1ns"};
    case model_fault::deadline_exceeds_period:
      return {"deadline", "exceeds the period", "deadline <= period for this analysis"};
    case model_fault::negative_time: return {"", "is negative", "a time of at least 0ns"};
    case model_fault::best_case_exceeds_worst_case:
      return {"", "has a lower bound above its upper bound", "[lower, upper] with lower <= upper"};
    case model_fault::interleave_below_one:
      return {"interleave", "is below 1", "a ratio of at least 1, such as \"9/5\""};
    case model_fault::overhead_exceeds_work:
      return {"overhead", "exceeds the stretched work", "overhead <= upper work x interleave"};
    case model_fault::negative_priority: return {"priority", "is negative", "0 (highest) or more"};
    case model_fault::negative_core: return {"core", "is negative", "0 or more"};
    case model_fault::duplicate_name: return {"name", "names an earlier task too", "a name of its own for each task"};
    case model_fault::duplicate_priority:
      return {"priority", "belongs to an earlier task too", "a priority of its own for each task"};
    case model_fault::core_out_of_range: return {"core", "is not a core of the platform", "0 to cpus.count - 1"};
    case model_fault::copy_without_engine:
      return {"copy", "needs a copy engine, and the platform has none", "platform.copy_engines, or no copy segments"};
    case model_fault::kernel_without_gpu:
      return {"kernel", "needs a GPU, and the platform has none", "platform.gpus, or no kernel segments"};
    case model_fault::chain_does_not_alternate:
      return {"segments", "do not alternate",
              "cpu segments with one kernel between two of them, and at most one copy before and after each kernel"};
    case model_fault::interleave_among_own_blocks_only:
      return {"interleave", "holds only among blocks of the same kernel",
              "a ratio that holds beside any kernel when physical SMs are shared"};
    case model_fault::more_gpu_tasks_than_sms:
      return {"sms", "cannot be dedicated to each task that has kernels", "at least one SM per such task"};
    case model_fault::platform_size_out_of_range:
      return {
          "", "is out of range",
          "1 to 1048576 cores or virtual SMs, 1 or 2 copy engines, GPU speeds from 1/10000 to 10000, clusters of one size"};
    case model_fault::plan_does_not_fit:
      return {"allocation", "does not fit the platform", "at least one SM per GPU task, and no more than the GPU has"};
    case model_fault::plan_part_unused:
      return {"plan", "decides something that this platform does not use",
              "the parts of a plan that docs/platforms.md lists for the platform"};
    case model_fault::memory_exceeded:
      return {"memory", "exceeds, with that of the tasks before it, the GPU's", "tasks whose memory fits together"};
    case model_fault::one_core_and_gpu_only:
      return {"platform", "has several cores or GPUs", "one core and one GPU for this analysis"};
    case model_fault::kernel_time_not_positive: return {"wcet", "is not positive", "a time of at least 1ns"};
    case model_fault::preemption_cost_exceeds_time:
      return {"preemption_cost", "exceeds the kernel's own time", "preemption_cost <= wcet"};
    case model_fault::slot_out_of_range:
      return {"slot", "does not lie in its period", "0 <= offset < period and 0 <= budget <= period"};
    case model_fault::slots_overlap:
      return {"slots", "overlap or differ in their periods", "one period, and no instant in both slots"};
    case model_fault::choice_out_of_range: return {"", "names no known choice", "one of the named enumerators"};
    case model_fault::core_not_chosen:
      return {"core", "is not chosen, and this rule tells cores apart", "a core for each kernel that needs one"};
    case model_fault::time_overflow:
      return {"", "overflows 64-bit nanoseconds", "times whose sum over the task set stays below 2^63 ns"};
    case model_fault::no_node: return {"nodes", "the graph has no node", "at least one node"};
    case model_fault::too_large: return {"graphs", "there is more than this program holds", "fewer nodes and edges"};
    case model_fault::unknown_node: return {"edges", "name no node of their graph", "two nodes of the same graph"};
    case model_fault::duplicate_edge: return {"edges", "join the same nodes twice", "one edge between two nodes"};
    case model_fault::cycle_without_history:
      return {"edges", "form a cycle", "no cycle, or a history edge with a lag of at least 1 in it"};
    case model_fault::lag_not_positive: return {"lag", "is not positive", "1 (the invocation before) or more"};
    case model_fault::kernel_shape_out_of_range:
      return {"kernel", "has a shape out of range",
              "at least 1 block of 1 to 1024 threads, as many as an SM has, and time"};
    case model_fault::negative_parallelism: return {"parallelism", "is negative", "1 or more jobs at a time"};
    case model_fault::cluster_out_of_range: return {"cluster", "is not on the platform", "0 to clusters - 1"};
    case model_fault::amount_out_of_range:
      return {"amounts", "are out of range", "arrivals, produce, consume >= 1 and threshold >= consume"};
    case model_fault::rates_disagree:
      return {"edges", "bring tokens at different rates to one node", "the same rate over every edge into a node"};
    case model_fault::visit_time_unknown:
      return {"facts", "do not say how long the visit takes where the plan puts it",
              "a fact that the rule of the pool reads; docs/extending.md lists them"};
    case model_fault::edge_between_jobs:
      return {"edges", "join two jobs of the graph, and this board knows edges within a job", "edges without a lag"};
    case model_fault::too_many_visits: return {"visits", "are more than a job has", "at most 64 in a job"};
    case model_fault::workload_part_unused:
      return {"task", "says what no pool of this board reads",
              "no parallelism above 1, relative point, memory, share request or contention"};
    case model_fault::visit_without_pool:
      return {"resource", "is that of no pool of the platform", "a resource that the platform has"};
    case model_fault::mutex_without_pool:
      return {"mutex", "is no pool of the board", "pool(mutex{}, locked(priority_inheritance_order))"};
    case model_fault::rule_serves_no_code:
      return {"policy", "has a server that does not say who has a unit, and code is to run there",
              "a server with holders() and finish()"};
    case model_fault::section_off_its_processor:
      return {"section", "is not time on the one processor that the mutex is of, under a preemptive rule",
              "sections of CPU time, by tasks of one core"};
    case model_fault::sections_nest:
      return {"section", "holds a mutex and a token of the GPU at once", "one lock at a time"};
    case model_fault::region_exceeds_time:
      return {"nonpreemptive_region", "is longer than its segment", "at most the longest time of the segment"};
    case model_fault::region_not_honoured:
      return {"nonpreemptive_region", "is not known to this policy, which takes processors back at any instant",
              "fixed priorities, EDF or global EDF on processors that tasks leave while they wait, or no region"};
    case model_fault::nonpreemptive_task_divided:
      return {"preemption", "is nonpreemptive, and others would run between two CPU segments in a row",
              "one CPU segment in place of them, or \"cooperative\""};
    case model_fault::slice_out_of_range:
      return {"slice", "is out of range", "a time of at least 1ns and at most 2^40 ns"};
    case model_fault::switch_out_of_range:
      return {"context_switch", "is out of range", "a time of at least 0ns and at most 2^40 ns"};
    case model_fault::negative_context: return {"context", "is negative", "0 or more"};
    case model_fault::processors_out_of_range:
      return {"cpus, gpus", "are out of range", "1 to 64 CPUs and 1 to 32 GPUs"};
    case model_fault::cluster_does_not_divide:
      return {"cluster_size", "does not divide the number of processors", "clusters of one size"};
    case model_fault::tokens_out_of_range: return {"tokens_per_gpu", "is out of range", "1 to 64, or 0 for no limit"};
    case model_fault::copy_engines_out_of_range: return {"copy_engines", "is out of range", "0, 1 or 2"};
    case model_fault::chunk_not_positive: return {"dma_chunk", "is not positive", "at least one byte"};
    case model_fault::association_out_of_range:
      return {"association", "names a cluster that the platform lacks", "clusters of the platform"};
    case model_fault::r2dglp_across_clusters:
      return {"tokens", "are shared by several CPU clusters", "CK-OMLP, or one CPU cluster per GPU cluster"};
    case model_fault::unlimited_across_clusters:
      return {"tokens_per_gpu", "is not limited, and several CPU clusters share a GPU cluster",
              "1 to 64, or one CPU cluster per GPU cluster"};
    case model_fault::negative_overhead: return {"overheads", "are negative", "times of at least 0ns"};
    case model_fault::no_time: return {"wcet", "is 0, and so is all other time", "a job that takes time"};
    case model_fault::section_exceeds_wcet:
      return {"cpu_in_gpu_section", "exceeds the task's time on a CPU", "cpu_in_gpu_section <= wcet"};
    case model_fault::negative_bytes: return {"bytes", "are negative", "at least 0"};
    case model_fault::cpu_cluster_out_of_range:
      return {"cpu_cluster", "is not a cluster of the platform", "0 to cpus / cpu_cluster_size - 1"};
    case model_fault::gpu_cluster_out_of_range:
      return {"gpu_cluster", "is not a cluster of the platform", "0 to gpus / gpu_cluster_size - 1"};
    case model_fault::clusters_not_associated:
      return {"gpu_cluster", "does not serve the task's CPU cluster", "a GPU cluster that serves it"};
    case model_fault::gpu_task_not_placed: return {"gpu_cluster", "is missing", "a GPU cluster for each GPU task"};
    case model_fault::gpu_demand_without_gpu:
      return {"gpu_cluster", "is missing, but there is work for a GPU", "a GPU cluster, or no kernels and bytes"};
    case model_fault::priority_missing: return {"priority", "is missing", "0 (highest) or more for each task"};
    case model_fault::no_processor: return {"processors", "there is none", "at least 1 processor"};
    case model_fault::too_many_processors:
      return {"processors", "are more than this analysis holds", "fewer processors"};
    case model_fault::wcet_not_positive: return {"wcet", "is not positive", "a time of at least 1ns"};
    case model_fault::parallelism_not_given:
      return {"parallelism", "is missing, and this analysis needs a limit", "1 or more jobs at a time"};
    case model_fault::deadline_is_not_the_period:
      return {"deadline", "is not the period", "deadline = period for this analysis"};
    case model_fault::gpu_size_out_of_range:
      return {"gpu", "has a size out of range", "at least one SM and thread, and no negative amount"};
    case model_fault::gpus_differ:
      return {"gpu", "is not like the others",
              "several GPUs for graphs that are alike in SMs, threads, blocks and warps"};
    case model_fault::length_not_positive: return {"block_length", "is not positive", "a time of at least 1ns"};
    case model_fault::no_block: return {"grid", "has no block", "at least 1 block"};
    case model_fault::block_exceeds_sm:
      return {"grid", "has blocks that fit on no SM", "blocks whose threads, shared memory and registers fit on an SM"};
    case model_fault::negative_jitter: return {"jitter", "is negative", "a time of at least 0ns"};
    case model_fault::owner_missing: return {"owner", "is missing", "the task that a kernel belongs to"};
    case model_fault::lock_size_out_of_range:
      return {"replicas", "are out of range",
              "replicas and CPUs of at least 1 that the lock has room for, and no negative limit"};
    case model_fault::queue_limit_without_bound:
      return {"limit", "is below the least that has a bound", "at least the least limit"};
    case model_fault::options_out_of_range: return {"options", "are out of range", "see the generator"};
    case model_fault::option_unused:
      return {"options", "ask for something that is not done here",
              "its own options, offsets only of periodic releases, and one entry for each task at most"};
    case model_fault::set_does_not_fit: return {"options", "ask for a set that does not fit its table", "fewer tasks"};
    case model_fault::too_many_kernels:
      return {"kernels", "are more at a time than this simulation holds", "at most 2048 at once"};
    case model_fault::too_many_jobs:
      return {"horizon", "asks for more jobs than this simulation holds", "a shorter horizon"};
    case model_fault::stalled:
      return {"graphs", "wait for each other, or for tokens that never come", "a graph whose jobs end"};
    case model_fault::too_many_tokens:
      return {"tokens_per_gpu", "come to too many for a simulation", "at most 256 in a cluster of GPUs"};
    case model_fault::distances_do_not_fit:
      return {"distances", "are not one per pair of GPUs of a cluster, or out of range", "one per pair, from 0 to 3"};
    case model_fault::demands_do_not_fit:
      return {"fair_demands", "are not one per task, or negative", "one per task, at least 0"};
    case model_fault::budget_policy_unknown:
      return {"budgets", "ask for bandwidth inheritance, which this simulation does not know", "another policy"};
    case model_fault::aberration_out_of_range:
      return {"aberrant", "has repetitions or jobs below 1, or names no task with kernels, or one twice",
              "at least 1 of each, and a task of the set with kernels"};
    case model_fault::malformed:
      return {"", "names something that does not exist, or has a size out of range", "what the workload has"};
    case model_fault::releases_descend: return {"releases", "do not ascend", "ascending releases"};
    case model_fault::unknown_resource: return {"resource", "does not exist", "a resource of the workload"};
    case model_fault::no_token: return {"engine", "of the token's GPU is used without a token", "a token first"};
    case model_fault::unknown_processor: return {"processor", "does not exist", "a processor of the workload"};
    case model_fault::unknown_device: return {"device", "does not exist", "a device of the workload"};
    case model_fault::unknown_engine: return {"engine", "does not exist", "an engine of the workload"};
    case model_fault::time_out_of_range: return {"", "is negative or too large", "a time that can be simulated"};
    case model_fault::operations_overlap:
      return {"operation", "begins before the one before was awaited", "one operation at a time"};
    case model_fault::awaits_nothing: return {"await", "is of an operation that has not begun", "an operation first"};
    case model_fault::ends_in_an_operation:
      return {"program", "ends before its operation", "an await for each operation"};
    case model_fault::never_ends:
      return {"job", "does not end within the time that can be simulated", "programs that end"};
    case model_fault::plan_incomplete:
      return {"plan", "lacks an offset or the instances of a node",
              "the plan of a verdict in which all graphs have bounds"};
    case model_fault::instances_out_of_range:
      return {"instances", "are out of range for a run", "1 to 64 jobs of a node, and of its graph, at a time"};
    case model_fault::violation_not_handled:
      return {"options", "ask to drop jobs or to stop between jobs, which this kind of run does not",
              "report or stop, and no stop_when_idle"};
    case model_fault::threads_not_positive: return {"block_threads", "is not positive", "at least 1 thread"};
    case model_fault::negative_copies: return {"copies", "is negative", "0 or more"};
    case model_fault::thread_without_processor:
      return {"segments", "visit no processor on which a job could wait",
              "a segment of one kind of processors, also one of no time"};
    case model_fault::waits_unpreempted:
      return {"platform", "has processors that are not taken back from a job that waits",
              "a rule that preempts and gives each job one priority, where jobs wait on their processors"};
    case model_fault::interrupts_leave_no_time:
      return {"overheads", "of interrupts leave no time for jobs", "interrupts that take less time than passes"};
  }
  return {"", "", ""};
}

}  // namespace takt::inline TAKT_ABI
