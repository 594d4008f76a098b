// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <takt/model/chain_stage.hpp>
#include <takt/report/chain_summary.hpp>
#include <takt/report/verdict_summary.hpp>

#include "files/workload_file.hpp"

namespace takt::program {

/// A chain of the file with what bounds it.
struct judged_chain {
  std::vector<chain_stage> stages;
  report::chain_summary summary;
};

/// `own_clocks`: nothing is known of the phases of tasks.
[[nodiscard]] auto judge_chain(const chain_facts& chain, const file_tasks& tasks, const report::verdict_summary& proven,
                               bool own_clocks) -> judged_chain;

/// What the figures of these chains rest on, in sentences.
[[nodiscard]] auto assumptions_of(const std::vector<report::chain_summary>& chains, bool own_clocks)
    -> std::vector<std::string>;

}  // namespace takt::program
