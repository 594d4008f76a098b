// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <takt/analysis/analyze_shares.hpp>
#include <takt/core/checked.hpp>
#include <takt/simulation/shares/scheduled_shares.hpp>
#include <takt/simulation/shares/simulate.hpp>

#include "../failure.hpp"
#include "../kinds.hpp"
#include "../response_recorder.hpp"
#include "share_file.hpp"

namespace takt::program {

namespace {

constexpr double most_jobs = 1e6;
constexpr double most_traced_jobs = 100e3;

/// Applications that are granted shares of one GPU.
class share_description final : public described_file {
 public:
  explicit share_description(std::unique_ptr<share_file> file) : file_{std::move(file)} {}

  [[nodiscard]] auto title() const -> std::string_view override { return file_->name; }
  [[nodiscard]] auto mark() const -> kind_mark override { return {"/platform/gpus/0/sharing", "shares"}; }
  [[nodiscard]] auto offers(ability a) const -> bool override { return a == ability::sensitivity; }
  [[nodiscard]] auto decides_alone() const -> std::string_view override { return "shares"; }

  [[nodiscard]] auto platform_text() const -> std::string override {
    return fmt::format("GPU by shares ({} rules, deciding at {}){}", file_->rules,
                       file_->triggers == "every-change" ? "every change" : "releases",
                       file_->table.contention.none() ? "" : ", with contention");
  }
  [[nodiscard]] auto verdict_table() const -> text_table override;
  [[nodiscard]] auto explain_task(std::size_t i) const -> std::string override;

  [[nodiscard]] auto run_size_until(duration horizon) const -> run_size override {
    double jobs = 0;
    for (const share_task& t : file_->table.tasks) {
      jobs += static_cast<double>(horizon.count()) / static_cast<double>(t.period);
    }
    return {jobs, "jobs", most_jobs, most_traced_jobs};
  }
  [[nodiscard]] auto longest_period() const -> ticks override { return longest_period_of(file_->table.tasks); }
  [[nodiscard]] auto simulate(const simulation_options& options, trace* kept) const
      -> std::optional<report::run_summary> override;
  [[nodiscard]] auto at_factor(permille factor, const question& q) const -> factor_answer override;
  /// Needs only grow with times.
  [[nodiscard]] auto is_monotone(const question& /*q*/) const -> bool override { return true; }

 protected:
  [[nodiscard]] auto assess(const question& q) -> judgement override;
  void write_platform(report::json_writer& json) const override;
  void write_task_parts(report::json_writer& json, std::size_t task) const override;
  void write_tests(report::json_writer& json) const override;

 private:
  [[nodiscard]] auto need_text(std::size_t i) const -> std::string {
    return found_.needs[i] > full_share.percent() ? "none" : fmt::format("{}", found_.needs[i]);
  }

