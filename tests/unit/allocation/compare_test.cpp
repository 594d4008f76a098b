// SPDX-License-Identifier: Apache-2.0
#include <takt/allocation/compare.hpp>
#include <takt/allocation/policies/judge_any.hpp>
#include <takt/rules/policies/policy_words.hpp>
#include <takt/rules/policies/published.hpp>

#include <cstdio>

#include <doctest/doctest.h>

namespace {

using takt::ticks;

constexpr ticks ms = 1'000'000;

[[nodiscard]] constexpr auto processor(ticks upper) -> takt::described_visit {
  takt::described_visit v{.where = takt::visit_place::processor};
  v.known.add(takt::visit_fact::time);
  v.time = {0, upper};
  return v;
}
[[nodiscard]] constexpr auto copy(ticks upper) -> takt::described_visit {
  takt::described_visit v = processor(upper);
  v.where = takt::visit_place::copy_engine;
  return v;
}
[[nodiscard]] constexpr auto kernel(ticks work, ticks wcet) -> takt::described_visit {
  takt::described_visit v{.where = takt::visit_place::gpu};
  v.known.add(takt::visit_fact::work);
  v.known.add(takt::visit_fact::wcet);
  v.work = {0, work};
  v.wcet = wcet;
  return v;
}

using tasks_type = takt::described_tasks<4, 16, 4, 4>;

[[nodiscard]] constexpr auto two_chains() -> tasks_type {
  tasks_type out;
  const auto chain = [&](std::string_view name, ticks period, ticks cpu, ticks work, ticks wcet) {
    static_cast<void>(out.add_task({.name = name, .period = period, .deadline = period}));
    takt::described_visit all[]{processor(cpu), copy(cpu / 2), kernel(work, wcet), copy(cpu / 4), processor(cpu)};
    for (std::size_t k = 0; k < 5; ++k) {
      all[k].predecessors = k == 0 ? 0 : takt::visit_mask{1} << (k - 1);
      static_cast<void>(out.add_visit(all[k]));
    }
  };
  chain("detect", 60 * ms, 2 * ms, 24 * ms, 4 * ms);
  chain("track", 40 * ms, ms, 8 * ms, 2 * ms);
  return out;
}
[[nodiscard]] constexpr auto two_cores() -> takt::hardware {
  takt::hardware out{.processors = 2, .copy_engines = 1, .gpus = {}, .own = {}};
  out.gpus.push_back({.sms = 8, .context_switch = 250'000, .switch_is_known = true});
  return out;
}

}  // namespace

TEST_CASE("every policy is judged or says which fact it misses") {
  boost::hana::for_each(takt::cpu_rules(takt::fixed_priority, takt::edf).all, [](const auto& rule) {
    takt::published_policies.each([&](const auto& policy) {
      const auto judged = takt::judge_at_run_time(policy, rule, two_chains(), two_cores());
      const auto line = takt::detail::line_of(judged, rule);
    MESSAGE(line.policy << " " << line.parameter << " " << line.cpus << " " << line.judged << " "
                        << name_of(line.verdict.status) << " " << line.verdict.method << " slack "
                        << (line.schedulable() ? line.slack() : -1) << " missing "
                        << (line.missing.empty() ? std::string_view{} : line.missing[0].fact) << " err "
                        << static_cast<int>(line.verdict.error.fault));
    CHECK((line.judged || !line.missing.empty()));
    });
  });
}
