// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <takt/report/fault_text.hpp>
#include <takt/systems/accelerators/analysis/as_published.hpp>
#include <takt/systems/accelerators/analysis/single_stream_fixed_priority.hpp>
#include <takt/systems/accelerators/analysis/slot_simulated_edf.hpp>
#include <takt/systems/accelerators/analysis/two_slots.hpp>
#include <takt/systems/accelerators/plans/slot_design.hpp>

#include "accelerator_simulation.hpp"
#include "suite.hpp"

namespace takt_vectors {
namespace {

namespace an = takt::analysis;
using takt::preemption_cost_model;

constexpr std::size_t max_tasks = 64;
template <class Number>
using table_of = takt::task_rows<takt::accelerator_task<Number>, max_tasks>;
template <class Number>
using slot_of = takt::slot_reservation<Number>;

[[nodiscard]] auto to_json(const takt::rational& value) -> json {
  return takt_vectors::to_json(exact(value.numerator()) / value.denominator());
}
using takt_vectors::to_json;

template <class Number>
[[nodiscard]] auto number_from(const exact& value) -> Number {
  const auto top = static_cast<std::int64_t>(numerator(value));
  const auto bottom = static_cast<std::int64_t>(denominator(value));
  if constexpr (std::is_same_v<Number, exact>) {
    return value;
  } else if constexpr (std::is_same_v<Number, takt::rational>) {
    return {top, bottom};
  } else {
    if (bottom != 1) { throw std::invalid_argument("not a whole number"); }
    return top;
  }
}
template <class Number>
[[nodiscard]] auto number_in(const field& value) -> Number {
  return number_from<Number>(value.get<exact>());
}
[[nodiscard]] auto exact_from(const exact& value) -> exact { return value; }
[[nodiscard]] auto exact_from(const takt::rational& value) -> exact {
  return exact(value.numerator()) / value.denominator();
}

/// Only a task that needs one core can be pinned to it, and not before cores are chosen.
template <class Number>
[[nodiscard]] auto read_tasks(const field& input) -> table_of<Number> {
  table_of<Number> table;
  const field tasks = input.at("tasks");
  for (const field t : tasks) {
    const field period = t.at("T");
    const auto width = read_width(t);
    const bool pinned = width == takt::kernel_width::one_core && !input.contains("alloc");
    tasks.must_fit(table.add({.name = t.at("name").text(),
                              .wcet = number_in<Number>(t.at("C")),
                              .period = number_in<Number>(period),
                              .deadline = number_in<Number>(t.contains("D") ? t.at("D") : period),
                              .preemption_cost = number_from<Number>(t.value("PC", exact(0))),
                              .width = width,
                              .core = pinned ? t.value("core", takt::unassigned_core) : takt::unassigned_core}),
                   max_tasks);
  }
  return table;
}

template <class Number>
[[nodiscard]] auto order_of(const field& input, const table_of<Number>& table) -> an::rank_order<max_tasks> {
  switch (read_order(input)) {
    case task_order::as_given: return an::rank_as_given<max_tasks>(table.size());
    case task_order::rate_monotonic: return an::rank(table, takt::by_period{});
    case task_order::deadline_monotonic: return an::rank(table, takt::by_relative_deadline{});
  }
  return {};
}

/// `load` is how the format calls an overload here.
template <class Number>
[[nodiscard]] auto entry_of(const an::edf_verdict<Number>& v, const std::string& load) -> json {
  if (v.status == takt::verdict_status::overflow) { throw std::overflow_error("overflow"); }
  json out{{"schedulable", v.schedulable()}};
  if (v.has_point) {
    out["t"] = to_json(v.at);
    out["slack"] = to_json(v.slack);
  }
  switch (v.reason) {
    case an::edf_reason::none:
    case an::edf_reason::demand_exceeds_supply: break;
    case an::edf_reason::load_exceeds_supply: out["reason"] = load; break;
    case an::edf_reason::job_exceeds_deadline: out["reason"] = "C>D"; break;
    case an::edf_reason::starved_job: out["reason"] = "starved job"; break;
    case an::edf_reason::guard_fills_slot: out["reason"] = "Q<=G"; break;
    case an::edf_reason::not_applicable:
    case an::edf_reason::too_many_chunks:
    case an::edf_reason::too_many_windows: throw std::runtime_error(std::string{name_of(v.reason)});
  }
  return out;
}
/// Without the point of an accepted set.
template <class Number>
[[nodiscard]] auto short_entry_of(const an::edf_verdict<Number>& v, const std::string& load) -> json {
  return v.schedulable() ? json{{"schedulable", true}} : entry_of(v, load);
}

template <class Number>
[[nodiscard]] auto entry_of(const takt::verdict<Number, max_tasks>& v) -> json {
  if (v.status == takt::verdict_status::overflow) { throw std::overflow_error("overflow"); }
  json responses = json::object();
  for (const auto& t : v.tasks) { responses[std::string{t.name}] = t.bound.exists ? to_json(t.bound.value) : json{}; }
  return {{"schedulable", v.schedulable()}, {"R", responses}};
}

template <class Number>
void add_whole_gpu(json& out, const field& input, const table_of<Number>& table) {
  const auto levels = input.value("PL", 2);
  const auto order = order_of(input, table);
  Number period(0);
  if (!an::demand_of(table).repeats(period)) { throw std::overflow_error("hyper-period"); }
  out["U"] = to_json(an::utilization(table));
  out["H"] = to_json(period);
  out["s1_np_edf"] = entry_of(an::detail::single_stream_edf(table), "U>1");
  out["s1_np_edf_int"] = entry_of(an::detail::single_stream_edf(table, an::activation_timing::batched), "U>1");
  out["s1_np_fp"] = entry_of(an::single_stream_fixed_priority(table, order));
  const std::pair<std::string, preemption_cost_model> models[]{{"ideal", preemption_cost_model::ideal},
                                                               {"race", preemption_cost_model::race},
                                                               {"overhead", preemption_cost_model::overhead}};
  for (const auto& [name, model] : models) {
    const auto verdict = an::level_stack_edf(table, levels, model);
    out["s2_edf_" + name] = entry_of(verdict, "U>1");
    if (an::level_stack_edf<an::edf_report::verdict_only>(table, levels, model).status != verdict.status) {
      throw std::logic_error("the quick test of " + name + " disagrees");
    }
    out["s2_fp_" + name] = entry_of(an::level_stack_fixed_priority(table, order, levels, model));
  }
  out["gang_serial"] = short_entry_of(an::detail::gang_serial_edf(table), "U>1");
  out["s2_edf_published"] = entry_of(an::as_published::level_stack_edf(table, levels), "U>1");
}

template <class Number>
[[nodiscard]] auto read_slots(const field& input, const table_of<Number>& table) -> an::two_slots<Number> {
  if (input.contains("TR")) {
    const auto slots = an::proportional_slots(table, input.value("m", 1), number_in<Number>(input.at("TR")));
    const auto convert = [](const auto& s) {
      return slot_of<Number>{number_from<Number>(exact_from(s.offset)), number_from<Number>(exact_from(s.budget)),
                             number_from<Number>(exact_from(s.period))};
    };
    return {convert(slots.pinned), convert(slots.gang)};
  }
  const auto slot = [&](const char* name) {
    const field r = input.at("reservations").at(name);
    return slot_of<Number>{number_in<Number>(r.at("O")), number_in<Number>(r.at("Q")), number_in<Number>(r.at("T"))};
  };
  return {slot("L"), slot("B")};
}

/// One test on every part.
template <class Number, class Test>
[[nodiscard]] auto on_parts(const table_of<Number>& table, std::int32_t cores, const an::two_slots<Number>& slots,
                            const Test& test) -> json {
  json parts = json::object();
  bool all = true;
  const auto add = [&](const std::string& name, const table_of<Number>& part, const slot_of<Number>& slot) {
    parts[name] = test(part, slot);
    all = all && parts[name].value("schedulable", false);
  };
  for (std::int32_t p = 0; p < cores; ++p) {
    add("core" + std::to_string(p), an::detail::pinned_tasks(table, p), slots.pinned);
  }
  add("B", an::gang_tasks(table), slots.gang);
  return {{"schedulable", all}, {"parts", parts}};
}

template <class Number>
[[nodiscard]] auto simulated(const table_of<Number>& part, const slot_of<Number>& slot) -> json {
  const auto run = an::detail::slot_simulated_edf(part, slot);
  if (run.status == takt::verdict_status::overflow) { throw std::overflow_error("overflow"); }
  json responses = json::object();
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (run.worst[i].exists) { responses[std::string{part.tasks[i].name}] = to_json(run.worst[i].value); }
  }
  return {{"schedulable", run.schedulable()}, {"R", responses}};
}

template <class Number>
[[nodiscard]] auto harmonic(const table_of<Number>& part, const slot_of<Number>& slot) -> json {
  const auto verdict = an::slot_harmonic_edf(part, slot);
  if (verdict.reason == an::edf_reason::not_applicable) { return {{"applicable", false}}; }
  json out = entry_of(verdict, "U>1");
  out["applicable"] = true;
  return out;
}

template <class Number>
[[nodiscard]] auto slot_tests(const field& input, const table_of<Number>& table, const an::two_slots<Number>& slots)
    -> json {
  using table_type = table_of<Number>;
  using slot = slot_of<Number>;
  const auto cores = input.value("m", 1);
  const auto all = [&](const auto& test) { return on_parts(table, cores, slots, test); };
  return {
      {"SBF", all([](const table_type& p, const slot& s) { return entry_of(an::slot_supply_edf(p, s), "U>Q/T"); })},
      {"SBF*", all([](const table_type& p, const slot& s) { return entry_of(an::slot_linear_edf(p, s), "U>Q/T"); })},
      {"OUR", all([](const table_type& p, const slot& s) { return entry_of(an::slot_abstraction_edf(p, s), "U>1"); })},
      {"OUR_published", all([](const table_type& p, const slot& s) {
         return entry_of(an::as_published::slot_abstraction_edf(p, s), "U>1");
       })},
      {"OUR+", all([](const table_type& p, const slot& s) {
         return short_entry_of(an::detail::slot_longest_chunk_edf(p, s), "U>1");
       })},
      {"L3PROP",
       all([](const table_type& p, const slot& s) { return short_entry_of(an::slot_proportional_edf(p, s), "U>1"); })},
      {"HARM", all([](const table_type& p, const slot& s) { return harmonic(p, s); })},
      {"EXACT", all([](const table_type& p, const slot& s) { return simulated(p, s); })},
      {"FP", all([&](const table_type& p, const slot& s) {
         return entry_of(an::slot_fixed_priority(p, order_of(input, p), s));
       })},
      {"LIMITED", all([](const table_type& p, const slot& s) {
         return short_entry_of(an::detail::slot_guarded_edf(p, s), "U>Q/T");
       })},
  };
}

template <class Number>
[[nodiscard]] auto conversion(const takt::accelerator_task<Number>& t, const slot_of<Number>& slot) -> json {
  const auto graph = an::make_chunk_graph(t, slot);
  const auto kept = an::longest_chunks(graph);
  if (graph.status != an::chunk_status::complete) { throw std::overflow_error("chunks"); }
  const auto list = [](const auto& chunks) {
    json out = json::array();
    for (const auto& c : chunks) { out.push_back({to_json(c.offset), to_json(c.length), c.job}); }
    return out;
  };
  json starved = json::array();
  std::size_t next = 0;
  for (std::int64_t job = 0; job < graph.jobs; ++job) {
    if (next < kept.chunks.size() && kept.chunks[next].job == job) {
      ++next;
    } else {
      starved.push_back(job);
    }
  }
  json abstraction;
  if (graph.starved == 0) {
    const auto a = an::sporadic_abstraction(t.wcet, kept);
    abstraction = {to_json(a.wcet), to_json(a.deadline), to_json(a.period)};
  }
  table_of<Number> one;
  static_cast<void>(one.add(t));  // there is room for one
  const auto h = an::convert_harmonic(an::as_fractions(one).tasks[0], an::as_fractions(slot));
  json harmonic;
  if (h.applicable) { harmonic = {to_json(h.task.wcet), to_json(h.task.deadline), to_json(h.task.period)}; }
  return {{"pattern", to_json(graph.pattern)},
          {"chunks", list(graph.chunks)},
          {"kept", list(kept.chunks)},
          {"starved", starved},
          {"ttt", abstraction},
          {"harmonic", harmonic}};
}

/// Places the tasks that need one core; false when they do not all find one.
template <class Number>
[[nodiscard]] auto allocate(json& out, const field& input, const slot_of<Number>& slot, table_of<Number>& table)
    -> bool {
  using core_choice =
      std::variant<takt::first_fit_core, takt::best_fit_core, takt::worst_fit_core, takt::next_fit_core>;
  using placement_order =
      std::variant<takt::detail::as_given, takt::greatest_load_first, takt::shortest_deadline_first>;
  const field how = input.at("alloc");
  const auto choice = how.at("heuristic")
                          .word<core_choice>({{"FF", takt::first_fit_core{}},
                                              {"BF", takt::best_fit_core{}},
                                              {"WF", takt::worst_fit_core{}},
                                              {"NF", takt::next_fit_core{}}});
  const auto order = how.at("sort").word<placement_order>({{"util", takt::greatest_load_first{}},
                                                           {"deadline", takt::shortest_deadline_first{}},
                                                           {"none", takt::detail::as_given{}}});
  using part = table_of<Number>;
  using test = bool (*)(const part&, const slot_of<Number>&);
  const auto admission =
      how.at("admission")
          .word<test>(
              {{"util",
                [](const part& p, const slot_of<Number>& in) {
                  return bool{an::utilization(p) <= takt::quotient(in.budget, in.period)};
                }},
               {"thm3",
                [](const part& p, const slot_of<Number>& in) { return an::slot_supply_edf(p, in).schedulable(); }},
               {"thm3lin",
                [](const part& p, const slot_of<Number>& in) { return an::slot_linear_edf(p, in).schedulable(); }},
               {"thm4",
                [](const part& p, const slot_of<Number>& in) { return an::slot_abstraction_edf(p, in).schedulable(); }},
               {"exact", [](const part& p, const slot_of<Number>& in) {
                  return an::detail::slot_simulated_edf(p, in, an::run_extent::first_miss).schedulable();
                }}});
  const auto admits = [&](const part& p) { return admission(p, slot); };
  const auto placement = std::visit(
      [&](const auto& takes, const auto& before) {
        return takt::place_on_cores(table, input.value("m", 1), takes, before, admits);
      },
      choice, order);
  if (placement.status == takt::placement_status::invalid) {
    throw std::invalid_argument(std::string{takt::describe(placement.error.fault).problem});
  }
  if (placement.status == takt::placement_status::overflow) { throw std::overflow_error("loads"); }
  out["allocation"] = json{};
  if (!placement.placed()) { return false; }
  table = takt::pinned(table, placement);
  for (const auto& t : table.tasks) {
    if (t.width == takt::kernel_width::one_core) { out["allocation"][std::string{t.name}] = t.core; }
  }
  return true;
}

template <class Number>
[[nodiscard]] auto budgets(const table_of<Number>& table, std::int32_t cores, std::int64_t period) -> json {
  json out = json::object();
  const auto add = [&](const std::string& name, const table_of<Number>& part) {
    const auto test = [](const table_of<Number>& p, const slot_of<Number>& s) {
      return an::slot_supply_edf<an::edf_report::verdict_only>(p, s).schedulable();
    };
    const auto found = takt::smallest_budget(part, period, test, takt::budget_growth::monotone);
    out[name] = found.exists ? json(found.budget) : json{};
  };
  for (std::int32_t p = 0; p < cores; ++p) { add("core" + std::to_string(p), an::detail::pinned_tasks(table, p)); }
  add("B", an::gang_tasks(table));
  return out;
}

/// In slots a task belongs to one core or to all.
template <class Number>
void check_cores(const field& input, const table_of<Number>& table, std::int32_t cores) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    if (t.width == takt::kernel_width::one_core && (t.core < 0 || t.core >= cores)) {
      input.at("tasks").at(i).refuse("names no core below m = " + std::to_string(cores));
    }
  }
}

