// SPDX-License-Identifier: Apache-2.0
#include "cpp_kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <takt/model/kernel_facts.hpp>
#include <takt/model/validate.hpp>

#include "../failure.hpp"

namespace takt::program {

namespace {

using std::string_view;

[[nodiscard]] auto fact_call(string_view name, std::vector<cpp_term> arguments) -> cpp_term {
  return cpp_call(fmt::format("takt::{}", name), std::move(arguments));
}
[[nodiscard]] auto time_call(string_view name, ticks time) -> cpp_term {
  return fact_call(name, {cpp_word(cpp_duration(time))});
}

/// Measured times on 1, 2, ... virtual SMs.
[[nodiscard]] auto cpp_times(const file_tasks& tasks, const runtime_visit& v) -> cpp_term {
  if (v.on_whole_sms) {
    throw input_error{"time_on", "is by physical SMs, for which the types of kernels have no word",
                      "a list of times on 1, 2, ... virtual SMs"};
  }
  cpp_term out = fact_call("time_on", {});
  for (std::uint32_t k = 0; k < v.samples; ++k) {
    const interval<ticks>& row = tasks.samples[v.first_sample + k];
    out.arguments.push_back(cpp_braces("takt::interval<takt::duration>",
                                       {cpp_word(cpp_duration(row.lower)), cpp_word(cpp_duration(row.upper))}));
  }
  return out;
}

/// As a time of which a part scales, else by the shares from which on a job is faster.
[[nodiscard]] auto cpp_row(const wcet_row& row) -> cpp_term {
  const ticks whole = row.at(full_share);
  for (std::int32_t fixed = 0; fixed <= 1000; ++fixed) {
    if (wcet_row::scaling(whole, fixed) != row) { continue; }
    cpp_term out = time_call("scaling_wcet", whole);
    if (fixed != 0) { out.arguments.push_back(cpp_word(std::to_string(fixed))); }
    return out;
  }
  cpp_term steps = cpp_braces("std::array", {});
  ticks before = unbounded_time;
  for (std::int32_t percent = 1; percent <= full_share.percent(); ++percent) {
    const ticks time = row.at(share::bounded(percent));
    if (time == before) { continue; }
    before = time;
    steps.arguments.push_back(cpp_braces(
        "takt::measured_share", {cpp_word(fmt::format("takt::share{{{}}}", percent)), cpp_word(cpp_ticks(time))}));
  }
  return cpp_call("takt::wcet_row::interpolated", {std::move(steps)});
}

[[nodiscard]] auto facts_of(const file_tasks& tasks, const runtime_visit& v) -> std::vector<cpp_term> {
  std::vector<cpp_term> out;
  const auto add = [&](visit_fact fact, const auto& term) {
    if (v.known.has(fact)) { out.push_back(term()); }
  };
  add(visit_fact::time, [&] { return fact_call("takes", cpp_span(v.time)); });
  add(visit_fact::work, [&] { return fact_call("work", cpp_span(v.work)); });
  add(visit_fact::overhead, [&] { return time_call("overhead", v.overhead); });
  add(visit_fact::interleave, [&] {
    return fact_call(v.any_neighbour ? "interleave" : "self_interleave",
                     {cpp_word(cpp_number(v.interleave_numerator)), cpp_word(cpp_number(v.interleave_denominator))});
  });
  add(visit_fact::times_on_sms, [&] { return cpp_times(tasks, v); });
  add(visit_fact::grid,
      [&] { return fact_call("grid", {cpp_word(cpp_number(v.blocks)), cpp_word(cpp_number(v.threads))}); });
  add(visit_fact::block_length, [&] { return time_call("block_length", v.block_length); });
  add(visit_fact::wcet, [&] { return time_call("wcet", v.wcet); });
  add(visit_fact::preemption_cost, [&] { return time_call("preemption_cost", v.preemption_cost); });
  add(visit_fact::wcet_by_share, [&] { return cpp_row(tasks.rows[v.row]); });
  if (has_own_sm(v)) { out.push_back(fact_call("on_sm", {cpp_word(std::to_string(v.sm))})); }
  add(visit_fact::context, [&] { return fact_call("in_context", {cpp_word(std::to_string(v.context))}); });
  add(visit_fact::slice, [&] { return time_call("own_slice", v.slice); });
  return out;
}

[[nodiscard]] auto only(const runtime_visit& v, std::initializer_list<visit_fact> facts) -> bool {
  known_facts rest = v.known;
  for (const visit_fact f : facts) { rest.remove(f); }
  rest.remove(visit_fact::state);
  return rest.empty();
}

/// Whether a task set refuses work that is all there is to know of a kernel.
[[nodiscard]] auto is_wrong_work(const runtime_visit& v) -> bool {
  const ticks serial = v.known.has(visit_fact::overhead) ? v.overhead : 0;
  const bool ratio = v.known.has(visit_fact::interleave);
  return takt::detail::work_fault(v.work.upper, serial, ratio ? v.interleave_numerator : 1,
                                  ratio ? v.interleave_denominator : 1) != model_fault::none;
}

}  // namespace

auto cpp_span(const interval<ticks>& time) -> std::vector<cpp_term> {
  if (time.lower == 0) { return {cpp_word(cpp_duration(time.upper))}; }
  return {cpp_word(cpp_duration(time.lower)), cpp_word(cpp_duration(time.upper))};
}

auto has_own_sm(const runtime_visit& v) -> bool {
  return v.known.has(visit_fact::pinning) && !needs_all_cores(v.width) && v.sm != unassigned_core;
}

auto is_whole_kernel(const runtime_visit& v) -> bool {
  return v.where == resource_kind::gpu && v.name.empty() && v.known.has(visit_fact::wcet) &&
         only(v, {visit_fact::wcet, visit_fact::preemption_cost, visit_fact::pinning}) && v.wcet > 0 &&
         (!v.known.has(visit_fact::preemption_cost) || v.preemption_cost <= v.wcet);
}

auto cpp_kernel(const file_tasks& tasks, const runtime_visit& v, bool whole, bool labelled) -> cpp_term {
  const bool alone =
      v.known.has(visit_fact::wcet) && only(v, {visit_fact::wcet, visit_fact::preemption_cost, visit_fact::pinning});
  const bool divisible =
      v.known.has(visit_fact::work) && only(v, {visit_fact::work, visit_fact::overhead, visit_fact::interleave});
  std::vector<cpp_term> facts = facts_of(tasks, v);
  const bool as_facts =
      facts.empty() || (alone && !whole) || (divisible && is_wrong_work(v)) || (labelled && !divisible);
  return cpp_call(as_facts ? "takt::visit<takt::gpu>" : "takt::kernel", std::move(facts));
}

}  // namespace takt::program
