// SPDX-License-Identifier: Apache-2.0
#include <takt/simulation/token_notes.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <takt/simulation/simulate.hpp>
#include <takt/simulation/simulate_recorded.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

namespace {

using namespace takt::literals;

constexpr auto tasks =
    takt::task_set(takt::task("a", takt::period(20_ms), takt::on_core(0), takt::cpu(1_ms), takt::copy(1_ms),
                              takt::kernel(takt::work(16_ms)), takt::copy(1_ms), takt::cpu(1_ms)),
                   takt::task("b", takt::period(40_ms), takt::on_core(1), takt::cpu(1_ms), takt::copy(2_ms),
                              takt::kernel(takt::work(24_ms)), takt::cpu(1_ms), takt::copy(1_ms), takt::cpu(1_ms)));

template <class Rule, class Order>
constexpr auto board_of(const Rule& cores, const Order& order, std::int32_t tokens) {
  return takt::platform(takt::pool(takt::processors(2), cores), takt::pool(takt::copy_engines(1), takt::fifo),
                        takt::pool(takt::virtual_sms(4, 1), takt::locked(order, tokens)));
}

/// What is recorded on a board with so many tokens; each slice of a copy or a kernel lies in one hold of its job.
template <class Rule>
[[nodiscard]] auto recorded(const Rule& cores, std::int32_t tokens) -> takt::trace {
  takt::trace out;
  const auto board = board_of(cores, takt::k_fmlp_order, tokens);
  const auto seen = takt::simulate(board, tasks, takt::plan<2>{}, {.horizon = 400_ms}, out);
  REQUIRE_FALSE(seen.error);
  CHECK(seen.tasks[0].completed > 10);
  CHECK(out.holds().size() >= seen.tasks[0].completed + 2 * seen.tasks[1].completed);
  for (const takt::slice& s : out.slices()) {
    if (s.where.where == takt::stage::cpu || s.start == s.end) { continue; }
    CHECK(std::ranges::count_if(out.holds(), [&s](const takt::token_hold& h) {
            return h.task == s.task && h.job == s.job && h.start <= s.start && s.end <= h.end;
          }) == 1);
  }
  for (const takt::token_hold& h : out.holds()) {
    CHECK(h.asked <= h.start);
    CHECK(h.start <= h.end);
    CHECK(h.token >= 0);
    CHECK(h.token < tokens);
    CHECK(std::ranges::none_of(out.holds(), [&h](const takt::token_hold& other) {
      return &other != &h && other.token == h.token && other.start < h.end && h.start < other.end;
    }));
  }
  return out;
}
[[nodiscard]] auto somebody_waits(const takt::trace& of) -> bool {
  return std::ranges::any_of(of.holds(), [](const takt::token_hold& h) { return h.asked < h.start; });
}

}  // namespace

TEST_CASE("a recorder hears which job held which token, and since when it waited") {
  CHECK(somebody_waits(recorded(takt::edf, 1)));
  CHECK_FALSE(somebody_waits(recorded(takt::edf, 2)));
}

TEST_CASE("a recorder hears of tokens on a board that is simulated as a whole, too") {
  CHECK(somebody_waits(recorded(takt::fixed_priority, 1)));
  CHECK_FALSE(somebody_waits(recorded(takt::fixed_priority, 2)));
}

TEST_CASE("a token that is held at the end of a simulation is held until then") {
  takt::trace seen;
  const auto board = board_of(takt::edf, takt::fifo_order, 1);
  REQUIRE_FALSE(takt::simulate(board, tasks, takt::plan<2>{}, {.horizon = 4_ms}, seen).error);
  REQUIRE(seen.holds().size() == 1);
  CHECK(seen.holds()[0].start == 1'000'000);
  CHECK(seen.holds()[0].end == 4'000'000);
}

TEST_CASE("whoever gets a token has the lowest that is free") {
  takt::visit_table<3, 3> table;
  for (std::uint32_t i = 0; i < 3; ++i) { table.sections.unchecked_push_back({.task = i, .tokens = 0, .visits = 1}); }
  takt::simulation::token_notes notes{table};
  using enum takt::host::token_event;
  for (std::uint32_t s = 0; s < 3; ++s) { notes.note(s, 0, asked, 0); }
  notes.note(0, 0, got, 1);
  notes.note(1, 0, got, 1);
  notes.note(0, 0, gave_back, 2);
  notes.note(2, 0, got, 3);
  std::size_t holds = 0;
  notes.each(9, [&holds](const takt::token_hold& h) {
    ++holds;
    CHECK(h.token == (h.task == 1 ? 1 : 0));
    CHECK(h.start == (h.task == 2 ? 3 : 1));
    CHECK(h.end == (h.task == 0 ? 2 : 9));
  });
  CHECK(holds == 3);
}
