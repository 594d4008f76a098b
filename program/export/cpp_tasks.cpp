// SPDX-License-Identifier: Apache-2.0
#include "cpp_tasks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <takt/model/validate.hpp>

#include "cpp_kernel.hpp"
#include "cpp_text.hpp"

namespace takt::program {

namespace {

using std::string_view;

[[nodiscard]] auto duration_call(string_view name, ticks time) -> cpp_term {
  return cpp_call(fmt::format("takt::{}", name), {cpp_word(cpp_duration(time))});
}

class task_writer {
 public:
  task_writer(const workload_file& file, const file_tasks& tasks, bool overlap)
      : tasks_{tasks}, overlap_{overlap}, own_{cpp_own_resources(file)} {
    whole_ = std::ranges::all_of(tasks.tasks, [&](const runtime_task& t) {
      return t.visit_count == 1 && t.core == unassigned_core && t.jitter == 0 &&
             is_whole_kernel(tasks.visits[t.first_visit]);
    });
  }

  [[nodiscard]] auto write() -> std::string {
    std::string out;
    for (const std::string& name : own_) { out += fmt::format("struct {} {{}};\n", name); }
    if (!own_.empty()) { out += '\n'; }
    cpp_term set = cpp_call("takt::task_set", {});
    for (std::size_t i = 0; i < tasks_.size(); ++i) { set.arguments.push_back(task(i)); }
    set.in_rows = set.arguments.size() > 1;
    out += "constexpr auto tasks = ";
    out += cpp_text(set, 0, 24) + ";\n\n";
    if (overlap_) {
      rest_.emplace_back("// Any number of jobs of a step may run at a time.");
      rest_.emplace_back("for (auto& v : out.visits) { v.parallelism = std::numeric_limits<std::int32_t>::max(); }");
    }
    for (std::size_t i = 0; i < tasks_.size(); ++i) { add_rest_of_task(i); }
    const std::string describe = fmt::format("takt::to_runtime_tasks{}(tasks)", types());
    if (rest_.empty()) { return out + fmt::format("constexpr auto described = {}.tasks;\n", describe); }
    out += "/// The same tasks as values, with what a task set has no word for.\n";
    out += fmt::format("constexpr auto described = [] {{\n  auto out = {}.tasks;\n", describe);
    for (const std::string& line : rest_) { out += "  " + line + '\n'; }
    return out + "  return out;\n}();\n";
  }

 private:
  [[nodiscard]] auto types() const -> std::string {
    return own_.empty() ? "" : fmt::format("<{}>", fmt::join(own_, ", "));
  }

  [[nodiscard]] auto task(std::size_t i) -> cpp_term {
    const runtime_task& t = tasks_.tasks[i];
    cpp_term out = cpp_call("takt::task", {cpp_word(cpp_quoted(t.name)), duration_call("period", t.period)});
    auto& parts = out.arguments;
    if (t.limited && t.deadline < t.period) { parts.push_back(duration_call("deadline", t.deadline)); }
    if (t.priority != no_priority) { parts.push_back(cpp_word(fmt::format("takt::priority({})", t.priority))); }
    if (t.core != unassigned_core) { parts.push_back(cpp_word(fmt::format("takt::on_core({})", t.core))); }
    if (t.jitter != 0) { parts.push_back(duration_call("release_jitter", t.jitter)); }
    if (t.strict) { parts.push_back(duration_call("strictly_periodic", t.offset)); }
    for (std::uint32_t p = 0; p < t.visit_count; ++p) { parts.push_back(segment(tasks_.visit(i, p))); }
    return out;
  }

  [[nodiscard]] auto segment(const runtime_visit& v) -> cpp_term {
    cpp_term out;
    switch (v.where) {
      case resource_kind::processor: out = cpp_call("takt::cpu", cpp_span(v.time)); break;
      case resource_kind::copy_engine:
        out = cpp_call("takt::copy", cpp_span(v.time));
        if (v.direction != copy_direction::unspecified) {
          out.arguments.push_back(cpp_word(v.direction == to_device ? "takt::to_device" : "takt::to_host"));
        }
        break;
      case resource_kind::gpu: return named(v, cpp_kernel(tasks_, v, whole_, !v.name.empty()));
      case resource_kind::own:
        out = cpp_call(fmt::format("takt::visit<{}>", own_[v.own]), {cpp_call("takt::takes", cpp_span(v.time))});
        break;
    }
    return named(v, std::move(out));
  }
  [[nodiscard]] static auto named(const runtime_visit& v, cpp_term segment) -> cpp_term {
    if (v.name.empty()) { return segment; }
    return cpp_call("takt::named", {cpp_word(cpp_quoted(v.name)), std::move(segment)});
  }

