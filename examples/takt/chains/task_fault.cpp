// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <takt/model/located.hpp>
#include <takt/report/fault_text.hpp>
#include <takt/report/format_duration.hpp>

#include "task_file.hpp"

namespace takt::program {

namespace {

using report::format_duration;

/// A fault of one segment, with the time that is wrong; the reader has refused what a time says by itself.
[[nodiscard]] auto segment_fault(const task_file& file, const model_error& error) -> input_error {
  const auto& s = file.table.segment(error.task, error.visit);
  const std::string at = file.from->visit_at[file.from->tasks.tasks[error.task].first_visit + error.visit];
  const std::string where = step_into(at, name_of(s.where));
  if (error.fault != model_fault::time_overflow) { return refused_at(where, error); }
  const fault_text text = describe(error.fault);
  return {s.where == stage::kernel ? step_into(where, "work") : where,
          fmt::format("{} x interleave {}", format_duration(s.time.upper), text.problem), std::string(text.allowed),
          true};
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
  if (error.visit != nowhere) { return segment_fault(file, error); }
  return refused_at(step_into(task_at, describe(error.fault).field), takt::located(error, file.table.tasks));
}

}  // namespace takt::program
