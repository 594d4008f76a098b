// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "limits.hpp"
#include "parts.hpp"

namespace takt::program {

namespace {

using std::string_view;

[[nodiscard]] auto read_speed(const json_value& v) -> gpu_speed {
  const auto [numerator, denominator] = read_ratio(v);
  if (numerator < 1 || numerator > max_speed_part || denominator > max_speed_part) {
    throw input_error{v.where, fmt::format("{}/{} is no speed", numerator, denominator),
                      fmt::format("a ratio above 0 such as \"3/2\", both parts at most {}", max_speed_part)};
  }
  return {static_cast<std::int32_t>(numerator), static_cast<std::int32_t>(denominator)};
}

[[nodiscard]] auto read_core_speed(const json_value& v) -> gpu_speed {
  const gpu_speed speed = read_speed(v);
  if (speed.is_one()) { return speed; }
  throw input_error{v.where, "cores of several speeds have no analysis in this program yet",
                    R"(times by type: "cpu": {"little": "3ms", "big": "1ms"})"};
}

const table<core_facts> core_table{"a core",
                                   {{"name", &core_facts::name, text("the name of the core")},
                                    {"type", &core_facts::type, text("the type of the core")},
                                    {"speed", &core_facts::speed, read_core_speed}}};

struct cpus_entry {
  std::optional<std::int32_t> count;
  string_view policy = file_rules{}.cpus;
  std::vector<core_facts> cores;
  std::optional<std::int32_t> clusters;
  bool pipelined = false;
};
const table<cpus_entry> cpus_table{
    "the CPUs",
    {{"count", &cpus_entry::count, count(max_cores)},
     {"policy", &cpus_entry::policy, word(choices::cpu_policy), always},
     {"cores", &cpus_entry::cores, list_of{object_of{core_table}, "one object per core"}},
     {"clusters", &cpus_entry::clusters, count(max_cores)},
     {"pipelined", &cpus_entry::pipelined, boolean{}}}};

struct engines_entry {
  std::int32_t count = 1;
  string_view policy;
};
const table<engines_entry> engines_table{"the copy engines",
                                         {{"count", &engines_entry::count, count(max_engine_count), always},
                                          {"policy", &engines_entry::policy, word(choices::engine_policy)}}};

struct resource_entry {
  std::string name;
  std::int32_t count = 1;
  string_view policy;
};
const table<resource_entry> resource_table{"an own resource",
                                           {{"name", &resource_entry::name, needed("the name of the resource")},
                                            {"count", &resource_entry::count, count(max_cores)},
                                            {"policy", &resource_entry::policy, word(choices::engine_policy)}}};

const table<transfer_cost> transfer_table{"the cost of a copy",
                                          {{"setup", &transfer_cost::setup, time_from(0)},
                                           {"bytes_per_us", &transfer_cost::bytes_per_us, integer(1, most_bytes_per_us),
                                            needed("bytes that go over in a microsecond")}}};

/// One cost for all directions, or one for each.
struct transfers_entry : transfer_cost, transfer_model {};
const table<transfers_entry> transfers_table{
    "a copy model",
    {{"setup", &transfer_cost::setup, time_from(0)},
     {"bytes_per_us", &transfer_cost::bytes_per_us, integer(1, most_bytes_per_us)},
     {"chunk", &transfer_model::chunk, integer(1, most_bytes)},
     {"to_device", &transfer_model::to_device, object_of{transfer_table}},
     {"to_host", &transfer_model::to_host, object_of{transfer_table}},
     {"peer", &transfer_model::peer, object_of{transfer_table}}}};

struct copy_model_of {
  auto operator()(const json_value& v) const -> transfer_model {
    transfers_entry out;
    read_object(v, transfers_table, out);
    constexpr string_view each = R"({"setup": time, "bytes_per_us": n})";
    const bool any = v.find("bytes_per_us") != nullptr;
    for (const string_view key : {"to_device", "to_host"}) {
      if (!any) { (void)require(v, key, each); }
      if (const auto* const second = v.find(key); any && second != nullptr) {
        throw input_error{second->where, "is a second cost of these copies", "bytes_per_us, or to_device and to_host"};
      }
    }
    if (const auto* const setup = v.find("setup"); setup != nullptr && !any) {
      throw input_error{setup->where, "is of no copies", "bytes_per_us beside it, or setup in to_device and to_host"};
    }
    const transfer_cost& cost = out;
    if (any) { out.to_device = out.to_host = cost; }
    const transfer_model& model = out;
    return model;
  }
  [[nodiscard]] static auto print(const transfer_model& m) -> ordered_json {
    return print_object({{}, m}, transfers_table);
  }
};

const table<slot_time> slot_table{"a slot",
                                  {{"offset", &slot_time::offset, read_time},
                                   {"budget", &slot_time::budget, read_time, needed("how long the slot is open")}}};
const table<slot_times> slots_table{
    "slots",
    {{"period", &slot_times::period, time_from(1), needed("the time after which both slots recur")},
     {"pinned", &slot_times::pinned, object_of{slot_table}},
     {"gang", &slot_times::gang, object_of{slot_table}}}};

struct gpu_entry : gpu_hardware, gpu_facts, sharing_rule {
  std::int32_t count = 1;
};
const ways tokens{"tokens"};
const ways by_sms{"isolated", "shared", "fifo-blocks", "levels", "single-stream", "slots", "gang"};

[[nodiscard]] auto read_switch(const json_value& v, gpu_entry& gpu) -> ticks {
  gpu.switch_is_known = true;
  return read_time_from(v, 0);
}
[[nodiscard]] auto read_granularity(const json_value& v, const gpu_entry& gpu) -> std::int32_t {
  return read_count(v, std::max(gpu.sms, 1));
}
[[nodiscard]] auto read_levels(const json_value& v, const gpu_entry& gpu) -> std::int32_t {
  return read_count(v, gpu.preemption_levels > 0 ? gpu.preemption_levels : max_levels);
}
[[nodiscard]] auto read_tokens(const json_value& v, const gpu_entry& gpu) -> std::int64_t {
  return read_integer(v, gpu.protocol == "k-fmlp" ? 1 : 0,
                      gpu.sms > 0 ? gpu.sms / gpu.granularity : most_tokens_of_gpu);
}
[[nodiscard]] auto read_virtual(const json_value& v, const gpu_entry& gpu) -> std::int64_t {
  const std::int32_t out = read_count(v, max_virtual_per_sm);
  if (gpu.threads_per_sm > 0 && out > gpu.threads_per_sm) {
    throw input_error{v.where, fmt::format("{} virtual SMs exceed the threads of an SM", out),
                      fmt::format("at most {}", gpu.threads_per_sm)};
  }
  return out;
}

const table<gpu_entry> gpu_table{
    "a GPU",
    {{"sms", &gpu_hardware::sms, count(max_sms), needed_by(by_sms, "the number of SMs")},
     {"threads_per_sm", &gpu_hardware::threads_per_sm, count(max_threads),
      needed_by({"fifo-blocks"}, "threads that an SM holds")},
     row<gpu_entry>{"virtual_per_sm", &gpu_hardware::virtual_per_sm, read_virtual}.shown_if(
         [](const gpu_entry& gpu) { return gpu.sms > 0 || gpu.virtual_per_sm != gpu_hardware{}.virtual_per_sm; }),
     {"blocks_per_sm", &gpu_hardware::blocks_per_sm, count(max_threads)},
     row<gpu_entry>{"warp_size", &gpu_hardware::warp_size, count(max_warp)}.shown_if(
         [](const gpu_entry& gpu) { return gpu.warp_size != usual_warp_size; }),
     {"granularity", &gpu_hardware::granularity, read_granularity},
     {"speed", &gpu_hardware::speed, read_speed},
     {"preemption_levels", &gpu_hardware::preemption_levels, count(max_levels)},
     {"memory", &gpu_hardware::memory, integer(1, most_bytes)},
     {"copy_engines", &gpu_facts::copy_engines, integer(0, 2)},
     {"copy_model", &gpu_facts::copies, copy_model_of{}},
     row<gpu_entry>{"context_switch", &gpu_hardware::context_switch, read_switch}.shown_if(
         [](const gpu_entry& gpu) { return gpu.switch_is_known; }),
     {"count", &gpu_entry::count, count(static_cast<std::int32_t>(max_gpus))},
     {"sharing", &sharing_rule::sharing, word(choices::sharing), always},
     {"policy", &sharing_rule::policy, word(choices::job_order), read_by({"levels", "slots", "gang", "single-stream"})},
     {"cost_model", &sharing_rule::cost_model, word(choices::cost_model), read_by({"levels"})},
     {"order", &sharing_rule::order, word(choices::gang_order), read_by({"gang"})},
     {"slots", &sharing_rule::slots, object_of{slots_table},
      row_facts{"an object with period, pinned, gang", {"slots"}, {"slots"}}},
     {"slice", &sharing_rule::slice, time_from(1), read_by({"time-sliced"})},
     {"protocol", &sharing_rule::protocol, word(choices::protocol), read_by(tokens)},
     {"clusters", &sharing_rule::clusters, count(static_cast<std::int32_t>(max_gpus)), read_by(tokens)},
     {"tokens_per_gpu", &sharing_rule::tokens_per_gpu, read_tokens, read_by(tokens)},
     {"engine_order", &sharing_rule::engine_order, word(choices::engine_order), read_by(tokens)},
     {"migration", &sharing_rule::migration, word(choices::migration), read_by(tokens)},
     {"uncontended", &sharing_rule::uncontended, word(choices::uncontended), read_by(tokens)},
     {"rules", &sharing_rule::rules, word(choices::share_rules), read_by({"shares"})},
     {"triggers", &sharing_rule::triggers, word(choices::share_triggers), read_by({"shares"})},
     row<gpu_entry>{"dma"},
     row<gpu_entry>{"contention"},
     {"levels", &sharing_rule::levels, read_levels, read_by({"levels"})}}};

using overheads = gpusync_overheads<ticks>;
const table<overheads> overheads_table{"overheads",
                                       {{"schedule", &overheads::schedule, time_from(0)},
                                        {"context_switch", &overheads::context_switch, time_from(0)},
                                        {"cache_loss", &overheads::cache_loss, time_from(0)},
                                        {"interrupt_cache_loss", &overheads::interrupt_cache_loss, time_from(0)},
                                        {"tick", &overheads::tick, time_from(0)},
                                        {"tick_quantum", &overheads::tick_quantum, time_from(0)},
                                        {"release", &overheads::release, time_from(0)},
                                        {"event_latency", &overheads::event_latency, time_from(0)},
                                        {"ipi", &overheads::ipi, time_from(0)},
                                        {"system_call_in", &overheads::system_call_in, time_from(0)},
                                        {"system_call_out", &overheads::system_call_out, time_from(0)},
                                        {"lock", &overheads::lock, time_from(0)},
                                        {"unlock", &overheads::unlock, time_from(0)},
                                        {"top_half", &overheads::top_half, time_from(0)},
                                        {"bottom_half", &overheads::bottom_half, time_from(0)}}};

void read_cpus(const json_value& v, workload_file& out) {
  cpus_entry cpus;
  read_object(v, cpus_table, cpus);
  if (!cpus.count && cpus.cores.empty()) { (void)require(v, "count", "the number of cores"); }
  const std::int32_t count = cpus.count.value_or(static_cast<std::int32_t>(cpus.cores.size()));
  if (!cpus.cores.empty() && cpus.cores.size() != static_cast<std::size_t>(count)) {
    throw input_error{v.find("cores")->where, fmt::format("names {} of {} cores", cpus.cores.size(), count),
                      "one object per core"};
  }
  if (cpus.clusters && !is_cluster_keyword(cpus.policy) && cpus.clusters != count) {
    throw input_error{v.find("clusters")->where, fmt::format("\"{}\" keeps a task on its core", cpus.policy),
                      fmt::format("{}, one cluster per core, or a global policy such as \"g-edf\"", count)};
  }
  if (cpus.clusters && count % *cpus.clusters != 0) {
    throw input_error{v.find("clusters")->where,
                      fmt::format("{} clusters do not divide {} cores", *cpus.clusters, count), "clusters of one size"};
  }
  out.board.processors = count;
  out.rules.cpus = cpus.policy;
  out.rules.clusters = cpus.clusters;
  out.rules.pipelined = cpus.pipelined;
  out.cores = std::move(cpus.cores);
}

void read_gpu(const json_value& v, workload_file& out) {
  const bool first = out.board.gpus.empty();
  gpu_entry gpu;
  gpu.sharing = out.rules.gpus.sharing;
  // The rule is looked at first, so that fields of another rule are not blamed before it.
  if (const auto* const rule = v.find("sharing")) {
    gpu.sharing = read_word(*rule, choices::sharing);
    if (!first && gpu.sharing != out.rules.gpus.sharing) {
      throw input_error{rule->where, fmt::format("\"{}\" differs from the first GPU", gpu.sharing),
                        "one rule for all GPUs"};
    }
  }
  read_object(v, gpu_table, gpu, gpu.sharing);
  const sharing_rule& rule = gpu;
  if (!first && rule != out.rules.gpus) {
    throw input_error{v.where, "is shared in another way than the first GPU", "one rule for all GPUs"};
  }
  out.rules.gpus = rule;
  for (std::int32_t i = 0; i < gpu.count; ++i) {
    if (!out.board.gpus.try_push_back(gpu)) {
      throw input_error{v.where, "is one GPU too many for this program", fmt::format("at most {}", max_gpus)};
    }
    out.gpus.push_back(gpu);
  }
}

/// GPUs of older files have the protocol that fits their clusters.
void complete_tokens(const json_value& v, bool older, workload_file& out) {
  auto& rule = out.rules.gpus;
  const auto count = static_cast<std::int32_t>(out.board.gpus.size());
  if (rule.clusters && count % *rule.clusters != 0) {
    throw input_error{step_into(v.items[0].where, "clusters"),
                      fmt::format("{} clusters do not divide {} GPUs", *rule.clusters, count), "clusters of one size"};
  }
  if (rule.sharing != "tokens" || !rule.protocol.empty()) { return; }
  if (!older) { (void)require(v.items[0], "protocol", choices::listed(choices::protocol)); }
  const std::int32_t cpus = std::max(out.board.processors, 1);
  const std::int32_t cpu_clusters = cpus / std::max(cpus / cluster_count(out), 1);
  const bool serves_several = cpu_clusters / rule.clusters.value_or(1) > 1;  // each cluster of GPUs
  rule.protocol = serves_several ? "ck-omlp" : "r2dglp";
}

void read_engines(const json_value& v, workload_file& out) {
  engines_entry engines;
  read_object(v, engines_table, engines);
  if (std::ranges::any_of(out.gpus, [](const gpu_facts& g) { return g.copy_engines.has_value(); })) {
    throw input_error{v.where, "is for engines that all GPUs share, and a GPU has its own",
                      "platform.gpus[0].copy_engines"};
  }
  out.board.copy_engines = engines.count;
  out.rules.copies = engines.policy;
}

void read_resource(const json_value& v, workload_file& out) {
  resource_entry resource;
  read_object(v, resource_table, resource);
  const string_view name = out.texts.emplace_back(read_name(v, "the name of the resource"));
  bool taken = std::ranges::any_of(out.board.own, [&](const own_hardware& o) { return o.name == name; });
  for (const object_keys* const of : {&segment_keys, &node_keys}) {
    taken = taken || std::ranges::count(of->keys, name) > 0;
  }
  if (taken) {
    throw input_error{step_into(v.where, "name"), fmt::format("\"{}\" has a meaning already", one_line(name, 60)),
                      "a name that is no key of a segment or node, and no earlier resource's"};
  }
  // Bound: the list has at most `max_own_resources`.
  out.board.own.unchecked_push_back({name, resource.count});
  out.rules.own.push_back(resource.policy);
}

const object_keys platform_keys{"a platform", {"cpus", "copy_engines", "gpus", "resources", "overheads"}};

[[nodiscard]] auto print_gpus(const workload_file& file) -> ordered_json {
  ordered_json out = ordered_json::array();
  for (std::size_t g = 0; g < file.gpus.size();) {
    gpu_entry gpu{file.board.gpus[g], file.gpus[g], file.rules.gpus, 0};
    while (g < file.gpus.size() && file.gpus[g] == gpu && file.board.gpus[g] == gpu) {
      ++gpu.count;
      ++g;
    }
    out.push_back(print_object(gpu, gpu_table));
  }
  if (file.contention) {
    auto& all = out[0]["contention"] = ordered_json::array();
    const auto& tasks = file.tasks.tasks;
    for (const slow_down& s : *file.contention) { all.push_back({tasks[s.slowed].name, tasks[s.by].name, s.ppm}); }
  }
  return out;
}

}  // namespace

auto cluster_count(const workload_file& file) -> std::int32_t {
  return is_cluster_keyword(file.rules.cpus) ? file.rules.clusters.value_or(1) : std::max(file.board.processors, 1);
}

void read_board(const json_value& v, bool older, workload_file& out) {
  require_keys(v, platform_keys);
  if (const auto* const cpus = v.find("cpus")) { read_cpus(*cpus, out); }
  if (const auto* const gpus = v.find("gpus")) {
    for (const json_value& gpu : require_array(*gpus, "one object per GPU")) { read_gpu(gpu, out); }
    complete_tokens(*gpus, older, out);
  }
  if (const auto* const engines = v.find("copy_engines")) { read_engines(*engines, out); }
  for (const gpu_facts& g : out.gpus) {
    out.board.copy_engines = std::max(out.board.copy_engines, g.copy_engines.value_or(0));
  }
  if (const auto* const resources = v.find("resources")) {
    for (const json_value& r : require_list(*resources, "resources", max_own_resources)) { read_resource(r, out); }
  }
  if (const auto* const costs = v.find("overheads")) { out.overheads = object_of{overheads_table}(*costs); }
}

auto print_board(const workload_file& file) -> ordered_json {
  ordered_json out = ordered_json::object();
  const hardware& board = file.board;
  const auto has_engines = [](const gpu_facts& g) { return g.copy_engines.has_value(); };
  if (board.processors > 0) {
    out["cpus"] = print_object(
        {board.processors, file.rules.cpus, file.cores, file.rules.clusters, file.rules.pipelined}, cpus_table);
  }
  if (board.copy_engines > 0 && std::ranges::none_of(file.gpus, has_engines)) {
    out["copy_engines"] = print_object({board.copy_engines, file.rules.copies}, engines_table);
  }
  if (!file.gpus.empty()) { out["gpus"] = print_gpus(file); }
  for (std::size_t i = 0; i < board.own.size(); ++i) {
    const own_hardware& own = board.own[i];
    out["resources"].push_back(print_object({std::string{own.name}, own.count, file.rules.own[i]}, resource_table));
  }
  if (file.overheads) { out["overheads"] = print_object(*file.overheads, overheads_table); }
  return out;
}

auto read_slots(const json_value& v) -> slot_times { return object_of{slots_table}(v); }
auto print_slots(const slot_times& slots) -> ordered_json { return object_of{slots_table}.print(slots); }

auto board_objects() -> std::vector<object_keys> {
  return {platform_keys,      cpus_table.keys(),     core_table.keys(),      engines_table.keys(),
          gpu_table.keys(),   resource_table.keys(), transfers_table.keys(), transfer_table.keys(),
          slots_table.keys(), slot_table.keys(),     overheads_table.keys()};
}

}  // namespace takt::program
