// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "limits.hpp"
#include "parts.hpp"

namespace takt::program {

namespace {

using std::string_view;
using kind = json_value::kind;

constexpr std::size_t max_section_kernels = 16;

/// The first word stood for the second, of all CPUs of a cluster.
constexpr std::array<std::pair<string_view, string_view>, 4> global_words{
    {{"edf", "g-edf"},
     {"fixed-priority", "g-fixed-priority"},
     {"rate-monotonic", "g-rate-monotonic"},
     {"deadline-monotonic", "g-deadline-monotonic"}}};

const object_keys token_section{"a token section",
                                {"kernels", "cpu_in_section", "bytes_in", "bytes_out", "bytes_state", "cluster"}};

/// Null where there is no such member to change.
[[nodiscard]] auto member(json_value* object, string_view key) -> json_value* {
  if (object == nullptr || !object->is(kind::object)) { return nullptr; }
  const auto found = std::ranges::find(object->items, key, &json_value::key);
  return found == object->items.end() ? nullptr : &*found;
}

[[nodiscard]] auto number(std::int64_t n, const json_place& where) -> json_value {
  return {.what = kind::integer, .text = std::to_string(n), .where = where};
}
[[nodiscard]] auto object(const json_place& where, std::vector<json_value> members) -> json_value {
  return {.what = kind::object, .where = where, .items = std::move(members)};
}

/// Half of the CPU time, in the section and outside of it, stands before the work of the GPU and half behind it.
[[nodiscard]] auto segments_of(const json_value& task, const workload_file& file) -> json_value {
  const json_value& outside = require(task, "cpu", "CPU time outside the token section");
  json_value out{.what = kind::array, .key = "segments", .where = task.where};
  const auto* const section = task.find("gpu");
  if (section == nullptr) {
    out.items.push_back(object(outside.where, {outside}));
    return out;
  }
  require_keys(*section, token_section);
  if (file.board.gpus.empty()) { throw refused_at(section->where, {.fault = model_fault::kernel_without_gpu}); }
  const json_value in_section = named("section", {.what = kind::boolean, .text = "true"});
  const auto add_half = [&](const json_value* time, bool first, bool inside) {
    if (time == nullptr) { return; }
    const auto half = [first](ticks all) { return first ? all - all / 2 : all / 2; };
    const interval<ticks> all = read_span(*time);
    if (half(all.upper) == 0) { return; }
    json_value part{.what = kind::array, .where = time->where};
    for (const ticks end : {all.lower, all.upper}) { part.items.push_back(number(half(end), time->where)); }
    auto& step = out.items.emplace_back(object(time->where, {named("cpu", std::move(part))}));
    if (inside) { step.items.push_back(in_section); }
  };
  const auto add_copy = [&](string_view key, string_view direction) {
    const auto* const bytes = section->find(key);
    if (bytes == nullptr || read_integer(*bytes, 0, most_bytes) == 0) { return; }
    json_value copy = object(task.where, {named("bytes", *bytes)});
    copy.items.push_back(named("direction", {.what = kind::string, .text = std::string{direction}}));
    out.items.push_back(object(bytes->where, {named("copy", std::move(copy)), in_section}));
  };
  const auto* const inside = section->find("cpu_in_section");
  const auto* const state = section->find("bytes_state");
  const auto& kernels =
      require_list(require(*section, "kernels", "the time of each kernel"), "kernels", max_section_kernels);
  add_half(&outside, true, false);
  add_half(inside, true, true);
  add_copy("bytes_in", "to-device");
  for (const json_value& time : kernels) {
    json_value kernel = object(time.where, {named("wcet", time)});
    if (state != nullptr && &time == kernels.data()) { kernel.items.push_back(named("state", *state)); }
    out.items.push_back(object(time.where, {named("kernel", std::move(kernel)), in_section}));
  }
  add_copy("bytes_out", "to-host");
  add_half(inside, false, true);
  add_half(&outside, false, false);
  return out;
}

/// Under which deadlines are left out and there are none.
[[nodiscard]] auto orders_jobs(string_view policy) -> bool {
  return policy.starts_with("g-") && !policy.ends_with("-priority") && !policy.ends_with("-monotonic");
}

}  // namespace

auto has_sections(const json_value& document) -> bool {
  const auto tokens = [](const json_value& gpu) {
    const auto* const sharing = gpu.find("sharing");
    return sharing != nullptr && sharing->is(kind::string) && sharing->text == "tokens";
  };
  const auto* const platform = document.find("platform");
  const auto* const gpus = platform == nullptr ? nullptr : platform->find("gpus");
  const auto* const tasks = document.find("tasks");
  return gpus != nullptr && gpus->is(kind::array) && !gpus->items.empty() && tokens(gpus->items[0]) &&
         tasks != nullptr && std::ranges::any_of(tasks->items, [](const json_value& t) {
           return t.find("gpu") != nullptr || t.find("cpu") != nullptr;
         });
}

auto with_present_board(json_value document) -> json_value {
  json_value* const platform = member(&document, "platform");
  json_value* const policy = member(member(platform, "cpus"), "policy");
  const bool sections = has_sections(document);
  for (const auto& [written, meant] : global_words) {
    const bool global = sections || (written == "edf" && document.find("graphs") != nullptr);
    if (policy != nullptr && global && policy->text == written) { policy->text = meant; }
  }
  json_value* const gpus = member(platform, "gpus");
  for (std::size_t i = 0; gpus != nullptr && i < gpus->items.size(); ++i) {
    json_value* const dma = member(&gpus->items[i], "dma");
    if (dma == nullptr) { continue; }
    if (gpus->items[i].find("copy_model") != nullptr) {
      throw input_error{dma->where, "is a second copy model", "copy_model"};
    }
    dma->key = "copy_model";
  }
  return document;
}

auto as_present_task(json_value task, bool is_graph, bool sections, const workload_file& file) -> json_value {
  const bool global = is_cluster_keyword(file.rules.cpus);
  const bool deadline = task.find("deadline") != nullptr;
  const bool placed = task.find("core") != nullptr || task.find("cluster") != nullptr;
  const std::int32_t last = cluster_count(file) - 1;
  const auto add = [&](string_view key, json_value v) {
    v.where = step_into(task.where, key);
    task.items.push_back(named(key, std::move(v)));
  };
  if (is_graph) {
    (void)require(task, "nodes", "an array of nodes");
    if (!deadline) { add("deadline", {}); }
    if (!placed && last > 0) { add(global ? "cluster" : "core", number(0, "")); }
  }
  if (task.find("cpu") == nullptr && task.find("gpu") == nullptr) {
    const bool body = task.find("segments") != nullptr || task.find("nodes") != nullptr;
    if (sections && !body) { (void)require(task, "cpu", "CPU time outside the token section"); }
    return task;
  }
  if (!deadline && sections && orders_jobs(file.rules.cpus)) { add("deadline", {}); }
  if (global && last > 0) { (void)require(task, "cluster", fmt::format("an integer from 0 to {}", last)); }
  task.items.push_back(segments_of(task, file));
  const auto* const gpu = task.find("gpu");
  if (const auto* const cluster = gpu == nullptr ? nullptr : gpu->find("cluster"); cluster != nullptr) {
    if (const auto* const second = task.find("gpu_cluster"); second != nullptr) {
      throw input_error{second->where, "is said twice of one task", "gpu_cluster, or cluster in gpu"};
    }
    task.items.push_back(named("gpu_cluster", *cluster));
  }
  return task;
}

auto section_keys() -> object_keys { return token_section; }

}  // namespace takt::program
