// SPDX-License-Identifier: Apache-2.0
#include "cpp_program.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <takt/rules/policies/policy_keywords.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/rules/policies/whole_gpu.hpp>

#include "cpp_chains.hpp"
#include "cpp_rules.hpp"
#include "cpp_tasks.hpp"
#include "cpp_text.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr string_view main_begin = R"(
auto main() -> int {
  const auto found = judge();
  const auto& verdict = found.verdict;
  if (!found.judged) {
    std::cerr << (verdict.error ? takt::report::explain_fault(verdict.error) : "facts are missing") << '\n';
    for (const auto& m : found.missing) { std::cerr << "missing: " << m.fact << '\n'; }
    return 3;
  }
  takt::explain(std::cout, verdict);
)";
constexpr string_view main_end =
    R"(  std::cout << "\nverdict: " << name_of(verdict.status) << " (" << verdict.method << ")\n";
  for (const auto& miss : takt::report::compared_misses(found.misses, verdict.tasks)) {
    std::cout << "  a deadline must be missed: " << miss.clause << '\n';
  }
  if (verdict.schedulable()) { return 0; }
  return verdict.status == takt::verdict_status::unschedulable ? 1 : 2;
}
)";

class program_writer {
 public:
  program_writer(const workload_file& file, const rule_wishes& wishes, const policy_input& input,
                 const judged_policy& found)
      : file_{file}, wishes_{wishes}, input_{input}, found_{found}, tasks_{chosen_tasks(file, input)} {}

  [[nodiscard]] auto write() -> std::string {
    add_board();
    add_tasks();
    add_rules();
    add_effects();
    add_plan();
    add_judge();
    add_chains();
    add_main();
    return head() + body_;
  }

 private:
  [[nodiscard]] auto head() const -> std::string {
    std::string out = cpp_comment(fmt::format("{}: what takt says of these tasks on this board.",
                                              file_.name.empty() ? "A task set" : file_.name));
    for (const std::string& words : words_of_file(file_)) { out += cpp_comment("Note: " + words); }
    for (const std::string& left : left_out()) { out += cpp_comment(left); }
    std::set<std::string> headers{"takt/allocation/policies/judge_any.hpp",
                                  "takt/compare.hpp",
                                  "takt/report/explain.hpp",
                                  "takt/report/fault_words.hpp",
                                  "takt/report/miss_words.hpp",
                                  "takt/systems/policies.hpp"};
    headers.insert(headers_.begin(), headers_.end());
    std::set<std::string> standard{"iostream"};
    const auto add_where = [&](string_view used, const char* header) {
      if (body_.find(used) != std::string::npos) { standard.insert(header); }
    };
    add_where("std::array", "array");
    add_where("std::numeric_limits", "limits");
    add_where("std::int32_t", "cstdint");
    add_where("std::remove_c", "type_traits");
    add_where("std::size_t", "cstddef");
    add_where("std::string_view", "string_view");
    for (const std::string& h : standard) { out += fmt::format("#include <{}>\n", h); }
    out += '\n';
    for (const std::string& h : headers) { out += fmt::format("#include <{}>\n", h); }
    return out + "\nusing namespace takt::literals;\n\n";
  }

  /// Of the file, what no verdict reads, and names that C++ has none for.
  [[nodiscard]] auto left_out() const -> std::vector<std::string> {
    std::vector<std::string> out;
    const auto any = [&](const auto& said) { return std::ranges::any_of(file_.more, said); };
    const auto add = [&](bool is_said, const char* sentence) {
      if (is_said) { out.emplace_back(sentence); }
    };
    const bool some_offsets =
        std::ranges::any_of(file_.tasks.tasks, [](const runtime_task& t) { return t.offset != 0 && !t.strict; });
    add(file_.chains.empty() && some_offsets, "Left out: offsets of first releases. Verdicts are about any releases.");
    add(any([](const task_facts& t) { return t.share.has_value(); }),
        "Left out: shares that tasks ask for, which no proof reads.");
    add(any([](const task_facts& t) { return t.requests.has_value(); }),
        "Left out: requests of a job, which no proof reads.");
    add(!input_.question.engines && any([](const task_facts& t) { return t.gpu_cluster.has_value(); }),
        "Left out: clusters of GPUs, which this policy does not know.");
    add(!input_.question.engines &&
            std::ranges::any_of(file_.gpus, [](const gpu_facts& g) { return g.copies.has_value(); }),
        "Left out: the copy model. Copies below have the times that it gives their bytes.");
    add(!input_.question.granted && any([](const task_facts& t) { return t.weight.has_value(); }),
        "Left out: priorities on a GPU with shares, which lasting shares do not read.");
    if (!file_.cores.empty()) {
      std::string names;
      for (const core_facts& c : file_.cores) {
        names += (names.empty() ? "" : ", ") + (c.name.empty() ? c.type : c.name);
      }
      out.push_back("Cores, from 0: " + names + ".");
    }
    std::string variants;
    for (std::size_t i = 0; i < file_.more.size(); ++i) {
      if (file_.more[i].variant.empty()) { continue; }
      variants +=
          fmt::format("{}{} {}", variants.empty() ? "" : ", ", file_.tasks.tasks[i].name, file_.more[i].variant);
    }
    if (!variants.empty()) { out.push_back("Variants that are chosen: " + variants + "."); }
    return out;
  }

