// SPDX-License-Identifier: Apache-2.0
#include "judge_units.hpp"

namespace takt::program {

namespace {

constexpr auto by_priority = nonpreemptive(fixed_priority);
constexpr auto by_deadline = nonpreemptive(deadline_monotonic);
constexpr auto by_period = nonpreemptive(rate_monotonic);
constexpr cpu_rule_entry entries[] = {{"nonpreemptive-fixed-priority", judge_on_cores<by_priority>},
                                      {"nonpreemptive-deadline-monotonic", judge_on_cores<by_deadline>},
                                      {"nonpreemptive-rate-monotonic", judge_on_cores<by_period>}};

}  // namespace

constinit const std::span<const cpu_rule_entry> nonpreemptive_rules{entries};

}  // namespace takt::program
