// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include <takt/report/step_names.hpp>
#include <takt/report/visible.hpp>

#include "each_task.hpp"
#include "limits.hpp"
#include "parts.hpp"

// What a file decides about its tasks in one place, as `takt analyze --json` says it under "plan".

namespace takt::program {

namespace {

using std::string_view;
using kind = json_value::kind;

const object_keys decisions{"a plan",
                            {"cores", "priorities", "sms", "gpu", "percents", "offsets", "local_deadlines", "instances",
                             "tokens_per_gpu", "levels", "slice", "slots", "guards"}};

/// Whom an object of the plan names, one by one.
struct named_things {
  string_view what;                ///< "task of this file"
  std::vector<std::string> names;  ///< of all
  std::vector<bool> counts{};      ///< whether there is something to say of it; empty: of all
  string_view because{};           ///< why there is nothing to say of the others

  [[nodiscard]] auto position(const json_value& entry) const -> std::size_t {
    const std::vector<string_view> views{names.begin(), names.end()};
    const json_value name{.what = kind::string, .text = entry.key, .where = entry.where};
    return position_of(name, what, views, listed());
  }
  [[nodiscard]] auto has(std::size_t i) const -> bool { return counts.empty() || counts[i]; }
  [[nodiscard]] auto listed() const -> std::string {
    constexpr std::size_t most = 8;
    std::vector<string_view> out;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (has(i)) { out.emplace_back(names[i]); }
    }
    const bool is_long = out.size() > most;
    out.resize(std::min(out.size(), most));
    return fmt::format("{}{}", fmt::join(out, ", "), is_long ? ", ..." : "");
  }
};

[[nodiscard]] auto members_of(const json_value& v, const named_things& things) -> const std::vector<json_value>& {
  if (!v.is(kind::object)) { refuse_kind(v, "an object with " + things.listed()); }
  return v.items;
}

[[noreturn]] void refuse_gap(const json_value& v, const named_things& things, std::size_t of) {
  throw input_error{v.where, fmt::format("says nothing about {}", things.names[of]),
                    fmt::format("each of {}, or no such key", things.listed())};
}

/// One value for each of those that count, 0 for the others; nothing where nothing is said.
template <class Value>
[[nodiscard]] auto read_each(const json_value& plan, string_view key, const named_things& things,
                             const std::function<Value(const json_value&)>& read) -> std::vector<Value> {
  const auto* const v = plan.find(key);
  if (v == nullptr) { return {}; }
  const auto& entries = members_of(*v, things);
  if (entries.empty()) { return {}; }
  std::vector<Value> out(things.names.size());
  std::vector<bool> said(things.names.size());
  for (const json_value& entry : entries) {
    const std::size_t at = things.position(entry);
    if (!things.has(at)) {
      throw input_error{entry.where, std::string{things.because}, things.listed() + ", or no such key"};
    }
    out[at] = read(entry);
    said[at] = true;
  }
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (things.has(i) && !said[i]) { refuse_gap(*v, things, i); }
  }
  return out;
}

[[nodiscard]] auto kernel_tasks(const workload_file& file) -> named_things {
  named_things out{"task of this file", {}, {}, "is about a task without kernels"};
  for (std::size_t i = 0; i < file.tasks.size(); ++i) {
    const runtime_task& t = file.tasks.tasks[i];
    bool has_kernels = false;
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      has_kernels = has_kernels || file.tasks.visit(i, p).where == resource_kind::gpu;
    }
    out.names.emplace_back(t.name);
    out.counts.push_back(has_kernels);
  }
  return out;
}

template <class Value>
void print_each(const std::vector<Value>& all, string_view key, const named_things& things, ordered_json& out) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (things.has(i)) { out[std::string{key}][things.names[i]] = all[i]; }
  }
}

[[nodiscard]] auto all_tasks(const json_value& document) -> named_things {
  named_things out{"task of this file", {}};
  for_each_task(document, [&out](const json_value& task) {
    const auto* const name = task.find("name");
    out.names.push_back(name == nullptr ? "" : report::visible(name->text));
  });
  return out;
}

/// What the plan says of tasks becomes a key of theirs. Those that have it themselves must say the same.
void move_to_tasks(const json_value& decided, string_view key, json_value& document) {
  const named_things tasks = all_tasks(document);
  for (const json_value& entry : members_of(decided, tasks)) {
    const std::size_t at = tasks.position(entry);
    std::size_t i = 0;
    for_each_task(document, [&](json_value& task) {
      if (i++ != at) { return; }
      const auto* const own = task.find(key);
      if (own == nullptr) {
        task.items.push_back(named(key, entry));
      } else if (own->what != entry.what || own->text != entry.text) {
        throw input_error{entry.where,
                          fmt::format("{} differs from {} at {}", entry.quoted(), own->quoted(), own->where.text()),
                          fmt::format("one {} for each task", key)};
      }
    });
  }
}

