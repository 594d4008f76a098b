// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include <takt/model/visit_table.hpp>
#include <takt/systems/locked_gpus/host/affinity_advice.hpp>
#include <takt/systems/locked_gpus/host/engine_layout.hpp>
#include <takt/systems/locked_gpus/host/job_chain.hpp>
#include <takt/systems/locked_gpus/host/system.hpp>

#include "support/broken_precondition.hpp"

namespace {

using takt::host::gpu_visits;
using takt_test::breaks_precondition;
constexpr std::size_t tasks = 2;
using table_type = takt::visit_table<tasks, tasks * gpu_visits>;

auto system_of(std::size_t programs) -> takt::host::gpu_system {
  takt::host::gpu_system out{.pools = {takt::host::simulated_pool{}}, .distances = {0}};
  for (std::size_t i = 0; i < programs; ++i) { out.programs.push_back({.gpu_cluster = 0}); }
  return out;
}

TEST_CASE("a job on a locked GPU makes ten visits under a token and two engines, one without a GPU makes one") {
  takt::host::gpu_system system = system_of(1);
  system.programs.push_back({});
  const auto table = std::make_unique<table_type>();
  takt::host::write_chains(system, *table);
  REQUIRE(table->size() == 2);
  CHECK(table->tasks[0].visit_count == gpu_visits);
  CHECK(table->tasks[1].visit_count == 1);
  CHECK(table->sections.size() == 3);
  CHECK(table->sections[0].visits ==
        takt::host::detail::mask_of(takt::host::gpu_visit::first, takt::host::gpu_visit::last));
}

#if TAKT_PRECONDITIONS >= 1
TEST_CASE("no program is left out: what has room for fewer refuses them all") {
  const takt::host::gpu_system fits = system_of(tasks);
  const takt::host::gpu_system is_too_large = system_of(tasks + 1);
  const auto write = [](const takt::host::gpu_system& s) {
    return breaks_precondition([&s] {
      const auto table = std::make_unique<table_type>();
      takt::host::write_chains(s, *table);
    });
  };
  CHECK_FALSE(write(fits));
  CHECK(write(is_too_large));
  const auto remember = [](const takt::host::gpu_system& s) {
    return breaks_precondition([&s] { const takt::host::detail::affinity_memory<tasks> memory{s, s.pools[0], 1}; });
  };
  CHECK_FALSE(remember(fits));
  CHECK(remember(is_too_large));
}

TEST_CASE("a trace shows engines, and no pool of tokens or what there is not") {
  const takt::host::detail::engine_layout layout{system_of(1)};
  CHECK(layout.size() == 4);
  CHECK(layout.shown(3).where == takt::stage::kernel);
  CHECK(breaks_precondition([&] { static_cast<void>(layout.shown(0)); }));
  CHECK(breaks_precondition([&] { static_cast<void>(layout.shown(4)); }));
}
#endif

}  // namespace
