// SPDX-License-Identifier: Apache-2.0
#include "generators.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <takt/report/fault_text.hpp>

#include "../command.hpp"
#include "../failure.hpp"
#include "../fields.hpp"

namespace takt::program {

namespace {

const std::initializer_list<auto (*)()->std::vector<file_generator>> families{
    // a line for each system
    chain_generators,    // rtgpu
    kernel_generators,   // graphs
    section_generators,  // locked_gpus
    graph_generators,    // graphs
    share_generators,    // shares
};

/// What is wrong with its text is wrong with the parameter.
template <class Read>
[[nodiscard]] auto as_parameter(const std::string& name, const Read& read) {
  try {
    return read();
  } catch (const input_error& e) { throw studies::refusal{name, e.problem, e.allowed}; }
}

}  // namespace

auto generators() -> const std::vector<file_generator>& {
  static const std::vector<file_generator> all = [] {
    std::vector<file_generator> out;
    for (const auto family : families) { std::ranges::move(family(), std::back_inserter(out)); }
    return out;
  }();
  return all;
}

auto find_generator(const std::string& where, const std::string& name) -> const file_generator& {
  const auto found = std::ranges::find(generators(), name, &file_generator::name);
  if (found != generators().end()) { return *found; }
  std::vector<std::string_view> names;
  for (const file_generator& g : generators()) { names.emplace_back(g.name); }
  throw input_error{
      where, fmt::format("\"{}\" is no generator of this program, the nearest is \"{}\"", name, nearest(name, names)),
      fmt::format("{}", fmt::join(names, ", "))};
}

auto next_visit(const workload_file& file, resource_kind where) -> runtime_visit {
  runtime_visit out;
  out.where = where;
  out.parallelism = any_parallelism;
  const std::uint32_t position = file.tasks.tasks.back().visit_count;
  out.predecessors = position == 0 ? 0 : visit_mask{1} << (position - 1);
  return out;
}

void add_task(workload_file& file, const runtime_task& task) {
  if (!file.tasks.add_task(task)) { require_drawn(model_fault::set_does_not_fit); }
  file.more.emplace_back();
}

void add_visit(workload_file& file, const runtime_visit& visit) {
  if (!file.tasks.add_visit(visit)) { require_drawn(model_fault::set_does_not_fit); }
}

void add_timed_visit(workload_file& file, resource_kind where, ticks time) {
  runtime_visit v = next_visit(file, where);
  v.time = {time, time};
  v.known.add(visit_fact::time);
  add_visit(file, v);
}

void require_drawn(model_fault fault) {
  switch (fault) {
    case model_fault::none: return;
    case model_fault::options_out_of_range:
      throw input_error{"", "an option is out of its range",
                        "ranges with lower <= upper, interleave >= 1, utilizations that the tasks can add up to, and "
                        "what --list says of each"};
    case model_fault::set_does_not_fit:
      throw input_error{"", "a set has more tasks or segments than this program holds",
                        fmt::format("at most {} tasks, {} segments of each and {} in all", max_tasks,
                                    max_visits_of_task, max_file_visits)};
    case model_fault::time_overflow:
      throw input_error{"--utilization", "a period overflows 64-bit nanoseconds",
                        "a higher utilization or shorter ranges"};
    default: {
      const fault_text text = describe(fault);
      throw input_error{std::string{text.field}, std::string{text.problem}, std::string{text.allowed}};
    }
  }
}

auto range_of(const studies::settings& s, const std::string& name) -> interval<ticks> {
  return as_parameter(name, [&] { return option_range(name, s.text(name)); });
}

auto times_of(const studies::settings& s, const std::string& name) -> std::vector<ticks> {
  std::vector<ticks> out;
  for (const std::string& text : s.texts(name)) {
    out.push_back(as_parameter(name, [&] { return option_time(name, text); }));
  }
  return out;
}

}  // namespace takt::program
