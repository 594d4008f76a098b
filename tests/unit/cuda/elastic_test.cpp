// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <takt/cuda/pinning.hpp>

#include "emulated_grid.hpp"
#include "support/environment.hpp"

namespace {

namespace cuda = takt::cuda;
using emulated::grid;
using emulated::memory;

auto random_runs() -> int { return takt_tests::from_environment<int>("TAKT_PINNING_RUNS", 1'000); }

/// A lane whose launch has ended; `max_lanes` if there is none.
auto free_lane(const grid& blocks) -> std::uint32_t {
  std::uint32_t lane = 0;
  while (lane < cuda::max_lanes && blocks.running(lane)) { ++lane; }
  return lane;
}

}  // namespace

TEST_CASE("slots that change at any step, and launches that join, neither lose nor repeat an index") {
  takt::random_stream random{7};
  std::int64_t joins = 0;
  for (int run = 0; run < random_runs(); ++run) {
    const std::int64_t sms = random.between(1, 6);
    const auto work = *cuda::divide_work(random.between(1, 150), random.between(1, 9));
    memory m{.state = {}, .allowed = emulated::any_slots(random, sms, 3)};
    grid blocks{work};
    for (int changes = 0; m.state.next[1] >> 32U == 0;) {
      if (const std::uint32_t lane = free_lane(blocks); lane < cuda::max_lanes && random.chance(1, 20)) {
        joins += blocks.running() ? 1 : 0;
        blocks.launch(m, lane, emulated::any_placement(random, 2 * sms, sms));
      }
      if (random.chance(1, 10) && changes < 50) {
        ++changes;
        m.allowed = emulated::any_slots(random, sms, 3);
      }
      if (changes == 50) { m.allowed = cuda::isolated_slots(0, static_cast<std::int32_t>(sms), 2); }
      if (blocks.running()) { blocks.step_any(m, random); }
    }
    CHECK(blocks.each_done(1));
    blocks.run(m, random);
    CHECK(blocks.each_done(1));
    CHECK(emulated::is_clean(m.state));
    CHECK(m.state.next[1] == std::uint64_t{1} << 32U);
    CHECK(m.state.finished == 0);
  }
  CHECK(joins > 0);
}

TEST_CASE("after its slot is taken away, a block does at most the chunk that it was at or about to take") {
  takt::random_stream random{12};
  for (int run = 0; run < random_runs() / 4; ++run) {
    const auto work = *cuda::divide_work(200, 1);
    memory m{.state = {}, .allowed = cuda::isolated_slots(0, 3, 2)};
    grid blocks{work};
    blocks.launch(m, 0, {0, 0, 1, 1, 2, 2});
    for (std::int64_t s = random.between(0, 200); s > 0 && blocks.running(); --s) { blocks.step_any(m, random); }
    const std::size_t before = blocks.taken_on().size();
    m.allowed.per_sm[1] = 1;
    m.allowed.per_sm[2] = 0;
    blocks.run(m, random);
    std::int64_t later = 0;
    for (std::size_t c = before; c < blocks.taken_on().size(); ++c) { later += blocks.taken_on()[c] == 2 ? 1 : 0; }
    CHECK(later <= 2);
    CHECK(blocks.each_done(1));
  }
}

TEST_CASE("a launch that yields at any step leaves its progress, and the next one goes on from there") {
  takt::random_stream random{5};
  std::int64_t resumed = 0;
  for (int run = 0; run < random_runs() / 4; ++run) {
    const auto work = *cuda::divide_work(random.between(1, 60), random.between(1, 4));
    memory m{.state = {}, .allowed = cuda::isolated_slots(0, 2, 2)};
    grid blocks{work};
    std::uint32_t left = work.chunks;
    for (int launches = 0; left > 0 && launches < 1'000; ++launches) {
      m.allowed = cuda::isolated_slots(0, 2, 2);
      blocks.launch(m, 0, {0, 0, 1, 1});
      for (std::int64_t s = random.between(0, 60); s > 0 && blocks.running(); --s) { blocks.step_any(m, random); }
      m.allowed = {};
      blocks.run(m, random);
      CHECK(m.chunks_left[0] <= left);
      CHECK(blocks.taken_on().size() == work.chunks - m.chunks_left[0]);
      CHECK(m.reports[0] == launches + 1);
      left = m.chunks_left[0];
      resumed += left > 0 && left < work.chunks ? 1 : 0;
    }
    CHECK(left == 0);
    CHECK(blocks.each_done(1));
    CHECK(emulated::is_clean(m.state));
  }
  CHECK(resumed > 0);
}

TEST_CASE("blocks that join take over on SMs that the job gets while it runs, and the first launch goes on") {
  takt::random_stream random{9};
  std::int64_t shared = 0;
  for (int run = 0; run < random_runs() / 4; ++run) {
    const auto work = *cuda::divide_work(60, 1);
    memory m{.state = {}, .allowed = cuda::isolated_slots(0, 1, 1)};
    grid blocks{work};
    blocks.launch(m, 0, {0, 0, 1, 1});
    for (int s = 0; s < 60; ++s) { blocks.step_any(m, random); }
    m.allowed = cuda::isolated_slots(0, 2, 1);
    blocks.launch(m, 1, {0, 0, 1, 1});
    const std::size_t before = blocks.taken_on().size();
    blocks.run(m, random);
    std::array<std::int64_t, 2> on{};
    for (std::size_t c = before; c < blocks.taken_on().size(); ++c) { ++on[blocks.taken_on()[c]]; }
    shared += on[0] > 0 && on[1] > 0 ? 1 : 0;
    CHECK(blocks.each_done(1));
    CHECK(m.reports[0] == 1);
    CHECK(m.reports[1] == 1);
  }
  CHECK(shared > random_runs() / 8);
}
