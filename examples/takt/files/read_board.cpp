// SPDX-License-Identifier: Apache-2.0
#include "read_board.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <takt/core/checked.hpp>
#include <takt/model/locked_gpus/configuration.hpp>

#include "../failure.hpp"
#include "words.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::int32_t max_cores = 1024;
constexpr std::int32_t max_sms = 4096;
constexpr std::int32_t max_virtual_per_sm = 64;
constexpr std::int32_t max_threads = 65536;
constexpr std::int32_t max_warp = 1024;
constexpr std::int32_t max_levels = 4096;
constexpr std::int32_t max_engine_count = 65536;
constexpr std::int32_t threads_of_a_virtual_sm = 1024;
constexpr std::int64_t most_bytes = std::int64_t{1} << 48;
constexpr std::int64_t most_bytes_per_us = std::int64_t{1} << 40;

/// A key that chooses, and the ways of sharing that read it.
struct rule_key {
  string_view key;
  std::array<string_view, 4> sharings;
};
constexpr std::array<rule_key, 14> rule_keys{{{"policy", {"levels", "slots", "gang", "single-stream"}},
                                              {"cost_model", {"levels"}},
                                              {"levels", {"levels"}},
                                              {"order", {"gang"}},
                                              {"slots", {"slots"}},
                                              {"slice", {"time-sliced"}},
                                              {"protocol", {"tokens"}},
                                              {"tokens_per_gpu", {"tokens"}},
                                              {"engine_order", {"tokens"}},
                                              {"migration", {"tokens"}},
                                              {"uncontended", {"tokens"}},
                                              {"clusters", {"tokens"}},
                                              {"rules", {"shares"}},
                                              {"triggers", {"shares"}}}};

/// Ways of sharing that divide a GPU into SMs.
constexpr std::array<string_view, 7> by_sms{"isolated",      "shared", "fifo-blocks", "levels",
                                            "single-stream", "slots",  "gang"};

/// Older files wrote the first word for the second, of all CPUs of a cluster.
constexpr std::array<std::pair<string_view, string_view>, 4> global_words{
    {{"edf", "g-edf"},
     {"fixed-priority", "g-fixed-priority"},
     {"rate-monotonic", "g-rate-monotonic"},
     {"deadline-monotonic", "g-deadline-monotonic"}}};

template <std::size_t N>
[[nodiscard]] auto is_one_of(string_view word, const std::array<string_view, N>& all) -> bool {
  return std::ranges::find(all, word) != all.end();
}

[[nodiscard]] auto read_speed(const located& v) -> gpu_speed {
  const auto [numerator, denominator] = read_ratio(v);
  if (numerator < 1 || numerator > max_speed_part || denominator > max_speed_part) {
    throw input_error{v.where, fmt::format("{}/{} is no speed", numerator, denominator),
                      fmt::format("a ratio above 0 such as \"3/2\", both parts at most {}", max_speed_part)};
  }
  return {static_cast<std::int32_t>(numerator), static_cast<std::int32_t>(denominator)};
}

void read_cores(const located& v, workload_file& out) {
  const auto list = require_array(v, "one object per core");
  for (std::size_t i = 0; i < list.value->items.size(); ++i) {
    const fields core = words::members(list.item(i), words::core);
    core_facts& named = out.cores.emplace_back();
    if (const auto name = core.find("name")) { named.name = read_text(name, "the name of the core"); }
    if (const auto type = core.find("type")) { named.type = read_text(type, "the type of the core"); }
    if (const auto speed = core.find("speed")) {
      named.speed = read_speed(speed);
      if (!named.speed.is_one()) {
        throw input_error{speed.where, "cores of several speeds have no analysis in this program yet",
                          "times of the core that a task runs on, and no speed"};
      }
    }
  }
}

