// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <takt/report/json.hpp>

#include "read_board.hpp"
#include "workload_file.hpp"

namespace takt::program {

namespace {

using report::json_string;
using std::string_view;

/// The members of an object in one line.
class members_text {
 public:
  /// `value` is JSON already.
  auto add(string_view key, const std::string& value) -> members_text& {
    text_ += fmt::format("{}{}: {}", text_.empty() ? "" : ", ", json_string(key), value);
    return *this;
  }
  auto add(string_view key, std::int64_t value) -> members_text& { return add(key, std::to_string(value)); }
  auto add_word(string_view key, string_view word) -> members_text& {
    return word.empty() ? *this : add(key, json_string(word));
  }
  template <class T>
  auto add_known(string_view key, const std::optional<T>& value) -> members_text& {
    return value ? add(key, std::int64_t{*value}) : *this;
  }
  [[nodiscard]] auto empty() const -> bool { return text_.empty(); }
  [[nodiscard]] auto members() const -> const std::string& { return text_; }
  [[nodiscard]] auto object() const -> std::string { return text_.empty() ? "{}" : fmt::format("{{ {} }}", text_); }

 private:
  std::string text_;
};

template <class Items, class F>
[[nodiscard]] auto array_of(const Items& items, const F& text) -> std::string {
  std::string out;
  for (const auto& item : items) { out += (out.empty() ? "" : ", ") + text(item); }
  return fmt::format("[{}]", out);
}

[[nodiscard]] auto time_text(const interval<ticks>& t) -> std::string {
  return t.lower == 0 ? std::to_string(t.upper) : fmt::format("[{}, {}]", t.lower, t.upper);
}

[[nodiscard]] auto ratio_text(const gpu_speed& s) -> std::string {
  return json_string(fmt::format("{}/{}", s.numerator, s.denominator));
}

/// A row as the time of which a part scales, if it is one, else as all its times.
[[nodiscard]] auto row_text(const wcet_row& row) -> std::string {
  const ticks whole = row.at(full_share);
  for (std::int32_t fixed = 0; fixed <= 1000; ++fixed) {
    if (wcet_row::scaling(whole, fixed) == row) {
      return members_text{}.add("c100", whole).add("fixed_permille", fixed).object();
    }
  }
  std::vector<ticks> times;
  for (std::int32_t percent = 1; percent <= 100; ++percent) { times.push_back(row.at(share::bounded(percent))); }
  return array_of(times, [](ticks t) { return std::to_string(t); });
}

[[nodiscard]] auto transfer_text(const transfer_cost& c) -> std::string {
  return members_text{}.add("setup", c.setup).add("bytes_per_us", c.bytes_per_us).object();
}

[[nodiscard]] auto transfers_text(const transfer_model& m) -> std::string {
  members_text out;
  if (m.chunk > 0) { out.add("chunk", m.chunk); }
  if (m.to_device) { out.add("to_device", transfer_text(*m.to_device)); }
  if (m.to_host) { out.add("to_host", transfer_text(*m.to_host)); }
  if (m.peer) { out.add("peer", transfer_text(*m.peer)); }
  return out.object();
}

[[nodiscard]] auto cpus_text(const workload_file& file) -> std::string {
  members_text out;
  out.add("count", file.board.processors).add_word("policy", file.rules.cpus);
  out.add_known("clusters", file.rules.clusters);
  if (file.cores.empty()) { return out.object(); }
  return out
      .add("cores", array_of(file.cores,
                             [](const core_facts& c) {
                               members_text core;
                               core.add_word("name", c.name).add_word("type", c.type);
                               if (!(c.speed == gpu_speed{})) { core.add("speed", ratio_text(c.speed)); }
                               return core.object();
                             }))
      .object();
}

[[nodiscard]] auto slots_text(const slot_times& s) -> std::string {
  members_text out;
  out.add("period", s.period);
  const auto add = [&out](string_view key, const std::optional<slot_time>& slot) {
    if (slot) { out.add(key, members_text{}.add("offset", slot->offset).add("budget", slot->budget).object()); }
  };
  add("pinned", s.pinned);
  add("gang", s.gang);
  return out.object();
}

[[nodiscard]] auto contention_text(const workload_file& file) -> std::string {
  const auto name = [&file](std::uint32_t task) { return json_string(file.tasks.tasks[task].name); };
  return array_of(*file.contention,
                  [&](const slow_down& s) { return fmt::format("[{}, {}, {}]", name(s.slowed), name(s.by), s.ppm); });
}

[[nodiscard]] auto gpu_text(const workload_file& file, std::size_t g, std::size_t count) -> std::string {
  const gpu_hardware& hardware = file.board.gpus[g];
  const gpu_facts& facts = file.gpus[g];
  members_text out;
  if (hardware.sms > 0) { out.add("sms", hardware.sms); }
  if (hardware.threads_per_sm > 0) { out.add("threads_per_sm", hardware.threads_per_sm); }
  if (hardware.sms > 0) { out.add("virtual_per_sm", hardware.virtual_per_sm); }
  if (hardware.blocks_per_sm > 0) { out.add("blocks_per_sm", hardware.blocks_per_sm); }
  if (hardware.warp_size != usual_warp_size) { out.add("warp_size", hardware.warp_size); }
  if (hardware.granularity != 1) { out.add("granularity", hardware.granularity); }
  if (!(hardware.speed == gpu_speed{})) { out.add("speed", ratio_text(hardware.speed)); }
  if (hardware.preemption_levels > 0) { out.add("preemption_levels", hardware.preemption_levels); }
  if (hardware.memory > 0) { out.add("memory", hardware.memory); }
  if (hardware.switch_is_known) { out.add("context_switch", hardware.context_switch); }
  out.add_known("copy_engines", facts.copy_engines);
  if (facts.copies) { out.add("copy_model", transfers_text(*facts.copies)); }
  if (count > 1) { out.add("count", static_cast<std::int64_t>(count)); }
  const sharing_rule& rule = file.rules.gpus;
  out.add_word("sharing", rule.sharing).add_word("policy", rule.policy).add_word("cost_model", rule.cost_model);
  out.add_word("order", rule.order).add_word("protocol", rule.protocol);
  out.add_known("tokens_per_gpu", rule.tokens_per_gpu).add_known("clusters", rule.clusters);
  out.add_word("engine_order", rule.engine_order).add_word("migration", rule.migration);
  out.add_word("uncontended", rule.uncontended).add_word("rules", rule.rules).add_word("triggers", rule.triggers);
  out.add_known("levels", rule.levels).add_known("slice", rule.slice);
  if (rule.slots) { out.add("slots", slots_text(*rule.slots)); }
  if (g == 0 && file.contention) { out.add("contention", contention_text(file)); }
  return out.object();
}

[[nodiscard]] auto resource_text(const workload_file& file, std::size_t i) -> std::string {
  const own_hardware& own = file.board.own[i];
  return members_text{}
      .add_word("name", own.name)
      .add("count", own.count)
      .add_word("policy", file.rules.own[i])
      .object();
}

[[nodiscard]] auto board_lines(const workload_file& file) -> std::vector<std::string> {
  std::vector<std::string> out;
  if (file.board.processors > 0) { out.push_back("\"cpus\": " + cpus_text(file)); }
  const bool own_engines =
      std::ranges::any_of(file.gpus, [](const gpu_facts& g) { return g.copy_engines.has_value(); });
  if (file.board.copy_engines > 0 && !own_engines) {
    out.push_back("\"copy_engines\": " +
                  members_text{}.add("count", file.board.copy_engines).add_word("policy", file.rules.copies).object());
  }
  std::vector<std::string> gpus;
  for (std::size_t g = 0, same = 1; g < file.gpus.size(); g += same) {
    same = 1;
    while (g + same < file.gpus.size() && file.gpus[g + same] == file.gpus[g] &&
           file.board.gpus[g + same] == file.board.gpus[g]) {
      ++same;
    }
    gpus.push_back(gpu_text(file, g, same));
  }
  if (!gpus.empty()) { out.push_back(fmt::format("\"gpus\": [{}]", fmt::join(gpus, ",\n      "))); }
  std::vector<std::string> own;
  for (std::size_t i = 0; i < file.board.own.size(); ++i) { own.push_back(resource_text(file, i)); }
  if (!own.empty()) { out.push_back(fmt::format("\"resources\": [{}]", fmt::join(own, ", "))); }
  if (file.overheads) {
    members_text costs;
    for (const auto& [key, member] : overhead_members()) {
      if (const ticks time = (*file.overheads).*member; time > 0) { costs.add(key, time); }
    }
    out.push_back("\"overheads\": " + costs.object());
  }
  return out;
}

[[nodiscard]] auto kernel_text(const file_tasks& tasks, const described_visit& v) -> std::string {
  members_text out;
  const auto knows = [&v](visit_fact f) { return v.known.has(f); };
  if (knows(visit_fact::work)) { out.add("work", time_text(v.work)); }
  if (knows(visit_fact::overhead)) { out.add("overhead", v.overhead); }
  if (knows(visit_fact::interleave)) {
    out.add("interleave", json_string(fmt::format("{}/{}", v.interleave_numerator, v.interleave_denominator)));
  }
  if (knows(visit_fact::times_on_sms)) {
    std::vector<interval<ticks>> times;
    for (std::uint32_t i = 0; i < v.samples; ++i) { times.push_back(tasks.samples[v.first_sample + i]); }
    out.add("time_on", array_of(times, time_text));
  }
  if (knows(visit_fact::grid)) { out.add("blocks", v.blocks).add("threads_per_block", v.threads); }
  if (knows(visit_fact::block_length)) { out.add("length", v.block_length); }
  if (knows(visit_fact::wcet)) { out.add("wcet", v.wcet); }
  if (knows(visit_fact::preemption_cost)) { out.add("preemption_cost", v.preemption_cost); }
  if (knows(visit_fact::pinning)) { out.add_word("width", needs_all_cores(v.width) ? "all-cores" : "one-core"); }
  if (knows(visit_fact::pinning) && v.sm != any_core) { out.add("core", v.sm); }
  if (knows(visit_fact::wcet_by_share)) { out.add("wcet_by_share", row_text(tasks.rows[v.row])); }
  if (knows(visit_fact::context)) { out.add("context", v.context); }
  if (knows(visit_fact::slice)) { out.add("slice", v.slice); }
  if (knows(visit_fact::state)) { out.add("state", v.state); }
  return out.object();
}

[[nodiscard]] auto segment_text(const workload_file& file, const described_visit& v) -> members_text {
  members_text out;
  const std::string time = time_text(v.time);
  const string_view direction = v.direction == to_device ? "to-device" : v.direction == to_host ? "to-host" : "";
  const bool timed = v.known.has(visit_fact::time);
  switch (v.where) {
    case visit_place::processor: out.add("cpu", time); break;
    case visit_place::copy_engine:
      out.add("copy", timed ? time : members_text{}.add("bytes", v.bytes).object());
      out.add_word("direction", direction);
      if (timed && v.known.has(visit_fact::bytes)) { out.add("bytes", v.bytes); }
      break;
    case visit_place::gpu: out.add("kernel", kernel_text(file.tasks, v)); break;
    case visit_place::own: out.add(file.board.own[v.own].name, time); break;
  }
  if (v.in_section) { out.add("section", "true"); }
  return out;
}

/// Visits of a task that stand under one node: first and last.
struct node_span {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::string name;
};

/// Whether a visit follows the one before it, and nothing else.
[[nodiscard]] auto follows(const described_visit& v, std::uint32_t position) -> bool {
  return position > 0 && v.predecessors == visit_mask{1} << (position - 1);
}

[[nodiscard]] auto is_chain(const workload_file& file, std::size_t task) -> bool {
  const described_task& t = file.tasks.tasks[task];
  for (std::uint32_t p = 0; p < t.visit_count; ++p) {
    const described_visit& v = file.tasks.visit(task, p);
    if (!v.name.empty() || (p > 0 ? !follows(v, p) : v.predecessors != 0) || v.point != 0 ||
        v.parallelism != any_parallelism) {
      return false;
    }
  }
  return std::ranges::none_of(file.tasks.history, [task](const described_edge& e) { return e.task == task; });
}

[[nodiscard]] auto nodes_of(const workload_file& file, std::size_t task) -> std::vector<node_span> {
  std::vector<node_span> out;
  for (std::uint32_t p = 0; p < file.tasks.tasks[task].visit_count; ++p) {
    const described_visit& v = file.tasks.visit(task, p);
    if (p > 0 && !v.name.empty() && v.name == out.back().name && follows(v, p)) {
      out.back().last = p;
    } else {
      out.push_back({p, p, v.name.empty() ? fmt::format("step {}", p) : std::string{v.name}});
    }
  }
  return out;
}

/// The node of which a visit is.
[[nodiscard]] auto holder(const std::vector<node_span>& nodes, std::uint32_t position) -> const node_span& {
  return *std::ranges::find_if(nodes, [position](const node_span& n) { return position <= n.last; });
}

[[nodiscard]] auto node_text(const workload_file& file, std::size_t task, const node_span& n) -> std::string {
  members_text out;
  out.add_word("name", n.name);
  const described_visit& v = file.tasks.visit(task, n.first);
  if (v.parallelism != any_parallelism) { out.add("parallelism", v.parallelism); }
  if (v.point != 0 || file.rules.cpus == "gel") { out.add("priority_point", v.point); }
  std::vector<std::string> segments;
  for (std::uint32_t p = n.first; p <= n.last; ++p) {
    segments.push_back(segment_text(file, file.tasks.visit(task, p)).object());
  }
  return out.add("segments", fmt::format("[{}]", fmt::join(segments, ", "))).object();
}

[[nodiscard]] auto graph_lines(const workload_file& file, std::size_t task) -> std::vector<std::string> {
  const auto nodes = nodes_of(file, task);
  std::vector<std::string> texts;
  std::vector<std::string> edges;
  for (const node_span& n : nodes) {
    texts.push_back(node_text(file, task, n));
    const visit_mask before = file.tasks.visit(task, n.first).predecessors;
    for (std::uint32_t p = 0; p < n.first; ++p) {
      if ((before >> p & 1U) == 0) { continue; }
      edges.push_back(fmt::format("[{}, {}]", json_string(holder(nodes, p).name), json_string(n.name)));
    }
  }
  std::vector<std::string> history;
  for (const described_edge& e : file.tasks.history) {
    if (e.task != task) { continue; }
    history.push_back(fmt::format("[{}, {}, {}]", json_string(holder(nodes, e.from).name),
                                  json_string(holder(nodes, e.to).name), e.lag));
  }
  std::vector<std::string> out{fmt::format("\"nodes\": [\n        {}]", fmt::join(texts, ",\n        "))};
  if (!edges.empty()) { out.push_back(fmt::format("\"edges\": [{}]", fmt::join(edges, ", "))); }
  if (!history.empty()) { out.push_back(fmt::format("\"history\": [{}]", fmt::join(history, ", "))); }
  return out;
}

[[nodiscard]] auto task_text(const workload_file& file, std::size_t task) -> std::string {
  const described_task& t = file.tasks.tasks[task];
  const task_facts& more = file.more[task];
  members_text head;
  head.add_word("name", t.name).add("period", t.period);
  head.add("deadline", t.limited ? std::to_string(t.deadline) : std::string{"null"});
  if (t.jitter > 0) { head.add("jitter", t.jitter); }
  const bool weighs = file.rules.gpus.sharing == "shares" && more.weight;
  if (weighs || t.priority != no_priority) { head.add("priority", weighs ? *more.weight : t.priority); }
  if (t.core != any_core) { head.add(is_global(file.rules.cpus) ? "cluster" : "core", t.core); }
  head.add_known("gpu_cluster", more.gpu_cluster);
  if (t.memory > 0) { head.add("memory", t.memory); }
  head.add_known("requests", more.requests).add_known("share", more.share);
  std::vector<std::string> body;
  if (is_chain(file, task)) {
    std::vector<std::string> segments;
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      segments.push_back(segment_text(file, file.tasks.visit(task, p)).object());
    }
    body.push_back(fmt::format("\"segments\": [\n        {}]", fmt::join(segments, ",\n        ")));
  } else {
    body = graph_lines(file, task);
  }
  return fmt::format("    {{ {},\n      {} }}", head.members(), fmt::join(body, ",\n      "));
}

[[nodiscard]] auto chain_text(const workload_file& file, const chain_facts& c) -> std::string {
  members_text out;
  out.add_word("name", c.name);
  out.add("tasks", array_of(c.tasks, [&](std::uint32_t t) { return json_string(file.tasks.tasks[t].name); }));
  out.add_word("semantics", c.semantics).add_known("reaction", c.reaction).add_known("age", c.age);
  return "    " + out.object();
}

}  // namespace

void print_workload(std::ostream& out, const workload_file& file) {
  std::vector<std::string> tasks;
  for (std::size_t i = 0; i < file.tasks.size(); ++i) { tasks.push_back(task_text(file, i)); }
  out << "{\n  \"format\": \"takt/1\",\n";
  if (!file.name.empty()) { out << "  \"name\": " << json_string(file.name) << ",\n"; }
  out << fmt::format("  \"platform\": {{\n    {}\n  }},\n", fmt::join(board_lines(file), ",\n    "));
  out << fmt::format("  \"tasks\": [\n{}\n  ]", fmt::join(tasks, ",\n"));
  if (!file.chains.empty()) {
    std::vector<std::string> chains;
    for (const chain_facts& c : file.chains) { chains.push_back(chain_text(file, c)); }
    out << fmt::format(",\n  \"chains\": [\n{}\n  ]", fmt::join(chains, ",\n"));
  }
  out << "\n}\n";
}

}  // namespace takt::program
