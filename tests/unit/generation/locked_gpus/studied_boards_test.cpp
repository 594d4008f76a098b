// SPDX-License-Identifier: Apache-2.0
#include <takt/systems/locked_gpus/figures/studied_boards.hpp>

#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>

#include <takt/systems/locked_gpus/tasks/study.hpp>

namespace {

using namespace takt;
using generation::make_studied_board;

constexpr std::size_t worst_loaded = 0;
constexpr std::size_t worst_idle = 1;
constexpr std::size_t average_loaded = 2;
constexpr std::size_t average_idle = 3;
constexpr std::int64_t bytes = published_costs::megabyte;

/// Whether no cost of a board is below that of the other.
auto at_least(const generation::studied_board& a, const generation::studied_board& b) -> bool {
  bool out = a.overheads.schedule >= b.overheads.schedule && a.overheads.release >= b.overheads.release &&
             a.overheads.tick >= b.overheads.tick && a.overheads.cache_loss >= b.overheads.cache_loss &&
             a.overheads.top_half >= b.overheads.top_half && a.overheads.bottom_half >= b.overheads.bottom_half;
  for (std::size_t k = 0; k < a.costs.kinds.size(); ++k) {
    out = out && a.costs.kinds[k].time(bytes) >= b.costs.kinds[k].time(bytes);
  }
  return out;
}

TEST_CASE("a studied board: load and the worst case never make anything cheaper, in all 57 configurations") {
  for (const auto& c : studied_configurations) {
    CAPTURE(c.name());
    const auto board = [&](std::size_t which) { return make_studied_board(c.value, which); };
    CHECK(at_least(board(worst_loaded), board(worst_idle)));
    CHECK(at_least(board(average_loaded), board(average_idle)));
    CHECK(at_least(board(worst_loaded), board(average_loaded)));
    CHECK(at_least(board(worst_idle), board(average_idle)));
    CHECK_FALSE(at_least(board(average_idle), board(worst_loaded)));
  }
}

TEST_CASE("a studied board: copies take the percentage that is asked for of the published times, rounded up") {
  constexpr auto shape = studied_configurations[0].value;
  constexpr auto whole = make_studied_board(shape, worst_loaded);
  constexpr auto half = make_studied_board(shape, worst_loaded, 50);
  static_assert(whole.costs.kinds[0].time(bytes) == 1'181'300);
  static_assert(half.costs.kinds[0].time(bytes) == 590'650);
  CHECK(half.overheads.schedule == whole.overheads.schedule);
}

TEST_CASE("a studied board: costs of the scheduler grow with the CPUs that share a queue") {
  const auto alone = make_studied_board(studied_configurations[find_studied("(P,P,1)")].value, worst_loaded);
  const auto global = make_studied_board(studied_configurations[find_studied("(G,P,1)")].value, worst_loaded);
  CHECK(alone.overheads.schedule == 4 * 1'250);
  CHECK(global.overheads.schedule == 4 * 4'000);
}

}  // namespace
