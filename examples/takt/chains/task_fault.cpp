// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <takt/model/located.hpp>
#include <takt/report/fault_text.hpp>
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
  const auto& s = file.table.segment(error.task, error.visit);
  const fault_text text = describe(error.fault);
  const json_value* body = &file.document.find("tasks")->items[error.task].find("segments")->items[error.visit];
  std::string where = segment_at;
  std::string_view key = name_of(s.where);
  if (s.where == stage::kernel) {
    where = step_into(where, key);
    body = body->find(key);
    key = "work";
  }
  switch (error.fault) {
    case model_fault::negative_time:
      return refused_at(s.time.lower < 0   ? bound_at(body, where, key, false)
                        : s.time.upper < 0 ? bound_at(body, where, key, true)
                                           : step_into(where, "overhead"),
                        error);
    case model_fault::best_case_exceeds_worst_case: return refused_at(step_into(where, key), error);
    case model_fault::overhead_exceeds_work: return refused_at(step_into(where, "overhead"), error);
    case model_fault::interleave_below_one:
      return {step_into(where, "interleave"),
              fmt::format("{}/{} {}", s.interleave_numerator, s.interleave_denominator, text.problem),
              std::string(text.allowed)};
    case model_fault::time_overflow:
      return {step_into(where, key), fmt::format("{} x interleave {}", format_duration(s.time.upper), text.problem),
              std::string(text.allowed), true};
    case model_fault::chain_does_not_alternate:
      return {segment_at, fmt::format("a {} at this place breaks the pattern", name_of(s.where)),
              std::string(text.allowed)};
    default: return refused_at(step_into(segment_at, name_of(s.where)), error);
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
    return refused_at(error.fault == model_fault::one_core_and_gpu_only ? "/platform" : "/tasks", error);
  }
  const std::string task_at = step_into("/tasks", error.task);
  if (error.visit != nowhere) {
    return segment_fault_at(file, error, step_into(step_into(task_at, "segments"), error.visit));
  }
  return refused_at(step_into(task_at, describe(error.fault).field), takt::located(error, file.table.tasks));
}

}  // namespace takt::program
