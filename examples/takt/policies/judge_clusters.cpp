// SPDX-License-Identifier: Apache-2.0
#include "judge_units.hpp"

namespace takt::program {

namespace {

constexpr cpu_rule_entry entries[] = {{"g-edf", judge_on_clusters<g_edf>},
                                      {"g-fl", judge_on_clusters<g_fl>},
                                      {"g-fifo", judge_on_clusters<g_fifo>},
                                      {"gel", judge_on_clusters<gel>},
                                      {"g-fixed-priority", judge_on_clusters<fixed_priority>},
                                      {"g-rate-monotonic", judge_on_clusters<rate_monotonic>},
                                      {"g-deadline-monotonic", judge_on_clusters<deadline_monotonic>}};

}  // namespace

constinit const std::span<const cpu_rule_entry> cluster_rules{entries};

}  // namespace takt::program
