// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <takt/core/checked.hpp>
#include <takt/model/locked_gpus/configuration.hpp>
#include <takt/model/locked_gpus/transfer.hpp>

#include "../failure.hpp"
#include "read_kernel.hpp"
#include "read_tasks.hpp"
#include "words.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::array<string_view, 3> kinds{"cpu", "copy", "kernel"};
constexpr std::int64_t most_bytes = std::int64_t{1} << 48;
constexpr std::size_t max_section_kernels = 16;

void require_resource(bool there, const located& v, model_fault fault) {
  if (!there) { throw refused_at(v.where, {.fault = fault}); }
}

void require_cpus(const workload_file& file, const located& v) {
  if (file.board.processors == 0) {
    throw input_error{v.where, "needs a CPU, and the platform has none", "platform.cpus, or no cpu segments"};
  }
}

void read_copy_facts(const fields& object, described_visit& out) {
  if (const auto bytes = object.find("bytes")) {
    out.bytes = read_integer(bytes, 0, most_bytes);
    out.known.add(visit_fact::bytes);
  }
  if (const auto direction = object.find("direction")) {
    out.direction = words::read(direction, words::direction) == "to-host" ? to_host : to_device;
  }
}

void know_time(described_visit& out, const interval<ticks>& time) {
  out.time = time;
  out.known.add(visit_fact::time);
}

/// A time, or an object without one, whose bytes the copy model of the board then turns into a time.
[[nodiscard]] auto read_copy(const located& body, const fields& object, const spelling& how, workload_file& file)
    -> described_visit {
  described_visit out;
  out.where = visit_place::copy_engine;
  read_copy_facts(object, out);
  if (body.is(json_value::kind::object)) {
    const fields copy = words::members(body, words::copy);
    for (const string_view key : {string_view{"bytes"}, string_view{"direction"}}) {
      if (const auto second = copy.find(key); second && object.find(key)) {
        throw input_error{second.where, "is said twice of one copy", "inside of copy, or beside it"};
      }
    }
    read_copy_facts(copy, out);
    if (const auto time = copy.find("time")) { know_time(out, read_span(time)); }
  } else {
    know_time(out, read_span(body));
  }
  if (!out.known.has(visit_fact::time) && !out.known.has(visit_fact::bytes)) {
    (void)fields{body, words::copy.keys}.require("bytes", "bytes, or a time");
  }
  if (!out.known.has(visit_fact::time)) {
    if (const auto time = copy_time(file, out.direction, out.bytes)) { know_time(out, *time); }
  }
  if (file.board.copy_engines == 0 && how.block_queue && out.known.has(visit_fact::time)) {
    require_cpus(file, body);
    out.where = visit_place::processor;
    out.direction = copy_direction::unspecified;
    out.known = {};
    out.known.add(visit_fact::time);
  }
  require_resource(out.where == visit_place::processor || file.board.copy_engines > 0, body,
                   model_fault::copy_without_engine);
  return out;
}

[[nodiscard]] auto cpu_visit(const interval<ticks>& time) -> described_visit {
  described_visit out;
  know_time(out, time);
  return out;
}

}  // namespace

auto own_names(const workload_file& file) -> std::vector<string_view> {
  std::vector<string_view> out;
  for (const own_hardware& o : file.board.own) { out.push_back(o.name); }
  return out;
}

auto copy_time(const workload_file& file, copy_direction direction, std::int64_t bytes)
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
        time = longest_gpusync_time;
      }
      longest = std::max(longest, time);
    };
    if (direction != to_host) { of(gpu.copies->to_device); }
    if (direction != to_device) { of(gpu.copies->to_host); }
  }
  return file.gpus.empty() ? std::nullopt : std::optional{interval<ticks>{0, longest}};
}

auto read_step(const fields& object, const located& v, string_view allowed, const spelling& how, workload_file& file)
    -> std::vector<placed_visit> {
  std::vector<string_view> keys{kinds.begin(), kinds.end()};
  const auto own = own_names(file);
  keys.insert(keys.end(), own.begin(), own.end());
  located body;
  std::size_t kind = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto found = object.find(keys[i]);
    if (!found) { continue; }
    if (body) { throw input_error{found.where, "is a second kind of one step", std::string(allowed)}; }
    body = found;
    kind = i;
  }
  if (!body) { throw input_error{v.where, "has no step", std::string(allowed)}; }
  const bool is_kernel = kind == 2;
  const auto launch = object.find("launch");
  const auto await = object.find("await");
  if (!is_kernel && (launch || await)) {
    throw input_error{(launch ? launch : await).where, "says nothing about a step without a kernel",
                      "CPU time around a kernel"};
  }
  for (const string_view key : {string_view{"bytes"}, string_view{"direction"}}) {
    if (const auto found = object.find(key); found && kind != 1) {
      throw input_error{found.where, "says nothing about a step without a copy", "a copy segment"};
    }
  }
  bool in_section = false;
  if (const auto section = object.find("section")) {
    if (!section.is(json_value::kind::boolean)) {
      throw input_error{section.where, fmt::format("{} is {}", section.value->quoted(), name_of(section.value->what)),
                        "true or false"};
    }
    in_section = section.value->text == "true";
  }
  std::vector<placed_visit> out;
  const auto add = [&](described_visit visit) {
    visit.in_section = in_section;
    out.push_back({visit, v.where});
  };
  const auto add_cpu = [&](const located& time) {
    require_cpus(file, time);
    add(cpu_visit(read_span(time)));
  };
  if (kind == 0) {
    add_cpu(body);
  } else if (kind == 1) {
    add(read_copy(body, object, how, file));
  } else if (is_kernel) {
    require_resource(!file.board.gpus.empty(), body, model_fault::kernel_without_gpu);
    if (launch) { add_cpu(launch); }
    described_visit kernel;
    read_kernel(body, kernel, file);
    add(kernel);
    if (await) { add_cpu(await); }
  } else {
    described_visit visit;
    visit.where = visit_place::own;
    visit.own = static_cast<std::uint32_t>(kind - kinds.size());
    know_time(visit, read_span(body));
    add(visit);
  }
  return out;
}

