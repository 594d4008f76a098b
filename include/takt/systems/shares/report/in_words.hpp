// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <takt/model/hardware.hpp>
#include <takt/report/observation_summary.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/shares/report/summarize.hpp>
#include <takt/systems/shares/simulation/simulate.hpp>

namespace takt::inline TAKT_ABI::report::detail {

/// Names the system of shares among those that a question may need.
struct shares_in_words {
  static constexpr std::string_view name = "shares";
};

/// Simulates applications on shares.
template <class P, class Table, class Verdict>
  requires(!KnownComposition<P>)
[[nodiscard]] auto run_of(const auto& /*policy*/, const auto& /*tasks*/, const hardware& /*on*/, const P& platform,
                          const Table& table, const Verdict& /*v*/, const simulation_options& options,
                          const optional_trace& recorder) -> observation_summary {
  const auto seen = takt::simulate(platform, table, options, recorder);
  observation_summary out = observation_summary_of(seen);
  if constexpr (requires { seen.effort.share_changes; }) {
    const auto& effort = seen.effort;
    out.notes.push_back("decisions: " + std::to_string(effort.operations) + " of the whole set, " +
                        std::to_string(effort.refusals) + " refused a job, " + std::to_string(effort.share_changes) +
                        " shares changed");
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::report::detail
