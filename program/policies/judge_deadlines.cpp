// SPDX-License-Identifier: Apache-2.0
#include "judge_units.hpp"

namespace takt::program {

namespace {

constexpr auto nonpreemptive_edf = nonpreemptive(edf);
constexpr cpu_rule_entry entries[] = {{"edf", judge_on_cores<edf>},
                                      {"nonpreemptive-edf", judge_on_cores<nonpreemptive_edf>}};

}  // namespace

constinit const std::span<const cpu_rule_entry> deadline_rules{entries};

}  // namespace takt::program