void read_cpus(const located& v, const spelling& how, workload_file& out) {
  const fields cpus = words::members(v, words::cpus);
  if (const auto policy = cpus.find("policy")) {
    out.rules.cpus = words::read(policy, words::cpu_policy);
    for (const auto& [written, meant] : global_words) {
      if ((how.sections || (how.has_graphs && written == "edf")) && out.rules.cpus == written) {
        out.rules.cpus = meant;
      }
    }
  }
  if (const auto cores = cpus.find("cores")) { read_cores(cores, out); }
  const auto count = cpus.find("count");
  if (!count && out.cores.empty()) { (void)cpus.require("count", "the number of cores"); }
  auto& board = out.board;
  board.processors = count ? read_count(count, max_cores) : static_cast<std::int32_t>(out.cores.size());
  if (!out.cores.empty() && out.cores.size() != static_cast<std::size_t>(board.processors)) {
    throw input_error{cpus.find("cores").where, fmt::format("names {} of {} cores", out.cores.size(), board.processors),
                      "one object per core"};
  }
  const auto clusters = cpus.find("clusters");
  if (!clusters) { return; }
  out.rules.clusters = read_count(clusters, max_cores);
  if (!is_global(out.rules.cpus) && out.rules.clusters != board.processors) {
    throw input_error{clusters.where, fmt::format("\"{}\" keeps a task on its core", out.rules.cpus),
                      fmt::format("{}, one cluster per core, or a global policy such as \"g-edf\"", board.processors)};
  }
  if (board.processors % *out.rules.clusters != 0) {
    throw input_error{clusters.where,
                      fmt::format("{} clusters do not divide {} cores", *out.rules.clusters, board.processors),
                      "clusters of one size"};
  }
}

[[nodiscard]] auto read_transfer(const fields& cost) -> transfer_cost {
  transfer_cost out;
  out.bytes_per_us =
      read_integer(cost.require("bytes_per_us", "bytes that go over in a microsecond"), 1, most_bytes_per_us);
  if (const auto setup = cost.find("setup")) { out.setup = read_time_from(setup, 0); }
  return out;
}

/// One cost for all directions, or one for each.
[[nodiscard]] auto read_transfers(const located& v) -> transfer_model {
  const fields both = words::members(v, words::transfers);
  transfer_model out;
  if (const auto chunk = both.find("chunk")) { out.chunk = read_integer(chunk, 1, most_bytes); }
  const auto one = [&both](string_view key) -> std::optional<transfer_cost> {
    const auto found = both.find(key);
    return found ? std::optional{read_transfer(words::members(found, words::transfer))} : std::nullopt;
  };
  if (const auto any = both.find("bytes_per_us")) {
    for (const string_view key : {string_view{"to_device"}, string_view{"to_host"}}) {
      if (const auto second = both.find(key)) {
        throw input_error{second.where, "is a second cost of these copies", "bytes_per_us, or to_device and to_host"};
      }
    }
    out.to_device = out.to_host = read_transfer(both);
  } else {
    (void)both.require("to_device", "{\"setup\": time, \"bytes_per_us\": n}");
    (void)both.require("to_host", "{\"setup\": time, \"bytes_per_us\": n}");
    out.to_device = one("to_device");
    out.to_host = one("to_host");
  }
  out.peer = one("peer");
  return out;
}

[[nodiscard]] auto read_slot(const located& v) -> slot_time {
  const fields slot = words::members(v, words::slot);
  const auto offset = slot.find("offset");
  return {offset ? read_time(offset) : 0, read_time(slot.require("budget", "how long the slot is open"))};
}

[[nodiscard]] auto read_slots(const located& v) -> slot_times {
  const fields both = words::members(v, words::slots);
  slot_times out;
  out.period = read_time_from(both.require("period", "the time after which both slots recur"), 1);
  if (const auto slot = both.find("pinned")) { out.pinned = read_slot(slot); }
  if (const auto slot = both.find("gang")) { out.gang = read_slot(slot); }
  return out;
}