  void add_rest_of_task(std::size_t i) {
    const runtime_task& t = tasks_.tasks[i];
    const std::string at = fmt::format("out.tasks[{}]", i);
    const std::size_t before = rest_.size();
    if (!t.limited) { rest_.push_back(at + ".limited = false;"); }
    if (t.limited && t.deadline > t.period) { rest_.push_back(at + ".deadline = " + cpp_ticks(t.deadline) + ";"); }
    if (t.gpu != unassigned_core) { rest_.push_back(fmt::format("{}.gpu = {};", at, t.gpu)); }
    if (t.memory != 0) { rest_.push_back(fmt::format("{}.memory = {};", at, cpp_number(t.memory))); }
    for (std::uint32_t p = 0; p < t.visit_count; ++p) { add_rest_of_visit(t.first_visit + p, p); }
    for (const runtime_edge& e : tasks_.history) {
      if (e.task != i) { continue; }
      rest_.push_back(fmt::format("out.history.unchecked_push_back({{.task = {}, .from = {}, .to = {}, .lag = {}}});",
                                  e.task, e.from, e.to, e.lag));
    }
    if (rest_.size() > before) {
      std::string name = cpp_comment(t.name);
      if (!name.empty()) { name.pop_back(); }
      for (std::size_t line = name.find('\n'); line != std::string::npos; line = name.find('\n', line + 3)) {
        name.insert(line + 1, "  ");
      }
      if (!name.empty()) { rest_.insert(rest_.begin() + static_cast<std::ptrdiff_t>(before), std::move(name)); }
    }
  }

  void add_rest_of_visit(std::uint32_t index, std::uint32_t position) {
    const runtime_visit& v = tasks_.visits[index];
    const std::string at = fmt::format("out.visits[{}]", index);
    const visit_mask previous = position == 0 ? 0 : visit_mask{1} << (position - 1);
    const auto say = [&](string_view field, const std::string& value) {
      rest_.push_back(fmt::format("{}.{} = {};", at, field, value));
    };
    if (v.predecessors != previous) {
      say("predecessors", mask(v.predecessors));
      rest_.back() += names_before(index - position, v);
    }
    if (v.in_section) { say("in_section", "true"); }
    const bool unlimited = v.parallelism == any_parallelism;
    if (!unlimited && v.parallelism != most_alike()) { say("parallelism", std::to_string(v.parallelism)); }
    if (v.point != 0) { say("point", cpp_ticks(v.point)); }
    if (v.region != 0) { say("region", cpp_ticks(v.region)); }
    if (v.bytes != 0) { say("bytes", cpp_number(v.bytes)); }
    if (v.state != 0) { say("state", cpp_number(v.state)); }
    if (v.where != resource_kind::gpu && !v.known.has(visit_fact::time)) {
      rest_.push_back(at + ".known.remove(takt::visit_fact::time);");
    }
    for (const auto& [fact, word] : {std::pair{visit_fact::bytes, "bytes"}, std::pair{visit_fact::state, "state"}}) {
      if (v.known.has(fact)) { rest_.push_back(fmt::format("{}.known.add(takt::visit_fact::{});", at, word)); }
    }
    if (!v.known.has(visit_fact::pinning) || has_own_sm(v)) { return; }
    rest_.push_back(at + ".known.add(takt::visit_fact::pinning);");
    if (!needs_all_cores(v.width)) { say("width", "takt::kernel_width::one_core"); }
    if (v.sm != unassigned_core) { say("sm", std::to_string(v.sm)); }
  }

  /// "0b101", of positions within the task.
  [[nodiscard]] static auto mask(visit_mask m) -> std::string { return m == 0 ? "0" : fmt::format("0b{:b}", m); }
  /// "  // track after detect, flow", where nodes have names that fit there.
  [[nodiscard]] auto names_before(std::uint32_t first, const runtime_visit& v) const -> std::string {
    std::string before;
    for (std::uint32_t p = 0; p < max_visits_of_task; ++p) {
      if ((v.predecessors >> p & 1U) == 0) { continue; }
      before += fmt::format("{}{}", before.empty() ? "" : ", ", tasks_.visits[first + p].name);
    }
    const std::string words = cpp_comment(fmt::format("{} after {}", v.name, before.empty() ? "nothing" : before));
    constexpr std::size_t most_words = 60;
    if (v.name.empty() || words.size() > most_words) { return ""; }
    return "  " + words.substr(0, words.size() - 1);
  }
  /// What a step says that says nothing else.
  [[nodiscard]] auto most_alike() const -> std::int64_t { return overlap_ ? any_parallelism : 1; }

  const file_tasks& tasks_;
  bool overlap_;
  std::vector<std::string> own_;
  bool whole_ = false;  ///< all tasks are kernels of an accelerator
  std::vector<std::string> rest_;
};

}  // namespace

auto chosen_tasks(const workload_file& file, const policy_input& input) -> std::unique_ptr<file_tasks> {
  auto out = std::make_unique<file_tasks>(file.tasks);
  for (std::size_t i = 0; i < out->size(); ++i) {
    out->tasks[i].core = input.tasks->tasks[i].core;
    out->tasks[i].gpu = input.tasks->tasks[i].gpu;
  }
  for (std::size_t v = 0; v < out->visits.size(); ++v) { out->visits[v].sm = input.tasks->visits[v].sm; }
  return out;
}

auto cpp_own_resources(const workload_file& file) -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const own_hardware& o : file.board.own) {
    std::string name = cpp_name(o.name, "resource");
    while (std::ranges::find(out, name) != out.end()) { name += fmt::format("_{}", out.size()); }
    out.push_back(std::move(name));
  }
  return out;
}

auto cpp_tasks(const workload_file& file, const file_tasks& tasks, bool overlap) -> std::string {
  return task_writer{file, tasks, overlap}.write();
}

}  // namespace takt::program
