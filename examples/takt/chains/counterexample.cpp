// SPDX-License-Identifier: Apache-2.0
#include "counterexample.hpp"

#include <algorithm>
#include <array>

#include <takt/rules/tags.hpp>
#include <takt/simulation.hpp>

#include "../file_platform.hpp"
#include "../progress.hpp"
#include "with_rules.hpp"

namespace takt::program {

namespace {

using cpu_rule = fixed_priority_rule<by_given_priority>;
template <class Order>
using token_platform = file_platform<cpu_rule, fifo_rule, locked_rule<Order>>;

/// The order of priorities is in the table by now, so one composition per rule of the GPUs stands for all of the
/// catalogue.
template <class Recorder>
[[nodiscard]] auto simulate_file(const task_file& file, analysis_method rules, const file_table& table,
                                 const plan<max_tasks>& p, const simulation_options& options, Recorder& recorder)
    -> file_simulation {
  const auto on = [&](const auto& platform) { return simulate(platform, table, p, options, recorder); };
  if (file.rules.protocol == "k-fmlp") { return on(token_platform<k_fmlp_order_rule>{file.platform}); }
  if (file.rules.protocol == "r2dglp") { return on(token_platform<r2dglp_order_rule>{file.platform}); }
  if (file.rules.protocol == "ck-omlp") { return on(token_platform<ck_omlp_order_rule>{file.platform}); }
  return with_rules(file_platform<cpu_rule, nonpreemptive_rule<cpu_rule>, federated_rule<false>>{file.platform}, rules,
                    on);
}

constexpr std::int64_t most_segments_simulated = 80'000;
constexpr std::uint64_t seeds = 8;

class plan_walk {
 public:
  plan_walk(const file_table& table, const platform_record& platform, std::size_t most)
      : table_{&table}, platform_{&platform}, most_{most} {
    for (std::size_t g = 0; g < platform.gpus.size(); ++g) { free_[g] = platform.gpus[g].budget(); }
    chosen_.shares.resize(table.size());
    chosen_.priorities.resize(table.size());
    for (std::size_t k = 0; k < table.size(); ++k) {
      chosen_.priorities[table.tasks[k].id] = static_cast<std::int32_t>(k);
    }
  }
  auto run() -> std::vector<plan<max_tasks>> {
    visit(0);
    if (plans_.size() > most_) { plans_.clear(); }
    return std::move(plans_);
  }

 private:
  void visit(std::size_t k) {
    if (plans_.size() > most_) { return; }
    if (k == table_->size()) {
      plans_.push_back(chosen_);
      return;
    }
    if (!table_->has_kernel(k)) { return visit(k + 1); }
    for (std::size_t g = 0; g < platform_->gpus.size(); ++g) {
      const std::int32_t unit = platform_->gpus[g].granularity;
      for (std::int32_t sms = unit; sms <= free_[g] && plans_.size() <= most_; sms += unit) {
        free_[g] -= sms;
        chosen_.shares[table_->tasks[k].id] = {static_cast<std::int32_t>(g), sms};
        if (room_below(k)) { visit(k + 1); }
        free_[g] += sms;
      }
    }
    chosen_.shares[table_->tasks[k].id] = {};
  }
  [[nodiscard]] auto room_below(std::size_t k) const -> bool {
    std::int32_t units = 0;
    std::int32_t needed = 0;
    for (std::size_t g = 0; g < platform_->gpus.size(); ++g) { units += free_[g] / platform_->gpus[g].granularity; }
    for (std::size_t i = k + 1; i < table_->size(); ++i) { needed += table_->has_kernel(i) ? 1 : 0; }
    return units >= needed;
  }

  const file_table* table_;
  const platform_record* platform_;
  std::size_t most_;
  std::array<std::int32_t, max_gpus> free_{};
  plan<max_tasks> chosen_;
  std::vector<plan<max_tasks>> plans_;
};

}  // namespace

auto simulate_table(const task_file& file, analysis_method rules, const file_table& table, const plan<max_tasks>& p,
                    const simulation_options& options, trace* kept) -> file_simulation {
  no_trace unheard;
  return kept != nullptr ? simulate_file(file, rules, table, p, options, *kept)
                         : simulate_file(file, rules, table, p, options, unheard);
}

auto horizon_for(const file_table& table, std::int64_t periods) -> duration {
  ticks longest = 0;
  for (const auto& t : table.tasks) { longest = std::max(longest, t.period); }
  const duration wanted = duration{longest} * periods;
  double segments_per_tick = 0;
  for (const auto& t : table.tasks) {
    segments_per_tick += static_cast<double>(t.segment_count) / static_cast<double>(t.period);
  }
  const double most = static_cast<double>(most_segments_simulated) / segments_per_tick;
  return most < static_cast<double>(wanted.count()) ? duration{static_cast<ticks>(most)} : wanted;
}

auto find_counterexample(const task_file& file, const file_table& table, const plan<max_tasks>& p)
    -> std::optional<counterexample> {
  progress shown{"simulating: runs"};
  simulation_options options{.horizon = horizon_for(table, 20), .stop_at_first_miss = true};
  for (std::uint64_t run = 0; run <= seeds; ++run) {
    shown.show(run, seeds + 1);
    options.releases = run == 0 ? release_pattern::periodic : release_pattern::adversarial;
    options.seed = run == 0 ? 1 : run;
    const auto result = simulate_table(file, analysis_method::rtgpu_best, table, p, options);
    if (result.error || result.misses() == 0) { continue; }
    for (std::uint32_t i = 0; i < result.tasks.size(); ++i) {
      if (result.tasks[i].misses > 0) { return counterexample{i, result.tasks[i].first_miss, options}; }
    }
  }
  return std::nullopt;
}

auto all_plans(const file_table& table, const platform_record& platform, std::size_t most)
    -> std::vector<plan<max_tasks>> {
  return plan_walk{table, platform, most}.run();
}

}  // namespace takt::program
