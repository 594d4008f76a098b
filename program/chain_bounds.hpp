// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <takt/analysis/cause_effect/waiting_consumers.hpp>
#include <takt/model/chain_stage.hpp>
#include <takt/report/chain_summary.hpp>
#include <takt/report/verdict_summary.hpp>

#include "policies/policy_input.hpp"

namespace takt::program {

/// A chain of the file with what bounds it.
struct judged_chain {
  std::vector<chain_stage> stages;
  report::chain_summary summary;
};

/// What keeps the jobs of one task from waiting for those of another: `obstacle_to_waiting`.
using waiting_question = std::function<wait_obstacle(std::size_t producer, std::size_t consumer)>;
/// The same of what was judged. Pre: all outlive the question.
[[nodiscard]] auto waiting_in(const workload_file& file, const policy_input& input, const judged_policy& found)
    -> waiting_question;

/// `own_clocks`: nothing is known of the phases of tasks; else their offsets are those of the file.
[[nodiscard]] auto judge_chain(const chain_facts& chain, const workload_file& file,
                               const report::verdict_summary& proven, const waiting_question& waiting, bool own_clocks)
    -> judged_chain;
/// The bound from the stages, where responses are known.
void bound_stages(judged_chain& chain);

/// What the figures of these chains rest on, in sentences.
[[nodiscard]] auto assumptions_of(const std::vector<report::chain_summary>& chains, const workload_file& file,
                                  bool own_clocks) -> std::vector<std::string>;

}  // namespace takt::program
