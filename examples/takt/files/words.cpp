// SPDX-License-Identifier: Apache-2.0
#include "words.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "../failure.hpp"

namespace takt::program::words {

namespace {

using std::string_view;

constexpr std::array<string_view, 6> top_keys{"format", "name", "platform", "tasks", "graphs", "chains"};
constexpr std::array<string_view, 5> platform_keys{"cpus", "copy_engines", "gpus", "resources", "overheads"};
constexpr std::array<string_view, 4> cpu_keys{"count", "policy", "cores", "clusters"};
constexpr std::array<string_view, 3> core_keys{"name", "type", "speed"};
constexpr std::array<string_view, 2> engine_keys{"count", "policy"};
constexpr std::array<string_view, 30> gpu_keys{"sms",         "threads_per_sm", "virtual_per_sm", "blocks_per_sm",
                                               "warp_size",   "granularity",    "speed",          "preemption_levels",
                                               "memory",      "copy_engines",   "copy_model",     "context_switch",
                                               "count",       "sharing",        "policy",         "cost_model",
                                               "order",       "slots",          "slice",          "protocol",
                                               "clusters",    "tokens_per_gpu", "engine_order",   "migration",
                                               "uncontended", "rules",          "triggers",       "dma",
                                               "contention",  "levels"};
constexpr std::array<string_view, 3> resource_keys{"name", "count", "policy"};
constexpr std::array<string_view, 6> transfers_keys{"setup", "bytes_per_us", "chunk", "to_device", "to_host", "peer"};
constexpr std::array<string_view, 2> transfer_keys{"setup", "bytes_per_us"};
constexpr std::array<string_view, 3> slots_keys{"period", "pinned", "gang"};
constexpr std::array<string_view, 2> slot_keys{"offset", "budget"};
constexpr std::array<string_view, 15> overhead_keys{
    "schedule", "context_switch", "cache_loss",      "interrupt_cache_loss",
    "tick",     "tick_quantum",   "release",         "event_latency",
    "ipi",      "system_call_in", "system_call_out", "lock",
    "unlock",   "top_half",       "bottom_half"};
constexpr std::array<string_view, 17> task_keys{
    "name",     "period", "deadline", "jitter", "priority", "core",    "cluster", "gpu_cluster", "memory",
    "requests", "share",  "segments", "nodes",  "edges",    "history", "cpu",     "gpu"};
constexpr std::array<string_view, 12> node_keys{"name",     "cpu",     "copy",        "kernel",
                                                "segments", "launch",  "await",       "direction",
                                                "bytes",    "section", "parallelism", "priority_point"};
constexpr std::array<string_view, 7> edge_keys{"from", "to", "produce", "threshold", "consume", "lag", "initial"};
constexpr std::array<string_view, 8> segment_keys{"cpu",   "copy",   "kernel", "direction",
                                                  "bytes", "launch", "await",  "section"};
constexpr std::array<string_view, 3> copy_keys{"time", "bytes", "direction"};
constexpr std::array<string_view, 15> kernel_keys{"work",    "overhead", "interleave",
                                                  "time_on", "blocks",   "threads_per_block",
                                                  "length",  "wcet",     "preemption_cost",
                                                  "width",   "core",     "wcet_by_share",
                                                  "state",   "context",  "slice"};
constexpr std::array<string_view, 2> scaling_keys{"c100", "fixed_permille"};
constexpr std::array<string_view, 6> section_keys{"kernels",   "cpu_in_section", "bytes_in",
                                                  "bytes_out", "bytes_state",    "cluster"};
constexpr std::array<string_view, 5> chain_keys{"name", "tasks", "semantics", "reaction", "age"};

constexpr std::array<string_view, 12> sharing_words{"isolated",    "shared",        "whole",  "busy-waiting",
                                                    "time-sliced", "fifo-blocks",   "levels", "slots",
                                                    "gang",        "single-stream", "tokens", "shares"};
constexpr std::array<string_view, 15> cpu_words{"fixed-priority",
                                                "rate-monotonic",
                                                "deadline-monotonic",
                                                "edf",
                                                "nonpreemptive-fixed-priority",
                                                "nonpreemptive-rate-monotonic",
                                                "nonpreemptive-deadline-monotonic",
                                                "nonpreemptive-edf",
                                                "g-fixed-priority",
                                                "g-rate-monotonic",
                                                "g-deadline-monotonic",
                                                "g-edf",
                                                "g-fl",
                                                "g-fifo",
                                                "gel"};
constexpr std::array<string_view, 5> engine_words{"nonpreemptive-fixed-priority", "nonpreemptive-rate-monotonic",
                                                  "nonpreemptive-deadline-monotonic", "nonpreemptive-edf", "fifo"};
constexpr std::array<string_view, 4> order_words{"edf", "fixed-priority", "rate-monotonic", "deadline-monotonic"};
constexpr std::array<string_view, 3> protocol_words{"k-fmlp", "r2dglp", "ck-omlp"};
constexpr std::array<string_view, 3> cost_words{"ideal", "race", "overhead"};
constexpr std::array<string_view, 2> gang_words{"backfill", "strict"};
constexpr std::array<string_view, 2> engine_order_words{"fifo", "priority"};
constexpr std::array<string_view, 3> migration_words{"none", "peer-to-peer", "system-memory"};
constexpr std::array<string_view, 2> uncontended_words{"shared", "dedicated"};
constexpr std::array<string_view, 3> rule_words{"robust", "text", "literal"};
constexpr std::array<string_view, 2> trigger_words{"every-change", "workload-decrease"};
constexpr std::array<string_view, 2> width_words{"one-core", "all-cores"};
constexpr std::array<string_view, 2> direction_words{"to-device", "to-host"};
constexpr std::array<string_view, 3> semantics_words{"implicit", "explicit", "let"};

}  // namespace

const object top{"a task-set file", top_keys};
const object platform{"a platform", platform_keys};
const object cpus{"the CPUs", cpu_keys};
const object core{"a core", core_keys};
const object copy_engines{"the copy engines", engine_keys};
const object gpu{"a GPU", gpu_keys};
const object resource{"an own resource", resource_keys};
const object transfers{"a copy model", transfers_keys};
const object transfer{"the cost of a copy", transfer_keys};
const object slots{"slots", slots_keys};
const object slot{"a slot", slot_keys};
const object overheads{"overheads", overhead_keys};
const object task{"a task", task_keys};
const object node{"a node", node_keys};
const object edge{"an edge", edge_keys};
const object segment{"a segment", segment_keys};
const object copy{"a copy", copy_keys};
const object kernel{"a kernel", kernel_keys};
const object scaling_row{"a time that scales", scaling_keys};
const object token_section{"a token section", section_keys};
const object chain{"a chain of tasks", chain_keys};

const choice sharing{"a way of sharing a GPU", sharing_words};
const choice cpu_policy{"a policy of CPUs", cpu_words};
const choice engine_policy{"a policy of an engine", engine_words};
const choice job_order{"an order of jobs", order_words};
const choice protocol{"a protocol of tokens", protocol_words};
const choice cost_model{"a model of preemption costs", cost_words};
const choice gang_order{"an order of a gang", gang_words};
const choice engine_order{"an order of engines", engine_order_words};
const choice migration{"a way of migration", migration_words};
const choice uncontended{"a use of GPUs without contention", uncontended_words};
const choice share_rules{"a set of rules of shares", rule_words};
const choice share_triggers{"a trigger of shares", trigger_words};
const choice kernel_width{"a width of a kernel", width_words};
const choice direction{"a direction of a copy", direction_words};
const choice chain_semantics{"the communication of a chain", semantics_words};

namespace {

constexpr std::array<const object*, 21> objects{
    &top,       &platform, &cpus, &core, &copy_engines, &gpu,  &resource, &transfers,   &transfer,      &slots, &slot,
    &overheads, &task,     &node, &edge, &segment,      &copy, &kernel,   &scaling_row, &token_section, &chain};
constexpr std::array<const choice*, 15> choices{&sharing,      &cpu_policy,  &engine_policy,  &job_order,
                                                &protocol,     &cost_model,  &gang_order,     &engine_order,
                                                &migration,    &uncontended, &share_rules,    &share_triggers,
                                                &kernel_width, &direction,   &chain_semantics};

template <class T>
[[nodiscard]] auto holds(std::span<const T> all, string_view word) -> bool {
  return std::ranges::find(all, word) != all.end();
}

/// Throws for a key that is none of the object's.
[[noreturn]] void refuse_key(const std::string& where, const std::string& key, const object& of,
                             const std::vector<string_view>& known) {
  std::vector<string_view> candidates = known;
  for (const object* other : objects) {
    if (holds(other->keys, key)) {
      throw input_error{where, fmt::format("is a key of {} and not of {}", other->what, of.what),
                        fmt::format("{}", fmt::join(known, ", "))};
    }
    candidates.insert(candidates.end(), other->keys.begin(), other->keys.end());
  }
  const string_view near = nearest(key, candidates);
  std::string whose;
  if (!holds(std::span<const string_view>{known}, near)) {
    for (const object* other : objects) {
      if (whose.empty() && holds(other->keys, near)) { whose = fmt::format(" of {}", other->what); }
    }
  }
  throw input_error{where, fmt::format("is not a key of this object, the nearest is \"{}\"{}", near, whose),
                    fmt::format("{}", fmt::join(known, ", "))};
}

}  // namespace

auto members(const located& v, const object& of, std::span<const string_view> own) -> fields {
  std::vector<string_view> known{of.keys.begin(), of.keys.end()};
  known.insert(known.end(), own.begin(), own.end());
  if (v.is(json_value::kind::object)) {
    for (const std::string& key : v.value->keys) {
      if (!holds(std::span<const string_view>{known}, key)) { refuse_key(step_into(v.where, key), key, of, known); }
    }
  }
  return fields{v, known};
}

auto listed(const choice& of) -> std::string { return fmt::format("\"{}\"", fmt::join(of.words, "\", \"")); }

auto read(const located& v, const choice& of) -> string_view {
  const std::string word = read_text(v, listed(of));
  if (const auto found = std::ranges::find(of.words, word); found != of.words.end()) { return *found; }
  for (const choice* other : choices) {
    if (!holds(other->words, word)) { continue; }
    throw input_error{v.where, fmt::format("\"{}\" is {} and not {}", word, other->what, of.what), listed(of)};
  }
  throw input_error{v.where,
                    fmt::format("{} is unknown, the nearest is \"{}\"", v.value->quoted(), nearest(word, of.words)),
                    listed(of)};
}

}  // namespace takt::program::words
