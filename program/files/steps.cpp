// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <takt/core/checked.hpp>
#include <takt/model/linear_cost.hpp>

#include "limits.hpp"
#include "parts.hpp"

namespace takt::program {

namespace {

using std::string_view;

struct copy_entry {
  std::optional<interval<ticks>> time;
  std::optional<std::int64_t> bytes;
  string_view direction;
};
const table<copy_entry> copy_table{"a copy",
                                   {{"time", &copy_entry::time, read_span},
                                    {"bytes", &copy_entry::bytes, integer(0, most_bytes)},
                                    {"direction", &copy_entry::direction, word(choices::direction)}}};

/// Keys beside a step that say something about one kind of it.
struct companion {
  string_view key;
  string_view of;
  string_view problem;
  string_view allowed;
};
constexpr std::array companions{
    companion{"launch", "kernel", "says nothing about a step without a kernel", "CPU time around a kernel"},
    companion{"await", "kernel", "says nothing about a step without a kernel", "CPU time around a kernel"},
    companion{"bytes", "copy", "says nothing about a step without a copy", "a copy segment"},
    companion{"direction", "copy", "says nothing about a step without a copy", "a copy segment"},
    companion{"nonpreemptive_region", "cpu", "says nothing about a step without CPU time", "a cpu segment"}};

/// Longest and shortest time of so many bytes on the slowest of the GPUs; empty where some GPU has no copy model.
[[nodiscard]] auto copy_time(const workload_file& file, copy_direction direction, std::int64_t bytes)
    -> std::optional<interval<ticks>> {
  ticks longest = 0;
  for (const gpu_facts& gpu : file.gpus) {
    if (!gpu.copies) { return std::nullopt; }
    const auto of = [&](const std::optional<transfer_cost>& cost) {
      if (!cost || bytes == 0) { return; }
      const linear_cost<ticks> linear{cost->setup, 1000, cost->bytes_per_us};
      const std::int64_t chunk = gpu.copies->chunk == 0 ? bytes : gpu.copies->chunk;
      ticks time = 0;
      if (!checked_multiply(linear.time(chunk), bytes / chunk, time) ||
          !checked_add(time, linear.time(bytes % chunk), time)) {
        time = longest_transfer_time;
      }
      longest = std::max(longest, time);
    };
    if (direction != to_host) { of(gpu.copies->to_device); }
    if (direction != to_device) { of(gpu.copies->to_host); }
  }
  return file.gpus.empty() ? std::nullopt : std::optional{interval<ticks>{0, longest}};
}

[[nodiscard]] auto timed(resource_kind where, const interval<ticks>& time) -> runtime_visit {
  runtime_visit out;
  out.where = where;
  out.time = time;
  out.known.add(visit_fact::time);
  return out;
}

/// The longest interval in which nobody takes the processor from CPU time of a task. `said` is null where the step does
/// not say it.
[[nodiscard]] auto read_region(const json_value* said, string_view preemption, ticks longest) -> ticks {
  const ticks by_task = preemption == "cooperative" || preemption == "nonpreemptive" ? longest : 0;
  if (said == nullptr) { return by_task; }
  const ticks region = read_time_from(*said, 0);
  if (region > longest) { throw refused_at(said->where, {.fault = model_fault::region_exceeds_time}); }
  if (preemption == "nonpreemptive" && region < longest) {
    throw input_error{said->where, "is shorter than its segment, and its task is nonpreemptive",
                      "no such key, or \"cooperative\""};
  }
  return region;
}

void require_cpus(const workload_file& file, const json_value& v) {
  if (file.board.processors > 0) { return; }
  throw input_error{v.where, "needs a CPU, and the platform has none", "platform.cpus, or no cpu segments"};
}

/// A time, or an object, with bytes and direction inside of it or beside it. Bytes without a time have that of the copy
/// model of the board.
[[nodiscard]] auto read_copy(const json_value& body, const json_value& step, const workload_file& file)
    -> runtime_visit {
  const bool is_object = body.is(json_value::kind::object);
  json_value all = is_object ? body : json_value{.what = json_value::kind::object, .where = body.where};
  if (!is_object) { all.items.push_back(named("time", body)); }
  for (const string_view key : {"bytes", "direction"}) {
    const auto* const beside = step.find(key);
    if (const auto* const inside = all.find(key); inside != nullptr && beside != nullptr) {
      throw input_error{inside->where, "is said twice of one copy", "inside of copy, or beside it"};
    }
    if (beside != nullptr) { all.items.push_back(*beside); }
  }
  const auto copy = object_of{copy_table}(all);
  if (!copy.time) { (void)require(all, "bytes", "bytes, or a time"); }
  const copy_direction direction = copy.direction.empty()        ? copy_direction::unspecified
                                   : copy.direction == "to-host" ? to_host
                                                                 : to_device;
  const auto time = copy.time ? copy.time : copy_time(file, direction, copy.bytes.value_or(0));
  if (file.board.copy_engines == 0 && file.rules.gpus.sharing == "fifo-blocks" && time) {
    require_cpus(file, body);
    return timed(resource_kind::processor, *time);
  }
  if (file.board.copy_engines == 0) { throw refused_at(body.where, {.fault = model_fault::copy_without_engine}); }
  runtime_visit out;
  if (time) { out = timed(resource_kind::copy_engine, *time); }
  out.where = resource_kind::copy_engine;
  out.direction = direction;
  if (copy.bytes) {
    out.bytes = *copy.bytes;
    out.known.add(visit_fact::bytes);
  }
  return out;
}

}  // namespace

const object_keys segment_keys{
    "a segment", {"cpu", "copy", "kernel", "direction", "bytes", "launch", "await", "section", "nonpreemptive_region"}};
const object_keys node_keys{"a node",
                            {"name", "cpu", "copy", "kernel", "segments", "launch", "await", "direction", "bytes",
                             "section", "nonpreemptive_region", "parallelism", "priority_point"}};

auto with_own_names(object_keys keys, const workload_file& file) -> object_keys {
  for (const own_hardware& o : file.board.own) { keys.keys.push_back(o.name); }
  return keys;
}

auto read_step(const json_value& v, string_view allowed, workload_file& file) -> std::vector<placed_visit> {
  const object_keys kinds = with_own_names({"a step", {"cpu", "copy", "kernel"}}, file);
  const json_value* body = nullptr;
  for (const string_view kind : kinds.keys) {
    const auto* const found = v.find(kind);
    if (found != nullptr && body != nullptr) {
      throw input_error{found->where, "is a second kind of one step", std::string(allowed)};
    }
    if (found != nullptr) { body = found; }
  }
  if (body == nullptr) { throw input_error{v.where, "has no step", std::string(allowed)}; }
  for (const companion& c : companions) {
    if (const auto* const found = v.find(c.key); found != nullptr && body->key != c.of) {
      throw input_error{found->where, std::string(c.problem), std::string(c.allowed)};
    }
  }
  const auto* const section = v.find("section");
  const bool in_section = section != nullptr && read_boolean(*section);
  std::vector<placed_visit> out;
  const auto add = [&](runtime_visit visit) {
    visit.in_section = in_section;
    if (visit.where == resource_kind::processor) {
      visit.region = read_region(v.find("nonpreemptive_region"), file.more.back().preemption, visit.time.upper);
    }
    out.push_back({visit, v.where});
  };
  const auto add_cpu = [&](const json_value* time) {
    if (time == nullptr) { return; }
    require_cpus(file, *time);
    add(timed(resource_kind::processor, read_span(*time)));
  };
  if (body->key == "cpu") {
    add_cpu(body);
  } else if (body->key == "copy") {
    add(read_copy(*body, v, file));
  } else if (body->key == "kernel") {
    if (file.board.gpus.empty()) { throw refused_at(body->where, {.fault = model_fault::kernel_without_gpu}); }
    add_cpu(v.find("launch"));
    add(read_kernel(*body, file));
    add_cpu(v.find("await"));
  } else {
    runtime_visit visit = timed(resource_kind::own, read_span(*body));
    while (file.board.own[visit.own].name != body->key) { ++visit.own; }
    add(visit);
  }
  return out;
}

auto read_segments(const json_value& v, workload_file& file) -> std::vector<placed_visit> {
  const object_keys known = with_own_names(segment_keys, file);
  const auto kinds = with_own_names({"a step", {"cpu", "copy", "kernel"}}, file);
  const std::string allowed = fmt::format("one of {}", fmt::join(kinds.keys, ", "));
  std::vector<placed_visit> out;
  for (const json_value& step : require_array(v, "at least one segment")) {
    require_keys(step, known);
    for (placed_visit& visit : read_step(step, allowed, file)) { out.push_back(std::move(visit)); }
  }
  return out;
}

auto print_step(const workload_file& file, const runtime_visit& v, bool says_regions) -> ordered_json {
  ordered_json out = ordered_json::object();
  copy_entry copy;
  switch (v.where) {
    case resource_kind::processor:
      out["cpu"] = written(v.time);
      if (v.region > 0 || says_regions) { out["nonpreemptive_region"] = written(v.region); }
      break;
    case resource_kind::own: out[std::string{file.board.own[v.own].name}] = written(v.time); break;
    case resource_kind::gpu: out["kernel"] = print_kernel(file.tasks, v); break;
    case resource_kind::copy_engine:
      if (v.known.has(visit_fact::time)) { copy.time = v.time; }
      if (v.known.has(visit_fact::bytes)) { copy.bytes = v.bytes; }
      copy.direction = v.direction == to_device ? "to-device" : v.direction == to_host ? "to-host" : "";
      out["copy"] = print_object(copy, copy_table);
      break;
  }
  if (v.in_section) { out["section"] = true; }
  return out;
}

auto copy_keys() -> object_keys { return copy_table.keys(); }

}  // namespace takt::program
