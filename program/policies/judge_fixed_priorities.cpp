// SPDX-License-Identifier: Apache-2.0
#include "judge_units.hpp"

namespace takt::program {

namespace {

constexpr cpu_rule_entry entries[] = {{"fixed-priority", judge_on_cores<fixed_priority>},
                                      {"deadline-monotonic", judge_on_cores<deadline_monotonic>},
                                      {"rate-monotonic", judge_on_cores<rate_monotonic>}};

}  // namespace

constinit const std::span<const cpu_rule_entry> fixed_priority_rules{entries};

}  // namespace takt::program
