// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <takt/report/format_duration.hpp>

#include "task_file.hpp"

namespace takt::program {

namespace {

using report::format_duration;

/// The place of one bound in the file: of its lower or upper part where it is written as a pair.
[[nodiscard]] auto bound_at(const json_value* segment, std::string where, std::string_view key, bool upper)
    -> std::string {
  where = step_into(where, key);
  const json_value* const bound = segment == nullptr ? nullptr : segment->find(key);
  const bool pair = bound != nullptr && bound->what == json_value::kind::array;
  return pair ? step_into(where, upper ? 1U : 0U) : where;
}

/// A fault of one segment, with the time that is wrong.
[[nodiscard]] auto segment_fault_at(const task_file& file, const model_error& error, const std::string& segment_at)
    -> input_error {
  const auto& s = file.table.segment(error.task, error.segment);
  const fault_text text = describe(error.fault);
  const json_value* body = &file.document.find("tasks")->items[error.task].find("segments")->items[error.segment];
  std::string where = segment_at;
  std::string_view key = name_of(s.where);
  if (s.where == stage::kernel) {
    where = step_into(where, key);
    body = body->find(key);
    key = "work";
  }
  const auto refused = [&text](const std::string& at, const std::string& value) {
    return input_error{at, fmt::format("{} {}", value, text.problem), std::string(text.allowed)};
  };
  switch (error.fault) {
    case model_fault::negative_time:
      if (s.time.lower < 0) { return refused(bound_at(body, where, key, false), format_duration(s.time.lower)); }
      if (s.time.upper < 0) { return refused(bound_at(body, where, key, true), format_duration(s.time.upper)); }
      return refused(step_into(where, "overhead"), format_duration(s.overhead));
    case model_fault::best_case_exceeds_worst_case:
      return refused(step_into(where, key),
                     fmt::format("[{}, {}]", format_duration(s.time.lower), format_duration(s.time.upper)));
    case model_fault::interleave_below_one:
      return refused(step_into(where, "interleave"),
                     fmt::format("{}/{}", s.interleave_numerator, s.interleave_denominator));
    case model_fault::overhead_exceeds_work: return refused(step_into(where, "overhead"), format_duration(s.overhead));
    case model_fault::time_overflow: {
      auto out = refused(step_into(where, key), format_duration(s.time.upper) + " x interleave");
      out.overflow = true;
      return out;
    }
    case model_fault::chain_does_not_alternate:
      return {segment_at, fmt::format("a {} at this place breaks the pattern", name_of(s.where)),
              std::string(text.allowed)};
    default: return {step_into(segment_at, name_of(s.where)), std::string(text.problem), std::string(text.allowed)};
  }
}

[[nodiscard]] auto task_value(const task_file& file, const model_error& error) -> std::string {
  const auto& t = file.table.tasks[error.task];
  switch (error.fault) {
    case model_fault::period_not_positive: return format_duration(t.period);
    case model_fault::deadline_not_positive:
    case model_fault::deadline_exceeds_period: return format_duration(t.deadline);
    case model_fault::negative_priority:
    case model_fault::duplicate_priority: return fmt::format("{}", t.priority);
    case model_fault::negative_core:
    case model_fault::core_out_of_range: return fmt::format("{}", t.core);
    case model_fault::duplicate_name: return fmt::format("\"{}\"", one_line(t.name, 60));
    default: return {};
  }
}

}  // namespace

auto explain_fault(const task_file& file, const model_error& error) -> input_error {
  const fault_text text = describe(error.fault);
  if (error.fault == model_fault::more_gpu_tasks_than_sms) {
    std::int32_t units = 0;
    for (const gpu_record& gpu : file.platform.gpus) { units += gpu.budget() / gpu.granularity; }
    return {"/platform/gpus/0/sms",
            fmt::format("{} cannot be dedicated to {} tasks with kernels", units, file.table.gpu_tasks()),
            std::string(text.allowed)};
  }
  if (error.task == nowhere) {
    const bool platform = error.fault == model_fault::one_core_and_gpu_only;
    const bool overflow = error.fault == model_fault::time_overflow;
    return {platform ? "/platform" : "/tasks",
            fmt::format("{}{}", overflow ? "what the times add up to " : "", text.problem), std::string(text.allowed),
            overflow};
  }
  const std::string task_at = step_into("/tasks", error.task);
  if (error.segment != nowhere) {
    return segment_fault_at(file, error, step_into(step_into(task_at, "segments"), error.segment));
  }
  const auto value = task_value(file, error);
  std::string problem = fmt::format("{}{}{}", value, value.empty() ? "" : " ", text.problem);
  if (error.fault == model_fault::deadline_exceeds_period) {
    problem += " " + format_duration(file.table.tasks[error.task].period);
  }
  return {step_into(task_at, text.field), problem, std::string(text.allowed)};
}

}  // namespace takt::program
