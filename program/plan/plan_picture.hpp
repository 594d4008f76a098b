// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <takt/report/chain_summary.hpp>
#include <takt/report/svg_plan.hpp>
#include <takt/report/verdict_summary.hpp>

#include "../files/workload_file.hpp"

namespace takt::program {

/// A plan's tasks, cores and limits as a picture shows them; who fills in the answer, the search and notes knows them.
[[nodiscard]] auto picture_of(const workload_file& file, const report::verdict_summary& proven,
                              const std::vector<report::chain_summary>& chains) -> report::plan_view;

}  // namespace takt::program