/// Of all tasks. Those that have one themselves say the same, or stand in for an entry, but on GPUs with shares, where
/// that is a weight.
[[nodiscard]] auto read_priorities(const json_value& v, const workload_file& file) -> std::vector<std::int32_t> {
  named_things tasks{"task of this file", {}};
  for (const runtime_task& t : file.tasks.tasks) { tasks.names.emplace_back(t.name); }
  const bool counts = file.rules.gpus.sharing != "shares";
  std::vector<std::int32_t> out(file.tasks.size(), no_priority);
  for (std::size_t i = 0; counts && i < out.size(); ++i) { out[i] = file.tasks.tasks[i].priority; }
  for (const json_value& entry : members_of(v, tasks)) {
    const std::size_t i = tasks.position(entry);
    const auto said = static_cast<std::int32_t>(read_integer(entry, 0, std::numeric_limits<std::int32_t>::max()));
    if (out[i] != no_priority && out[i] != said && counts) {
      throw input_error{entry.where,
                        fmt::format("{} differs from {} at {}", said, out[i], step_into(file.task_at[i], "priority")),
                        "one priority for each task"};
    }
    out[i] = said;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == no_priority) { refuse_gap(v, tasks, i); }
    const auto other = static_cast<std::size_t>(std::ranges::find(out, out[i]) - out.begin());
    if (other == i) { continue; }
    throw refused_at(step_into(v.where, tasks.names[i]),
                     {.fault = model_fault::duplicate_priority, .task = 0, .value = out[i], .has_value = true});
  }
  return out;
}

[[nodiscard]] auto read_cores(const json_value& v, const workload_file& file) -> std::vector<std::int32_t> {
  named_things tasks{"task of this file", {}};
  for (const runtime_task& t : file.tasks.tasks) { tasks.names.emplace_back(t.name); }
  std::vector<std::int32_t> out(file.tasks.size(), unassigned_core);
  for (const json_value& entry : members_of(v, tasks)) {
    out[tasks.position(entry)] = static_cast<std::int32_t>(read_integer(entry, 0, file.board.processors - 1));
  }
  return out;
}

}  // namespace

auto with_planned_tasks(json_value document, const file_rules& rules) -> json_value {
  const auto* const found = document.find("plan");
  if (found == nullptr) { return document; }
  const json_value plan = *found;
  require_keys(plan, decisions);
  const auto* const cores = plan.find("cores");
  if (cores != nullptr && !is_cluster_keyword(rules.cpus)) { move_to_tasks(*cores, "core", document); }
  return document;
}

void read_plan(const json_value& v, workload_file& file) {
  const named_things tasks = kernel_tasks(file);
  const named_things steps{"step of a task", report::step_names(file.tasks)};
  const auto within = [](std::int64_t least, std::int64_t most) {
    return [=](const json_value& n) { return static_cast<std::int32_t>(read_integer(n, least, most)); };
  };
  const auto time = [](const json_value& t) { return read_time_from(t, 0); };
  const auto last_gpu = static_cast<std::int64_t>(file.board.gpus.size()) - 1;
  file.plan.is_said = true;
  if (const auto* const guards = v.find("guards")) {
    file.plan.chooses_guards = read_word(*guards, choices::plan_guards) == "choose";
  }
  const auto* const cores = v.find("cores");
  if (cores != nullptr) { file.plan.cores = read_cores(*cores, file); }
  if (const auto* const order = v.find("priorities")) { file.plan.priorities = read_priorities(*order, file); }
  file.plan.sms = read_each<std::int32_t>(v, "sms", tasks, within(1, max_sms * max_virtual_per_sm));
  file.plan.gpu = read_each<std::int32_t>(v, "gpu", tasks, within(0, last_gpu));
  file.plan.percents = read_each<std::int32_t>(v, "percents", tasks, within(1, 100));
  file.plan.offsets = read_each<ticks>(v, "offsets", steps, time);
  file.plan.local_deadlines = read_each<ticks>(v, "local_deadlines", steps, time);
  file.plan.instances = read_each<std::int32_t>(v, "instances", steps, within(1, max_units));
  const auto number = [&](string_view key, std::int64_t least, std::int64_t most) -> std::optional<std::int32_t> {
    const auto* const n = v.find(key);
    if (n == nullptr) { return std::nullopt; }
    return static_cast<std::int32_t>(read_integer(*n, least, most));
  };
  file.plan.tokens_per_gpu = number("tokens_per_gpu", 0, std::numeric_limits<std::int32_t>::max());
  file.plan.levels = number("levels", 1, max_levels);
  if (const auto* const slice = v.find("slice")) { file.plan.slice = read_time_from(*slice, 1); }
  if (const auto* const slots = v.find("slots")) { file.plan.slots = read_slots(*slots); }
}

auto print_plan(const workload_file& file) -> ordered_json {
  const named_things tasks = kernel_tasks(file);
  const named_things steps{"step of a task", report::step_names(file.tasks)};
  named_things all{"task of this file", {}};
  for (const runtime_task& t : file.tasks.tasks) { all.names.emplace_back(t.name); }
  ordered_json out = ordered_json::object();
  if (file.plan.chooses_guards) { out["guards"] = "choose"; }
  for (std::size_t i = 0; i < file.plan.cores.size(); ++i) {
    if (file.plan.cores[i] != unassigned_core) { out["cores"][all.names[i]] = file.plan.cores[i]; }
  }
  print_each(file.plan.priorities, "priorities", all, out);
  print_each(file.plan.sms, "sms", tasks, out);
  print_each(file.plan.gpu, "gpu", tasks, out);
  print_each(file.plan.percents, "percents", tasks, out);
  print_each(file.plan.offsets, "offsets", steps, out);
  print_each(file.plan.local_deadlines, "local_deadlines", steps, out);
  print_each(file.plan.instances, "instances", steps, out);
  if (file.plan.tokens_per_gpu) { out["tokens_per_gpu"] = *file.plan.tokens_per_gpu; }
  if (file.plan.levels) { out["levels"] = *file.plan.levels; }
  if (file.plan.slice) { out["slice"] = *file.plan.slice; }
  if (file.plan.slots) { out["slots"] = print_slots(*file.plan.slots); }
  return out;
}

auto plan_keys() -> object_keys { return decisions; }

}  // namespace takt::program