template <class Number>
[[nodiscard]] auto evaluate(const field& input) -> json {
  json out;
  auto table = read_tasks<Number>(input);
  add_whole_gpu(out, input, table);
  const auto cores = input.value("m", 1);
  if (!input.contains("reservations") && !input.contains("TR")) { return out; }
  const auto slots = read_slots(input, table);
  if (input.contains("alloc") && !allocate(out, input, slots.pinned, table)) { return out; }
  check_cores(input, table, cores);
  const auto triple = [](const slot_of<Number>& s) {
    return json{to_json(s.offset), to_json(s.budget), to_json(s.period)};
  };
  out["reservations"] = {{"L", triple(slots.pinned)}, {"B", triple(slots.gang)}};
  json loads = json::array();
  for (std::int32_t p = 0; p < cores; ++p) {
    loads.push_back(to_json(an::utilization(an::detail::pinned_tasks(table, p))));
  }
  out["lemma2"] = {{"eq6", an::total_gang_capacity(table, cores) == an::gang_capacity::enough},
                   {"per_core", an::core_gang_capacity(table, cores) == an::gang_capacity::enough},
                   {"U_B", to_json(an::utilization(an::gang_tasks(table)))},
                   {"U_p", loads}};
  out["s3"] = slot_tests(input, table, slots);
  for (const auto& t : table.tasks) {
    const bool gang = t.width == takt::kernel_width::all_cores;
    out["conversion"][std::string{t.name}] = conversion(t, gang ? slots.gang : slots.pinned);
  }
  const json period = to_json(slots.pinned.period);
  if (period.is_number_integer()) { out["min_budget_sbf"] = budgets(table, cores, period.get<std::int64_t>()); }
  return out;
}

