// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "parts.hpp"

namespace takt::program {

namespace {

using std::string_view;
using kind = json_value::kind;

constexpr std::size_t max_variants = 16;
constexpr std::array<string_view, 4> body_keys{"segments", "nodes", "edges", "history"};
constexpr std::array<string_view, 3> cpu_keys{"cpu", "launch", "await"};
const object_keys variant_keys{"a variant", {"name", "segments", "nodes", "edges", "history"}};

/// Types of the board's cores, each once. Cores of which no type is said have the empty one.
[[nodiscard]] auto types_of(const workload_file& file) -> std::vector<string_view> {
  std::vector<string_view> out;
  for (const core_facts& c : file.cores) {
    if (std::ranges::find(out, c.type) == out.end()) { out.push_back(c.type); }
  }
  return out;
}

/// Calls `found(time)` for each CPU time of a body.
template <class Task, class Found>
void for_each_cpu_time(Task& task, const Found& found) {
  for (auto& list : task.items) {
    if ((list.key != "segments" && list.key != "nodes") || !list.is(kind::array)) { continue; }
    for (auto& step : list.items) {
      for (auto& value : step.items) {
        if (std::ranges::find(cpu_keys, value.key) != cpu_keys.end()) { found(value); }
      }
      if (list.key == "nodes") { for_each_cpu_time(step, found); }
    }
  }
}

[[nodiscard]] auto by_type(const json_value& time) -> bool { return time.is(kind::object); }

/// Throws where times are of types that no core of the board has.
void require_types(const json_value& time, const std::vector<string_view>& types) {
  if (time.items.empty()) { throw input_error{time.where, "has no time", "a time for each type of core"}; }
  for (const json_value& of : time.items) {
    const bool is_type = !of.key.empty() && std::ranges::find(types, of.key) != types.end();
    if (is_type) { continue; }
    const bool any = std::ranges::any_of(types, [](string_view t) { return !t.empty(); });
    throw input_error{of.where, fmt::format("\"{}\" is no type of a core of this board", one_line(of.key, 60)),
                      any ? fmt::format("one of {}", fmt::join(types, ", ")) : "types in platform.cpus.cores"};
  }
}

/// The body of a variant in the place of all of them.
[[nodiscard]] auto with_variant(json_value task) -> json_value {
  const auto* const given = task.find("variants");
  if (given == nullptr) { return task; }
  for (const string_view key : {"segments", "nodes", "edges", "history", "cpu", "gpu"}) {
    if (const auto* const second = task.find(key)) {
      throw input_error{second->where, "is a second body of one task", "variants, or a body"};
    }
  }
  const auto& all = require_list(*given, "variants", max_variants);
  std::vector<std::string> names;
  for (const json_value& v : all) {
    require_keys(v, variant_keys);
    names.push_back(read_name(v, "the name of the variant"));
    if (std::ranges::count(names, names.back()) > 1) {
      throw input_error{step_into(v.where, "name"), "names an earlier variant too", "a name of its own"};
    }
    if (v.find("segments") == nullptr) { (void)require(v, "nodes", "segments, or nodes with edges"); }
  }
  const auto* const chosen = task.find("variant");
  if (chosen == nullptr && all.size() > 1) {
    throw input_error{given->where, fmt::format("has {} variants, and none is chosen", all.size()),
                      fmt::format(R"("variant": one of {}, which "takt plan" chooses)", fmt::join(names, ", "))};
  }
  const std::vector<string_view> known{names.begin(), names.end()};
  const std::string allowed = fmt::format("{}", fmt::join(names, ", "));
  const std::size_t at = chosen == nullptr ? 0 : position_of(*chosen, "variant of this task", known, allowed);
  json_value out = task;
  std::erase_if(out.items, [](const json_value& v) { return v.key == "variants"; });
  for (const json_value& part : all[at].items) {
    if (std::ranges::find(body_keys, part.key) != body_keys.end()) { out.items.push_back(part); }
  }
  return out;
}

/// The type that times are chosen by. Pre: there are times by type.
[[nodiscard]] auto core_type_of(const json_value& task, const workload_file& file) -> std::string {
  const auto types = types_of(file);
  if (types.size() == 1) { return std::string{types[0]}; }
  const std::string name = one_line(read_name(task, "the task's name"), 60);
  if (is_cluster_keyword(file.rules.cpus)) {
    throw input_error{
        task.where,
        fmt::format("\"{}\" moves {} between cores of types {}", file.rules.cpus, name, fmt::join(types, ", ")),
        "a policy that keeps tasks on cores, or cores of one type"};
  }
  const auto* const core = task.find("core");
  if (core == nullptr) {
    throw input_error{task.where, fmt::format("{} has times by the type of its core, and is on none", name),
                      "\"core\", which \"takt plan\" chooses"};
  }
  return file.cores[static_cast<std::size_t>(read_integer(*core, 0, cluster_count(file) - 1))].type;
}

}  // namespace

auto as_chosen_task(json_value given, const workload_file& file) -> chosen_task {
  chosen_task out{.task = with_variant(std::move(given)), .core_type = {}};
  const auto types = types_of(file);
  bool any = false;
  for_each_cpu_time(out.task, [&](const json_value& time) {
    if (!by_type(time)) { return; }
    require_types(time, types);
    any = true;
  });
  if (!any) { return out; }
  out.core_type = core_type_of(out.task, file);
  for_each_cpu_time(out.task, [&](json_value& time) {
    if (!by_type(time)) { return; }
    const auto* const chosen = time.find(out.core_type);
    if (chosen == nullptr) {
      throw input_error{time.where, fmt::format("has no time on a core of type {}", out.core_type),
                        "a core of another type, or a time for this one"};
    }
    time = named(time.key, json_value{*chosen});
  });
  return out;
}

auto is_bound_to_cores(const workload_file& file) -> bool {
  return types_of(file).size() > 1 &&
         std::ranges::any_of(file.more, [](const task_facts& t) { return !t.core_type.empty(); });
}

void print_by_type(const std::string& core_type, ordered_json& task) {
  for (const char* const list : {"segments", "nodes"}) {
    if (!task.contains(list)) { continue; }
    for (ordered_json& step : task[list]) {
      if (step.contains("cpu")) { step["cpu"] = ordered_json{{core_type, step["cpu"]}}; }
      print_by_type(core_type, step);
    }
  }
}

auto options_of(const json_value& given) -> std::vector<task_options> {
  const json_value document = with_present_board(given);
  workload_file file;
  read_board(require(document, "platform", "an object with cpus, copy_engines, gpus"), has_sections(document), file);
  const auto types = types_of(file);
  const auto cores_of = [&](const json_value& body) {
    std::vector<std::int32_t> out;
    for (std::int32_t core = 0; core < file.board.processors; ++core) {
      bool runs = true;
      for_each_cpu_time(body, [&](const json_value& time) {
        if (!by_type(time)) { return; }
        require_types(time, types);
        runs = runs && time.find(file.cores[static_cast<std::size_t>(core)].type) != nullptr;
      });
      if (runs) { out.push_back(core); }
    }
    return out;
  };
  std::vector<task_options> out;
  for (const string_view key : {"graphs", "tasks"}) {
    const auto* const tasks = document.find(key);
    if (tasks == nullptr) { continue; }
    for (const json_value& task : require_list(*tasks, key, max_tasks)) {
      task_options& options = out.emplace_back();
      const auto* const variants = task.find("variants");
      if (variants == nullptr) {
        options.bodies.push_back({{}, cores_of(task)});
        continue;
      }
      for (const json_value& v : require_list(*variants, "variants", max_variants)) {
        options.bodies.push_back({read_name(v, "the name of the variant"), cores_of(v)});
      }
    }
  }
  return out;
}

auto alternative_keys() -> object_keys { return variant_keys; }

}  // namespace takt::program
