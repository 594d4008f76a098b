// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/analysis/proven_miss.hpp>
#include <takt/report/explanation.hpp>
#include <takt/report/verdict_json.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/runtime.hpp>

#include "../failure.hpp"
#include "../kinds.hpp"
#include "../timed_run.hpp"
#include "assess.hpp"
#include "counterexample.hpp"
#include "task_file.hpp"

namespace takt::program {

namespace {

constexpr double most_segments = 200e6;
constexpr double most_traced_segments = 2e6;

[[nodiscard]] auto bound_text(const response_bound<ticks>& b) -> std::string {
  return b.exists ? in_milliseconds(b.value) : "-";
}

/// All execution times by a factor: upper bounds up, lower bounds down. False on overflow.
[[nodiscard]] auto scale(const file_table& table, permille factor, file_table& out) -> bool {
  out = table;
  bool fits = true;
  for (auto& s : out.segments) {
    fits = scale_time(s.time.upper, factor, true, s.time.upper) && fits;
    fits = scale_time(s.time.lower, factor, false, s.time.lower) && fits;
    fits = scale_time(s.overhead, factor, true, s.overhead) && fits;
  }
  return fits;
}

/// Whether shortest execution times count for nothing: all are 0, or no task ever leaves its core.
[[nodiscard]] auto only_upper_bounds_count(const file_table& table) -> bool {
  const bool nothing_between = std::ranges::all_of(table.tasks, [](const auto& t) { return t.segment_count == 1; });
  return nothing_between || std::ranges::all_of(table.segments, [](const auto& s) { return s.time.lower == 0; });
}

/// Chains of CPU, copy and kernel segments on fixed priorities, with SMs of their own or tokens.
class chain_description final : public described_file {
 public:
  explicit chain_description(std::unique_ptr<task_file> file) : file_{std::move(file)} {}

  [[nodiscard]] auto title() const -> std::string_view override { return file_->name; }
  [[nodiscard]] auto mark() const -> kind_mark override {
    return {"/platform/gpus/0/sharing", std::string{file_->rules.gpus}};
  }
  [[nodiscard]] auto offers(ability a) const -> bool override { return a != ability::run || !file_->rules.tokens(); }
  [[nodiscard]] auto decides_alone() const -> std::string_view override { return {}; }

  [[nodiscard]] auto platform_text() const -> std::string override;
  [[nodiscard]] auto plan_text() const -> std::string override {
    return file_->table.gpu_tasks() > 0 ? program::plan_text(*file_, found_->plan) : std::string{};
  }
  [[nodiscard]] auto verdict_table() const -> text_table override;
  void write_verdict(std::ostream& out) const override {
    auto summary = found_->summary;
    summary.notes.insert(summary.notes.begin(), found_->reasons.begin(), found_->reasons.end());
    report::write_verdict_json(out, summary);
  }
  [[nodiscard]] auto explain_task(std::size_t i) const -> std::string override {
    return report::explain_task(found_->summary, i);
  }
  void explain(std::ostream& out) const override {
    report::explain(out, found_->summary);
    out << '\n';
    if (!found_->summary.misses.empty()) { return; }
    for (const std::string& reason : found_->reasons) { out << reason << '\n'; }
  }

  [[nodiscard]] auto run_size_until(duration horizon) const -> run_size override;
  [[nodiscard]] auto longest_period() const -> ticks override { return longest_period_of(file_->table.tasks); }
  [[nodiscard]] auto simulate(const simulation_options& options, trace* kept) const
      -> std::optional<report::run_summary> override;
  [[nodiscard]] auto observe(duration length, std::uint64_t seed, trace* kept) const -> observation override;
  [[nodiscard]] auto at_factor(permille factor, const question& q) const -> factor_answer override;
  /// Gaps between the segments of a job are shortest execution times, and those scale along; longer upper bounds alone
  /// never help. The search must be exact for that.
  [[nodiscard]] auto is_monotone(const question& q) const -> bool override {
    if (q.method == analysis_method::enhanced_mpcp) { return true; }
    return q.search != search_method::greedy &&
           (q.method == analysis_method::busy_waiting || only_upper_bounds_count(file_->table));
  }
  [[nodiscard]] auto why_not_monotone() const -> std::string_view override {
    return "shortest execution times scale too";
  }

