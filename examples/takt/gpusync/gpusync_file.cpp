// SPDX-License-Identifier: Apache-2.0
#include "gpusync_file.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <takt/model/locked_gpus/validate.hpp>
#include <takt/report/fault_text.hpp>

#include "../fields.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::array<string_view, 4> top_keys{"format", "name", "platform", "tasks"};
constexpr std::array<string_view, 4> platform_keys{"cpus", "copy_engines", "gpus", "overheads"};
constexpr std::array<string_view, 3> cpu_keys{"count", "policy", "clusters"};
constexpr std::array<string_view, 16> gpu_keys{
    "sharing",       "count",          "clusters",       "tokens_per_gpu", "protocol",
    "engine_order",  "migration",      "copy_engines",   "uncontended",    "dma",
    "sms",           "threads_per_sm", "virtual_per_sm", "blocks_per_sm",  "preemption_levels",
    "context_switch"};
constexpr std::array<string_view, 4> dma_keys{"chunk", "to_device", "to_host", "peer"};
constexpr std::array<string_view, 2> cost_keys{"setup", "bytes_per_us"};
constexpr std::array<string_view, 7> task_keys{"name", "period", "deadline", "priority", "cluster", "cpu", "gpu"};
constexpr std::array<foreign_key, 2> task_foreign{
    {{"segments", "chains; here \"cpu\" is the time outside the token section and \"gpu\" the section", true},
     {"core", "partitioned chains; here \"cluster\" names a cluster of CPUs", true}}};
constexpr std::array<string_view, 6> section_keys{"kernels",   "cpu_in_section", "bytes_in",
                                                  "bytes_out", "bytes_state",    "cluster"};
constexpr std::array schedulers{
    named_value{"g-fl", cpu_scheduler::fair_lateness}, named_value{"g-edf", cpu_scheduler::earliest_deadline},
    named_value{"edf", cpu_scheduler::earliest_deadline}, named_value{"rate-monotonic", cpu_scheduler::shortest_period},
    named_value{"fixed-priority", cpu_scheduler::given_priority}};
constexpr auto policies = names_of(schedulers);
constexpr std::array token_protocols{named_value{"r2dglp", token_protocol::r2dglp},
                                     named_value{"ck-omlp", token_protocol::ck_omlp}};
constexpr std::array engine_orders{named_value{"fifo", service_order::first_come},
                                   named_value{"priority", service_order::priority}};
constexpr std::array<string_view, 2> uncontended{"shared", "dedicated"};
constexpr std::array<string_view, 3> migrations{"none", "peer-to-peer", "system-memory"};
/// Keys that only a platform with engines of its own has.
constexpr std::array<string_view, 4> deciding_keys{"engine_order", "dma", "copy_engines", "migration"};

struct overhead_key {
  string_view key;
  ticks gpusync_overheads<ticks>::* member;
};
using overheads = gpusync_overheads<ticks>;
constexpr std::array<overhead_key, 15> overhead_members{{{"schedule", &overheads::schedule},
                                                         {"context_switch", &overheads::context_switch},
                                                         {"cache_loss", &overheads::cache_loss},
                                                         {"interrupt_cache_loss", &overheads::interrupt_cache_loss},
                                                         {"tick", &overheads::tick},
                                                         {"tick_quantum", &overheads::tick_quantum},
                                                         {"release", &overheads::release},
                                                         {"event_latency", &overheads::event_latency},
                                                         {"ipi", &overheads::ipi},
                                                         {"system_call_in", &overheads::system_call_in},
                                                         {"system_call_out", &overheads::system_call_out},
                                                         {"lock", &overheads::lock},
                                                         {"unlock", &overheads::unlock},
                                                         {"top_half", &overheads::top_half},
                                                         {"bottom_half", &overheads::bottom_half}}};

constexpr std::int64_t most_bytes = std::int64_t{1} << 40;

[[nodiscard]] auto size_of_clusters(const located& clusters, std::int32_t count, std::int32_t most, string_view what)
    -> std::int32_t {
  const std::int32_t parts = clusters ? read_count(clusters, most) : 1;
  if (count % parts != 0) {
    throw input_error{clusters.where, fmt::format("{} clusters do not divide {} {}", parts, count, what),
                      "clusters of one size"};
  }
  return count / parts;
}

void read_cpus(const located& v, gpusync_file& out) {
  const fields cpus{v, cpu_keys};
  auto& shape = out.board.shape;
  out.policy = read_word(cpus.require("policy", fmt::format("\"{}\"", fmt::join(policies, "\", \""))), policies);
  shape.scheduler = value_named(out.policy, schedulers);
  shape.cpus = read_count(cpus.require("count", "the number of cores"), max_gpusync_cpus);
  shape.cpu_cluster_size = size_of_clusters(cpus.find("clusters"), shape.cpus, max_gpusync_cpus, "cores");
}

