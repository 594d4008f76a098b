// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/model/accelerator_kernel.hpp>
#include <takt/model/task_set.hpp>

using namespace takt::literals;

TEST_CASE("a set has visits of its own as soon as one of its tasks has") {
  const auto plain = takt::task("plain", takt::period(5_ms), takt::cpu(1_ms));
  const auto late = takt::task("late", takt::period(5_ms), takt::release_jitter(1_ms), takt::cpu(1_ms));
  static_assert(!decltype(takt::task_set(plain))::has_own_visits);
  static_assert(decltype(takt::task_set(plain, late))::has_own_visits);
  static_assert(decltype(takt::task_set(late, plain))::has_own_visits);
}

TEST_CASE("a constant set of whole kernels may name any core that some accelerator has") {
  constexpr auto set = takt::task_set(
      takt::task("k", takt::period(5_ms),
                 takt::kernel(takt::wcet(1_ms), takt::preemption_cost(1_ms), takt::on_sm(takt::max_units - 1))));
  static_assert(set.table().tasks[0].core == takt::max_units - 1);
  CHECK(takt::on_sm(-1).core < takt::unassigned_core);
}
