// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <takt/cuda/pinning.hpp>

#include "emulated_grid.hpp"
#include "support/environment.hpp"
#include "support/traces.hpp"

namespace {

namespace cuda = takt::cuda;
using emulated::grid;
using emulated::memory;

auto random_runs() -> int { return takt_tests::from_environment<int>("TAKT_PINNING_RUNS", 2'000); }

constexpr auto opened(std::uint32_t job) -> std::uint64_t { return std::uint64_t{job} << 32U; }
/// Claims of a job beyond its chunks, once it is done.
auto over_claims(const memory& m, const cuda::pinned_work& work) -> std::int64_t {
  return static_cast<std::int64_t>(m.state.next[work.job % 2] - opened(work.job)) - work.chunks;
}

/// All that the next steps of small launches depend on.
struct situation {
  std::array<std::uint64_t, 2> next{};
  std::uint32_t finished = 0;
  std::array<std::uint64_t, 2> gone{};
  std::array<std::uint32_t, 3> occupied{};
  std::vector<emulated::block> blocks;
  std::vector<std::int32_t> done;

  [[nodiscard]] friend auto operator<=>(const situation&, const situation&) = default;
};

/// Visits every order of the steps of all blocks of the launches of a job.
class every_order {
 public:
  every_order(const cuda::pinned_work& work, const cuda::sm_slots& slots, std::int32_t launches)
      : work_{work}, slots_{slots}, reports_{1, launches - 1} {}

  void visit(const grid& blocks, const memory& m) {
    if (!seen_.insert(key(blocks, m)).second) { return; }
    for (std::uint32_t sm = 0; sm < 3; ++sm) {
      within_slots_ = within_slots_ && blocks.at_work(sm) <= static_cast<std::int64_t>(slots_.at(sm));
    }
    for (const std::int32_t times : blocks.done()) { at_most_once_ = at_most_once_ && times <= 1; }
    if (!blocks.running()) { return finish(blocks, m); }
    for (std::size_t b = 0; b < blocks.blocks().size(); ++b) {
      grid next = blocks;
      memory after = m;
      next.step(after, b);
      visit(next, after);
    }
  }

  [[nodiscard]] auto situations() const noexcept -> std::size_t { return seen_.size(); }
  [[nodiscard]] auto ends() const noexcept -> std::int64_t { return ends_; }
  [[nodiscard]] auto within_slots() const noexcept -> bool { return within_slots_; }
  [[nodiscard]] auto at_most_once() const noexcept -> bool { return at_most_once_; }
  /// Whether every end did all work and left the state ready for job 1.
  [[nodiscard]] auto complete() const noexcept -> bool { return complete_; }
  /// Whether some block claimed after the last chunk was gone.
  [[nodiscard]] auto over_claimed() const noexcept -> bool { return over_claimed_; }

 private:
  static auto key(const grid& blocks, const memory& m) -> situation {
    return {{m.state.next[0], m.state.next[1]},
            m.state.finished,
            {m.state.gone[0], m.state.gone[1]},
            {m.state.occupied[0], m.state.occupied[1], m.state.occupied[2]},
            blocks.blocks(),
            blocks.done()};
  }
  void finish(const grid& blocks, const memory& m) {
    ++ends_;
    const auto slots = slots_.total();
    over_claimed_ = over_claimed_ || over_claims(m, work_) > 0;
    complete_ = complete_ && blocks.each_done(1) && emulated::is_clean(m.state) && m.state.finished == 0 &&
                m.state.next[(work_.job + 1) % 2] == opened(work_.job + 1) && over_claims(m, work_) >= 0 &&
                over_claims(m, work_) <= slots && m.reports == reports_ &&
                std::min(m.chunks_left[0], m.chunks_left[1]) == 0 && m.claimed[0] + m.claimed[1] > 0;
  }

  cuda::pinned_work work_;
  cuda::sm_slots slots_;
  std::array<std::int32_t, cuda::max_lanes> reports_;
  std::set<situation> seen_;
  std::int64_t ends_ = 0;
  bool within_slots_ = true;
  bool at_most_once_ = true;
  bool complete_ = true;
  bool over_claimed_ = false;
};

/// What Algorithm 1 of the paper does with its index in piece v of SM k, once its misprints are repaired.
void run_published(std::int64_t threads, std::int32_t per_sm, const std::vector<std::uint32_t>& placement,
                   std::int32_t physical, const cuda::sm_slots& desired, std::vector<std::int32_t>& done) {
  std::vector<std::int32_t> chosen;
  for (std::int32_t sm = 0; sm < physical; ++sm) {
    if (desired.at(static_cast<std::uint32_t>(sm)) > 0) { chosen.push_back(sm); }
  }
  const auto sms = static_cast<std::int64_t>(chosen.size());
  for (std::size_t block = 0; block < placement.size(); ++block) {
    for (std::int64_t k = 0; k < sms; ++k) {
      if (chosen[static_cast<std::size_t>(k)] != static_cast<std::int32_t>(placement[block])) { continue; }
      const auto piece = static_cast<std::int64_t>(block) / physical;
      for (std::int64_t i = piece * threads / per_sm + k; i < (piece + 1) * threads / per_sm; i += sms) {
        ++done[static_cast<std::size_t>(i)];
      }
    }
  }
}

}  // namespace

TEST_CASE("every index is done exactly once, on target SMs, wherever blocks land" * takt_tests::traces("RTGPU-27")) {
  takt::random_stream random{27};
  std::int64_t relaunches = 0;
  for (int run = 0; run < random_runs(); ++run) {
    const std::int64_t sms = random.between(1, 8);
    const auto work = *cuda::divide_work(random.between(1, 120), random.between(1, 30));
    memory m{.state = {}, .allowed = emulated::any_slots(random, sms, 4)};
    m.allowed.per_sm[random.between(0, sms - 1)] = 1;
    grid blocks{work};
    std::uint32_t before = work.chunks;
    do {
      blocks.launch(m, 0, emulated::any_placement(random, 3 * sms, sms));
      blocks.run(m, random);
      CHECK(m.chunks_left[0] <= before);
      CHECK(blocks.taken_on().size() == work.chunks - m.chunks_left[0]);
      before = m.chunks_left[0];
      relaunches += before > 0 ? 1 : 0;
    } while (before > 0);
    CHECK(blocks.each_done(1));
    for (const std::uint32_t sm : blocks.taken_on()) { CHECK(m.allowed.at(sm) > 0); }
    CHECK(emulated::is_clean(m.state));
    CHECK(m.state.next[1] == opened(1));
  }
  CHECK(relaunches > 0);
}

TEST_CASE("in every order of the steps, blocks on the virtual SMs of an SM share the work without gap or overlap" *
          takt_tests::traces("RTGPU-28")) {
  struct tiny {
    std::int64_t count;
    std::int64_t length;
    cuda::sm_slots slots;
    std::vector<std::uint32_t> placement;
    std::vector<std::uint32_t> joining{};
  };
  const std::vector<tiny> launches{
      {5, 2, cuda::isolated_slots(0, 1, 2), {0, 0}},      {5, 2, cuda::isolated_slots(0, 1, 2), {0, 0, 0}},
      {3, 1, cuda::isolated_slots(0, 2, 1), {0, 0, 1}},   {2, 1, cuda::isolated_slots(0, 2, 2), {0, 1, 2}},
      {1, 4, cuda::isolated_slots(1, 1, 1), {0, 1, 1}},   {4, 3, cuda::shared_slots(1, 2, 2), {0, 0, 1}},
      {2, 1, cuda::isolated_slots(2, 1, 1), {2, 2, 2}},   {2, 1, cuda::isolated_slots(0, 1, 3), {0, 0, 0}},
      {3, 1, cuda::isolated_slots(0, 1, 2), {0}, {0}},    {2, 1, cuda::isolated_slots(0, 2, 1), {0, 1}, {0}},
      {1, 1, cuda::isolated_slots(0, 1, 2), {0, 0}, {0}},
  };
  bool over_claimed = false;
  for (const tiny& t : launches) {
    const auto work = *cuda::divide_work(t.count, t.length);
    every_order orders{work, t.slots, t.joining.empty() ? 1 : 2};
    grid blocks{work};
    const memory m{.state = {}, .allowed = t.slots};
    blocks.launch(m, 0, t.placement);
    if (!t.joining.empty()) { blocks.launch(m, 1, t.joining); }
    orders.visit(blocks, m);
    CHECK(orders.situations() > 50);
    CHECK(orders.ends() > 0);
    CHECK(orders.within_slots());
    CHECK(orders.at_most_once());
    CHECK(orders.complete());
    over_claimed = over_claimed || orders.over_claimed();
  }
  CHECK(over_claimed);
}

TEST_CASE("persistent blocks that loop over logical blocks compute what one block each computes" *
          takt_tests::traces("RTGPU-26")) {
  takt::random_stream random{26};
  const auto compute = [](std::int64_t block) { return static_cast<std::uint64_t>(block * block) * 40'503U + 7U; };
  for (int run = 0; run < random_runs() / 10; ++run) {
    const auto work = *cuda::divide_work(random.between(1, 90), random.between(1, 7));
    memory m{.state = {}, .allowed = cuda::isolated_slots(0, 3, 2)};
    std::vector<std::uint64_t> plain;
    std::vector<std::uint64_t> persistent(static_cast<std::size_t>(work.count));
    for (std::int64_t b = 0; b < work.count; ++b) { plain.push_back(compute(b)); }
    grid blocks{work, [&](std::int64_t b) { persistent[static_cast<std::size_t>(b)] += compute(b); }};
    do {
      blocks.launch(m, 0, emulated::any_placement(random, 9, 4));
      blocks.run(m, random);
    } while (m.chunks_left[0] > 0);
    CHECK(persistent == plain);
  }
}

TEST_CASE("no more blocks than slots are at work on an SM at any step") {
  takt::random_stream random{11};
  for (int run = 0; run < random_runs() / 10; ++run) {
    const std::int64_t sms = random.between(1, 4);
    const auto work = *cuda::divide_work(random.between(20, 60), 1);
    memory m{.state = {}, .allowed = emulated::any_slots(random, sms, 3)};
    grid blocks{work};
    blocks.launch(m, 0, emulated::any_placement(random, 8 * sms, sms));
    while (blocks.running()) {
      blocks.step_any(m, random);
      for (std::uint32_t sm = 0; sm < static_cast<std::uint32_t>(sms); ++sm) {
        CHECK(blocks.at_work(sm) <= static_cast<std::int64_t>(m.allowed.at(sm)));
      }
    }
  }
}

TEST_CASE("jobs follow each other on one state, and blocks of a job that is done change nothing") {
  takt::random_stream random{3};
  for (int run = 0; run < random_runs() / 10; ++run) {
    memory m{.state = {}, .allowed = cuda::isolated_slots(0, 2, 2)};
    m.state.next[0] = opened(0xFFFF'FFFE);
    cuda::pinned_work last = *cuda::divide_work(20, 1, 0xFFFF'FFFD);
    for (std::uint32_t n = 0; n < 5; ++n) {
      const std::uint32_t job = 0xFFFF'FFFEU + n;
      const auto work = *cuda::divide_work(random.between(1, 20), random.between(1, 5), job);
      grid late{last};
      grid blocks{work};
      late.launch(m, 1, {0, 1, 1});
      blocks.launch(m, 0, {0, 0, 1, 1, 0, 0, 1, 1});
      while (blocks.running() || late.running()) {
        grid& one = !late.running() || (blocks.running() && random.chance(1, 2)) ? blocks : late;
        one.step_any(m, random);
      }
      while (m.chunks_left[0] > 0) {
        blocks.launch(m, 0, {0, 1});
        blocks.run(m, random);
      }
      CHECK(blocks.each_done(1));
      CHECK(late.each_done(0));
      CHECK(m.chunks_left[1] == 0);
      CHECK(m.claimed[1] == 0);
      CHECK(emulated::is_clean(m.state));
      last = work;
    }
  }
}

TEST_CASE("blocks that claim late, after their job is closed and the next one runs, take nothing from it") {
  takt::random_stream random{14};
  std::int64_t late_claims = 0;
  for (int run = 0; run < random_runs(); ++run) {
    memory m{.state = {}, .allowed = cuda::isolated_slots(0, 2, 3)};
    grid first{*cuda::divide_work(random.between(1, 6), 1, 0)};
    grid second{*cuda::divide_work(random.between(1, 6), 1, 1)};
    first.launch(m, 0, {0, 0, 0, 1, 1, 1});
    while (m.state.next[1] != opened(1)) { first.step_any(m, random); }
    const std::uint64_t claims = m.state.next[0];
    second.launch(m, 1, {0, 0, 0, 1, 1, 1, 0, 1});
    while (first.running()) {
      if (second.running() && m.state.next[1] - opened(1) < 1 && random.chance(1, 2)) {
        second.step_any(m, random);
      } else {
        first.step_any(m, random);
      }
    }
    late_claims += m.state.next[0] != claims ? 1 : 0;
    second.run(m, random);
    while (m.chunks_left[1] > 0) {
      second.launch(m, 1, {0, 1});
      second.run(m, random);
    }
    CHECK(first.each_done(1));
    CHECK(second.each_done(1));
    CHECK(m.state.next[0] == opened(2));
    CHECK(emulated::is_clean(m.state));
  }
  CHECK(late_claims > 0);
}

TEST_CASE("another launch of a job that is done changes nothing and says that nothing is left") {
  takt::random_stream random{15};
  for (int run = 0; run < random_runs() / 10; ++run) {
    const auto work = *cuda::divide_work(random.between(1, 30), random.between(1, 5));
    memory m{.state = {}, .allowed = cuda::isolated_slots(0, 2, 2)};
    grid blocks{work};
    blocks.launch(m, 0, {0, 0, 1, 1});
    blocks.run(m, random);
    const std::uint64_t claims = m.state.next[0];
    blocks.launch(m, 0, {0, 0, 1, 1, 2});
    blocks.launch(m, 1, {0, 1});
    blocks.run(m, random);
    CHECK(blocks.each_done(1));
    CHECK(m.state.next[0] == claims);
    CHECK(m.state.next[1] == opened(1));
    CHECK(m.chunks_left[0] == 0);
    CHECK(m.claimed[0] == 0);
    CHECK(m.reports == std::array<std::int32_t, 4>{2, 1});
    CHECK(emulated::is_clean(m.state));
  }
}

TEST_CASE("a block on an SM that its launch was not dealt reads nothing of the host's and publishes nothing") {
  takt::random_stream random{16};
  for (int run = 0; run < random_runs() / 10; ++run) {
    const auto work = *cuda::divide_work(random.between(1, 40), 1);
    memory m{.state = {}, .allowed = cuda::isolated_slots(0, 1, 2)};
    grid blocks{work};
    std::vector<std::uint32_t> placement(40, 1);
    placement[0] = placement[1] = placement[2] = 0;
    blocks.launch(m, 0, placement);
    m.allowed = cuda::isolated_slots(0, 2, 2);  // a slot that came since is for those who join
    blocks.run(m, random);
    CHECK(blocks.each_done(1));
    CHECK(m.foreign.host_reads == 0);
    CHECK(m.foreign.published == 0);
    CHECK(m.foreign.taken + m.own.taken == 1);
    CHECK(m.own.host_reads >= work.chunks);
    CHECK(m.own.host_reads <= work.chunks + 2);
    CHECK(m.own.published >= 1);
    CHECK(m.own.published <= 2);
  }
}

TEST_CASE("the last block of a launch tells how many blocks came to a slot while there was work") {
  takt::random_stream random{17};
  const auto claimed = [&](std::int64_t chunks, const cuda::sm_slots& slots, const std::vector<std::uint32_t>& where) {
    memory m{.state = {}, .allowed = slots};
    grid blocks{*cuda::divide_work(chunks, 1)};
    blocks.launch(m, 0, where);
    // In step, as blocks of one wave are.
    for (std::size_t turn = 0; turn < 4 * where.size(); ++turn) { blocks.step(m, turn % where.size()); }
    blocks.run(m, random);
    CHECK(m.chunks_left[0] == (m.claimed[0] > 0 ? 0U : static_cast<std::uint32_t>(chunks)));
    return m.claimed[0];
  };
  CHECK(claimed(20, cuda::isolated_slots(0, 2, 2), {0, 0, 1, 1}) == 4);
  CHECK(claimed(20, cuda::isolated_slots(0, 2, 3), {0, 0, 1}) == 3);
  CHECK(claimed(20, cuda::isolated_slots(1, 1, 2), {1}) == 1);
  CHECK(claimed(20, cuda::isolated_slots(2, 1, 2), {2, 2}) == 2);
  memory m{.state = {}, .allowed = cuda::isolated_slots(3, 1, 2)};
  grid blocks{*cuda::divide_work(8, 1)};
  blocks.launch(m, 0, {0, 1, 2});
  blocks.run(m, random);
  CHECK(m.claimed[0] == 0);
  CHECK(m.chunks_left[0] == 8);
}

TEST_CASE("a block on an SM that no table knows leaves") {
  memory m{.state = {}, .allowed = cuda::isolated_slots(0, 256, 1)};
  takt::random_stream random{1};
  grid blocks{*cuda::divide_work(4, 1)};
  blocks.launch(m, 0, {256, 0xFFFF'FFFFU});
  blocks.run(m, random);
  CHECK(blocks.each_done(0));
  CHECK(m.chunks_left[0] == 4);
  CHECK(emulated::is_clean(m.state));
}

TEST_CASE("pieces that follow from the block index are done twice, or late, when other kernels hold SMs") {
  const auto desired = cuda::isolated_slots(0, 2, 2);
  std::vector<std::int32_t> done(9);
  run_published(9, 2, {0, 1, 2, 3, 0, 1, 2, 3}, 4, desired, done);
  CHECK(std::ranges::all_of(done, [](std::int32_t n) { return n == 1; }));

  done.assign(9, 0);
  run_published(9, 2, {0, 1, 0, 1, 0, 1, 0, 1}, 4, desired, done);
  CHECK(std::ranges::count(done, 2) == 9);

  memory m{.state = {}, .allowed = desired};
  takt::random_stream random{4};
  grid blocks{*cuda::divide_work(9, 2)};
  blocks.launch(m, 0, {0, 1, 0, 1, 0, 1, 0, 1});
  blocks.run(m, random);
  CHECK(blocks.each_done(1));
}
