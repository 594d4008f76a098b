// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/number.hpp>
#include <takt/rules/block_queue.hpp>
#include "support/traces.hpp"

namespace {

using takt::block_placement;
using takt::no_queued_kernel;
using takt::ticks;
using queue = takt::block_queue<4, 2>;

constexpr std::array all_placements{block_placement::even, block_placement::first_fit, block_placement::best_fit};

/// Starts all that can start: blocks by kernel and SM.
template <class Queue>
auto dispatch_all(Queue& q) -> std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> out;
  for (auto s = q.dispatch(); s.kernel != no_queued_kernel; s = q.dispatch()) { ++out[{s.kernel, s.sm}]; }
  return out;
}

/// Follows every order in which blocks of a few kernels can end and kernels can arrive.
struct explorer {
  std::vector<takt::queued_kernel> kernels;
  std::int32_t sms = 1;
  std::int64_t threads = 1;
  block_placement placement = block_placement::even;
  std::uint64_t states = 0;
  std::uint64_t faults = 0;

  struct state {
    queue q;
    std::vector<std::int32_t> number;                                       ///< by kernel, in the order of arrival
    std::map<std::pair<std::size_t, std::int32_t>, std::int64_t> resident;  ///< blocks by kernel and SM
    std::vector<std::int64_t> unplaced;
  };

  void expect(bool holds) { faults += holds ? 0U : 1U; }

  [[nodiscard]] auto idle(const state& s, std::int32_t sm) const -> std::int64_t {
    std::int64_t left = threads;
    for (const auto& [where, count] : s.resident) {
      left -= where.second == sm ? count * kernels[where.first].block.threads : 0;
    }
    return left;
  }
  /// Where the rule has to put a block, from the threads in use alone.
  [[nodiscard]] auto right_place(const state& s, std::int64_t needed) const -> std::int32_t {
    std::int32_t best = -1;
    for (std::int32_t sm = 0; sm < sms; ++sm) {
      if (idle(s, sm) < needed) { continue; }
      const bool better = best < 0 || (placement == block_placement::even && idle(s, sm) > idle(s, best)) ||
                          (placement == block_placement::best_fit && idle(s, sm) < idle(s, best));
      if (better) { best = sm; }
    }
    return best;
  }

  void dispatch(state& s) {
    for (;;) {
      std::size_t head = 0;
      while (head < s.unplaced.size() && s.unplaced[head] == 0) { ++head; }
      const bool any = head < s.unplaced.size();
      const std::int32_t place = any ? right_place(s, kernels[head].block.threads) : -1;
      const auto started = s.q.dispatch();
      expect((started.kernel != no_queued_kernel) == (place >= 0));
      if (started.kernel == no_queued_kernel || place < 0) { return; }
      expect(started.kernel == s.number[head] && started.sm == place);
      --s.unplaced[head];
      ++s.resident[{head, started.sm}];
      for (std::int32_t sm = 0; sm < sms; ++sm) { expect(s.q.idle(sm).threads == idle(s, sm) && idle(s, sm) >= 0); }
    }
  }

  void explore(const state& s) {
    ++states;
    bool done = true;
    if (s.number.size() < kernels.size()) {
      state next = s;
      next.number.push_back(next.q.enqueue(kernels[s.number.size()]));
      next.unplaced.push_back(kernels[s.number.size()].blocks);
      expect(next.number.back() != no_queued_kernel);
      dispatch(next);
      explore(next);
      done = false;
    }
    for (const auto& [where, count] : s.resident) {
      if (count == 0) { continue; }
      done = false;
      state next = s;
      std::int64_t left = next.unplaced[where.first] - 1;
      for (const auto& [other, blocks] : s.resident) { left += other.first == where.first ? blocks : 0; }
      expect(next.q.complete(s.number[where.first], where.second) == (left == 0));
      --next.resident[where];
      dispatch(next);
      explore(next);
    }
    if (done) {
      expect(s.q.waiting() == 0 && s.q.unfinished() == 0 && s.q.resident() == 0);
      for (const std::int64_t u : s.unplaced) { expect(u == 0); }
    }
  }
};

[[nodiscard]] constexpr auto blocks_that_start() -> int {
  queue q{2, {.threads = 2048}};
  static_cast<void>(q.enqueue({{1024}, 2}));
  static_cast<void>(q.enqueue({{512}, 6}));
  int n = 0;
  while (q.dispatch().kernel != no_queued_kernel) { ++n; }
  return n;
}
static_assert(blocks_that_start() == 6);

}  // namespace

TEST_CASE("the queue of example 3: two blocks of K2 find no room, and K3 waits behind them" *
          takt_tests::traces("OVX-17")) {
  queue q{2, {.threads = 2048}};
  const auto k1 = q.enqueue({{1024}, 2});
  const auto k2 = q.enqueue({{512}, 6});
  const auto k3 = q.enqueue({{256}, 1});
  const auto started = dispatch_all(q);
  CHECK(started.at({k1, 0}) == 1);
  CHECK(started.at({k1, 1}) == 1);
  CHECK(started.at({k2, 0}) == 2);
  CHECK(started.at({k2, 1}) == 2);
  CHECK(q.unplaced(k2) == 2);
  CHECK_FALSE(started.contains({k3, 0}));
  CHECK(q.waiting(0) == k2);
  CHECK(q.waiting(1) == k3);

  CHECK_FALSE(q.complete(k1, 0));
  const auto later = dispatch_all(q);
  CHECK(later.at({k2, 0}) == 2);
  CHECK_FALSE(later.contains({k3, 0}));
  CHECK(q.complete(k1, 1));
  CHECK(dispatch_all(q).at({k3, 1}) == 1);
}