  void add_board() { body_ += cpp_board(file_) + '\n'; }

  void add_tasks() {
    const bool overlap = split_policy(input_.question.policy).name == fifo_blocks_policy::name &&
                         is_cluster_keyword(input_.question.cpus);
    body_ += cpp_tasks(file_, *tasks_, overlap) + '\n';
  }

  void add_rules() {
    body_ += cpp_policy(file_, input_);
    body_ += fmt::format("constexpr auto rule = {};  // of the processors\n", cpp_cpu_rule(input_));
  }

  /// What other tasks and the operating system add to times.
  void add_effects() {
    if (input_.alone) {
      headers_.insert("takt/model/with_contention.hpp");
      body_ += "\n/// How much kernels of a task are slowed by those of another one, in parts per million.\n";
      body_ += fmt::format(
          "constexpr auto contention = [] {{\n  takt::contention_matrix<described.max_tasks> out;\n{}  return out;\n"
          "}}();\n",
          cpp_contention(file_, "out"));
      body_ += "/// Kernels as long as they are while all other tasks press on the GPU.\n";
      body_ += "constexpr auto pressed = takt::with_contention(described, contention).tasks;\n";
      judged_ = "pressed";
    }
    if (input_.has_overheads) {
      headers_.insert("takt/analysis/with_overheads.hpp");
      headers_.insert("takt/report/policies/policy_input.hpp");
      const bool host = handover_under(published_policies, input_.question.policy) == kernel_handover::host;
      body_ += "\n/// What the operating system takes.\n";
      body_ += fmt::format(
          "constexpr auto overheads = [] {{\n  takt::gpusync_overheads<takt::ticks> out;\n{}  return out;\n}}();\n",
          cpp_overheads(file_, "out"));
      body_ += fmt::format(
          "constexpr auto charged = takt::with_overheads({}, overheads, takt::kernel_handover::{}).tasks;\n", judged_,
          host ? "host" : "hardware");
      judged_ = "charged";
    }
  }

  void add_plan() {
    const auto& given = input_.question.given;
    if (!given) { return; }
    body_ += "\n/// The plan, in place of one that is looked for.\n";
    body_ += "constexpr auto given = [] {\n  takt::plan<described.max_tasks, described.max_visits> out;\n";
    for (const sm_share& s : given->shares) {
      body_ += fmt::format("  out.shares.unchecked_push_back({{.gpu = {}, .sms = {}}});\n", s.gpu, s.sms);
    }
    for (const std::int32_t percent : given->percents) {
      body_ += fmt::format("  out.percents.unchecked_push_back({});\n", percent);
    }
    for (const ticks t : given->offsets) {
      body_ += fmt::format("  out.offsets.unchecked_push_back({});\n", cpp_ticks(t));
    }
    for (const ticks t : given->local_deadlines) {
      body_ += fmt::format("  out.local_deadlines.unchecked_push_back({});\n", cpp_ticks(t));
    }
    for (const std::int32_t n : given->instances) {
      body_ += fmt::format("  out.instances.unchecked_push_back({});\n", n);
    }
    body_ += "  return out;\n}();\n";
  }

  [[nodiscard]] auto call_of(string_view tasks) const -> std::string {
    return fmt::format("takt::judge_at_run_time<takt::published_judges>(policy, rule, {}, board{})", tasks,
                       input_.question.given
                           ? fmt::format(", takt::default_share_rounds, {{&given, {}}}", input_.question.may_guard)
                           : "");
  }

  void add_judge() {
    body_ += "\n/// What is proven of the tasks, and under which plan.\n";
    body_ += "auto judge() {\n";
    if (input_.question.granted || input_.question.overlapping_graphs) {
      headers_.insert("takt/allocation/policies/judge_board.hpp");
      body_ +=
          "  using method = takt::known_under<std::remove_const_t<decltype(policy)>, "
          "std::remove_const_t<decltype(rule)>, takt::published_judges>;\n";
      body_ += "  takt::board_verdict<described.max_tasks, described.max_visits> found;\n";
      const bool planned = input_.question.decided().says_more();
      body_ += fmt::format("  found.verdict = method::judge{}(policy, rule, {}, board{});\n", planned ? "_under" : "",
                           judged_, planned ? ", given" : "");
      body_ += "  found.judged = !found.verdict.error;\n";
    } else {
      const bool is_all =
          !input_.alone && !input_.has_overheads && !are_whole_kernels() && !asks_for_runs(input_, wishes_, found_);
      if (is_all) {
        body_ += fmt::format("  return {};\n}}\n", call_of(judged_));
        return;
      }
      body_ += fmt::format("  auto found = {};\n", call_of(judged_));
    }
    if (are_whole_kernels()) { add_bounds_of_method(); }
    add_corrections();
    body_ += "  return found;\n}\n";
  }

