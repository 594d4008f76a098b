// SPDX-License-Identifier: Apache-2.0
#include "file_policies.hpp"

#include <algorithm>

#include <takt/rules/shares/share_rules.hpp>

#include "../fields.hpp"

namespace takt::program {

auto granted_shares::of(const workload_file& file) -> std::optional<granted_shares> {
  const bool kernels = std::ranges::all_of(file.tasks.tasks, [&](const described_task& t) {
    const described_visit& v = file.tasks.visits[t.first_visit];
    return t.visit_count == 1 && t.jitter == 0 && v.known.has(visit_fact::wcet_by_share);
  });
  if (file.rules.gpus.sharing != name || !kernels) { return std::nullopt; }
  granted_shares out;
  out.file = &file;
  return out;
}

auto granted_shares::rule() const -> shares_rule {
  static constexpr std::array rules{named_value{"robust", wamp2s_robust}, named_value{"text", wamp2s_text},
                                    named_value{"literal", wamp2s_literal}};
  static constexpr std::array triggers{named_value{"every-change", every_change},
                                       named_value{"workload-decrease", workload_decrease}};
  const auto word = [](std::string_view given, std::string_view otherwise) {
    return given.empty() ? otherwise : given;
  };
  const sharing_rule& said = file->rules.gpus;
  return takt::shares(value_named(word(said.rules, "robust"), rules),
                      value_named(word(said.triggers, "every-change"), triggers));
}

auto granted_shares::contention() const -> contention_table<max_tasks> {
  contention_table<max_tasks> out;
  for (const slow_down& s : file->contention.value_or(std::vector<slow_down>{})) { out.set(s.slowed, s.by, s.ppm); }
  return out;
}

}  // namespace takt::program