/// Throws for a field of another rule than the file's.
void require_used(const fields& gpu, string_view sharing) {
  for (const rule_key& k : rule_keys) {
    const auto found = gpu.find(k.key);
    if (!found || is_one_of(sharing, k.sharings)) { continue; }
    const auto given = std::ranges::count_if(k.sharings, [](string_view s) { return !s.empty(); });
    throw input_error{found.where, fmt::format("says nothing about \"{}\" sharing", sharing),
                      fmt::format("\"{}\" sharing, or no such key",
                                  fmt::join(std::span{k.sharings}.first(static_cast<std::size_t>(given)), "\", \""))};
  }
}

[[nodiscard]] auto read_rule(const fields& gpu, string_view sharing, const gpu_hardware& hardware) -> sharing_rule {
  sharing_rule out;
  out.sharing = sharing;
  require_used(gpu, sharing);
  const std::pair<string_view, std::pair<const words::choice*, string_view*>> chosen[] = {
      {"policy", {&words::job_order, &out.policy}},
      {"cost_model", {&words::cost_model, &out.cost_model}},
      {"order", {&words::gang_order, &out.order}},
      {"protocol", {&words::protocol, &out.protocol}},
      {"engine_order", {&words::engine_order, &out.engine_order}},
      {"migration", {&words::migration, &out.migration}},
      {"uncontended", {&words::uncontended, &out.uncontended}},
      {"rules", {&words::share_rules, &out.rules}},
      {"triggers", {&words::share_triggers, &out.triggers}}};
  for (const auto& [key, meaning] : chosen) {
    if (const auto found = gpu.find(key)) { *meaning.second = words::read(found, *meaning.first); }
  }
  if (const auto n = gpu.find("tokens_per_gpu")) {
    const std::int32_t most = hardware.sms > 0 ? hardware.sms / hardware.granularity : max_gpusync_tokens;
    out.tokens_per_gpu = static_cast<std::int32_t>(read_integer(n, out.protocol == "k-fmlp" ? 1 : 0, most));
  }
  if (const auto n = gpu.find("clusters")) { out.clusters = read_count(n, static_cast<std::int32_t>(max_gpus)); }
  if (const auto n = gpu.find("levels")) {
    out.levels = read_count(n, hardware.preemption_levels > 0 ? hardware.preemption_levels : max_levels);
  }
  if (const auto slice = gpu.find("slice")) { out.slice = read_time_from(slice, 1); }
  if (sharing == "slots") { out.slots = read_slots(gpu.require("slots", "an object with period, pinned, gang")); }
  return out;
}

[[nodiscard]] auto read_hardware(const fields& gpu, string_view sharing) -> gpu_hardware {
  gpu_hardware out;
  if (is_one_of(sharing, by_sms)) { (void)gpu.require("sms", "the number of SMs"); }
  if (sharing == "fifo-blocks") { (void)gpu.require("threads_per_sm", "threads that an SM holds"); }
  if (const auto n = gpu.find("sms")) { out.sms = read_count(n, max_sms); }
  if (const auto t = gpu.find("threads_per_sm")) {
    out.threads_per_sm = read_count(t, max_threads);
    out.virtual_per_sm = std::max(1, out.threads_per_sm / threads_of_a_virtual_sm);
  }
  if (const auto n = gpu.find("virtual_per_sm")) {
    out.virtual_per_sm = read_count(n, max_virtual_per_sm);
    if (out.threads_per_sm > 0 && out.virtual_per_sm > out.threads_per_sm) {
      throw input_error{n.where, fmt::format("{} virtual SMs exceed the threads of an SM", out.virtual_per_sm),
                        fmt::format("at most {}", out.threads_per_sm)};
    }
  }
  if (const auto n = gpu.find("blocks_per_sm")) { out.blocks_per_sm = read_count(n, max_threads); }
  if (const auto n = gpu.find("warp_size")) { out.warp_size = read_count(n, max_warp); }
  if (const auto n = gpu.find("granularity")) { out.granularity = read_count(n, std::max(out.sms, 1)); }
  if (const auto s = gpu.find("speed")) { out.speed = read_speed(s); }
  if (const auto n = gpu.find("preemption_levels")) { out.preemption_levels = read_count(n, max_levels); }
  if (const auto bytes = gpu.find("memory")) { out.memory = read_integer(bytes, 1, most_bytes); }
  if (const auto time = gpu.find("context_switch")) {
    out.context_switch = read_time_from(time, 0);
    out.switch_is_known = true;
  }
  return out;
}

