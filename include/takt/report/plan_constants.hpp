// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/critical_section.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/report/json.hpp>

namespace takt::inline v0 {

namespace report::detail {

/// Hears periods.
struct period_texts {
  std::vector<ticks> period;

  void open(const flow_attributes& t) { period.push_back(t.period); }
  template <class S>
  auto visit(const S& /*asked*/, visit_mask /*before*/) -> visit_mask {
    return 1;
  }
  void hold(mutex_key /*mutex*/, visit_mask /*visits*/) {}
  void refuse(const model_error& /*told by the verdict*/) {}
};

}  // namespace report::detail

/// Writes a verdict and its plan as a C++ header of constants in a namespace of this name. The header includes nothing
/// but `<cstdint>`, so that an embedded build without takt can read it. Where the plan decides nothing of a kind its
/// member is -1. Pre: the verdict is about these tasks; the name is an identifier.
template <VisitSource Tasks, std::size_t N, std::size_t V>
void write_constants(std::ostream& out, std::string_view name, const Tasks& tasks, const verdict<ticks, N, V>& v) {
  report::detail::period_texts all;
  visit_source<Tasks>::each(tasks, all);
  out << "// Made by takt from a plan: " << name_of(v.status) << " (" << v.method << ").\n"
      << "#pragma once\n\n#include <cstdint>\n\nnamespace " << name << " {\n\n"
      << "struct planned_task {\n  const char* name;\n  std::int64_t period_ns;\n  std::int64_t deadline_ns;\n"
      << "  std::int64_t bound_ns;\n  std::int32_t core;\n  std::int32_t priority;  // 0 is the highest\n"
      << "  std::int32_t gpu;\n  std::int32_t sms;\n  std::int32_t percent;\n};\n\n"
      << "inline constexpr bool is_proven = " << (v.schedulable() ? "true" : "false") << ";\n"
      << "inline constexpr planned_task tasks[] = {\n";
  const auto entry = [](const auto& part, std::size_t i, const auto& of) {
    return i < part.size() ? std::to_string(of(part[i])) : std::string{"-1"};
  };
  const auto itself = [](std::int32_t n) { return n; };
  for (std::size_t i = 0; i < v.tasks.size(); ++i) {
    const auto& t = v.tasks[i];
    out << "    {" << report::json_string(t.name) << ", " << all.period[i] << ", " << (t.limited ? t.deadline : -1)
        << ", " << (t.bound.exists ? t.bound.value : -1) << ", " << entry(v.plan.cores, i, itself) << ", "
        << entry(v.plan.priorities, i, itself) << ", "
        << entry(v.plan.shares, i, [](const sm_share& s) { return s.gpu; }) << ", "
        << entry(v.plan.shares, i, [](const sm_share& s) { return s.sms; }) << ", " << entry(v.plan.percents, i, itself)
        << "},\n";
  }
  out << "};\n";
  if (!v.plan.offsets.empty()) {
    out << "inline constexpr std::int64_t visit_offsets_ns[] = {";
    for (std::size_t k = 0; k < v.plan.offsets.size(); ++k) { out << (k == 0 ? "" : ", ") << v.plan.offsets[k]; }
    out << "};\n";
  }
  out << "\n}  // namespace " << name << '\n';
}

}  // namespace takt::inline v0
