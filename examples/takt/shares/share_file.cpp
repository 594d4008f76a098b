// SPDX-License-Identifier: Apache-2.0
#include "share_file.hpp"

#include <utility>

#include <fmt/format.h>

#include <takt/model/located.hpp>
#include <takt/report/fault_text.hpp>

namespace takt::program {

auto explain_fault(const share_file& file, const model_error& error) -> input_error {
  if (error.task == nowhere) { return refused_at("/tasks", error); }
  const std::string where = step_into("/tasks", error.task);
  model_error found = takt::located(error, file.table.tasks);
  const bool overflow = error.fault == model_fault::time_overflow;
  if (overflow) {
    found.value = file.table.tasks[error.task].period;
    found.has_value = true;
  }
  const std::string_view field = overflow ? "period" : describe(error.fault).field;
  return refused_at(field.empty() ? where : step_into(where, field), found);
}

auto applications_of(std::unique_ptr<workload_file> from) -> std::unique_ptr<share_file> {
  auto out = std::make_unique<share_file>();
  const sharing_rule& rule = from->rules.gpus;
  out->name = from->name;
  if (!rule.rules.empty()) { out->rules = rule.rules; }
  if (!rule.triggers.empty()) { out->triggers = rule.triggers; }
  if (const std::int64_t bytes = from->board.gpus[0].memory; bytes > 0) {
    if (bytes < memory_units{1}.bytes()) {
      throw input_error{"/platform/gpus/0/memory", fmt::format("{} bytes are too few", bytes),
                        fmt::format("at least {}", memory_units{1}.bytes())};
    }
    out->gpu = gpu_shares(memory_units{static_cast<std::int32_t>(bytes / memory_units{1}.bytes())});
  }
  for (std::size_t i = 0; i < from->tasks.size(); ++i) {
    const described_task& t = from->tasks.tasks[i];
    const task_facts& more = from->more[i];
    share_task application{.name = t.name,
                           .period = t.period,
                           .deadline = t.deadline,
                           .priority = more.weight.value_or(0),
                           .alone = from->tasks.rows[from->tasks.visits[t.first_visit].row]};
    if (more.share) { application.request = share::bounded(*more.share); }
    if (t.memory > 0) { application.memory = memory_units::holding(t.memory); }
    out->table.add(application);
  }
  for (const slow_down& s : from->contention.value_or(std::vector<slow_down>{})) {
    out->table.contention.set(s.slowed, s.by, s.ppm);
  }
  out->notes = from->notes;
  out->from = std::move(from);
  if (const auto error = validate(out->table)) { throw explain_fault(*out, error); }
  return out;
}

}  // namespace takt::program