 protected:
  [[nodiscard]] auto assess(const question& q) -> judgement override;

 private:
  [[nodiscard]] auto share_text(const report::task_summary& t) const -> std::string;
  void require_plan() const;

  std::unique_ptr<task_file> file_;
  std::unique_ptr<assessment> found_;
};

auto chain_description::assess(const question& q) -> judgement {
  found_ = program::assess(*file_, q);
  const auto& summary = found_->summary;
  judgement out{.analysis = summary.analysis, .status = summary.status, .rows = summary.priorities};
  for (const auto& t : summary.tasks) { out.tasks.push_back({t.name, t.deadline, t.bound, t.meets}); }
  out.findings = found_->reasons;
  out.notes = summary.notes;
  return out;
}

auto chain_description::platform_text() const -> std::string {
  const auto& p = file_->platform;
  std::string out = fmt::format("{} core{} ({})", p.cores, p.cores == 1 ? "" : "s", file_->rules.cpus);
  if (!file_->cores.empty()) {
    std::vector<std::string> names;
    for (const core_name& c : file_->cores) {
      names.push_back(c.type.empty() ? c.name : c.name.empty() ? c.type : c.name + " " + c.type);
    }
    out += fmt::format(" [{}]", fmt::join(names, ", "));
  }
  out += p.copy_engines == 0 ? std::string{", no copy engine"}
                             : fmt::format(", {} copy engine{} ({})", p.copy_engines, p.copy_engines == 1 ? "" : "s",
                                           file_->rules.copies());
  for (const gpu_record& gpu : p.gpus) {
    out += fmt::format(", GPU with {} SMs x {} virtual ({})", gpu.sms, gpu.virtual_per_sm, file_->rules.gpus);
    if (gpu.granularity > 1) { out += fmt::format(" in units of {}", gpu.granularity); }
    if (!gpu.speed.is_one()) { out += fmt::format(" at speed {}/{}", gpu.speed.numerator, gpu.speed.denominator); }
  }
  return out + (p.gpus.empty() ? ", no GPU" : "");
}

auto chain_description::share_text(const report::task_summary& t) const -> std::string {
  if (t.share.sms == 0) { return "-"; }
  if (file_->rules.tokens()) { return "token"; }
  return file_->platform.gpus.size() > 1 ? fmt::format("{} on {}", t.share.sms, t.share.gpu)
                                         : fmt::format("{}", t.share.sms);
}

auto chain_description::verdict_table() const -> text_table {
  const bool several_cores = file_->platform.cores > 1;
  std::vector<std::string> heads{"task"};
  if (several_cores) { heads.emplace_back("core"); }
  for (const char* head : {"SMs", "deadline ms", "bound ms", "slack", "meets"}) { heads.emplace_back(head); }
  if (found_->dedicated) {
    heads.emplace_back("published ms");
    heads.emplace_back("sharper ms");
  }
  text_table table{heads};
  for (const std::uint32_t i : found_->summary.priorities) {
    const auto& t = found_->summary.tasks[i];
    std::vector<std::string> row{t.name};
    if (several_cores) { row.push_back(fmt::format("{}", file_->table.tasks[i].core)); }
    row.push_back(share_text(t));
    row.push_back(in_milliseconds(t.deadline));
    row.push_back(bound_text(t.bound));
    row.push_back(t.bound.exists ? percent(t.deadline - t.bound.value, t.deadline) : "-");
    row.emplace_back(t.meets ? "yes" : t.evaluated ? "not proven" : "not reached");
    if (found_->dedicated) {
      row.push_back(bound_text(t.other_bounds[0].second));
      row.push_back(bound_text(t.other_bounds[1].second));
    }
    table.add(std::move(row));
  }
  return table;
}

auto chain_description::run_size_until(duration horizon) const -> run_size {
  double segments = 0;
  for (const auto& t : file_->table.tasks) {
    segments +=
        static_cast<double>(t.segment_count) * static_cast<double>(horizon.count()) / static_cast<double>(t.period);
  }
  return {segments, "segments", most_segments, most_traced_segments};
}

/// Throws when tasks with kernels outnumber the SMs, as then there is no plan to simulate or run.
void chain_description::require_plan() const {
  for (std::size_t i = 0; i < file_->table.size(); ++i) {
    if (file_->table.has_kernel(i) && found_->plan.shares[i].sms < 1) {
      throw explain_fault(*file_, {.fault = model_fault::more_gpu_tasks_than_sms});
    }
  }
}

auto chain_description::simulate(const simulation_options& options, trace* kept) const
    -> std::optional<report::run_summary> {
  require_plan();
  const file_simulation seen = kept != nullptr ? simulate_table(*file_, found_->table, found_->plan, options, *kept)
                                               : simulate_table(*file_, found_->table, found_->plan, options);
  if (seen.error.fault == model_fault::time_overflow) { return std::nullopt; }
  if (seen.error) { throw explain_fault(*file_, seen.error); }
  report::run_summary out;
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    const simulated_task& t = seen.tasks[i];
    out.tasks.push_back(
        {std::string{t.name}, t.completed, t.misses, t.worst_response, t.mean_response(), proven_bound(i)});
  }
  return out;
}

auto chain_description::observe(duration length, std::uint64_t seed, trace* kept) const -> observation {
  require_plan();
  runtime::run_options options;
  options.length = length;
  options.seed = seed;
  for (std::size_t i = 0; i < judged().tasks.size(); ++i) {
    options.expected.push_back({.response = proven_bound(i), .segments = {}});
  }
  runtime::emulated_device device{file_->platform};
  const auto seen = kept != nullptr ? runtime::run(found_->table, file_->platform, found_->plan, device, options, *kept)
                                    : runtime::run(found_->table, file_->platform, found_->plan, device, options);
  if (seen.status == runtime::run_status::invalid_model) { throw explain_fault(*file_, seen.error); }
  require_surroundings(seen);
  // The same tasks under the same plan in virtual time, with the longest execution times.
  const file_simulation beside =
      simulate_table(*file_, found_->table, found_->plan, {.horizon = horizon_for(found_->table, 20)});
  observation out;
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    const auto& t = seen.tasks[i];
    out.run.tasks.push_back({t.name, t.jobs, t.misses, t.worst_response, t.mean_response, proven_bound(i)});
    out.within.push_back(t.within_bound);
    out.simulated.push_back(beside.tasks[i].completed > 0 ? std::optional{beside.tasks[i].worst_response}
                                                          : std::nullopt);
  }
  out.run.notes = seen.notes;
  return out;
}

auto chain_description::at_factor(permille factor, const question& q) const -> factor_answer {
  const auto scaled = std::make_unique<file_table>();
  if (!scale(file_->table, factor, *scaled)) { return factor_answer::must_miss; }
  switch (look_for_plan(*file_, *scaled, q)) {
    case plan_search_outcome::found: return factor_answer::proven;
    case plan_search_outcome::undecided: return factor_answer::undecided;
    case plan_search_outcome::none: break;
  }
  // Proofs of a miss hold for every greater factor too.
  with_platform(file_->rules, file_->platform,
                [&](const auto& p) { prioritize(*scaled, std::remove_cvref_t<decltype(p)>::cpu_rule::order); });
  return analysis::find_proven_misses(*scaled, file_->platform).empty() ? factor_answer::not_proven
                                                                        : factor_answer::must_miss;
}

[[nodiscard]] auto read(const json_value& document) -> std::unique_ptr<described_file> {
  return std::make_unique<chain_description>(read_chains(document));
}

}  // namespace

const file_kind chain_kind{[](const json_value& /*document*/) { return true; }, read};

}  // namespace takt::program