[[nodiscard]] auto read_cost(const located& v) -> linear_cost<ticks> {
  const fields cost{v, cost_keys};
  linear_cost<ticks> out;
  out.numerator = 1000;
  out.denominator = read_integer(cost.require("bytes_per_us", "bytes that go over in a microsecond"), 1, most_bytes);
  if (const auto setup = cost.find("setup")) { out.setup = read_time_from(setup, 0); }
  return out;
}

void read_dma(const located& v, gpusync_file& out) {
  const fields dma{v, dma_keys};
  auto& kinds = out.board.costs.kinds;
  if (const auto chunk = dma.find("chunk")) { out.board.shape.dma_chunk = read_integer(chunk, 1, most_bytes); }
  kinds[0] = read_cost(dma.require("to_device", "{\"setup\": time, \"bytes_per_us\": n}"));
  kinds[1] = read_cost(dma.require("to_host", "{\"setup\": time, \"bytes_per_us\": n}"));
  const auto peer = dma.find("peer");
  kinds[2] = peer ? read_cost(peer) : kinds[0];
}

void read_gpu(const located& v, gpusync_file& out) {
  const fields gpu{v, gpu_keys};
  auto& shape = out.board.shape;
  const auto count = gpu.find("count");
  shape.gpus = count ? read_count(count, max_gpusync_gpus) : 1;
  shape.gpu_cluster_size = size_of_clusters(gpu.find("clusters"), shape.gpus, max_gpusync_gpus, "GPUs");
  if (const auto tokens = gpu.find("tokens_per_gpu")) {
    shape.tokens_per_gpu = static_cast<std::int32_t>(read_integer(tokens, 0, max_gpusync_tokens));
  }
  if (const auto protocol = gpu.find("protocol")) {
    shape.tokens = value_named(read_word(protocol, names_of(token_protocols)), token_protocols);
  }
  if (const auto order = gpu.find("engine_order")) {
    shape.engines = value_named(read_word(order, names_of(engine_orders)), engine_orders);
  }
  if (const auto way = gpu.find("migration")) {
    const auto word = read_word(way, migrations);
    shape.migration = word == "none"           ? migration_path::none
                      : word == "peer-to-peer" ? migration_path::peer_to_peer
                                               : migration_path::system_memory;
  }
  if (const auto few = gpu.find("uncontended")) {
    shape.uncontended =
        read_word(few, uncontended) == "shared" ? uncontended_gpus::shared : uncontended_gpus::dedicated;
  }
  if (const auto engines = gpu.find("copy_engines")) {
    shape.copy_engines = static_cast<std::int32_t>(read_integer(engines, 0, 2));
  }
  if (const auto dma = gpu.find("dma")) { read_dma(dma, out); }
}

void read_platform(const located& v, gpusync_file& out) {
  const fields parts{v, platform_keys};
  read_cpus(parts.require("cpus", "an object with count and policy"), out);
  const auto gpus = require_array(parts.require("gpus", "the GPUs"), "one object");
  if (gpus.value->items.size() != 1) {
    throw input_error{gpus.where, fmt::format("has {} kinds of GPUs", gpus.value->items.size()),
                      "one object, with \"count\" for several GPUs of its kind"};
  }
  read_gpu(gpus.item(0), out);
  if (const auto unused = parts.find("copy_engines")) {
    throw input_error{unused.where, "is for engines that all GPUs share", "platform.gpus[0].copy_engines"};
  }
  if (const auto given = parts.find("overheads")) {
    std::array<string_view, overhead_members.size()> keys{};
    std::ranges::transform(overhead_members, keys.begin(), [](const overhead_key& k) { return k.key; });
    const fields costs{given, keys};
    for (const auto& [key, member] : overhead_members) {
      if (const auto time = costs.find(key)) { out.board.overheads.*member = read_time_from(time, 0); }
    }
  }
  if (const auto fault = fault_of(out.board.shape); fault != model_fault::none) { throw explain_fault({fault}); }
}

void read_section(const located& v, file_sections::task_type& out, const gpusync_file& file) {
  const fields section{v, section_keys};
  out.gpu = true;
  const auto kernels =
      require_list(section.require("kernels", "the time of each kernel"), "kernels", max_section_kernels);
  for (std::size_t i = 0; i < kernels.value->items.size(); ++i) {
    static_cast<void>(out.kernels.push_back(read_longest(kernels.item(i))));
  }
  if (const auto time = section.find("cpu_in_section")) { out.cpu_in_gpu_section = read_longest(time); }
  const std::pair<string_view, std::int64_t&> amounts[] = {
      {"bytes_in", out.bytes_in}, {"bytes_out", out.bytes_out}, {"bytes_state", out.bytes_state}};
  for (const auto& [key, bytes] : amounts) {
    if (const auto given = section.find(key)) { bytes = read_integer(given, 0, most_bytes); }
  }
  const auto& shape = file.board.shape;
  if (const auto on = section.find("cluster")) {
    out.gpu_cluster = static_cast<std::int32_t>(read_integer(on, 0, shape.gpu_clusters() - 1));
    return;
  }
  for (std::int32_t a = 0; out.gpu_cluster == no_cluster && a < shape.gpu_clusters(); ++a) {
    if (shape.serves(a, out.cpu_cluster)) { out.gpu_cluster = a; }
  }
}