auto read_chain(const located& v, const spelling& how, workload_file& file) -> std::vector<placed_visit> {
  const auto chain = require_array(v, "at least one segment");
  const auto own = own_names(file);
  std::string allowed = "one of cpu, copy, kernel";
  for (const string_view name : own) { allowed += fmt::format(", {}", name); }
  std::vector<placed_visit> out;
  for (std::size_t j = 0; j < chain.value->items.size(); ++j) {
    const located at = chain.item(j);
    for (placed_visit& step : read_step(words::members(at, words::segment, own), at, allowed, how, file)) {
      out.push_back(std::move(step));
    }
  }
  return out;
}

auto read_token_section(const fields& task, const located& v, task_facts& more, workload_file& file)
    -> std::vector<placed_visit> {
  const auto outside = task.require("cpu", "CPU time outside the token section");
  require_cpus(file, outside);
  const interval<ticks> time = read_span(outside);
  const auto given = task.find("gpu");
  std::vector<placed_visit> out;
  if (!given) {
    out.push_back({cpu_visit(time), outside.where});
    return out;
  }
  require_resource(!file.board.gpus.empty(), given, model_fault::kernel_without_gpu);
  const fields section = words::members(given, words::token_section);
  const auto add = [&out](described_visit visit, bool in_section, const std::string& at) {
    visit.in_section = in_section;
    out.push_back({visit, at});
  };
  const auto half = [&](ticks all, bool first, bool in_section, const std::string& at) {
    const ticks part = first ? all - all / 2 : all / 2;
    if (part > 0) { add(cpu_visit({0, part}), in_section, at); }
  };
  const auto copy = [&](string_view key, copy_direction direction) {
    const auto found = section.find(key);
    described_visit visit;
    visit.where = visit_place::copy_engine;
    visit.direction = direction;
    visit.bytes = found ? read_integer(found, 0, most_bytes) : 0;
    if (visit.bytes == 0) { return; }
    if (file.board.copy_engines == 0) { throw refused_at(v.where, {.fault = model_fault::copy_without_engine}); }
    visit.known.add(visit_fact::bytes);
    if (const auto needs = copy_time(file, direction, visit.bytes)) { know_time(visit, *needs); }
    add(visit, true, found.where);
  };
  const auto inside = section.find("cpu_in_section");
  const ticks cpu_inside = inside ? read_span(inside).upper : 0;
  const auto kernels =
      require_list(section.require("kernels", "the time of each kernel"), "kernels", max_section_kernels);
  half(time.upper, true, false, outside.where);
  half(cpu_inside, true, true, inside.where);
  copy("bytes_in", to_device);
  for (std::size_t i = 0; i < kernels.value->items.size(); ++i) {
    described_visit kernel;
    kernel.where = visit_place::gpu;
    kernel.wcet = read_span(kernels.item(i)).upper;
    kernel.known.add(visit_fact::wcet);
    if (const auto state = section.find("bytes_state"); state && i == 0) {
      kernel.state = read_integer(state, 0, most_bytes);
      kernel.known.add(visit_fact::state);
    }
    add(kernel, true, kernels.item(i).where);
  }
  copy("bytes_out", to_host);
  half(cpu_inside, false, true, inside.where);
  half(time.upper, false, false, outside.where);
  if (const auto on = section.find("cluster")) {
    const auto last = file.rules.gpus.clusters.value_or(1) - 1;
    more.gpu_cluster = static_cast<std::int32_t>(read_integer(on, 0, last));
  }
  return out;
}

void add_visit(const placed_visit& v, workload_file& file) {
  if (file.tasks.tasks.back().visit_count >= max_visits_of_task || !file.tasks.add_visit(v.visit)) {
    throw input_error{v.at, "is one step more than this program holds",
                      fmt::format("at most {} of a task and {} in all", max_visits_of_task, max_file_visits)};
  }
  file.visit_at.push_back(v.at);
}

}  // namespace takt::program