  std::unique_ptr<share_file> file_;
  share_verdict<max_tasks> found_;
  analysis::necessary_test necessary_;
};

auto share_description::assess(const question& /*q*/) -> judgement {
  found_ = analyze(file_->platform(), file_->table);
  if (found_.error) { throw explain_fault(*file_, found_.error); }
  necessary_ = analysis::necessary_shares(file_->table);
  judgement out{.analysis = std::string{found_.analysis}, .status = found_.status};
  for (std::uint32_t i = 0; i < found_.tasks.size(); ++i) {
    const auto& t = found_.tasks[i];
    out.tasks.push_back({std::string{t.name}, t.deadline, {}, t.meets});
    out.rows.push_back(i);
  }
  std::ranges::stable_sort(out.rows, [this](std::uint32_t a, std::uint32_t b) {
    return file_->table.tasks[a].priority > file_->table.tasks[b].priority;
  });
  const std::int32_t most = greatest_sum(file_->share_rules_in_use());
  out.findings.push_back(fmt::format("The lasting shares come to {} of at most {} %.", found_.sum, most));
  if (!analysis::provable(file_->share_rules_in_use())) {
    out.findings.push_back(
        fmt::format("Under the \"{}\" rules that proves nothing; \"robust\" ones can be proven.", file_->rules));
  }
  if (necessary_.too_long != nowhere) {
    out.findings.push_back(fmt::format("{} takes longer than its deadline even with the whole GPU.",
                                       file_->table.tasks[necessary_.too_long].name));
  }
  if (necessary_.area == analysis::area_answer::exceeds) {
    out.findings.emplace_back("However little of the GPU each job is given, all together ask for more than there is.");
  }
  out.notes = file_->notes;
  out.notes.emplace_back("priorities: as given, the greater goes first");
  return out;
}

auto share_description::verdict_table() const -> text_table {
  text_table table{{"task", "priority", "whole GPU ms", "deadline ms", "lasting share %", "meets"}};
  for (const std::uint32_t i : judged().rows) {
    const share_task& t = file_->table.tasks[i];
    table.add({std::string{t.name}, fmt::format("{}", t.priority), in_milliseconds(t.alone.at(full_share)),
               in_milliseconds(t.deadline), need_text(i), found_.tasks[i].meets ? "yes" : "not proven"});
  }
  return table;
}

auto share_description::explain_task(std::size_t i) const -> std::string {
  std::string out = described_file::explain_task(i);
  if (found_.needs[i] > full_share.percent()) {
    return out +
           fmt::format("  no share lets {} keep up with its deadline beside the others\n", judged().tasks[i].name);
  }
  return out +
         fmt::format("  with {} % of the GPU it keeps up with its deadline, whatever the others do\n", found_.needs[i]);
}

void share_description::write_platform(report::json_writer& json) const {
  json.key("platform").begin_object().key("gpus").begin_array().begin_object();
  json.member("sharing", "shares").member("rules", file_->rules).member("triggers", file_->triggers);
  if (file_->gpu.limits_memory) { json.member("memory", file_->gpu.memory.bytes()); }
  json.end_object().end_array().end_object().key("allocation").begin_object().key("lasting_share").begin_object();
  for (std::size_t i = 0; i < found_.tasks.size(); ++i) {
    if (found_.needs[i] <= full_share.percent()) { json.member(found_.tasks[i].name, found_.needs[i]); }
  }
  json.end_object().end_object();
}

void share_description::write_task_parts(report::json_writer& json, std::size_t /*task*/) const {
  json.key("terms").begin_array().end_array();
}

void share_description::write_tests(report::json_writer& json) const {
  json.key("tests").begin_array();
  json.begin_object()
      .member("name", "sufficient-shares")
      .member("passes", found_.status == verdict_status::schedulable);
  json.member("sum", found_.sum).member("most", greatest_sum(file_->share_rules_in_use())).end_object();
  json.begin_object().member("name", "necessary-shares").member("passes", !necessary_.refuted()).end_object();
  json.end_array();
}

auto share_description::simulate(const simulation_options& options, trace* kept) const
    -> std::optional<report::run_summary> {
  ticks end = 0;
  const bool fits = checked_add(options.horizon.count(), 2 * longest_period(), end);
  if (!fits) { return std::nullopt; }
  const auto& table = file_->table;
  simulation::scheduled_shares policy{table, contention_predictor(table), file_->share_rules_in_use(),
                                      file_->triggers_in_use()};
  response_recorder heard{table.size(), kept};
  const simulation::share_options how{.horizon = options.horizon.count()};
  const auto seen =
      options.releases == release_pattern::periodic
          ? simulation::simulate_shares(table, policy, simulation::periodic_share_releases(table), how, heard)
          : simulation::simulate_shares(
                table, policy, simulation::hostile_share_releases(table, how.horizon, options.seed), how, heard);
  if (seen.error.fault == model_fault::time_overflow) { return std::nullopt; }
  if (seen.error) { throw explain_fault(*file_, seen.error); }
  report::run_summary out;
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    const auto& t = seen.tasks[i];
    out.tasks.push_back({std::string{t.name},
                         static_cast<std::uint64_t>(t.completed),
                         static_cast<std::uint64_t>(t.misses),
                         t.worst_response,
                         heard.mean_response(i, t.completed),
                         {}});
  }
  out.notes.push_back(fmt::format("decisions: {} of the whole set, {} refused a job, {} shares changed",
                                  seen.effort.operations, seen.effort.refusals, seen.effort.share_changes));
  if (options.execution != execution_times::upper) {
    out.notes.emplace_back("a row of wcet_by_share has longest times only, which every job takes");
  }
  return out;
}

auto share_description::at_factor(permille factor, const question& /*q*/) const -> factor_answer {
  const auto scaled = std::make_unique<file_shares>(file_->table);
  for (share_task& t : scaled->tasks) {
    std::array<ticks, wcet_row::shares> times{};
    for (std::size_t i = 0; i < times.size(); ++i) {
      const ticks time = t.alone.at(share::bounded(static_cast<std::int32_t>(i + 1)));
      if (!scale_time(time, factor, true, times[i])) { times[i] = unbounded_time; }
    }
    t.alone = wcet_row::measured(times);
  }
  const auto v = analyze(file_->platform(), *scaled);
  return v.status == verdict_status::schedulable     ? factor_answer::proven
         : v.status == verdict_status::unschedulable ? factor_answer::must_miss
                                                     : factor_answer::not_proven;
}

[[nodiscard]] auto read(const json_value& document) -> std::unique_ptr<described_file> {
  return std::make_unique<share_description>(read_shares(document));
}

}  // namespace

const file_kind share_kind{is_share_document, read};

}  // namespace takt::program