void read_task(const located& v, gpusync_file& file) {
  const fields task{v, task_keys, task_foreign};
  file_sections::task_type t;
  t.name = file.texts.emplace_back(read_name(task, "the task's name"));
  t.period = read_time_from(task.require("period", "the shortest time between two releases"), 1);
  const auto deadline = task.find("deadline");
  t.deadline = deadline ? read_time_from(deadline, 1) : t.period;
  file.limited.push_back(deadline || file.board.shape.scheduler.task_level);
  const std::int32_t clusters = file.board.shape.cpu_clusters();
  const auto cluster = clusters > 1 ? task.require("cluster", fmt::format("an integer from 0 to {}", clusters - 1))
                                    : task.find("cluster");
  if (cluster) { t.cpu_cluster = static_cast<std::int32_t>(read_integer(cluster, 0, clusters - 1)); }
  if (const auto priority = task.find("priority")) {
    t.priority = static_cast<std::int32_t>(read_integer(priority, 0, std::numeric_limits<std::int32_t>::max()));
  }
  const ticks outside = read_longest(task.require("cpu", "CPU time outside the token section"));
  if (const auto section = task.find("gpu")) { read_section(section, t, file); }
  if (!checked_add(outside, t.cpu_in_gpu_section, t.wcet)) {
    throw input_error{v.where, "has CPU times that overflow 64-bit nanoseconds", "shorter times", true};
  }
  file.table.add(t);
}

/// Where a key of the format stands for a field of the library.
[[nodiscard]] auto place_of(string_view field) -> std::string {
  if (field == "tokens_per_gpu" || field == "copy_engines") { return fmt::format("/platform/gpus/0/{}", field); }
  if (field == "tokens" || field == "association") { return "/platform/gpus/0/protocol"; }
  if (field == "dma_chunk") { return "/platform/gpus/0/dma/chunk"; }
  return field == "overheads" ? "/platform/overheads" : field == "tasks" ? "/tasks" : "/platform";
}

[[nodiscard]] auto place_in_task(string_view field) -> string_view {
  if (field == "cpu_cluster") { return "/cluster"; }
  if (field == "gpu_cluster") { return "/gpu/cluster"; }
  if (field == "bytes" || field == "cpu_in_gpu_section") { return "/gpu"; }
  if (field == "period") { return "/period"; }
  if (field == "deadline") { return "/deadline"; }
  return field == "priority" ? "/priority" : field == "wcet" ? "/cpu" : "";
}

}  // namespace

auto explain_fault(const model_error& error) -> input_error {
  const string_view field = describe(error.fault).field;
  const std::string where =
      error.task == nowhere ? place_of(field) : step_into("/tasks", error.task) + std::string(place_in_task(field));
  auto out = refused_at(where, error);
  if (field == "tokens") { out.problem = "tokens " + out.problem; }
  return out;
}

auto is_gpusync_document(const json_value& document) -> bool {
  if (sharing_of(document) != "tokens") { return false; }
  const json_value& gpu = look_up(document, {"platform", "gpus"})->items[0];
  if (std::ranges::any_of(deciding_keys, [&gpu](string_view key) { return gpu.find(key) != nullptr; })) { return true; }
  const json_value* const tasks = document.find("tasks");
  return tasks != nullptr && tasks->what == json_value::kind::array &&
         std::ranges::any_of(tasks->items, [](const json_value& t) { return t.find("gpu") != nullptr; });
}

auto read_gpusync(const json_value& document) -> std::unique_ptr<gpusync_file> {
  auto out = std::make_unique<gpusync_file>();
  const fields top{{&document, ""}, top_keys};
  out->name = read_head(top);
  read_platform(top.require("platform", "an object with cpus and gpus"), *out);
  const auto tasks = require_list(top.require("tasks", "an array of tasks"), "tasks", max_tasks);
  for (std::size_t i = 0; i < tasks.value->items.size(); ++i) { read_task(tasks.item(i), *out); }
  std::vector<string_view> names;
  for (std::size_t i = 0; i < out->table.size(); ++i) {
    if (std::ranges::find(names, out->table.tasks[i].name) != names.end()) {
      throw input_error{step_into("/tasks", i) + "/name", "names an earlier task too",
                        "a name of its own for each task"};
    }
    names.push_back(out->table.tasks[i].name);
  }
  if (const auto error = validate_gpusync(out->board, out->table)) { throw explain_fault(error); }
  return out;
}

}  // namespace takt::program
