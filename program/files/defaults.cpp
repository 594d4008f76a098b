// SPDX-License-Identifier: Apache-2.0
#include "defaults.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace takt::program {

namespace {

using std::string_view;
using enum when_missing;

constexpr auto rows = std::to_array<default_row>({
    {"a task-set file", "$schema", harmless, "is for editors"},
    {"a task-set file", "format", refused, "the file is refused"},
    {"a task-set file", "name", harmless, "is empty"},
    {"a task-set file", "notes", harmless, "are none"},
    {"a task-set file", "incomplete", claimed,
     "is nothing: it is the mark of an import, and a file without it claims to have all of the system"},
    {"a task-set file", "acknowledged", worst, "is nothing, and nothing is proven of a file that leaves something out"},
    {"a task-set file", "platform", refused, "the file is refused"},
    {"a task-set file", "on_late", harmless, "is \"catch_up\": all that is late is done"},
    {"a task-set file", "tasks", refused, "a file without graphs is refused"},
    {"a task-set file", "graphs", harmless, "are none: an older spelling of tasks with nodes"},
    {"a task-set file", "plan", chosen, "is chosen by this program as far as its rules let it"},
    {"a task-set file", "chains", harmless, "are none, and none is judged"},
    {"a platform", "cpus", refused, "steps on a processor are refused"},
    {"a platform", "copy_engines", assumed,
     "are none: copies are refused, or take processor time where all kernels share one queue of blocks"},
    {"a platform", "gpus", refused, "kernels are refused"},
    {"a platform", "resources", refused, "steps on a resource of that name are refused"},
    {"a platform", "overheads", assumed, "are nothing: the times of the file contain them"},
    {"the CPUs", "count", refused, "the cores of the list are counted, and a platform with neither is refused"},
    {"the CPUs", "policy", assumed, "is \"fixed-priority\""},
    {"the CPUs", "cores", refused, "times by type of core are refused"},
    {"the CPUs", "clusters", assumed,
     "are one cluster of all cores under rules of clusters, and else one for each core"},
    {"the CPUs", "pipelined", assumed, "is false: jobs of a task do not overlap, and no step waits for an offset"},
    {"a core", "name", harmless, "is empty"},
    {"a core", "type", refused, "times by type of core are refused"},
    {"a core", "speed", harmless, "is 1, the only one that is read"},
    {"the copy engines", "count", assumed, "is 1"},
    {"the copy engines", "policy", assumed, "follows from the way of sharing the GPU"},
    {"a GPU", "sms", refused, "rules that hand out SMs are refused"},
    {"a GPU", "threads_per_sm", assumed, "is not known: as many blocks fit an SM as it has virtual SMs"},
    {"a GPU", "virtual_per_sm", worst, "is 1, whatever threads an SM holds"},
    {"a GPU", "blocks_per_sm", assumed, "limits nothing"},
    {"a GPU", "warp_size", assumed, "is 32"},
    {"a GPU", "granularity", assumed, "is 1: SMs can be handed out one by one"},
    {"a GPU", "speed", assumed, "is 1: the times of the file are those of this GPU"},
    {"a GPU", "preemption_levels", assumed, "is 2 where the GPU is shared by levels; else rules of levels are refused"},
    {"a GPU", "memory", assumed, "is enough for all tasks"},
    {"a GPU", "copy_engines", assumed, "are those of the platform"},
    {"a GPU", "copy_model", refused, "copies that say bytes and no time are refused by rules that need one"},
    {"a GPU", "context_switch", refused, "rules that switch contexts are refused"},
    {"a GPU", "count", assumed, "is 1"},
    {"a GPU", "sharing", assumed, "is \"isolated\""},
    {"a GPU", "policy", assumed, "is \"edf\" where all tasks are kernels, and else the rule of the processors"},
    {"a GPU", "cost_model", assumed, "is \"race\""},
    {"a GPU", "order", assumed, "is \"backfill\""},
    {"a GPU", "slots", chosen, "are found by this program where the rule needs them"},
    {"a GPU", "slice", assumed, "is that of the rule"},
    {"a GPU", "protocol", assumed, "fits the clusters of an older file; else the file is refused"},
    {"a GPU", "clusters", assumed, "are one of all GPUs"},
    {"a GPU", "tokens_per_gpu", chosen, "is chosen by this program"},
    {"a GPU", "engine_order", assumed, "is \"fifo\""},
    {"a GPU", "migration", assumed, "is \"none\""},
    {"a GPU", "uncontended", assumed, "is \"shared\""},
    {"a GPU", "rules", assumed, "are \"robust\""},
    {"a GPU", "triggers", assumed, "are \"every-change\""},
    {"a GPU", "dma", harmless, "is an older word for copy_model"},
    {"a GPU", "contention", assumed,
     "is none: kernels of different tasks do not slow one another down beyond what is stated"},
    {"a GPU", "levels", assumed, "are all that the GPU has"},
    {"an own resource", "name", refused, "the file is refused"},
    {"an own resource", "count", assumed, "is 1"},
    {"an own resource", "policy", assumed, "follows from the rule of the processors"},
    {"a copy model", "setup", assumed, "is 0"},
    {"a copy model", "bytes_per_us", refused, "a model without it, or to_device and to_host, is refused"},
    {"a copy model", "chunk", assumed, "is the whole copy"},
    {"a copy model", "to_device", refused, "a model without it, or bytes_per_us, is refused"},
    {"a copy model", "to_host", refused, "a model without it, or bytes_per_us, is refused"},
    {"a copy model", "peer", assumed, "is that of copies to the device"},
    {"the cost of a copy", "setup", assumed, "is 0"},
    {"the cost of a copy", "bytes_per_us", refused, "the file is refused"},
    {"slots", "period", refused, "the file is refused"},
    {"slots", "pinned", refused, "kernels for one SM have none"},
    {"slots", "gang", refused, "kernels for all SMs have none"},
    {"a slot", "offset", assumed, "is 0"},
    {"a slot", "budget", refused, "the file is refused"},
    {"overheads", "schedule", assumed, "is 0"},
    {"overheads", "context_switch", assumed, "is 0"},
    {"overheads", "cache_loss", assumed, "is 0"},
    {"overheads", "interrupt_cache_loss", assumed, "is 0"},
    {"overheads", "tick", assumed, "is 0"},
    {"overheads", "tick_quantum", assumed, "is 0"},
    {"overheads", "release", assumed, "is 0"},
    {"overheads", "event_latency", assumed, "is 0"},
    {"overheads", "ipi", assumed, "is 0"},
    {"overheads", "system_call_in", assumed, "is 0"},
    {"overheads", "system_call_out", assumed, "is 0"},
    {"overheads", "lock", assumed, "is 0"},
    {"overheads", "unlock", assumed, "is 0"},
    {"overheads", "top_half", assumed, "is 0"},
    {"overheads", "bottom_half", assumed, "is 0"},
    {"a task", "name", refused, "the file is refused"},
    {"a task", "period", refused, "the file is refused"},
    {"a task", "deadline", assumed, "is the period; of an older graph it is none"},
    {"a task", "jitter", assumed, "is 0"},
    {"a task", "offset", assumed,
     "is 0 in simulations and runs, and in verdicts of strict tasks; any in those of others"},
    {"a task", "strict", worst, "is false: jobs are released at any time at least a period apart"},
    {"a task", "priority", chosen,
     "follows from the deadlines, or is found by this program; under \"shares\" the file is refused"},
    {"a task", "core", chosen, "is chosen by this program, where the rule keeps tasks on cores"},
    {"a task", "cluster", chosen, "is chosen by this program, where there are several"},
    {"a task", "gpu_cluster", chosen, "is chosen by this program, where there are several"},
    {"a task", "memory", assumed, "is 0"},
    {"a task", "requests", refused, "rules that count requests are refused"},
    {"a task", "share", chosen, "is chosen by this program"},
    {"a task", "preemption", assumed, "is \"preemptive\": its CPU time can be preempted at any instant"},
    {"a task", "variant", chosen, "is the only one, or the file is refused"},
    {"a task", "variants", harmless, "are none: the task has one body"},
    {"a task", "segments", refused, "a task without nodes or variants is refused"},
    {"a task", "nodes", refused, "a task without segments or variants is refused"},
    {"a task", "edges", assumed, "are none: no node waits for another one of its job"},
    {"a task", "history", assumed, "are none: no node waits for an earlier job"},
    {"a task", "cpu", refused, "an older task without it is refused"},
    {"a task", "gpu", assumed, "is none, in an older task"},
    {"a variant", "name", refused, "the file is refused"},
    {"a variant", "segments", refused, "a variant without nodes is refused"},
    {"a variant", "nodes", refused, "a variant without segments is refused"},
    {"a variant", "edges", assumed, "are none: no node waits for another one of its job"},
    {"a variant", "history", assumed, "are none: no node waits for an earlier job"},
    {"a node", "name", refused, "the file is refused"},
    {"a node", "cpu", refused, "a node without a step is refused"},
    {"a node", "copy", refused, "a node without a step is refused"},
    {"a node", "kernel", refused, "a node without a step is refused"},
    {"a node", "segments", refused, "a node without a step is refused"},
    {"a node", "launch", assumed, "is no time of a processor before the kernel"},
    {"a node", "await", assumed, "is no time of a processor after the kernel"},
    {"a node", "direction", assumed, "is any: the copy takes the first engine"},
    {"a node", "bytes", refused, "a copy without a time is refused"},
    {"a node", "section", assumed, "is false: tokens are held from the first to the last step on a device"},
    {"a node", "nonpreemptive_region", assumed,
     "is 0, or all of the CPU time where its task is cooperative or nonpreemptive"},
    {"a node", "parallelism", assumed, "is any: jobs of the node may run beside each other"},
    {"a node", "priority_point", refused, "under \"gel\" the file is refused"},
    {"an edge", "from", refused, "the file is refused"},
    {"an edge", "to", refused, "the file is refused"},
    {"an edge", "produce", assumed, "is 1"},
    {"an edge", "threshold", assumed, "is what is consumed"},
    {"an edge", "consume", assumed, "is what is produced"},
    {"an edge", "lag", assumed,
     "is 0 under \"edges\", or follows from the tokens; under \"history\" the file is refused"},
    {"an edge", "initial", assumed, "is 0"},
    {"a segment", "cpu", refused, "a segment without a step is refused"},
    {"a segment", "copy", refused, "a segment without a step is refused"},
    {"a segment", "kernel", refused, "a segment without a step is refused"},
    {"a segment", "direction", assumed, "is any: the copy takes the first engine"},
    {"a segment", "bytes", refused, "a copy without a time is refused"},
    {"a segment", "launch", assumed, "is no time of a processor before the kernel"},
    {"a segment", "await", assumed, "is no time of a processor after the kernel"},
    {"a segment", "section", assumed, "is false: tokens are held from the first to the last step on a device"},
    {"a segment", "nonpreemptive_region", assumed,
     "is 0, or all of the CPU time where its task is cooperative or nonpreemptive"},
    {"a copy", "time", assumed, "follows from the bytes and the copy model"},
    {"a copy", "bytes", assumed, "are not known: the copy takes the time that it says"},
    {"a copy", "direction", assumed, "is any: the copy takes the first engine"},
    {"a kernel", "work", assumed, "is not known: the time follows from other facts, or the rule is refused"},
    {"a kernel", "overhead", assumed, "is 0: SMs divide all of the work"},
    {"a kernel", "interleave", worst, "is the number of virtual SMs of an SM: the kernel is stretched by all of them"},
    {"a kernel", "time_on", assumed, "is not known: the time follows from other facts, or the rule is refused"},
    {"a kernel", "blocks", assumed, "are not known: the time follows from other facts, or the rule is refused"},
    {"a kernel", "threads_per_block", refused, "a kernel with blocks is refused"},
    {"a kernel", "length", assumed, "is not known: the time follows from other facts, or the rule is refused"},
    {"a kernel", "wcet", assumed, "is not known: the time follows from other facts, or the rule is refused"},
    {"a kernel", "preemption_cost", worst, "is all of the kernel: it runs to its end"},
    {"a kernel", "width", assumed, "is \"all-cores\", or \"one-core\" where a core is said"},
    {"a kernel", "core", chosen, "is chosen by this program for a kernel of one core"},
    {"a kernel", "wcet_by_share", assumed, "is not known: the time follows from other facts, or the rule is refused"},
    {"a kernel", "state", assumed, "is 0: nothing moves with a job to another GPU"},
    {"a kernel", "context", assumed, "is one of the task's own"},
    {"a kernel", "slice", assumed, "is that of the GPU"},
    {"a time that scales", "c100", refused, "the file is refused"},
    {"a time that scales", "fixed_permille", assumed, "is 0: all of the time scales"},
    {"a token section", "kernels", refused, "the file is refused"},
    {"a token section", "cpu_in_section", assumed, "is 0"},
    {"a token section", "bytes_in", assumed, "is 0"},
    {"a token section", "bytes_out", assumed, "is 0"},
    {"a token section", "bytes_state", assumed, "is 0"},
    {"a token section", "cluster", chosen, "is chosen by this program, where there are several"},
    {"a chain of tasks", "name", refused, "the file is refused"},
    {"a chain of tasks", "tasks", refused, "the file is refused"},
    {"a chain of tasks", "semantics", assumed, "is \"implicit\""},
    {"a chain of tasks", "reaction", claimed, "has no limit that would have to be kept"},
    {"a chain of tasks", "age", claimed, "has no limit that would have to be kept"},
    {"a plan", "cores", chosen, "are chosen by this program"},
    {"a plan", "priorities", chosen, "follow from the deadlines, or are found by this program"},
    {"a plan", "sms", chosen, "are chosen by this program"},
    {"a plan", "gpu", chosen, "is chosen by this program"},
    {"a plan", "percents", chosen, "are chosen by this program"},
    {"a plan", "offsets", chosen, "are chosen by this program, where the rule guards steps"},
    {"a plan", "local_deadlines", chosen, "are chosen by this program, where the rule needs them"},
    {"a plan", "guards", chosen,
     "are chosen by this program, where the file has no plan, and left out where it has one"},
    {"a plan", "instances", chosen, "are chosen by this program, for pipelined graphs"},
    {"a plan", "tokens_per_gpu", chosen, "are chosen by this program"},
    {"a plan", "levels", chosen, "are those of the GPU"},
    {"a plan", "slice", chosen, "is that of the GPU, or chosen by this program"},
    {"a plan", "slots", chosen, "are those of the GPU, or chosen by this program"},
    {"a kind of element that is left out", "kind", refused, "the file is refused"},
    {"a kind of element that is left out", "count", refused, "the file is refused"},
    {"a kind of element that is left out", "because", refused, "the file is refused"},
});

/// Objects under a key of another one, or in an array there.
struct part {
  string_view of;
  string_view key;
  string_view object;
};
constexpr auto parts_of_objects = std::to_array<part>({
    {"a task-set file", "incomplete", "a kind of element that is left out"},
    {"a task-set file", "platform", "a platform"},
    {"a task-set file", "tasks", "a task"},
    {"a task-set file", "graphs", "a task"},
    {"a task-set file", "plan", "a plan"},
    {"a task-set file", "chains", "a chain of tasks"},
    {"a platform", "cpus", "the CPUs"},
    {"a platform", "copy_engines", "the copy engines"},
    {"a platform", "gpus", "a GPU"},
    {"a platform", "resources", "an own resource"},
    {"a platform", "overheads", "overheads"},
    {"the CPUs", "cores", "a core"},
    {"a GPU", "copy_model", "a copy model"},
    {"a GPU", "dma", "a copy model"},
    {"a GPU", "slots", "slots"},
    {"a copy model", "to_device", "the cost of a copy"},
    {"a copy model", "to_host", "the cost of a copy"},
    {"a copy model", "peer", "the cost of a copy"},
    {"slots", "pinned", "a slot"},
    {"slots", "gang", "a slot"},
    {"a task", "segments", "a segment"},
    {"a task", "nodes", "a node"},
    {"a task", "edges", "an edge"},
    {"a task", "history", "an edge"},
    {"a task", "variants", "a variant"},
    {"a task", "gpu", "a token section"},
    {"a variant", "segments", "a segment"},
    {"a variant", "nodes", "a node"},
    {"a variant", "edges", "an edge"},
    {"a variant", "history", "an edge"},
    {"a node", "segments", "a segment"},
    {"a node", "kernel", "a kernel"},
    {"a node", "copy", "a copy"},
    {"a segment", "kernel", "a kernel"},
    {"a segment", "copy", "a copy"},
    {"a kernel", "wcet_by_share", "a time that scales"},
});

constexpr std::array<string_view, 6> only_under_tokens{"clusters",  "tokens_per_gpu", "engine_order",
                                                       "migration", "uncontended",    "protocol"};

/// Whether a key of a GPU says something under the rule of the file, or under one that may be asked for.
[[nodiscard]] auto matters_on_gpu(string_view key, const json_value& gpu, const workload_file& file) -> bool {
  const string_view sharing = file.rules.gpus.sharing;
  const auto under = [sharing](std::initializer_list<string_view> ways) {
    return std::ranges::count(ways, sharing) > 0;
  };
  if (std::ranges::count(only_under_tokens, key) > 0) { return sharing == "tokens"; }
  if (key == "copy_engines") { return file.board.copy_engines > 0; }
  if (key == "policy") { return under({"levels", "slots", "gang", "single-stream"}); }
  if (key == "cost_model" || key == "levels") { return sharing == "levels"; }
  if (key == "order") { return sharing == "gang"; }
  if (key == "slots") { return sharing == "slots"; }
  if (key == "slice") { return sharing == "time-sliced"; }
  if (key == "rules" || key == "triggers") { return sharing == "shares"; }
  if (key == "virtual_per_sm" || key == "granularity") { return gpu.find("sms") != nullptr; }
  return true;
}

/// Whether a task, or a step of one, could say it.
[[nodiscard]] auto matters_in_task(string_view object, string_view key, const json_value& v, const workload_file& file)
    -> bool {
  const auto& gpus = file.board.gpus;
  if (key == "launch" || key == "await") { return v.find("kernel") != nullptr; }
  if (key == "direction") { return file.board.copy_engines > 1 && (object == "a copy" || v.find("copy") != nullptr); }
  if (key == "nonpreemptive_region") { return v.find("cpu") != nullptr; }
  if (key == "preemption") { return file.board.processors > 0; }
  if (key == "section") { return !gpus.empty(); }
  if (key == "edges" || key == "history") { return v.find("nodes") != nullptr; }
  if (key == "gpu") { return v.find("cpu") != nullptr; }
  if (key == "gpu_cluster" || (object == "a token section" && key == "cluster")) {
    return file.rules.gpus.clusters.value_or(1) > 1;
  }
  if (key == "variant") { return v.find("variants") != nullptr; }
  if (key == "share") { return file.rules.gpus.sharing == "shares"; }
  if (key == "cluster") { return is_cluster_keyword(file.rules.cpus) && cluster_count(file) > 1; }
  if (key == "core" && object == "a task") { return file.board.processors > 1 && !is_cluster_keyword(file.rules.cpus); }
  if (key == "core") { return v.find("width") != nullptr; }
  if (key == "overhead") { return v.find("work") != nullptr || v.find("blocks") != nullptr; }
  if (key == "interleave") {
    const bool several = std::ranges::any_of(gpus, [](const gpu_hardware& gpu) { return gpu.virtual_per_sm > 1; });
    return several && v.find("work") != nullptr;
  }
  return true;
}

/// Whether a plan leaves something to choose that tasks do not say either.
[[nodiscard]] auto matters_in_plan(string_view key, const workload_file& file) -> bool {
  const auto& tasks = file.tasks.tasks;
  if (key == "cores") {
    return std::ranges::any_of(tasks, [](const auto& t) { return t.core == unassigned_core; });
  }
  if (key == "priorities") {
    return std::ranges::any_of(tasks, [](const auto& t) { return t.priority == no_priority; });
  }
  if (key == "gpu") { return file.board.gpus.size() > 1; }
  if (key == "percents") { return file.rules.gpus.sharing == "shares"; }
  return true;
}

[[nodiscard]] auto matters(const default_row& row, const json_value& v, const workload_file& file) -> bool {
  if (row.object == "a GPU") { return matters_on_gpu(row.key, v, file); }
  if (row.object == "the CPUs" && row.key == "clusters") { return is_cluster_keyword(file.rules.cpus); }
  if (row.object == "a platform" && row.key == "copy_engines") { return file.rules.gpus.sharing == "fifo-blocks"; }
  if (row.object == "a plan") { return matters_in_plan(row.key, file); }
  if (row.key == "plan") { return false; }          // each of its decisions has a sentence
  if (row.key == "acknowledged") { return false; }  // each kind that the file leaves out has one
  return matters_in_task(row.object, row.key, v, file);
}

/// A plan may say the cores of some tasks only.
[[nodiscard]] auto is_said(const default_row& row, const json_value& v) -> bool {
  return v.find(row.key) != nullptr && !(row.object == "a plan" && row.key == "cores");
}

void collect(string_view object, const json_value& v, const workload_file& file, std::vector<unsaid_key>& out) {
  if (!v.is(json_value::kind::object)) { return; }
  for (const default_row& row : rows) {
    const bool counts = row.effect == worst || row.effect == assumed || row.effect == chosen;
    const unsaid_key key{row.object, row.key, row.taken};
    const bool is_new = std::ranges::count(out, key) == 0;
    if (row.object == object && counts && is_new && !is_said(row, v) && matters(row, v, file)) { out.push_back(key); }
  }
  for (const part& p : parts_of_objects) {
    const json_value* const found = p.of == object ? v.find(p.key) : nullptr;
    if (found == nullptr) { continue; }
    if (!found->is(json_value::kind::array)) {
      collect(p.object, *found, file, out);
      continue;
    }
    for (const json_value& item : found->items) { collect(p.object, item, file, out); }
  }
}

[[nodiscard]] auto word_of(when_missing effect) -> string_view {
  switch (effect) {
    case refused: return "refused";
    case worst: return "worst case";
    case assumed: return "assumed";
    case chosen: return "chosen";
    case claimed: return "claimed";
    case harmless: return "harmless";
  }
  return "";
}

}  // namespace

auto defaults() -> std::span<const default_row> { return rows; }

auto defaults_page() -> std::string {
  std::string out = "| object | key | left out | then it |\n| --- | --- | --- | --- |\n";
  for (const default_row& row : rows) {
    out += fmt::format("| {} | `{}` | {} | {} |\n", row.object, row.key, word_of(row.effect), row.taken);
  }
  return out;
}

auto unsaid_keys(const json_value& document, const workload_file& file) -> std::vector<unsaid_key> {
  std::vector<unsaid_key> out;
  collect("a task-set file", document, file, out);
  if (document.find("plan") == nullptr) { collect("a plan", {.what = json_value::kind::object}, file, out); }
  return out;
}

auto assumption_of(const unsaid_key& key) -> std::string {
  const std::string object = key.object == "a plan" ? "\"plan\"" : std::string{key.object};
  return fmt::format("Where it is not said, \"{}\" of {} {}.", key.key, object, key.taken);
}

}  // namespace takt::program
