// SPDX-License-Identifier: Apache-2.0
// Holds docs/defaults.md to what the headers say where their users say nothing: every initial value of a member and
// every default of a parameter of the types at the door is there. TAKT_WRITE_TABLES=1 writes the table.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/generated_table.hpp"
#include "support/said_defaults.hpp"

namespace {

namespace fs = std::filesystem;

/// What becomes of what is left out.
enum class left_out : std::uint8_t {
  refused,  ///< by every reader, or by those that need it
  worst,    ///< the worst that it could say is assumed
  assumed,  ///< something is assumed that may be better than what is true
  chosen,   ///< of several ways of doing something one is taken, which bounds know
  filled,   ///< no user says it: the library does, or it is a result
};
using enum left_out;

auto word_of(left_out effect) -> std::string {
  switch (effect) {
    case refused: return "refused";
    case worst: return "worst case";
    case assumed: return "assumed";
    case chosen: return "chosen";
    case filled: return "filled in";
  }
  return "";
}

/// What is taken for members of a type, or for parameters of a function. It continues "then it".
struct rows_of {
  std::string owner;
  std::vector<std::string> members;
  left_out effect;
  std::string taken;
};

/// Headers with which users say tasks, facts, pools, hardware and plans.
const std::vector<std::string> door{"model/task_attributes.hpp",
                                    "model/segment.hpp",
                                    "model/stage.hpp",
                                    "model/kernel_law.hpp",
                                    "model/accelerator_kernel.hpp",
                                    "model/limited_preemption.hpp",
                                    "model/visit.hpp",
                                    "model/gpu_context.hpp",
                                    "model/tabulated_kernel.hpp",
                                    "model/copy_model.hpp",
                                    "model/bus_congestion.hpp",
                                    "model/graph/graph_parts.hpp",
                                    "model/graph/graph.hpp",
                                    "model/graph/data_flow.hpp",
                                    "model/graph/pgm_table.hpp",
                                    "model/shares/application.hpp",
                                    "model/shares/wcet_row.hpp",
                                    "model/chain_stage.hpp",
                                    "model/runtime_task_set.hpp",
                                    "model/runtime_visits.hpp",
                                    "model/task_table.hpp",
                                    "model/accelerator.hpp",
                                    "model/block_kernel.hpp",
                                    "model/graph/graph_table.hpp",
                                    "systems/locked_gpus/tasks/task.hpp",
                                    "model/gel_task.hpp",
                                    "model/gel_policy.hpp",
                                    "model/hardware.hpp",
                                    "model/sm_power.hpp",
                                    "model/platform_record.hpp",
                                    "model/pool.hpp",
                                    "model/graph/graph_platform.hpp",
                                    "model/shares/gpu_shares.hpp",
                                    "systems/locked_gpus/tasks/configuration.hpp",
                                    "systems/locked_gpus/tasks/platform.hpp",
                                    "model/overheads.hpp",
                                    "model/linear_cost.hpp",
                                    "systems/locked_gpus/tasks/transfer.hpp",
                                    "model/gpu_topology.hpp",
                                    "model/gpu_migration.hpp",
                                    "model/service_order.hpp",
                                    "model/occupancy.hpp",
                                    "rules/tags.hpp",
                                    "rules/clusters.hpp",
                                    "rules/accelerator_tags.hpp",
                                    "rules/time_slices.hpp",
                                    "rules/block_queue_rule.hpp",
                                    "rules/share_tags.hpp",
                                    "rules/lasting_shares.hpp",
                                    "rules/needed_shares.hpp",
                                    "rules/shares/share_rules.hpp",
                                    "rules/policies/tokens.hpp",
                                    "systems/locked_gpus/rules/locked_engines.hpp",
                                    "rules/policies/whole_gpu.hpp",
                                    "model/plan.hpp",
                                    "model/late_handling.hpp"};

/// Headers of model/ and of tasks/ in systems whose values no user says: what the library makes of a workload, results,
/// errors and traces.
const std::set<std::string> inner{"model/copy_fit.hpp",
                                  "model/to_runtime_tasks.hpp",
                                  "model/runtime_kernel.hpp",
                                  "model/graph/graph_set.hpp",
                                  "model/graph/refine.hpp",
                                  "systems/locked_gpus/tasks/gpusync_visits.hpp",
                                  "systems/locked_gpus/tasks/latency.hpp",
                                  "systems/locked_gpus/tasks/requests.hpp",
                                  "model/model_error.hpp",
                                  "model/mutex_key.hpp",
                                  "model/observation.hpp",
                                  "model/platform.hpp",
                                  "model/priority_point.hpp",
                                  "model/schedule_table.hpp",
                                  "model/task_progress.hpp",
                                  "model/task_rows.hpp",
                                  "model/task_set.hpp",
                                  "model/trace_record.hpp",
                                  "model/visit_fact.hpp",
                                  "model/visit_source.hpp",
                                  "model/visit_table.hpp"};

const std::string any_direction = "is any: the copy takes the first engine";
const std::string no_name = "is none, and no code is bound by it";
const std::string where_kept = "is where the library keeps it";
const std::string not_known = "has no meaning: the fact is not known";
const std::string all_of_them = "is whatever the ratio was measured with: it holds beside kernels of other tasks, too";
const std::string virtual_count = "is the number of virtual SMs of an SM: the kernel is stretched by all of them";
const std::string as_one = "is 1";
const std::string no_position = "is the first of its kind: an edge or a place says which one it means";

const std::vector<rows_of> rows{
    // Tasks.
    {"strictly_periodic()", {"offset"}, assumed, "is 0: the first job comes when the clock of all begins"},
    {"task_attributes", {"has_deadline"}, assumed, "is the period"},
    {"task_attributes", {"priority"}, chosen, "follows from the rule, as it does of all tasks if one has none"},
    {"task_attributes", {"core", "is_placed"}, chosen, "is that of a plan, or the one of the least load"},
    {"task_attributes", {"jitter"}, assumed, "is 0"},
    {"task_attributes", {"preemption"}, assumed, "is anywhere: its CPU time can be preempted at any instant"},
    {"task_attributes", {"strict"}, worst, "is false: jobs are released at any time at least a period apart"},
    {"task_attributes", {"offset"}, assumed, "is 0, of strict tasks; of others it is any"},
    // Segments and facts.
    {"cpu_segment", {"label"}, chosen, no_name},
    {"copy_segment", {"label"}, chosen, no_name},
    {"kernel_segment", {"label"}, chosen, no_name},
    {"limited_cpu_segment", {"label"}, chosen, no_name},
    {"visit_segment", {"label"}, chosen, no_name},
    {"copy_segment", {"direction"}, assumed, any_direction},
    {"copy()", {"direction"}, assumed, any_direction},
    {"copy_model::segment()", {"direction"}, assumed, any_direction},
    {"interval", {"lower"}, worst, "is 0"},
    {"interval", {"upper"}, assumed, "is 0: whoever says a time says its upper end"},
    {"kernel_interleave", {"numerator"}, worst, virtual_count},
    {"kernel_interleave", {"denominator"}, chosen, as_one},
    {"kernel_interleave", {"any_neighbour"}, assumed, all_of_them},
    {"interleave()", {"denominator"}, chosen, as_one},
    {"self_interleave()", {"denominator"}, chosen, as_one},
    {"kernel()", {"o"}, assumed, "is 0: SMs divide all of the work"},
    {"kernel()", {"i"}, worst, virtual_count},
    {"kernel()", {"at"}, assumed, "is on all SMs at once"},
    {"interleave_ratio", {"numerator", "denominator"}, filled, "is what `ratio_on` makes of it"},
    {"divisible_work", {"interleave_numerator"}, worst, virtual_count},
    {"divisible_work", {"interleave_denominator"}, chosen, as_one},
    {"divisible_work", {"any_neighbour"}, assumed, all_of_them},
    {"measured_times", {"at"}, assumed, "are 0: `measured` says one for each number of virtual SMs"},
    {"accelerator_kernel", {"width", "core"}, assumed, "is on all SMs at once"},
    {"accelerator_kernel", {"cost_given"}, worst, "is all of the kernel: it runs to its end"},
    {"kernel_pinning", {"width", "core"}, assumed, "is on all SMs at once"},
    {"limited_cpu_segment", {"region"}, assumed, "is 0: the segment can be preempted anywhere"},
    {"kernel_context", {"number"}, assumed, "is 0; without the fact each task is a context"},
    {"tabulated_times", {"first", "count"}, filled, "is the table that was read"},
    {"tabulated_times", {"on_whole_sms"}, chosen, "is false: the rows count virtual SMs"},
    {"copy_model", {"slowest"}, worst, "is 1 byte a second"},
    {"copy_model", {"fastest"}, refused, "is 1 byte a second: a shortest time above the longest one is refused"},
    {"bus_congestion", {"numerator", "denominator"}, assumed, "is 1: no other copy slows this one"},
    // Graphs.
    {"kernel_grid", {"blocks", "threads"}, assumed, "is 1; `grid` says both"},
    {"grid_kernel", {"split"}, assumed, "is false: no processor launches or awaits the kernel"},
    {"data_binding", {"access"}, chosen, "is a read; `reads` and `writes` say it"},
    {"runtime_node", {"chain", "bindings"}, filled, "is what the parts of the node say"},
    {"named_edge", {"lag"}, chosen, "is 0: of the same invocation"},
    {"history()", {"lag"}, chosen, "is 1"},
    {"delayed()", {"lag"}, chosen, "is 1"},
    {"delayed_object", {"lag"}, chosen, "is 1"},
    {"runtime_graph", {"error"}, filled, "is none"},
    {"object_access", {"first", "last", "reads", "writes"}, filled, "is what the nodes say of their objects"},
    {"token_edge", {"from", "to"}, chosen, no_position},
    {"token_edge", {"produce", "consume", "threshold"}, assumed, "is 1"},
    {"token_edge", {"initial"}, worst, "is 0, and nothing else is taken"},
    {"pgm_node", {"arrivals"}, assumed, "is 1, in a window of a source"},
    {"pgm_node", {"window"}, refused, "is no span of a source"},
    {"pgm_node", {"wcet"}, assumed, "is 0"},
    // Applications.
    {"share_task", {"period", "deadline"}, refused, "is 0"},
    {"share_task", {"priority"}, refused, "is 0, which only one application can have"},
    {"share_task", {"alone"}, refused, "is no time"},
    {"share_task", {"request"}, chosen, "is the least share with which the job alone is in time"},
    {"share_task", {"memory"}, assumed, "is 0"},
    {"scaling_wcet()", {"fixed_per_mille"}, assumed, "is 0: all of the time scales"},
    {"wcet_row::scaling()", {"fixed_per_mille"}, assumed, "is 0: all of the time scales"},
    {"wcet_row::interpolated()", {"rule"}, worst, "is that of the next smaller share"},
    {"application_set::table()", {"<Number>"}, filled, "is the only one"},
    {"measured_share", {"time"}, assumed, "is 0: whoever says a share says its time"},
    // Chains of tasks.
    {"chain_stage", {"period"}, refused, "is 0"},
    {"chain_stage", {"response"}, assumed, "is 0: an analysis gives it"},
    {"chain_stage", {"how"}, assumed, "is implicit"},
    {"chain_stage", {"let_interval"}, chosen, "is the period"},
    {"chain_stage", {"offset"}, assumed, "is 0"},
    {"chain_stage", {"clock"}, assumed, "is that of all stages: they keep their offsets to each other for ever"},
    {"chain_stage", {"waits_for_producer"}, worst, "is false"},
    {"chain_fault", {"status", "stage"}, filled, "is none"},
    // Run-time tasks.
    {"runtime_visit", {"name"}, chosen, "is none"},
    {"runtime_visit", {"where"}, chosen, "is a processor"},
    {"runtime_visit", {"own"}, chosen, "is the first resource of one's own"},
    {"runtime_visit", {"direction"}, assumed, any_direction},
    {"runtime_visit", {"predecessors"}, assumed, "are none: it waits for no visit of its job"},
    {"runtime_visit",
     {"in_section"},
     assumed,
     "is false: tokens are held from the first to the last visit of a device"},
    {"runtime_visit", {"parallelism"}, chosen, "is 1: jobs of the visit follow one another"},
    {"runtime_visit", {"point"}, assumed, "is 0, under `gel`"},
    {"runtime_visit", {"region"}, assumed, "is 0: it can be preempted anywhere"},
    {"runtime_visit", {"known"}, refused, "are no facts, and a rule that needs one refuses the visit"},
    {"runtime_visit",
     {"time", "work", "overhead", "interleave_numerator", "interleave_denominator", "first_sample", "samples", "blocks",
      "threads", "block_length", "wcet", "preemption_cost", "width", "sm", "row", "context", "slice", "bytes", "state"},
     filled,
     not_known},
    {"runtime_visit", {"any_neighbour"}, assumed, all_of_them},
    {"runtime_visit", {"on_whole_sms"}, chosen, "is false: the samples count virtual SMs"},
    {"runtime_edge", {"task", "from", "to"}, chosen, no_position},
    {"runtime_edge", {"lag"}, refused, "is 0: it leads to no earlier job"},
    {"runtime_task", {"name"}, chosen, "is empty"},
    {"runtime_task", {"period", "deadline"}, refused, "is 0"},
    {"runtime_task", {"limited"}, worst, "is true: the deadline counts"},
    {"runtime_task", {"jitter"}, assumed, "is 0"},
    {"runtime_task", {"priority"}, chosen, "follows from the rule, or is found by a search"},
    {"runtime_task", {"core", "gpu"}, chosen, "is chosen by a search"},
    {"runtime_task", {"memory"}, assumed, "is 0"},
    {"runtime_task", {"strict"}, worst, "is false: jobs are released at any time at least a period apart"},
    {"runtime_task", {"offset"}, assumed, "is 0, of strict tasks; of others it is any"},
    {"runtime_task", {"first_visit", "visit_count"}, filled, where_kept},
    {"runtime_task_set",
     {"<MaxRows>", "<MaxSamples>"},
     filled,
     "is room enough for usual kernels; what does not fit is refused"},
    {"runtime_own", {"position"}, chosen, "is the first resource of one's own"},
    {"runtime_own", {"time"}, assumed, "is 0: whoever says a visit says its time"},
    // Tables.
    {"segment_record", {"where"}, chosen, "is a processor"},
    {"segment_record", {"direction"}, assumed, any_direction},
    {"segment_record", {"time"}, assumed, "is 0: whoever says a segment says its time"},
    {"segment_record", {"overhead"}, assumed, "is 0: SMs divide all of the work"},
    {"segment_record", {"interleave_numerator"}, worst, virtual_count},
    {"segment_record", {"interleave_denominator"}, chosen, as_one},
    {"segment_record", {"any_neighbour"}, assumed, all_of_them},
    {"segment_record", {"first_sample", "samples"}, filled, "are none: the kernel says its work"},
    {"task_record", {"period", "deadline"}, refused, "is 0"},
    {"task_record", {"priority"}, chosen, "follows from the rule"},
    {"task_record", {"core", "is_placed"}, chosen, "is the first core, as if it were named"},
    {"task_record", {"id", "first_segment", "segment_count"}, filled, where_kept},
    {"task_record", {"later_deadline"}, filled, "is none: the deadline is not after the period"},
    {"task_table", {"<MaxSamples>"}, filled, "is none"},
    {"task_table::add_task()", {"priority"}, chosen, "follows from the rule"},
    {"task_table::add_task()", {"core"}, chosen, "is the first core, as if it were named"},
    {"task_table::table()", {"<N>"}, filled, "is that of the table"},
    {"accelerator_task", {"wcet", "period", "deadline"}, refused, "is 0"},
    {"accelerator_task", {"preemption_cost"}, assumed, "is 0: the kernel can be stopped anywhere"},
    {"accelerator_task", {"width"}, assumed, "is one SM"},
    {"accelerator_task", {"core"}, chosen, "is chosen by a search"},
    {"accelerator_task", {"priority"}, chosen, "follows from the rule"},
    {"accelerator_task", {"id"}, filled, where_kept},
    {"accelerator_record", {"cores"}, worst, "is 1"},
    {"accelerator_record", {"preemption_levels"}, assumed, "is 2"},
    {"slot_reservation", {"offset"}, assumed, "is 0"},
    {"slot_reservation", {"budget"}, worst, "is 0: no kernel has time"},
    {"slot_reservation", {"period"}, refused, "is 0"},
    {"thread_time", {"value"}, filled, "is 0"},
    {"block_gpu", {"sms"}, worst, "is 1"},
    {"block_gpu", {"threads_per_sm"}, assumed, "is 2048, the most of any GPU of NVIDIA"},
    {"block_gpu", {"block_slots", "shared_memory", "registers"}, assumed, "limits nothing"},
    {"block_kernel", {"name"}, chosen, "is empty"},
    {"block_kernel", {"length", "period"}, refused, "is 0"},
    {"block_kernel", {"blocks", "threads"}, assumed, "is 1"},
    {"block_kernel", {"jitter"}, assumed, "is 0"},
    {"block_kernel", {"shared_memory", "registers"}, assumed, "is 0"},
    {"block_kernel", {"owner"}, worst, "is nobody: kernels of others may be unfinished meanwhile"},
    {"graph_node", {"kind"}, chosen, "is a step on a processor"},
    {"graph_node", {"part"}, filled, "is whole"},
    {"graph_node", {"split"}, assumed, "is false: no processor launches or awaits the kernel"},
    {"graph_node", {"limit"}, chosen, "is of the oldest unfinished jobs"},
    {"graph_node", {"parallelism"}, assumed, "is any: jobs of the node may run beside each other"},
    {"graph_node", {"graph", "owner", "segment", "section"}, filled, where_kept},
    {"graph_node", {"wcet", "block_length"}, assumed, "is 0: whoever says a node says its time"},
    {"graph_node", {"point"}, assumed, "is 0, under `gel`"},
    {"graph_node", {"blocks", "block_threads"}, refused, "is 0, of a kernel"},
    {"graph_node", {"launch", "await"}, assumed, "is 0"},
    {"graph_node", {"mutex"}, assumed, "is none"},
    {"graph_edge", {"from", "to"}, chosen, no_position},
    {"graph_edge", {"lag"}, chosen, "is 0: of the same invocation"},
    {"graph_record", {"period"}, refused, "is 0"},
    {"graph_record", {"cluster"}, chosen, "is the first one"},
    {"graph_record", {"first_node", "nodes", "first_edge", "edges"}, filled, where_kept},
    {"graph_table", {"<MaxGraphs>", "owners"}, filled, where_kept},
    {"graph_table::add_graph()", {"cluster"}, chosen, "is the first one"},
    {"graph_table::add_edge()", {"lag"}, chosen, "is 0: of the same invocation"},
    {"graph_table::flat()", {"<N>"}, filled, "is that of the table"},
    {"gpusync_task", {"<MaxKernels>"}, filled, "is room for 4 kernels"},
    {"gpusync_task", {"name"}, chosen, "is empty"},
    {"gpusync_task", {"period", "deadline"}, refused, "is 0"},
    {"gpusync_task", {"wcet", "kernels"}, refused, "is no time, and one of them is needed"},
    {"gpusync_task", {"cpu_in_gpu_section", "bytes_in", "bytes_out", "bytes_state"}, assumed, "is 0"},
    {"gpusync_task", {"cpu_cluster"}, chosen, "is the first one"},
    {"gpusync_task", {"gpu_cluster"}, refused, "is none, of a task that uses a GPU; a search chooses it"},
    {"gpusync_task", {"priority"}, refused, "is none, under schedulers that read it"},
    {"gpusync_task", {"gpu"}, chosen, "is what `gpu_cluster` says"},
    {"gpusync_task", {"id"}, filled, where_kept},
    {"gel_task", {"name"}, chosen, "is empty"},
    {"gel_task", {"wcet"}, assumed, "is 0"},
    {"gel_task", {"period"}, refused, "is 0"},
    {"gel_task", {"deadline", "point"}, assumed, "is 0"},
    {"gel_task", {"parallelism"}, chosen, "is 1: jobs of the task follow one another"},
    {"gel_policy",
     {"deadline", "period", "wcet", "other_processors", "point"},
     chosen,
     "does not count: first come, first served"},
    // Hardware.
    {"gpu_hardware", {"sms", "preemption_levels"}, refused, "is not known, and policies that need it refuse"},
    {"gpu_hardware", {"virtual_per_sm"}, worst, "is 1, whatever threads an SM holds"},
    {"gpu_hardware", {"granularity"}, assumed, "is 1: SMs can be handed out one by one"},
    {"gpu_hardware", {"speed"}, assumed, "is 1: the times of the tasks are those of this GPU"},
    {"gpu_hardware", {"threads_per_sm"}, assumed, "is not known: as many blocks fit an SM as it has virtual SMs"},
    {"gpu_hardware",
     {"blocks_per_sm"},
     refused,
     "is not known, and a queue of blocks refuses; elsewhere it limits nothing"},
    {"gpu_hardware", {"warp_size"}, assumed, "is 32, as of NVIDIA's"},
    {"gpu_hardware", {"memory"}, assumed, "is enough for all tasks"},
    {"gpu_hardware",
     {"context_switch", "switch_is_known"},
     refused,
     "is not known, and rules that switch contexts refuse"},
    {"own_hardware", {"name"}, chosen, "is empty"},
    {"own_hardware", {"count"}, worst, "is 1"},
    {"hardware", {"processors", "copy_engines"}, refused, "are none, and what needs one is refused"},
    {"gpu_speed", {"numerator", "denominator"}, assumed, "is 1: the times of the tasks are those of this GPU"},
    {"sm_power", {"virtual_sms", "speed", "virtual_per_sm"}, filled, "is that of a share of a GPU"},
    {"sm_residency", {"threads"}, assumed, "is not known: as many blocks fit an SM as it has virtual SMs"},
    {"sm_residency", {"blocks"}, assumed, "limits nothing"},
    {"sm_residency", {"warp_size"}, assumed, "is 32, as of NVIDIA's"},
    {"gpu_record",
     {"sms", "virtual_per_sm", "granularity", "shared", "speed", "tokens", "residency"},
     filled,
     "is that of its pool"},
    {"platform_record", {"cores", "copy_engines"}, filled, "is that of its pool"},
    // Pools.
    {"processors_resource", {"count"}, worst, "is 1"},
    {"copy_engines_resource", {"count"}, worst, "is 1"},
    {"virtual_sms_resource", {"sms"}, worst, "is 1"},
    {"virtual_sms_resource", {"per_sm"}, assumed, "is 1, no virtual SMs"},
    {"virtual_sms_resource", {"granularity"}, assumed, "is 1: SMs can be handed out one by one"},
    {"virtual_sms_resource", {"speed"}, assumed, "is 1: the times of the tasks are those of this GPU"},
    {"virtual_sms_resource", {"preemption_levels"}, assumed, "is 2"},
    {"virtual_sms_resource", {"residency"}, assumed, "is not known: as many blocks fit an SM as it has virtual SMs"},
    {"virtual_sms_resource::at_speed()", {"denominator"}, chosen, as_one},
    {"stall", {"begin"}, assumed, "is 0: the process stands still from the start"},
    {"stall", {"length"}, refused, "is 0"},
    {"virtual_sms()", {"granularity"}, assumed, "is 1: SMs can be handed out one by one"},
    {"accelerator()", {"preemption_levels"}, assumed, "is 2"},
    {"graph_platform",
     {"sms", "threads_per_sm", "blocks_per_sm", "warp_size", "copy_engines", "gpus_differ"},
     filled,
     "is that of its pools"},
    {"block_slots_resource", {"sms", "threads_per_sm"}, worst, "is 1"},
    {"block_slots_resource", {"blocks_per_sm"}, assumed, "limits nothing"},
    {"block_slots_resource", {"warp_size"}, assumed, "is 32, as of NVIDIA's"},
    {"block_slots()", {"blocks_per_sm"}, assumed, "limits nothing"},
    {"gpu_shares_resource", {"limits_memory", "memory"}, assumed, "is enough for all applications"},
    {"cpu_scheduler", {"points", "task_level"}, chosen, "is first come, first served, by jobs"},
    {"token_protocol", {"given", "donates_at_release", "for_all_cpus"}, chosen, "is that of R2DGLP"},
    {"gpusync_association", {"cpu_clusters"}, chosen, "is the even one"},
    {"gpusync_configuration", {"cpus", "cpu_cluster_size", "gpus", "gpu_cluster_size"}, chosen, "is 1"},
    {"gpusync_configuration", {"tokens_per_gpu"}, chosen, "is 1"},
    {"gpusync_configuration", {"copy_engines"}, assumed, "is 2"},
    {"gpusync_configuration", {"numa_nodes"}, chosen, "is 1"},
    {"gpusync_configuration", {"migration"}, chosen, "is none: jobs keep to one GPU"},
    {"gpusync_configuration", {"tokens", "association"}, chosen, "follows from the clusters"},
    {"gpusync_configuration", {"engines"}, chosen, "is first come, first served"},
    {"gpusync_configuration", {"scheduler"}, chosen, "is fair lateness"},
    {"gpusync_configuration", {"uncontended"}, chosen, "is shared as any other"},
    {"gpusync_configuration", {"dma_chunk"}, chosen, "is 1 MiB"},
    {"gpusync_platform", {"<Costs>"}, chosen, "is linear in the bytes"},
    {"gpusync_platform", {"costs"}, assumed, "is 0: copies take no time"},
    {"gpusync_platform", {"overheads"}, assumed, "are nothing: the times of the tasks contain them"},
    {"gpusync_board", {"<Costs>"}, chosen, "is linear in the bytes"},
    {"gpusync_board", {"shape"}, chosen, "is one CPU with one GPU"},
    {"gpusync_board", {"costs"}, assumed, "is 0: copies take no time"},
    {"gpusync_board", {"overheads"}, assumed, "are nothing: the times of the tasks contain them"},
    {"gpusync_overheads",
     {"schedule", "context_switch", "cache_loss", "interrupt_cache_loss", "tick", "tick_quantum", "release",
      "event_latency", "ipi", "system_call_in", "system_call_out", "lock", "unlock", "top_half", "bottom_half"},
     assumed,
     "is 0"},
    {"linear_cost", {"setup", "numerator"}, assumed, "is 0"},
    {"linear_cost", {"denominator"}, chosen, as_one},
    {"linear_transfer_costs", {"kinds"}, assumed, "are 0: copies take no time"},
    {"curve_point", {"bytes", "time"}, refused, "is no measured size"},
    {"transfer_curves", {"kinds"}, assumed, "are 0: copies take no time"},
    {"gpu_engine", {"gpu", "kind"}, filled, "is what a step of a migration takes"},
    {"gpu_topology::add_hub()", {"above"}, chosen, "is none: the hub is a root"},
    {"migration_step::section_time()", {"congestion"}, assumed, "is none: no other copy slows this one"},
    {"migration_plan", {"possible"}, filled, "is what `plan_migration` finds"},
    {"waiting_claim", {"priority", "place"}, filled, "is that of who waits"},
    {"service_order", {"before"}, chosen, "is first come, first served"},
    {"sm_limits",
     {"threads", "blocks", "registers", "shared_memory", "warp_size", "register_unit", "register_files",
      "shared_memory_unit"},
     assumed,
     "is that of an SM of NVIDIA's Volta"},
    {"block_needs", {"threads"}, worst, "is the most of a block"},
    {"block_needs", {"registers_per_thread", "shared_memory"}, assumed, "is 0: never the reason why a block waits"},
    {"virtual_sm_choice", {"block_threads", "per_sm"}, filled, "is none"},
    {"choose_virtual_sms()", {"needs"}, assumed, "is nothing but threads"},
    {"resident_shape", {"threads", "shared_memory", "per_sm"}, filled, "is none"},
    {"residents_by_size()", {"needs"}, assumed, "is nothing but threads"},
    // Rules.
    {"fixed_priority_rule", {"<Order>"}, chosen, "is that of the given priorities"},
    {"nonpreemptive_rule", {"inner"}, filled, "is the rule inside"},
    {"busy_waiting_rule", {"inner"}, filled, "is the rule inside"},
    {"locked_rule", {"tokens"}, chosen, "is 1"},
    {"locked_rule", {"order"}, filled, "is that of its type"},
    {"locked()", {"tokens"}, chosen, "is 1"},
    {"clustered_rule", {"processors"}, chosen, "is 1"},
    {"kernel_rule::view()", {"model"}, filled, "is that of the rule; no kernel is resumed under those that nest none"},
    {"levels_rule", {"cost"}, assumed, "is the race: a kernel below runs for one more wave"},
    {"levels_rule", {"nesting"}, filled, "is that of the resource"},
    {"levels()", {"cost"}, assumed, "is the race: a kernel below runs for one more wave"},
    {"slots_rule", {"pinned", "gang"}, worst, "is no slot"},
    {"slots_rule", {"cores"}, filled, "is that of the resource"},
    {"gang_rule", {"<Order>"}, chosen, "is backfill"},
    {"gang_rule", {"cores"}, filled, "is that of the resource"},
    {"gang()", {"<Order>", "order"}, chosen, "is backfill"},
    {"turn_times", {"slice", "switching", "keeps_places"}, filled, "is that of the rule"},
    {"slice_view", {"context", "slice"}, filled, "is that of the kernel"},
    {"time_slice_rule", {"slice"}, refused, "is 0"},
    {"time_slice_rule", {"switching"}, assumed, "is 0; `time_slices` says it"},
    {"time_slice_rule", {"keeps_places"}, chosen, "is false: a context that wakes up goes to the tail"},
    {"block_queue_rule", {"<MaxSms>", "<MaxBlocks>"}, filled, "is room for the largest GPU"},
    {"block_queue_rule", {"gpu", "warp_size"}, filled, "is that of the resource"},
    {"block_queue_rule", {"speed"}, assumed, "is 1: the times of the tasks are those of this GPU"},
    {"shares_rule", {"rules", "triggers"}, chosen, "is robust, at every change"},
    {"shares()", {"rules", "triggers"}, chosen, "is robust, at every change"},
    {"share_rules", {"fit", "slack", "refused", "load", "leftover", "search"}, chosen, "is that of the robust rules"},
    {"share_rules", {"actuation"}, assumed, "is 0: a greater share has its effect at once"},
    {"share_triggers", {"decrease", "reuse", "threshold"}, chosen, "is every change"},
    {"accumulated_execution()", {"reuse"}, chosen, "is for jobs that were slowed down as far as predicted"},
    {"hybrid()", {"reuse"}, chosen, "is for jobs that were slowed down as far as predicted"},
    {"lasting_shares_rule", {"<Resource>", "limits_memory"}, filled, "is that of the resource"},
    {"needed_shares_rule", {"<Resource>", "gpu"}, filled, "is that of the resource"},
    {"needed_shares_rule", {"applications"}, refused, "are none"},
    {"needed_shares_rule", {"needs", "changes"}, chosen, "is robust, at every change"},
    {"tokens_policy", {"tokens"}, chosen, "is the best of a few"},
    {"locked_engines_policy", {"engines"}, assumed, "is a board whose copies take no time"},
    {"time_sliced_policy", {"slice"}, assumed, "is the longest that was measured of a driver"},
    {"levels_policy", {"levels"}, chosen, "are all that the GPU has"},
    {"levels_policy", {"cost"}, assumed, "is the race: a kernel below runs for one more wave"},
    {"slots_policy", {"pinned", "gang"}, chosen, "is found for the tasks"},
    // Plans.
    {"sm_share", {"gpu"}, chosen, "is the first one"},
    {"sm_share", {"sms"}, refused, "is none, of a task with kernels"},
    {"search_effort", {"evaluations", "plans", "nodes", "complete"}, filled, "is what a search counts"},
    {"plan", {"<MaxVisits>"}, filled, "is none"},
    {"plan", {"may_guard"}, chosen, "is false: an analysis adds no offsets"},
    {"plan", {"feasible", "effort"}, filled, "is what a search or a verdict says"},
    {"plan", {"cut"}, filled, "is what a copy says"},
    {"plan_parts",
     {"shares", "cores", "priorities", "percents", "tokens", "slots", "offsets", "local_deadlines", "instances"},
     filled,
     "is whether an analysis or a host uses it"},
    {"parts_fault()", {"visits"}, filled, "is none"},
};

using place = std::pair<std::string, std::string>;

auto taken_rows() -> std::map<place, const rows_of*> {
  std::map<place, const rows_of*> out;
  for (const rows_of& r : rows) {
    for (const std::string& member : r.members) {
      CAPTURE(r.owner);
      CAPTURE(member);
      CHECK(out.emplace(place{r.owner, member}, &r).second);
    }
  }
  return out;
}

auto read(const std::string& header) -> std::string {
  std::ifstream in{fs::path{TAKT_SOURCE_DIR} / "include" / "takt" / header};
  REQUIRE_MESSAGE(in.good(), header);
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Without what users cannot say, such as parameters that stop compilation.
auto said_in(const std::string& header) -> std::vector<takt_tests::said_default> {
  auto out = takt_tests::defaults_said_in(read(header));
  std::erase_if(out, [](const auto& d) { return d.value.starts_with("detail::"); });
  return out;
}

constexpr auto marker = "<!-- The table below is made by tests/structure/defaults_test.cpp. -->\n\n";

}  // namespace

TEST_CASE("each default of a type at the door has a row in docs/defaults.md, and each row is of a default") {
  const auto taken = taken_rows();
  std::map<place, std::string> seen;
  std::string table = "| type or function | left out | says | which is | then it |\n| --- | --- | --- | --- | --- |\n";
  for (const std::string& header : door) {
    for (const auto& d : said_in(header)) {
      const auto [before, is_new] = seen.emplace(place{d.owner, d.member}, d.value);
      CAPTURE(header);
      CAPTURE(d.owner);
      CAPTURE(d.member);
      CHECK(before->second == d.value);
      if (!is_new) { continue; }
      const auto row = taken.find({d.owner, d.member});
      CHECK_MESSAGE(row != taken.end(), "a default of the door has no row: say what is taken for it");
      if (row == taken.end()) { continue; }
      table.append("| `").append(d.owner).append("` | `").append(d.member).append("` | `").append(d.value);
      table.append("` | ").append(word_of(row->second->effect)).append(" | ").append(row->second->taken).append(" |\n");
    }
  }
  for (const auto& [where, row] : taken) {
    CAPTURE(where.first);
    CAPTURE(where.second);
    CHECK_MESSAGE(seen.contains(where), "a row is of no default");
    CHECK_FALSE(row->taken.empty());
  }
  takt_tests::expect_table("docs/defaults.md", marker, table);
}

TEST_CASE("each header of the model that has defaults is at the door, or known not to be") {
  const fs::path root = fs::path{TAKT_SOURCE_DIR} / "include" / "takt";
  const std::set<std::string> at_door{door.begin(), door.end()};
  CHECK(at_door.size() == door.size());
  for (const auto& entry : fs::recursive_directory_iterator{root}) {
    const std::string header = fs::relative(entry.path(), root).generic_string();
    const bool describes = header.starts_with("model/") || header.find("/tasks/") != std::string::npos;
    if (!entry.is_regular_file() || !describes) { continue; }
    CAPTURE(header);
    const bool is_known = at_door.contains(header) != inner.contains(header);
    CHECK(is_known == !takt_tests::defaults_said_in(read(header)).empty());
  }
}

TEST_CASE("the reader of defaults finds those of members, parameters and templates, and no others") {
  const std::string header = R"(
  #pragma once
  namespace takt {
  // int in_comment = 1;
  template <class T, class Order = by_period>
  struct [[nodiscard]] rule : base<T> {
    static constexpr int fixed = 1;
    using type = int;
    std::int32_t count = 1;  ///< = 2
    std::array<T, 3> all{};
    int none;
    const char* text = "a = 1; }";
    constexpr explicit rule(int a) noexcept : all{a}, none{1} {}
    template <class S>
      requires requires(const S& s) { s.label = 1; }
    [[nodiscard]] constexpr auto with(const S& s, int at = 4, kernel_law law = {}) const -> rule {
      int local = 7;
      return {.count = local};
    }
    struct inner {
      bool said = false;
    };
    [[nodiscard]] friend constexpr auto operator==(const rule&, const rule&) -> bool = default;

   private:
    int hidden = 1;
  };
  template <>
  struct rule<int> {
    int special{2};
  };
  enum class word : std::uint8_t { a = 1, b };
  template <class S>
  concept Nice = requires(S s) { s.x = 1; } && true;
  namespace detail {
  struct inside {
    int x = 1;
  };
  }  // namespace detail
  inline constexpr int constant = 3;
  [[nodiscard]] constexpr auto late(std::int32_t a, std::vector<std::pair<int, int>> b = {{1, 2}, {3, 4}},
                                    bool c = 1 < 2) noexcept -> int;
  template <class T>
    requires(sizeof(T) > 1 && std::same_as<T, int>)
  constexpr auto made(T t = T{}) -> T {
    return t;
  }
  }  // namespace takt
)";
  std::vector<std::string> found;
  for (const auto& d : takt_tests::defaults_said_in(header)) {
    found.push_back(d.owner + " " + d.member + " " + d.value);
  }
  const std::vector<std::string> wanted{"rule <Order> by_period", "rule count 1",      "rule all {}",
                                        "rule text \"\"",         "rule::with() at 4", "rule::with() law {}",
                                        "rule::inner said false", "rule special {2}",  "late() b {{1, 2}, {3, 4}}",
                                        "late() c 1 < 2",         "made() t T{}"};
  for (std::size_t i = 0; i < std::max(found.size(), wanted.size()); ++i) {
    CHECK((i < found.size() ? found[i] : "nothing") == (i < wanted.size() ? wanted[i] : "nothing"));
  }
}