TEST_CASE(
    "in every order of arrivals and ends, blocks start in order, where the placement says, and never beyond the threads" *
    takt_tests::traces("OVX-17")) {
  std::uint64_t states = 0;
  std::uint64_t faults = 0;
  for (const block_placement placement : all_placements) {
    for (std::int32_t sms = 1; sms <= 2; ++sms) {
      for (std::int64_t threads = 2; threads <= 3; ++threads) {
        const std::int64_t shapes = 2 * threads;
        for (std::int64_t i = 0; i < shapes * shapes * shapes; ++i) {
          explorer x{.kernels = {}, .sms = sms, .threads = threads, .placement = placement};
          for (std::int64_t rest = i, k = 0; k < 3; ++k, rest /= shapes) {
            x.kernels.push_back({{1 + rest % shapes / 2}, 1 + rest % 2});
          }
          x.explore({queue{sms, {.threads = threads}, placement}, {}, {}, {}});
          states += x.states;
          faults += x.faults;
        }
      }
    }
  }
  MESSAGE(states, " states");
  CHECK(faults == 0);
}

TEST_CASE("a kernel of a stream enters the queue when the one before it has finished, ahead of later arrivals" *
          takt_tests::traces("OVX-19")) {
  queue q{1, {.threads = 2}};
  const auto a = q.enqueue({{1}, 1, 0});
  const auto b = q.enqueue({{2}, 1, 0});
  const auto c = q.enqueue({{1}, 1, 1});
  auto started = dispatch_all(q);
  CHECK(started.contains({a, 0}));
  CHECK_FALSE(started.contains({b, 0}));
  CHECK(started.contains({c, 0}));
  CHECK(q.unfinished() == 3);
  CHECK(q.complete(c, 0));
  CHECK(q.complete(a, 0));
  const auto d = q.enqueue({{1}, 1});
  REQUIRE(d != no_queued_kernel);
  CHECK(q.waiting(0) == b);
  CHECK(q.waiting(1) == d);
  started = dispatch_all(q);
  CHECK(started.contains({b, 0}));
  CHECK_FALSE(started.contains({d, 0}));
}

TEST_CASE("streams that become free at one instant hand on in the order in which their kernels had entered" *
          takt_tests::traces("OVX-19")) {
  queue q{2, {.threads = 1}};
  const auto a = q.enqueue({{1}, 1, 0});
  const auto b = q.enqueue({{1}, 1, 1});
  const auto behind_b = q.enqueue({{1}, 1, 1});
  const auto behind_a = q.enqueue({{1}, 1, 0});
  CHECK(dispatch_all(q).size() == 2);
  CHECK(q.complete(b, 1));
  CHECK(q.complete(a, 0));
  const auto started = dispatch_all(q);
  CHECK(started.contains({behind_a, 0}));
  CHECK(started.contains({behind_b, 1}));
}

TEST_CASE("block slots, shared memory and registers hold a block back as threads do" * takt_tests::traces("OVX-30")) {
  queue slots{1, {.threads = 2048, .blocks = 2}};
  const auto many = slots.enqueue({{32}, 3});
  CHECK(dispatch_all(slots).at({many, 0}) == 2);
  queue memory{1, {.threads = 2048, .shared_memory = 100}};
  const auto large = memory.enqueue({{32, 60}, 2});
  CHECK(dispatch_all(memory).at({large, 0}) == 1);
  queue registers{1, {.threads = 2048, .registers = 90}};
  const auto wide = registers.enqueue({{32, 0, 40}, 3});
  CHECK(dispatch_all(registers).at({wide, 0}) == 2);
  CHECK_FALSE(registers.complete(wide, 0, 2));
  CHECK(dispatch_all(registers).at({wide, 0}) == 1);
}

TEST_CASE("a limit of resident grids keeps the next kernel off idle SMs" * takt_tests::traces("OVX-17")) {
  queue q{2, {.threads = 4}, block_placement::even, 1};
  const auto a = q.enqueue({{4}, 1});
  const auto b = q.enqueue({{1}, 1});
  CHECK(dispatch_all(q).size() == 1);
  CHECK(q.waiting(0) == b);
  CHECK(q.complete(a, 0));
  CHECK(dispatch_all(q).contains({b, 0}));
}

TEST_CASE("the queue refuses kernels that can never start, unknown streams and more than it has room for" *
          takt_tests::traces("OVX-17")) {
  CHECK(queue{1, {.threads = 8}}.sms() == 1);
  queue q{2, {.threads = 64, .shared_memory = 10}};
  CHECK(q.enqueue({{65}, 1}) == no_queued_kernel);
  CHECK(q.enqueue({{0}, 1}) == no_queued_kernel);
  CHECK(q.enqueue({{32}, 0}) == no_queued_kernel);
  CHECK(q.enqueue({{32, 11}, 1}) == no_queued_kernel);
  CHECK(q.enqueue({{32, -1}, 1}) == no_queued_kernel);
  CHECK(q.enqueue({{32}, 1, 4}) == no_queued_kernel);
  CHECK(q.enqueue({{32}, 1, -2}) == no_queued_kernel);
  for (int i = 0; i < 4; ++i) { CHECK(q.enqueue({{64}, 1}) != no_queued_kernel); }
  CHECK(q.enqueue({{64}, 1}) == no_queued_kernel);
  CHECK(dispatch_all(q).size() == 2);
  CHECK(q.complete(0, 0));
  CHECK(q.enqueue({{64}, 1}) != no_queued_kernel);
}
