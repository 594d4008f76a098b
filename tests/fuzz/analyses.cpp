// SPDX-License-Identifier: Apache-2.0
// Bytes as a small workload: refused, or judged as the program judges it, and then no job of a simulation responds
// later than is proven, or misses a deadline that is proven to be met.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <takt/report/fault_words.hpp>
#include <takt/report/run_summary.hpp>
#include <takt/report/verdict_json.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/simulation/simulate_recorded.hpp>

#include "drawn_workload.hpp"
#include "failure.hpp"
#include "files/offsets.hpp"
#include "files/workload_file.hpp"
#include "large_stack.hpp"
#include "policies/policy_input.hpp"
#include "target.hpp"

namespace {

using namespace takt::program;
using takt::duration;
using takt::ticks;

/// A few jobs of each task, and as many slices as fit into some thousands of steps.
[[nodiscard]] auto horizon_of(const workload_file& file) -> duration {
  constexpr ticks most = 20'000;
  ticks shortest = most;
  ticks longest = 0;
  for (const auto& t : file.tasks.tasks) {
    shortest = std::min(shortest, t.period);
    longest = std::max(longest, std::min(t.period, most));
  }
  return duration{std::min({8 * longest, 200 * shortest, most})};
}

[[nodiscard]] auto simulated(const workload_file& file, const policy_input& input, const judged_policy& found,
                             const takt::simulation_options& options) -> takt::report::observation_summary {
  takt::report::observation_summary out;
  if (found.simulate) {
    out = found.simulate(found, *input.tasks, file.board, options, nullptr);
  } else {
    out = takt::report::observation_summary_of(takt::simulate(found.board, *input.tasks, found.verdict.plan, options));
  }
  takt::report::keep_declared_misses(file.tasks, out);
  return out;
}

void require_no_contradiction(const takt::report::observation_summary& seen,
                              const takt::report::verdict_summary& proven, const std::string& rules,
                              const std::string& text) {
  const auto run = takt::report::summarize(seen.seen, proven);
  for (std::size_t i = 0; i < run.tasks.size(); ++i) {
    const auto& t = run.tasks[i];
    if ((t.bound.exists && !t.within) || (proven.tasks[i].meets && t.misses > 0)) {
      takt::fuzz::fail(fmt::format("{} under {}: response {}, bound {}, {} misses, {} by {}", t.name, rules,
                                   t.worst_response, t.bound.value, t.misses, name_of(proven.status), proven.method),
                       text);
    }
  }
}

void judge_and_simulate(const workload_file& file, const rule_wishes& wishes, takt::fuzz::choices& from,
                        const std::string& text) {
  policy_input input = input_of(file, wishes);
  // Bounded by steps instead of seconds.
  input.question.begin_search = {};
  input.question.most_evaluations = 500;
  const auto found = judge_file(file, input);
  if (!found->judged) { return; }
  require_rules(file, wishes, *found);
  const auto proven = explained_summary(file, input, *found);
  std::ostringstream json;
  takt::report::write_verdict_json(json, proven);
  // Misses are proven, and there is no plan to simulate: facts are missing, or SMs for kernels that hold one each.
  if (!found->missing.empty()) { return; }
  for (const auto& miss : proven.misses) {
    if (miss.proof.reason == takt::miss_reason::more_gpu_tasks_than_sms) { return; }
  }
  const auto offsets = offsets_of(file);
  takt::simulation_options options{.horizon = horizon_of(file),
                                   .releases = static_cast<takt::release_pattern>(from.below(3)),
                                   .execution = static_cast<takt::execution_times>(from.below(3)),
                                   .seed = from.below(256)};
  if (has_offsets(file)) {
    options.releases = takt::release_pattern::periodic;
    options.offsets = offsets;
  }
  const auto seen = simulated(file, input, *found, options);
  if (!seen.because.empty() || seen.seen.error) {
    // What is not proven may have no plan to simulate, or values that the policy does not take. Periods of years are
    // proven, and too far away to be simulated.
    const bool is_too_far = seen.seen.error.fault == takt::model_fault::time_overflow;
    if (proven.status != takt::verdict_status::schedulable || is_too_far) { return; }
    takt::fuzz::fail(fmt::format("{} under {} is proven, and not simulated: {} {}", found->policy, found->cpus,
                                 seen.because, takt::report::explain_fault(seen.seen.error)),
                     text);
  }
  require_no_contradiction(seen, proven,
                           fmt::format("{} and {}, {} releases, {} times", found->policy, found->cpus,
                                       name_of(options.releases), name_of(options.execution)),
                           text);
}

}  // namespace

auto LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) -> int {
  takt::fuzz::choices from{std::span{data, size}};
  rule_wishes wishes;
  if (from.below(4) == 3) {
    const auto names = policy_names();
    wishes.policy = names[from.below(static_cast<std::uint32_t>(names.size()))];
  }
  if (from.below(8) == 7) {
    wishes.cpus = from.one_of(std::array<std::string_view, 3>{"fixed-priority", "edf", "g-edf"});
  }
  const std::string text = takt::fuzz::drawn_workload{from}.file().dump(2);
  const bool shows = std::getenv("TAKT_FUZZ_SHOW") != nullptr;
  if (shows) { fmt::print(stderr, "policy: {} {}\n{}\n", wishes.policy, wishes.cpus, text); }
  on_large_stack([&] {
    try {
      judge_and_simulate(*read_workload(parse_json(text)), wishes, from, text);
    } catch (const input_error& e) {
      if (shows) { fmt::print(stderr, "{}: {}: {}\n", e.where, e.problem, e.allowed); }
    }
  });
  return 0;
}
