// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "case_input.hpp"

namespace takt_vectors {

/// What takt computes for a case, and what is wrong with it beyond the comparison with `expected`, if anything.
struct answer {
  json value;
  std::optional<std::string> complaint;
};

/// One function per kind of case, from its input. An exception is a failed case, and so is input that is not read.
using suite = std::map<std::string, std::function<answer(const field& input)>>;

/// Add kinds of a suite, each by the part of the library that answers them.
void add_accelerator_platform(suite& kinds);
void add_gpusync_analysis(suite& kinds);
void add_gpusync_analysis_graphs(suite& kinds);
void add_gpusync_bounds(suite& kinds);
void add_gpusync_design_graphs(suite& kinds);
void add_gpusync_edf(suite& kinds);
void add_gpusync_locking(suite& kinds);
void add_gpusync_mechanisms(suite& kinds);
void add_gpusync_pipeline(suite& kinds);
void add_gpusync_rank(suite& kinds);
void add_gpusync_run(suite& kinds);
void add_gpusync_tardiness_analysis(suite& kinds);
void add_gpusync_tardiness_design(suite& kinds);
void add_openvx_bounds(suite& kinds);
void add_openvx_graphs(suite& kinds);
void add_openvx_simulation(suite& kinds);
void add_rtgpu(suite& kinds);
void add_wamp2s_controller(suite& kinds);
void add_wamp2s_prediction(suite& kinds);
void add_wamp2s_shares(suite& kinds);
void add_wamp2s_simulation(suite& kinds);

}  // namespace takt_vectors
