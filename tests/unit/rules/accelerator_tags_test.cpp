// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/servers/kernel_needs.hpp>

using namespace takt::literals;

TEST_CASE("rules of whole kernels read which core a kernel is pinned to, and what it costs to stop it") {
  takt::visit_placement at{};
  at.gpu = {.sms = 4};
  const auto pinned = takt::kernel(takt::wcet(5_ms), takt::preemption_cost(1_ms), takt::on_sm(2));
  const auto anywhere = takt::kernel(takt::wcet(5_ms), takt::preemption_cost(1_ms));
  const auto check = [&](const auto& rule) {
    const auto one = rule.view(pinned, at);
    CHECK(one.fault == takt::model_fault::none);
    CHECK(one.time.upper == (5_ms).count());
    CHECK(takt::kernel_needs_of(one.values).core == 2);
    CHECK(takt::kernel_needs_of(one.values).cost == (1_ms).count());
    const auto all = rule.view(anywhere, at);
    CHECK(all.fault == takt::model_fault::none);
    CHECK(takt::kernel_needs_of(all.values).core == takt::unassigned_core);
    CHECK(takt::kernel_needs_of(all.values).cost == (1_ms).count());
  };
  check(takt::levels(takt::edf, takt::preemption_cost_model::ideal));
  check(takt::gang(takt::edf));
  check(takt::slots(takt::edf, takt::pinned_slot(0_ms, 6_ms), takt::gang_slot(6_ms, 6_ms), takt::period(12_ms)));
}
