// SPDX-License-Identifier: Apache-2.0
#include "workload_file.hpp"

#include <algorithm>
#include <ostream>

#include <takt/report/visible.hpp>

#include "defaults.hpp"
#include "parts.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::int64_t most_ppm = 1'000'000'000;
constexpr std::size_t widest_line = 110;

const object_keys top_keys{"a task-set file",
                           {"$schema", "format", "name", "notes", "incomplete", "acknowledged", "platform", "on_late",
                            "tasks", "graphs", "plan", "chains"}};
const table<chain_facts> chain_table{"a chain of tasks",
                                     {{"name", &chain_facts::name, needed("the name of the chain")},
                                      row<chain_facts>{"tasks"},
                                      row<chain_facts>{"semantics"},
                                      {"reaction", &chain_facts::reaction, time_from(1)},
                                      {"age", &chain_facts::age, time_from(1)}}};

/// The position of the task that a text names.
[[nodiscard]] auto task_named(const json_value& v, const workload_file& file) -> std::uint32_t {
  std::vector<string_view> names;
  for (const runtime_task& t : file.tasks.tasks) { names.push_back(t.name); }
  (void)read_text(v, "the name of a task");
  return static_cast<std::uint32_t>(
      position_of(v, "task of this file", names, fmt::format("{}", fmt::join(names, ", "))));
}

/// [slowed, by, parts per million] for pairs of tasks; an empty list says that none slows another one down.
void read_contention(const json_value& v, workload_file& out) {
  constexpr string_view allowed = "[slowed, by, parts per million]";
  if (out.contention) { throw input_error{v.where, "is said of two GPUs", "contention of one GPU"}; }
  if (!v.is(json_value::kind::array)) { refuse_kind(v, allowed); }
  auto& all = out.contention.emplace();
  for (const json_value& entry : v.items) {
    if (!entry.is(json_value::kind::array) || entry.items.size() != 3) {
      throw input_error{entry.where, "is no slow-down", std::string{allowed}};
    }
    const slow_down s{task_named(entry.items[0], out), task_named(entry.items[1], out),
                      static_cast<std::uint32_t>(read_integer(entry.items[2], 0, most_ppm))};
    if (s.slowed == s.by) { throw input_error{entry.where, "is of a task by itself", "two tasks"}; }
    all.push_back(s);
  }
}

/// One word for all tasks of a chain, or one for each.
[[nodiscard]] auto read_semantics(const json_value* v, std::size_t tasks) -> std::vector<string_view> {
  if (v == nullptr) { return {tasks, "implicit"}; }
  if (!v->is(json_value::kind::array)) { return {tasks, read_word(*v, choices::chain_semantics)}; }
  if (v->items.size() != tasks) {
    throw input_error{v->where, fmt::format("has {} words for {} tasks", v->items.size(), tasks),
                      "one word for all tasks of the chain, or one for each"};
  }
  std::vector<string_view> out;
  for (const json_value& item : v->items) { out.push_back(read_word(item, choices::chain_semantics)); }
  return out;
}

void read_effect_chains(const json_value& v, workload_file& out) {
  for (const json_value& item : require_array(v, "one object per chain")) {
    chain_facts& chain = out.chains.emplace_back();
    read_object(item, chain_table, chain);
    chain.name = read_name(item, "the name of the chain");
    constexpr string_view allowed = "the names of its tasks";
    for (const json_value& task : require_array(require(item, "tasks", allowed), allowed)) {
      chain.tasks.push_back(task_named(task, out));
    }
    chain.semantics = read_semantics(item.find("semantics"), chain.tasks.size());
  }
  out.notes.push_back(fmt::format("{}: the limits of chains are judged by takt chains", v.where.text()));
}

[[nodiscard]] auto read_late_handling(const json_value& v) -> late_handling {
  const string_view word = read_word(v, choices::on_late);
  for (const late_handling h : {late_handling::skip_late, late_handling::newest_only}) {
    if (name_of(h) == word) { return h; }
  }
  return late_handling::catch_up;
}

/// Memory of tasks, which no GPU of the board can hold together.
void require_memory(const workload_file& file) {
  if (file.board.gpus.size() != 1 || file.board.gpus[0].memory == 0) { return; }
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < file.tasks.size(); ++i) {
    sum += file.tasks.tasks[i].memory;
    if (sum <= file.board.gpus[0].memory) { continue; }
    throw input_error{step_into(file.task_at[i], "memory"),
                      fmt::format("{} bytes exceeds, with that of the tasks before it, the GPU's {} bytes",
                                  file.tasks.tasks[i].memory, file.board.gpus[0].memory),
                      "tasks that fit into the memory of the GPU together"};
  }
}

/// Rows and samples of kernels may stand in another order.
[[nodiscard]] auto same_visits(const file_tasks& a, const file_tasks& b) -> bool {
  const auto same = [&](runtime_visit x, runtime_visit y) {
    bool rows = !x.known.has(visit_fact::wcet_by_share) || a.rows[x.row] == b.rows[y.row];
    for (std::uint32_t i = 0; i < x.samples && x.samples == y.samples; ++i) {
      rows = rows && a.samples[x.first_sample + i] == b.samples[y.first_sample + i];
    }
    x.first_sample = y.first_sample;
    x.row = y.row;
    return rows && x == y;
  };
  return std::ranges::equal(a.visits, b.visits, same);
}