/// Runs of the same set, on the cores that were chosen for it.
void add_simulations(json& out, const field& input) {
  out["sim_synchronous"] = sim_synchronous(input);
  if (!out.contains("lemma2")) { return; }
  const json cores = out.contains("allocation") ? out.at("allocation") : json{};
  out["sim_gang"] = out.at("lemma2").at("per_core").get<bool>() ? sim_gang(input, cores) : json{};
}

/// The answer on exact numbers. The library's own number types must agree with it: fractions always, whole ticks where
/// the slots are whole.
[[nodiscard]] auto compare_numbers(const field& input) -> answer {
  answer out{evaluate<exact>(input), {}};
  if (auto difference = first_difference(out.value, evaluate<takt::rational>(input), {})) {
    out.complaint = "on fractions: " + *difference;
  }
  bool whole = true;
  if (out.value.contains("reservations")) {
    for (const auto& slot : out.value.at("reservations")) {
      for (const auto& time : slot) { whole = whole && time.is_number_integer(); }
    }
  }
  if (whole) {
    if (auto difference = first_difference(out.value, evaluate<takt::ticks>(input), {})) {
      out.complaint = "on ticks: " + *difference;
    }
  }
  add_simulations(out.value, input);
  return out;
}

}  // namespace

void add_accelerator_platform(suite& kinds) {
  for (const char* kind : {"uni", "s3", "s3-long", "alloc"}) { kinds[kind] = compare_numbers; }
}

}  // namespace takt_vectors
