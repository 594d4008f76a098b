// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>

#include <fmt/format.h>

#include <takt/generation.hpp>
#include <takt/report/fault_text.hpp>

#include "command.hpp"
#include "failure.hpp"
#include "files/limits.hpp"
#include "files/workload_file.hpp"
#include "progress.hpp"

namespace takt::program {

namespace {

constexpr std::size_t max_segments = 4096;
using generated_set = task_table<ticks, max_tasks, max_segments>;

[[nodiscard]] auto visit_of(const segment_record<ticks>& s, std::uint32_t position) -> described_visit {
  described_visit out;
  out.parallelism = any_parallelism;
  out.predecessors = position == 0 ? 0 : visit_mask{1} << (position - 1);
  if (s.where != stage::kernel) {
    out.where = s.where == stage::cpu ? visit_place::processor : visit_place::copy_engine;
    out.direction = s.direction;
    out.time = s.time;
    out.known.add(visit_fact::time);
    return out;
  }
  out.where = visit_place::gpu;
  out.work = s.time;
  out.overhead = s.overhead;
  out.interleave_numerator = s.interleave_numerator;
  out.interleave_denominator = s.interleave_denominator;
  for (const visit_fact f : {visit_fact::work, visit_fact::overhead, visit_fact::interleave}) { out.known.add(f); }
  return out;
}

/// Names point into the set. False where a task has more segments than files hold.
[[nodiscard]] auto describe_set(const platform_record& platform, const generated_set& set, workload_file& out) -> bool {
  const gpu_record& gpu = platform.gpus[0];
  out.board.processors = platform.cores;
  out.board.copy_engines = platform.copy_engines;
  out.board.gpus.push_back({.sms = gpu.sms, .virtual_per_sm = gpu.virtual_per_sm});
  out.gpus.emplace_back();
  out.rules.cpus = "deadline-monotonic";
  out.rules.copies = platform.copy_engines > 0 ? "nonpreemptive-fixed-priority" : "";
  out.more.resize(set.size());
  bool fits = true;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto& t = set.tasks[i];
    fits = fits && out.tasks.add_task({.name = t.name, .period = t.period, .deadline = t.deadline});
    for (std::uint32_t j = 0; j < t.segment_count; ++j) {
      fits = fits && out.tasks.add_visit(visit_of(set.segment(i, j), j));
    }
  }
  return fits;
}

/// No set that the program itself could not read.
void require_at_most(const std::string& option, std::int32_t value, std::int32_t most) {
  if (value > most) {
    throw input_error{option, fmt::format("{} is out of range", value), fmt::format("an integer from 1 to {}", most)};
  }
}

[[nodiscard]] auto options_of(const generate_options& o) -> generation::rtgpu_options {
  generation::rtgpu_options out = o.set;
  const auto [numerator, denominator] = option_ratio("--utilization", o.utilization);
  if (1000 % denominator != 0 || numerator > 100 * denominator) {
    throw input_error{"--utilization", fmt::format("{} is out of range", o.utilization),
                      "0.001 to 100 in steps of 0.001"};
  }
  out.utilization_permille = static_cast<std::int32_t>(numerator * (1000 / denominator));
  require_at_most("--sms", out.sms, max_sms);
  require_at_most("--virtual-per-sm", out.virtual_per_sm, max_virtual_per_sm);
  if (!o.cpu.empty()) { out.cpu = option_range("--cpu", o.cpu); }
  if (!o.copy.empty()) { out.copy = option_range("--copy", o.copy); }
  if (!o.kernel.empty()) { out.kernel = option_range("--gpu", o.kernel); }
  if (!o.interleave.empty()) {
    std::tie(out.interleave_numerator, out.interleave_denominator) = option_ratio("--interleave", o.interleave);
  }
  return out;
}

[[nodiscard]] auto refusal_of(model_fault fault) -> input_error {
  if (fault == model_fault::options_out_of_range) {
    return {"", "an option is out of its range",
            "1 to 64 tasks, at least 1 subtask, ranges from at least 1ns to at most 1000s with lower <= upper, "
            "interleave >= 1, percentages from 0 to 100"};
  }
  if (fault == model_fault::set_does_not_fit) {
    return {"--subtasks", "a set has more segments than this program holds",
            fmt::format("at most {} of a task and {} in all", max_visits_of_task, max_file_visits)};
  }
  if (fault == model_fault::time_overflow) {
    return {"--utilization", "a period overflows 64-bit nanoseconds", "a higher utilization or shorter ranges"};
  }
  const fault_text text = describe(fault);
  return {std::string{text.field}, std::string{text.problem}, std::string{text.allowed}};
}

}  // namespace

auto generate_command(const generate_options& o) -> exit_code {
  if (o.name != "rtgpu") {
    throw input_error{"", fmt::format("\"{}\" is no generator of this program", o.name), "rtgpu"};
  }
  const auto set = options_of(o);
  const auto table = std::make_unique<generated_set>();
  progress shown{"generating: sets"};
  for (std::uint64_t i = 0; i < o.count; ++i) {
    shown.show(i, o.count);
    if (const auto fault = generation::generate(set, o.seed, i, *table); fault != model_fault::none) {
      throw refusal_of(fault);
    }
    const auto file = std::make_unique<workload_file>();
    file->name = fmt::format("rtgpu, utilization {}, seed {}, set {}", o.utilization, o.seed, i);
    if (!describe_set(generation::platform_of(set), *table, *file)) { throw refusal_of(model_fault::set_does_not_fit); }
    print_in_one_line(std::cout, *file);
    if (!std::cout) { throw environment_error{"standard output cannot be written"}; }
  }
  return exit_code::ok;
}

}  // namespace takt::program