void read_gpu(const located& v, workload_file& out) {
  string_view sharing = out.rules.gpus.sharing;
  const bool first = out.board.gpus.empty();
  // The rule is looked at first, so that fields of another rule are not blamed before it.
  if (const auto* rule = v.value->find("sharing")) {
    const located at{rule, step_into(v.where, "sharing")};
    const auto word = words::read(at, words::sharing);
    if (!first && word != sharing) {
      throw input_error{at.where, fmt::format("\"{}\" differs from the first GPU", word), "one rule for all GPUs"};
    }
    sharing = word;
  }
  const fields gpu = words::members(v, words::gpu);
  const gpu_hardware hardware = read_hardware(gpu, sharing);
  const sharing_rule rule = read_rule(gpu, sharing, hardware);
  if (!first && rule != out.rules.gpus) {
    throw input_error{v.where, "is shared in another way than the first GPU", "one rule for all GPUs"};
  }
  out.rules.gpus = rule;
  gpu_facts facts;
  if (const auto n = gpu.find("copy_engines")) {
    facts.copy_engines = static_cast<std::int32_t>(read_integer(n, 0, 2));
  }
  const auto dma = gpu.find("dma");
  const auto model = gpu.find("copy_model");
  if (dma && model) { throw input_error{dma.where, "is a second copy model", "copy_model"}; }
  if (dma || model) { facts.copies = read_transfers(dma ? dma : model); }
  const auto given = gpu.find("count");
  const std::int32_t count = given ? read_count(given, static_cast<std::int32_t>(max_gpus)) : 1;
  for (std::int32_t i = 0; i < count; ++i) {
    if (!out.board.gpus.push_back(hardware)) {
      throw input_error{v.where, "is one GPU too many for this program", fmt::format("at most {}", max_gpus)};
    }
    out.gpus.push_back(facts);
  }
}

/// GPUs with engines of their own have the protocol that fits their clusters, if none is named.
void complete_tokens(const located& v, const spelling& how, workload_file& out) {
  auto& rule = out.rules.gpus;
  const auto count = static_cast<std::int32_t>(out.board.gpus.size());
  if (rule.clusters && count % *rule.clusters != 0) {
    throw input_error{step_into(step_into(v.where, "0"), "clusters"),
                      fmt::format("{} clusters do not divide {} GPUs", *rule.clusters, count), "clusters of one size"};
  }
  if (rule.sharing != "tokens" || !rule.protocol.empty()) { return; }
  if (!how.sections) { (void)fields{v.item(0), words::gpu.keys}.require("protocol", words::listed(words::protocol)); }
  const std::int32_t parts = cluster_count(out);
  gpusync_configuration shape{.cpus = std::max(out.board.processors, 1), .gpus = count};
  shape.cpu_cluster_size = shape.cpus / parts;
  shape.gpu_cluster_size = count / rule.clusters.value_or(1);
  rule.protocol = shape.protocol().donates_at_release ? "ck-omlp" : "r2dglp";
}

void read_gpus(const located& v, const spelling& how, workload_file& out) {
  const auto list = require_array(v, "one object per GPU");
  for (std::size_t g = 0; g < list.value->items.size(); ++g) { read_gpu(list.item(g), out); }
  complete_tokens(list, how, out);
}

