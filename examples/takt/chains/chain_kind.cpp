// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include <takt/analysis/proven_miss.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/runtime.hpp>

#include "../kinds.hpp"
#include "../sightings.hpp"
#include "assess.hpp"
#include "counterexample.hpp"
#include "task_file.hpp"
#include "with_rules.hpp"

namespace takt::program {

namespace {

constexpr double most_segments = 200e6;
constexpr double most_traced_segments = 2e6;

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

  [[nodiscard]] auto run_size_until(duration horizon) const -> run_size override;
  [[nodiscard]] auto longest_period() const -> ticks override { return longest_period_of(file_->table.tasks); }
  [[nodiscard]] auto simulate(const simulation_options& options, trace* kept) const -> sighting override;
  [[nodiscard]] auto observe(duration length, std::uint64_t seed, trace* kept) const -> sighting override;
  [[nodiscard]] auto refuse(const model_error& error) const -> input_error override {
    return explain_fault(*file_, error);
  }
  [[nodiscard]] auto at_factor(permille factor, const question& q) const -> factor_answer override;
  /// Gaps between the segments of a job are shortest execution times, and those scale along; longer upper bounds alone
  /// never help. The search must be exact for that.
  [[nodiscard]] auto is_monotone(const question& q) const -> bool override {
    if (q.method() == analysis_method::enhanced_mpcp) { return true; }
    return q.search() != search_method::greedy &&
           (q.method() == analysis_method::busy_waiting || only_upper_bounds_count(file_->table));
  }
  [[nodiscard]] auto why_not_monotone() const -> std::string_view override {
    return only_upper_bounds_count(file_->table) ? "the search may miss a plan" : "shortest execution times scale too";
  }

 protected:
  [[nodiscard]] auto assess(const question& q) -> report::verdict_summary override {
    found_ = program::assess(*file_, q);
    return std::move(found_->summary);
  }

 private:
  void require_plan() const;

  std::unique_ptr<task_file> file_;
  std::unique_ptr<assessment> found_;
};

auto chain_description::run_size_until(duration horizon) const -> run_size {
  double segments = 0;
  for (const auto& t : file_->table.tasks) {
    segments +=
        static_cast<double>(t.segment_count) * static_cast<double>(horizon.count()) / static_cast<double>(t.period);
  }
  return {segments, "segments", most_segments, most_traced_segments};
}

/// Tasks with kernels may outnumber the SMs, and then there is no plan to simulate or run.
void chain_description::require_plan() const {
  for (const auto& miss : judged().misses) {
    if (miss.proof.reason == miss_reason::more_gpu_tasks_than_sms) {
      throw nothing_to_run{miss.sentence +
                           " Give the GPU more SMs, or share it by \"shared\" virtual SMs or by \"tokens\"."};
    }
  }
}

auto chain_description::simulate(const simulation_options& options, trace* kept) const -> sighting {
  require_plan();
  return sighting_of(simulate_table(*file_, found_->method, found_->table, found_->plan, options, kept));
}

auto chain_description::observe(duration length, std::uint64_t seed, trace* kept) const -> sighting {
  if (!keeps_rules(found_->method)) {
    throw input_error{"--analysis", "is about other rules than those of a run", "rtgpu-best, rtgpu, rtgpu-sharper"};
  }
  require_plan();
  runtime::run_options options;
  options.length = length;
  options.seed = seed;
  for (std::size_t i = 0; i < judged().tasks.size(); ++i) {
    options.expected.push_back({.response = judged().promised(i), .visits = {}});
  }
  runtime::emulated_device device{file_->platform};
  // The plan holds the order of priorities, and the sizes whether SMs are shared.
  using cpu_rule = fixed_priority_rule<by_given_priority>;
  const file_platform<cpu_rule, nonpreemptive_rule<cpu_rule>, federated_rule<false>> platform{file_->platform};
  return heard_by(kept, [&](auto& recorder) {
    return sighting_of(runtime::run(platform, file_->table, found_->plan, device, options, recorder));
  });
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
  with_platform(file_->rules, file_->platform, [&](const auto& p) {
    prioritize(*scaled, order_of<typename std::remove_cvref_t<decltype(p)>::cpu_rule>{});
  });
  return analysis::find_proven_misses(*scaled, file_->platform).empty() ? factor_answer::not_proven
                                                                        : factor_answer::must_miss;
}

}  // namespace

auto known_chains(std::unique_ptr<workload_file> file) -> std::unique_ptr<described_file> {
  return std::make_unique<chain_description>(chains_of(std::move(file)));
}

}  // namespace takt::program
