// SPDX-License-Identifier: Apache-2.0
#include "policy_study.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <takt/report/comparison_words.hpp>
#include <takt/rules/policies/own_sms.hpp>
#include <takt/rules/policies/policy_keywords.hpp>

#include "../failure.hpp"
#include "../fields.hpp"
#include "../large_stack.hpp"
#include "../policies/policy_input.hpp"

namespace takt::program::sweep {

namespace {

using method = acceptance_method<workload_file>;

/// A method in words.
struct method_words {
  rule_wishes wishes;
  std::string analysis;

  [[nodiscard]] auto text() const -> std::string {
    return fmt::format("{}@{}{}{}", wishes.policy, wishes.cpus, analysis.empty() ? "" : "/", analysis);
  }
};

void require_analysis(const method_words& m) {
  if (m.analysis.empty()) { return; }
  const auto names = analysis_names();
  if (std::ranges::find(names, m.analysis) == names.end()) {
    throw input_error{
        "methods", fmt::format("\"{}\" is no analysis, the nearest is \"{}\"", m.analysis, nearest(m.analysis, names)),
        fmt::format("{}", fmt::join(names, ", "))};
  }
  const std::string_view policy = split_policy(m.wishes.policy).name;
  if (policy != federated_policy::name && policy != federated_shared_policy::name) {
    throw input_error{"methods", fmt::format("{} has no analysis to choose", m.wishes.policy),
                      fmt::format("{} or {} before the slash", federated_policy::name, federated_shared_policy::name)};
  }
}

/// From "federated@edf/rtgpu".
[[nodiscard]] auto read_method(const std::string& text) -> method_words {
  method_words out;
  const std::size_t at = text.find('@');
  if (at == std::string::npos) {
    throw input_error{"methods", fmt::format("\"{}\" names no rule of processors", text),
                      "POLICY@RULE such as federated@edf, or all@edf"};
  }
  const std::size_t slash = text.find('/', at);
  out.wishes = {text.substr(0, at), text.substr(at + 1, slash == std::string::npos ? slash : slash - at - 1)};
  if (slash != std::string::npos) { out.analysis = text.substr(slash + 1); }
  if (out.wishes.policy != "all") { require_policy("methods", out.wishes.policy); }
  require_cpu_rule("methods", out.wishes.cpus);
  require_analysis(out);
  return out;
}

[[nodiscard]] auto read_methods(const settings& s) -> std::vector<method_words> {
  std::vector<method_words> out;
  for (const std::string& text : s.texts("methods")) {
    const method_words one = read_method(text);
    if (one.wishes.policy != "all") {
      out.push_back(one);
      continue;
    }
    for (const std::string_view policy : policy_names()) {
      out.push_back({{std::string{policy}, one.wishes.cpus}, one.analysis});
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (out[i].text() == out[j].text()) {
        throw input_error{"methods", fmt::format("{} is there twice", out[i].text()), "each once"};
      }
    }
  }
  return out;
}

/// What a policy makes of a set. No clock ends a search, so that it is the same everywhere.
[[nodiscard]] auto judge(const workload_file& file, const method_words& m, std::uint64_t effort)
    -> std::unique_ptr<judged_policy> {
  policy_input input = input_of(file, m.wishes);
  input.question.begin_search = {};
  input.question.most_evaluations = effort;
  input.question.analysis = m.analysis;
  return judge_file(file, input);
}

/// Throws where a policy cannot judge the sets of a generator: they would all count as not accepted.
void require_judgement(const workload_file& file, const method_words& m, std::uint64_t effort) {
  std::string why;
  on_large_stack([&] {
    try {
      const auto found = judge(file, m, effort);
      if (found == nullptr) {
        why = "times are out of range";
      } else if (const auto lacking = missing_of(file, *found); !lacking.empty()) {
        why = fmt::format("{}", fmt::join(report::missing_clauses(lacking), "; "));
      } else if (!found->judged) {
        const input_error e = explain_fault(file, found->verdict.error);
        why = fmt::format("{}: {}", e.where, e.problem);
      }
    } catch (const input_error& e) { why = fmt::format("{}: {}", e.where, e.problem); }
  });
  if (!why.empty()) {
    throw input_error{"methods", fmt::format("{} cannot judge these sets: {}", m.text(), why),
                      "methods for the sets of this generator; generator blocks has sets for all of them"};
  }
}

}  // namespace

auto policy_study(std::string name, std::string title, const file_generator& generator, const std::string& methods,
                  std::vector<parameter> values) -> study {
  acceptance_study<workload_file> out;
  out.name = std::move(name);
  out.title = std::move(title);
  out.generator = generator;
  out.parameters = with({{"methods", methods, "POLICY@RULE or POLICY@RULE/ANALYSIS, A,B,..; the policy all: every one"},
                         {"effort", "2000", "task analyses after which the search for a plan is undecided", 1}},
                        std::move(values));
  out.generator.prepare = [prepare = generator.prepare](const settings& s) {
    auto draw = prepare(s);
    const auto set = draw(s.levels("levels").front(), 0);
    const auto effort = s.number<std::uint64_t>("effort");
    for (const method_words& m : read_methods(s)) { require_judgement(*set, m, effort); }
    return draw;
  };
  out.methods = [](const settings& s) {
    std::vector<method> all;
    const auto effort = s.number<std::uint64_t>("effort");
    const auto words = read_methods(s);
    const bool same_rule = std::ranges::all_of(
        words, [&](const method_words& m) { return m.wishes.cpus == words[0].wishes.cpus && m.analysis.empty(); });
    for (const method_words& m : words) {
      const auto accepts = [m, effort](const workload_file& file) {
        const auto found = judge(file, m, effort);
        return found != nullptr && found->judged && found->verdict.schedulable();
      };
      all.push_back({m.text(), same_rule ? m.wishes.policy : m.text(), accepts});
    }
    return all;
  };
  study made = out.as_study();
  made.fill = [fill = made.fill](const settings& s, experiment& e) {
    fill(s, e);
    // One large stack for all sets of a unit.
    e.count = [count = e.count](const unit& u, row counts) { on_large_stack([&] { count(u, counts); }); };
  };
  return made;
}

auto policy_studies() -> std::vector<study> {
  return {policy_study("policies", "every way of sharing the GPU on the same random sets, over their utilization",
                       find_generator("", "blocks"), "all@deadline-monotonic", {{"sets", "200", ""}})};
}

}  // namespace takt::program::sweep
