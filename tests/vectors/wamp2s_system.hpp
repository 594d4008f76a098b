// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <stdexcept>
#include <string>

#include <takt/model/shares/share_task.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/rules/shares/share_rules.hpp>

#include "compare.hpp"

namespace takt_vectors {

inline constexpr std::size_t most_applications = 12;
using application_table = takt::share_table<most_applications>;
using application_predictor = takt::contention_predictor<most_applications>;

/// The applications of a case, and by how much its predictor is wrong.
struct application_system {
  application_table tasks;
  std::list<std::string> names;  ///< what `tasks` points to
  std::int64_t bias = 0;
};

[[nodiscard]] inline auto read_row(const json& one) -> takt::wcet_row {
  if (!one.contains("M")) { return takt::wcet_row::scaling(one.at("C100").get<takt::ticks>(), one.value("f", 0)); }
  const auto times = one.at("M").get<std::array<takt::ticks, takt::wcet_row::shares>>();
  return takt::wcet_row::measured(times);
}

inline void read_system(const json& input, application_system& out) {
  for (const auto& one : input.at("apps")) {
    const json& period = one.contains("T") ? one.at("T") : one.at("D");
    takt::share_task t{.name = out.names.emplace_back(std::to_string(out.tasks.size())),
                       .period = period.get<takt::ticks>(),
                       .deadline = one.value("D", period).get<takt::ticks>(),
                       .priority = one.at("P").get<std::int32_t>(),
                       .alone = read_row(one)};
    if (one.contains("delta_init")) { t.request = takt::share::bounded(one.at("delta_init").get<int>()); }
    if (!out.tasks.add(t)) { throw std::length_error("too many applications"); }
  }
  const json slow = input.value("S", json::array());
  for (std::size_t i = 0; i < slow.size(); ++i) {
    for (std::size_t k = 0; k < slow[i].size(); ++k) {
      out.tasks.contention.set(i, k, slow[i][k].get<std::uint32_t>());
    }
  }
  out.bias = input.value("pred_err_ppm", std::int64_t{0});
}

/// Sets `out` where a policy names one of two readings.
template <class Reading>
void read_choice(const json& policy, const char* name, const char* first, Reading a, Reading b, Reading& out) {
  if (policy.contains(name)) { out = policy.at(name).get<std::string>() == first ? a : b; }
}

[[nodiscard]] inline auto read_rules(const json& policy) -> takt::share_rules {
  const auto preset = policy.value("preset", std::string{"text"});
  takt::share_rules out = preset == "literal" ? takt::wamp2s_literal
                          : preset == "text"  ? takt::wamp2s_text
                                              : takt::wamp2s_robust;
  if (policy.contains("strict")) {
    out.fit = policy.at("strict").get<bool>() ? takt::sum_test::below : takt::sum_test::at_most;
  }
  read_choice(policy, "elapsed", "exec", takt::slack_clock::executed, takt::slack_clock::wall, out.slack);
  read_choice(policy, "on_fail", "zero_rest", takt::refusal_rule::zero_rest, takt::refusal_rule::skip, out.refused);
  read_choice(policy, "load", "stale", takt::load_view::stale, takt::load_view::worst, out.load);
  read_choice(policy, "leftover", "floor", takt::leftover_rule::floor, takt::leftover_rule::spread, out.leftover);
  return out;
}

[[nodiscard]] inline auto read_triggers(const json& policy) -> takt::share_triggers {
  const auto theta = policy.value("theta", std::array<std::int64_t, 2>{7642, 10000});
  takt::share_triggers out{.threshold = {theta[0], theta[1]}};
  if (policy.value("wdc", false)) { out.decrease = takt::decrease_rule::keep; }
  if (policy.value("aetc", false)) { out.reuse = takt::late_reuse::slowdown; }
  return out;
}

/// What the scheduler of a case predicts with.
[[nodiscard]] inline auto read_predictor(const application_system& system, const json& policy)
    -> application_predictor {
  return application_predictor{system.tasks, system.bias, policy.value("margin_ppm", std::int64_t{0})};
}

}  // namespace takt_vectors
