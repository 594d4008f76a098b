// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <string_view>

#include "judge_units.hpp"

namespace takt::program {

namespace {

constexpr auto entries = [] {
  std::array<cpu_rule_entry, 7> out{};
  std::size_t n = 0;
  each_cluster_rule([&] < const auto& Rule > (std::string_view word) { out[n++] = {word, judge_on_clusters<Rule>}; });
  return out;
}();

}  // namespace

constinit const std::span<const cpu_rule_entry> cluster_rules{entries};

}  // namespace takt::program
