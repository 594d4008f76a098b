// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include <takt/analysis/methods/gel/as_published.hpp>
#include <takt/analysis/methods/gel/compliant_vector.hpp>
#include <takt/analysis/methods/gel/devi_anderson.hpp>
#include <takt/analysis/methods/gel/uniprocessor.hpp>

#include "gel_numbers.hpp"
#include "suite.hpp"

namespace takt_vectors {
namespace {

namespace an = takt::analysis;
using an::devi_form;
using takt::gel_policy;

[[nodiscard]] auto utilization(const gel_set<exact>& set) -> exact {
  exact sum(0);
  for (const auto& t : set.tasks) { sum += t.wcet / t.period; }
  return sum;
}

template <class Member>
[[nodiscard]] auto column(const exact_bounds& bounds, const Member& member) -> json {
  json out = json::array();
  for (const auto& row : bounds.tasks) { out.push_back(to_json(exact(member(row)))); }
  return out;
}
[[nodiscard]] auto lateness_of(const exact_bounds& bounds) -> json {
  return column(bounds, [](const auto& row) { return row.lateness; });
}

/// With negative points, of which there is a case, the recorded bounds are the printed ones.
[[nodiscard]] auto compliant(const gel_set<exact>& set, std::int32_t processors, gel_policy policy, answer& out)
    -> json {
  bool negative = false;
  for (const auto& t : set.tasks) { negative = negative || takt::relative_point(policy, t, processors) < 0; }
  const auto bounds = checked(
      set,
      [&](const auto& s) {
        return negative ? an::as_published::compliant_vector(s, processors, policy)
                        : an::compliant_vector(s, processors, policy);
      },
      out.complaint);
  if (!bounds.bounded()) { return {}; }
  return {{"s", to_json(bounds.s)},
          {"lateness", lateness_of(bounds)},
          {"response", column(bounds, [](const auto& row) { return row.response; })},
          {"y", column(bounds, [](const auto& row) { return row.point; })}};
}

/// A sufficient or exact test on all number types.
template <class Test>
[[nodiscard]] auto accepts(const gel_set<exact>& set, const Test& test, answer& out) -> bool {
  const auto status = test(set);
  if (test(converted<takt::rational>(set)) != status || test(converted<takt::ticks>(set)) != status) {
    out.complaint = "number types disagree on a test of one processor";
  }
  return status == takt::verdict_status::schedulable;
}

void add_implicit(answer& out, const gel_set<exact>& set, std::int32_t processors) {
  out.value["ll_rm_uni"] = accepts(set, [](const auto& s) { return an::liu_layland(s); }, out);
  out.value["hyperbolic_rm_uni"] = accepts(set, [](const auto& s) { return an::hyperbolic(s); }, out);
  out.value["edf_uni"] = accepts(set, [](const auto& s) { return an::edf_utilization(s); }, out);
  const std::pair<std::string, devi_form> forms[]{
      {"devi_m", devi_form::processors}, {"devi_mhat", devi_form::busy_processors}, {"devi_mixed", devi_form::mixed}};
  json least;
  for (const auto& [name, form] : forms) {
    const auto bounds = checked(
        set, [&, chosen = form](const auto& s) { return an::devi_anderson(s, processors, chosen); }, out.complaint);
    const json list = bounds.bounded() ? lateness_of(bounds) : json{};
    out.value[name] = list;
    if (least.is_null()) { least = list; }
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (exact_value(list[i]).value() < exact_value(least[i]).value()) { least[i] = list[i]; }
    }
  }
  const auto best = checked(set, [&](const auto& s) { return an::devi_anderson_best(s, processors); }, out.complaint);
  out.value["devi_best"] = best.bounded() ? lateness_of(best) : json{};
  if (utilization(set) <= 1 && best.bounded()) {  // takt knows better: there is no tardiness at all
    for (const auto& row : best.tasks) {
      if (row.lateness != 0) { out.complaint = "tardiness with U <= 1"; }
    }
    out.value["devi_best"] = least;
  }
}

/// Kind `tests` of `gpusync_design`.
[[nodiscard]] auto tests(const field& input) -> answer {
  gel_set<exact> set;
  bool implicit = true;
  const field tasks = input.at("tasks");
  for (const field t : tasks) {
    const auto number = [&](const char* name) { return t.at(name).get<exact>(); };
    tasks.must_fit(set.add({.wcet = number("e"), .period = number("p"), .deadline = number("d")}), max_gel_tasks);
    implicit = implicit && number("p") == number("d");
  }
  const auto processors = input.at("m").get<std::int32_t>();
  answer out{json::object(), {}};
  out.value["U"] = to_json(utilization(set));
  out.value["srt"] = an::detail::bounded_response(set, processors) == an::gel_status::bounded;
  out.value["cva_edf"] = compliant(set, processors, gel_policy::earliest_deadline, out);
  out.value["cva_fl"] = compliant(set, processors, gel_policy::fair_lateness, out);
  if (implicit) { add_implicit(out, set, processors); }
  return out;
}

/// Kind `cva` of `gpusync_analysis`.
[[nodiscard]] auto cva(const field& wrapped) -> answer {
  const field input = wrapped.at("cva");
  gel_set<exact> set;
  gel_set<exact> implicit;
  const field tasks = input.at("tasks");
  for (const field t : tasks) {
    const auto number = [&](std::size_t i) { return t.at(i).get<exact>(); };
    tasks.must_fit(set.add({.wcet = number(1), .period = number(2), .deadline = number(3)}) &&
                       implicit.add({.wcet = number(1), .period = number(2), .deadline = number(2)}),
                   max_gel_tasks);
  }
  const auto processors = input.at("m").get<std::int32_t>();
  const auto policy = input.word("sched", gel_policy::earliest_deadline,
                                 {{"EDF", gel_policy::earliest_deadline}, {"FL", gel_policy::fair_lateness}});
  answer out{json::object(), {}};
  const auto bounds =
      checked(set, [&](const auto& s) { return an::compliant_vector(s, processors, policy); }, out.complaint);
  out.value["bounded"] = bounds.bounded();
  if (!bounds.bounded()) { return out; }
  const auto devi = an::devi_anderson(implicit, processors, devi_form::busy_processors);
  const auto best = an::devi_anderson_best(implicit, processors);
  out.value["s"] = to_json(bounds.s);
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto& row = bounds.tasks[i];
    const bool one = utilization(set) <= 1;
    out.value["tasks"][tasks.at(i).at(0).key()] = {
        {"y", to_json(row.point)},
        {"x", to_json(row.x)},
        {"r", to_json(row.response)},
        {"lateness", to_json(row.lateness)},
        {"devi_tardiness", to_json((one ? best : devi).tasks[i].tardiness())}};
  }
  return out;
}

}  // namespace

void add_gpusync_tardiness_design(suite& kinds) { kinds["tests"] = tests; }
void add_gpusync_tardiness_analysis(suite& kinds) { kinds["cva"] = cva; }

}  // namespace takt_vectors