void read_engines(const located& v, workload_file& out) {
  const fields engines = words::members(v, words::copy_engines);
  for (const gpu_facts& g : out.gpus) {
    if (g.copy_engines) {
      throw input_error{v.where, "is for engines that all GPUs share, and a GPU has its own",
                        "platform.gpus[0].copy_engines"};
    }
  }
  const auto count = engines.find("count");
  out.board.copy_engines = count ? read_count(count, max_engine_count) : 1;
  if (const auto policy = engines.find("policy")) { out.rules.copies = words::read(policy, words::engine_policy); }
}

void read_resources(const located& v, workload_file& out) {
  const auto list = require_array(v, "one object per resource");
  for (std::size_t i = 0; i < list.value->items.size(); ++i) {
    const fields resource = words::members(list.item(i), words::resource);
    own_hardware own;
    own.name = out.texts.emplace_back(read_name(resource, "the name of the resource"));
    const bool taken = std::ranges::find(words::segment.keys, own.name) != words::segment.keys.end() ||
                       std::ranges::find(words::node.keys, own.name) != words::node.keys.end() ||
                       std::ranges::any_of(out.board.own, [&](const own_hardware& o) { return o.name == own.name; });
    if (taken) {
      throw input_error{step_into(list.item(i).where, "name"),
                        fmt::format("\"{}\" has a meaning already", one_line(own.name, 60)),
                        "a name that is no key of a segment or node, and no earlier resource's"};
    }
    if (const auto count = resource.find("count")) { own.count = read_count(count, max_cores); }
    if (!out.board.own.push_back(own)) {
      throw input_error{list.where, "has more resources than this program holds",
                        fmt::format("at most {}", max_own_resources)};
    }
    const auto policy = resource.find("policy");
    out.rules.own.push_back(policy ? words::read(policy, words::engine_policy) : std::string_view{});
  }
}

}  // namespace

auto overhead_members() -> std::span<const std::pair<string_view, ticks gpusync_overheads<ticks>::*>> {
  using overheads = gpusync_overheads<ticks>;
  static constexpr std::array<std::pair<string_view, ticks overheads::*>, 15> all{
      {{"schedule", &overheads::schedule},
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
  return all;
}

auto spelling_of(const json_value& document) -> spelling {
  const string_view sharing = sharing_of(document);
  spelling out{.has_graphs = document.find("graphs") != nullptr, .block_queue = sharing == "fifo-blocks"};
  const json_value* const tasks = document.find("tasks");
  const auto is_section = [](const json_value& t) { return t.find("gpu") != nullptr || t.find("cpu") != nullptr; };
  const bool sections =
      tasks != nullptr && tasks->what == json_value::kind::array && std::ranges::any_of(tasks->items, is_section);
  out.sections = sections && sharing == "tokens";
  return out;
}

auto is_global(string_view cpu_policy) -> bool { return cpu_policy.starts_with("g"); }

auto cluster_count(const workload_file& file) -> std::int32_t {
  return is_global(file.rules.cpus) ? file.rules.clusters.value_or(1) : std::max(file.board.processors, 1);
}

void read_board(const located& v, const spelling& how, workload_file& out) {
  const fields parts = words::members(v, words::platform);
  if (const auto cpus = parts.find("cpus")) { read_cpus(cpus, how, out); }
  if (const auto gpus = parts.find("gpus")) { read_gpus(gpus, how, out); }
  if (const auto engines = parts.find("copy_engines")) { read_engines(engines, out); }
  for (const gpu_facts& g : out.gpus) {
    out.board.copy_engines = std::max(out.board.copy_engines, g.copy_engines.value_or(0));
  }
  if (const auto resources = parts.find("resources")) { read_resources(resources, out); }
  if (const auto given = parts.find("overheads")) {
    const fields costs = words::members(given, words::overheads);
    auto& all = out.overheads.emplace();
    for (const auto& [key, member] : overhead_members()) {
      if (const auto time = costs.find(key)) { all.*member = read_time_from(time, 0); }
    }
  }
}

}  // namespace takt::program