/// What fits in a line stands in one, all else in one line per item.
void lay_out(std::ostream& out, const ordered_json& v, std::size_t indent) {
  const std::string line = report::visible(v.dump());
  if (!v.is_structured() || indent + line.size() <= widest_line) {
    out << line;
    return;
  }
  const std::string margin(indent + 2, ' ');
  const char* separator = "\n";
  out << (v.is_array() ? '[' : '{');
  for (const auto& [key, item] : v.items()) {
    out << separator << margin;
    if (v.is_object()) { out << report::visible(ordered_json(key).dump()) << ": "; }
    lay_out(out, item, indent + 2);
    separator = ",\n";
  }
  out << '\n' << std::string(indent, ' ') << (v.is_array() ? ']' : '}');
}

}  // namespace

auto all_objects() -> std::vector<object_keys> {
  std::vector<object_keys> out{top_keys};
  for (const auto& part : {board_objects(), task_objects()}) { out.insert(out.end(), part.begin(), part.end()); }
  out.push_back(chain_table.keys());
  out.push_back(plan_keys());
  out.push_back(omission_keys());
  return out;
}

auto read_workload(const json_value& given) -> std::unique_ptr<workload_file> {
  auto out = std::make_unique<workload_file>();
  require_keys(given, top_keys);
  constexpr string_view version = "\"takt/1\"";
  const json_value& format = require(given, "format", version);
  if (read_text(format, version) != "takt/1") {
    throw input_error{format.where, fmt::format("{} is unknown", format.quoted()), std::string{version}};
  }
  if (const auto* const schema = given.find("$schema")) {
    (void)read_text(*schema, "where the schema of this format lies, for editors");
  }
  if (const auto* const name = given.find("name")) { out->name = read_text(*name, "the name of the task set"); }
  read_remarks(given, *out);
  const json_value present = with_present_board(given);
  const json_value& platform = require(present, "platform", "an object with cpus, copy_engines, gpus");
  read_board(platform, has_sections(present), *out);
  if (const auto* const late = present.find("on_late")) { out->on_late = read_late_handling(*late); }
  const json_value document = with_planned_tasks(present, out->rules);
  read_tasks(document, *out);
  if (const auto* const plan = document.find("plan")) { read_plan(*plan, *out); }
  const auto* const gpus = platform.find("gpus");
  for (std::size_t g = 0; gpus != nullptr && g < gpus->items.size(); ++g) {
    if (const auto* const contention = gpus->items[g].find("contention")) { read_contention(*contention, *out); }
  }
  if (const auto* const chains = document.find("chains")) { read_effect_chains(*chains, *out); }
  require_memory(*out);
  out->unsaid = unsaid_keys(document, *out);
  return out;
}

auto as_json(const workload_file& file) -> ordered_json {
  ordered_json out{{"format", "takt/1"}};
  if (!file.name.empty()) { out["name"] = file.name; }
  if (!file.remarks.empty()) { out["notes"] = file.remarks; }
  print_omissions(file, out);
  out["platform"] = print_board(file);
  if (file.on_late != workload_file{}.on_late) { out["on_late"] = name_of(file.on_late); }
  for (std::size_t i = 0; i < file.tasks.size(); ++i) { out["tasks"].push_back(print_task(file, i)); }
  if (file.plan != plan_facts{}) { out["plan"] = print_plan(file); }
  for (const chain_facts& c : file.chains) {
    ordered_json& chain = out["chains"].emplace_back(print_object(c, chain_table));
    for (const std::uint32_t t : c.tasks) { chain["tasks"].push_back(file.tasks.tasks[t].name); }
    const bool one = std::ranges::all_of(c.semantics, [&](string_view s) { return s == c.semantics[0]; });
    if (one && !c.semantics.empty()) {
      chain["semantics"] = c.semantics[0];
    } else {
      chain["semantics"] = c.semantics;
    }
  }
  return out;
}

void print_workload(std::ostream& out, const workload_file& file) {
  lay_out(out, as_json(file), 0);
  out << '\n';
}

void print_in_one_line(std::ostream& out, const workload_file& file) {
  out << report::visible(as_json(file).dump()) << '\n';
}

auto same_values(const workload_file& a, const workload_file& b) -> bool {
  return a.name == b.name && a.board == b.board && a.cores == b.cores && a.gpus == b.gpus &&
         a.overheads == b.overheads && a.rules == b.rules && a.on_late == b.on_late && a.tasks.tasks == b.tasks.tasks &&
         a.tasks.history == b.tasks.history && same_visits(a.tasks, b.tasks) && a.more == b.more &&
         a.contention == b.contention && a.plan == b.plan && a.chains == b.chains && a.remarks == b.remarks &&
         a.incomplete == b.incomplete && a.acknowledged == b.acknowledged;
}

}  // namespace takt::program
