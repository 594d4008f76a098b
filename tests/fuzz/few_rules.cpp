// SPDX-License-Identifier: Apache-2.0
// In place of the program's tables: one rule of processors of each kind, since every one is built with all analyses.
#include "policies/judge_units.hpp"

namespace takt::program {

namespace {

constexpr cpu_rule_entry priorities[] = {{"fixed-priority", judge_on_cores<fixed_priority>}};
constexpr cpu_rule_entry deadlines[] = {{"edf", judge_on_cores<edf>}};
constexpr cpu_rule_entry clusters[] = {{"g-edf", judge_on_clusters<g_edf>}};

}  // namespace

constinit const std::span<const cpu_rule_entry> fixed_priority_rules{priorities};
constinit const std::span<const cpu_rule_entry> nonpreemptive_rules{};
constinit const std::span<const cpu_rule_entry> deadline_rules{deadlines};
constinit const std::span<const cpu_rule_entry> cluster_rules{clusters};

}  // namespace takt::program