  /// Whether all tasks are one kernel each, and a method of whole kernels says what is known of them.
  [[nodiscard]] auto are_whole_kernels() const -> bool {
    constexpr std::array kernels{levels_policy::name, slots_policy::name, gang_policy::name, whole_gpu_policy::name};
    return found_.explain && std::ranges::find(kernels, split_policy(input_.question.policy).name) != kernels.end() &&
           std::ranges::all_of(tasks_->tasks, [&](const runtime_task& t) {
             return t.visit_count == 1 && tasks_->visits[t.first_visit].where == resource_kind::gpu;
           });
  }

  void add_bounds_of_method() {
    headers_.insert("takt/systems/methods.hpp");
    body_ += "  // Tests that only decide have no bounds: comparisons put deadlines there.\n";
    body_ +=
        "  using known = takt::known_under<std::remove_cvref_t<decltype(found.policy)>, "
        "std::remove_const_t<decltype(rule)>, takt::published_judges>;\n";
    body_ += "  const auto take_bounds = [&](const auto& platform, const auto& kernels) {\n";
    body_ += "    const auto own = takt::analyze(platform, kernels, takt::published_methods);\n";
    body_ += "    for (std::size_t i = 0; own.method == found.verdict.method && i < own.tasks.size(); ++i) {\n";
    body_ += "      found.verdict.tasks[i].bound = own.tasks[i].bound;\n    }\n  };\n";
    body_ +=
        fmt::format("  static_cast<void>(known::with_board(found.policy, rule, {}, board, take_bounds));\n", judged_);
  }

  void add_corrections() {
    if (input_.alone) {
      body_ += "  // Contention is an upper bound, so that a deadline is missed is proven without it.\n";
      body_ += "  if (found.verdict.status == takt::verdict_status::unschedulable) {\n";
      body_ += fmt::format("    const auto apart = {};\n", call_of("described"));
      body_ += "    if (apart.verdict.status != found.verdict.status) {\n";
      body_ +=
          "      found.verdict.status = takt::verdict_status::not_proven;\n      found.misses.clear();\n    }\n  }\n";
    }
    if (input_.has_overheads) {
      body_ += "  takt::report::drop_closed_part(found.verdict);\n";
      if (input_.timers_are_late) { body_ += "  takt::report::drop_guards(found.verdict);\n"; }
    }
    if (!asks_for_runs(input_, wishes_, found_)) { return; }
    headers_.insert("takt/report/counterexample_words.hpp");
    body_ += "  // Where nothing is proven, runs that miss a deadline under every plan are a proof, too.\n";
    body_ += "  if (found.verdict.status == takt::verdict_status::not_proven) {\n";
    body_ += "    const auto pools = takt::any_board_of<described.max_visits>(found.policy, board, rule);\n";
    body_ +=
        fmt::format("    const auto broken = takt::report::break_plans(pools, {}, found.verdict.plan);\n", judged_);
    body_ += "    if (broken.all()) { found.verdict.status = takt::verdict_status::unschedulable; }\n  }\n";
  }

  /// The tasks by which one asks whether jobs of a task wait for those of another; empty where none may.
  [[nodiscard]] auto wait_for_each_other() const -> std::string {
    return found_.waiting && !file_.overheads ? judged_ : std::string{};
  }

  void add_chains() {
    if (file_.chains.empty()) { return; }
    headers_.insert({"takt/analysis/cause_effect/chain_latency.hpp", "takt/report/format_duration.hpp"});
    const std::string tasks = wait_for_each_other();
    if (!tasks.empty()) { headers_.insert("takt/analysis/cause_effect/waiting_consumers.hpp"); }
    body_ += '\n' + cpp_chains(file_, tasks);
  }

  void add_main() {
    body_ += main_begin;
    if (!file_.chains.empty()) { body_ += "  print_chains(found);\n"; }
    body_ += main_end;
  }

  const workload_file& file_;
  const rule_wishes& wishes_;
  const policy_input& input_;
  const judged_policy& found_;
  std::unique_ptr<file_tasks> tasks_;
  std::string body_;
  std::set<std::string> headers_;
  std::string judged_ = "described";  ///< the tasks that are judged
};

}  // namespace

auto cpp_program(const workload_file& file, const rule_wishes& wishes, const policy_input& input,
                 const judged_policy& found) -> std::string {
  return program_writer{file, wishes, input, found}.write();
}

}  // namespace takt::program
