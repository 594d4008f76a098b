// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/generation/shares/synthetic_sets.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/simulation/shares/scheduled_shares.hpp>
#include <takt/simulation/shares/simulate.hpp>

#include "old_study.hpp"

namespace takt::program::old_sweep {

inline constexpr std::size_t most_applications = generation::synthetic_benchmarks.size();
using application_table = share_table<most_applications>;
using share_predictor = contention_predictor<most_applications>;
using scheduled_applications = simulation::scheduled_shares<most_applications, share_predictor>;
using share_outcome = share_observation<most_applications>;

inline constexpr ticks microseconds_per_second = 1'000'000;

enum class share_policy : std::uint8_t {
  literal,
  text,
  robust,
  equal,
  time_sliced,
  proportional,
  fixed_priority,
  preemptive_fixed_priority,
  preemptive_edf,
  constant,
};
struct named_policy {
  share_policy policy;
  std::string_view cell;
  std::string_view title;
  int colour;
};
inline constexpr std::array share_policies{
    named_policy{share_policy::literal, "literal", "WAMP2S as printed", 2},
    named_policy{share_policy::text, "text", "WAMP2S as described", 0},
    named_policy{share_policy::robust, "robust", "WAMP2S, sound rules", 1},
    named_policy{share_policy::equal, "share", "equal shares", 4},
    named_policy{share_policy::time_sliced, "ts", "time slices", 5},
    named_policy{share_policy::proportional, "prop", "shares by priority", 6},
    named_policy{share_policy::fixed_priority, "fp_np", "one at a time, by priority", 3},
    named_policy{share_policy::preemptive_fixed_priority, "fp_p", "the same, preemptive", 3},
    named_policy{share_policy::preemptive_edf, "edf_p", "one at a time, preemptive EDF", 0},
    named_policy{share_policy::constant, "static", "constant shares", 2},
};

/// Releases with a period at offsets of their own, or sporadic ones with random gaps.
class application_releases {
 public:
  /// At once, and periodic.
  explicit application_releases(const application_table& table) : table_{&table} {}
  /// With offsets drawn within the periods; where `sporadic`, each job up to a period late.
  application_releases(const application_table& table, std::array<bool, most_applications> sporadic,
                       std::uint64_t seed);

  [[nodiscard]] auto release(std::size_t task, std::int64_t number, ticks& out) const -> bool;

 private:
  const application_table* table_;
  std::array<ticks, most_applications> offsets_{};
  std::array<bool, most_applications> sporadic_{};
  std::uint64_t seed_ = 0;
};

/// Throws `environment_error` when takt refused a run.
[[nodiscard]] auto checked(const share_outcome& run) -> share_outcome;

/// Runs a set under a policy.
[[nodiscard]] auto run_policy(share_policy policy, const application_table& table, const application_releases& releases,
                              ticks horizon) -> share_outcome;

/// Runs a set under given rules, and tells a recorder.
template <TraceRecorder Recorder>
[[nodiscard]] auto run_rules(const application_table& table, const share_rules& rules, const share_triggers& triggers,
                             const application_releases& releases, ticks horizon, Recorder& recorder) -> share_outcome {
  scheduled_applications policy{table, share_predictor{table}, rules, triggers};
  return checked(
      simulation::simulate_shares(table, policy, releases, simulation::share_options{.horizon = horizon}, recorder));
}

/// Draws a set, or throws when it cannot be drawn.
void draw(const generation::benchmark_set_options& o, std::uint64_t seed, std::uint64_t number, application_table& out);
[[nodiscard]] auto airborne_set() -> application_table;
[[nodiscard]] auto airborne_sporadic() -> std::array<bool, most_applications>;

/// So many of the longest periods, but at most so many seconds.
[[nodiscard]] auto horizon_of(const application_table& table, std::int64_t periods, std::int64_t seconds) -> ticks;

}  // namespace takt::program::old_sweep
