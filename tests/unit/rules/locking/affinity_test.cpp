// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/rules/locking/active_users.hpp>
#include <takt/rules/locking/affinity.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/rules/locking/token_map.hpp>
#include "support/traces.hpp"

using takt::no_replica;
using takt::no_request;
using takt::queue_load;
using takt::rational;
using takt::replica_id;
using takt::token_finding;
using takt::token_layout;
using takt::token_map;

namespace {

struct allocation {
  token_map map;
  std::int32_t limit = 1;
  std::vector<queue_load> queues;
  std::vector<rational> own;
  std::vector<std::int32_t> users;
};

[[nodiscard]] auto random_allocation(takt::random_stream& random) -> allocation {
  allocation a;
  a.map = {.gpus = static_cast<std::int32_t>(random.between(1, 3)),
           .tokens_per_gpu = static_cast<std::int32_t>(random.between(1, 3)),
           .layout = random.chance(1, 2) ? token_layout::block : token_layout::interleaved};
  a.limit = static_cast<std::int32_t>(random.between(1, 3));
  for (replica_id x = 0; x < a.map.tokens(); ++x) {
    std::vector<rational> predictions;
    for (auto n = random.between(0, a.limit); n > 0; --n) { predictions.emplace_back(random.below(12), 2); }
    a.queues.push_back(takt::load_of(predictions));
    a.own.emplace_back(random.below(8));
  }
  for (std::int32_t g = 0; g < a.map.gpus; ++g) { a.users.push_back(static_cast<std::int32_t>(random.below(3))); }
  return a;
}

/// The best of the queues with room by a key, the lowest of equal ones.
template <class Key>
[[nodiscard]] auto best_with_room(const allocation& a, Key key) -> replica_id {
  replica_id best = no_replica;
  for (replica_id x = 0; x < a.map.tokens(); ++x) {
    if (a.queues[static_cast<std::size_t>(x)].requests >= a.limit) { continue; }
    if (best == no_replica || key(x) < key(best)) { best = x; }
  }
  return best;
}

}  // namespace

TEST_CASE("the tokens of a pool are spread over its GPUs, and too few of them per GPU are reported" *
          takt_tests::traces("GSD-64")) {
  constexpr token_map block{.gpus = 2, .tokens_per_gpu = 3};
  constexpr token_map interleaved{.gpus = 2, .tokens_per_gpu = 3, .layout = token_layout::interleaved};
  static_assert(block.tokens() == 6);
  constexpr std::array<std::int32_t, 6> in_blocks{0, 0, 0, 1, 1, 1};
  constexpr std::array<std::int32_t, 6> in_turn{0, 1, 0, 1, 0, 1};
  for (replica_id x = 0; x < 6; ++x) {
    CHECK(block.gpu_of(x) == in_blocks[static_cast<std::size_t>(x)]);
    CHECK(interleaved.gpu_of(x) == in_turn[static_cast<std::size_t>(x)]);
  }
  for (std::int32_t g = 1; g <= 5; ++g) {
    for (std::int32_t rho = 1; rho <= 5; ++rho) {
      for (const auto layout : {token_layout::block, token_layout::interleaved}) {
        const token_map map{g, rho, layout};
        std::vector<std::int32_t> tokens_of(static_cast<std::size_t>(g));
        for (replica_id x = 0; x < map.tokens(); ++x) { ++tokens_of.at(static_cast<std::size_t>(map.gpu_of(x))); }
        REQUIRE(std::ranges::all_of(tokens_of, [&](std::int32_t n) { return n == rho; }));
      }
    }
  }

  takt::gpu_topology<2, 1> topology;
  topology.add_gpu(takt::no_hub, 1);
  topology.add_gpu(takt::no_hub, 2);
  CHECK(block.check(topology) == token_finding::none);
  CHECK(token_map{2, 2}.check(topology) == token_finding::engines_never_all_busy);
  CHECK(token_map{3, 3}.check(topology) == token_finding::gpus_differ_from_topology);
  CHECK(token_map{2, 0}.check(topology) == token_finding::no_tokens);
  CHECK(token_map{0, 1}.check(topology) == token_finding::no_tokens);
  CHECK(token_map{2, std::numeric_limits<std::int32_t>::max()}.check(topology) == token_finding::no_tokens);
}

TEST_CASE("the shorter of two queues depends on whether requests or predicted times count" *
          takt_tests::traces("GSD-67")) {
  constexpr std::array<rational, 3> short_ones{rational{1}, rational{1, 2}, rational{1, 3}};
  constexpr std::array<rational, 1> long_one{rational{2}};
  constexpr std::array<queue_load, 3> queues{takt::load_of(short_ones), takt::load_of(long_one), takt::load_of({})};
  static_assert(queues[0].requests == 3 && queues[0].predicted == rational{11, 6});
  const std::span<const queue_load> loaded{queues.data(), 2};
  CHECK(takt::shortest_queue(loaded, takt::load_measure::requests) == 1);
  CHECK(takt::shortest_queue(loaded, takt::load_measure::predicted_time) == 0);
  CHECK(takt::shortest_queue(queues, takt::load_measure::requests) == 2);
  CHECK(takt::shortest_queue(queues, takt::load_measure::predicted_time) == 2);
}

TEST_CASE("the worked allocation: least predicted response, but fewest users for a first request" *
          takt_tests::traces("GSD-68 GSD-69")) {
  constexpr token_map map{.gpus = 2, .tokens_per_gpu = 2};
  constexpr std::array<queue_load, 4> queues{queue_load{1, 6}, queue_load{1, 2}, queue_load{0, 0}, queue_load{2, 2}};
  constexpr std::array<rational, 4> own{5, 5, 9, 9};
  constexpr std::array<std::int32_t, 2> users{2, 1};
  static_assert(takt::detail::quickest_queue(queues, own, 2) == 1);
  static_assert(takt::detail::least_used_queue(queues, own, 2, map, users) == 2);
  CHECK(takt::detail::quickest_queue(queues, own, 0) == no_replica);
  CHECK(takt::detail::least_used_queue(queues, own, 0, map, users) == no_replica);
  CHECK(takt::detail::quickest_queue(queues, own, takt::unlimited_queue) == 1);
}

TEST_CASE("the chosen queue is the best with room in random pools" * takt_tests::traces("GSD-68 GSD-69")) {
  takt::random_stream random{68};
  for (int round = 0; round < 2'000; ++round) {
    const allocation a = random_allocation(random);
    const auto response = [&](replica_id x) {
      return a.queues[static_cast<std::size_t>(x)].predicted + a.own[static_cast<std::size_t>(x)];
    };
    const auto users = [&](replica_id x) { return a.users[static_cast<std::size_t>(a.map.gpu_of(x))]; };
    REQUIRE(takt::detail::quickest_queue(a.queues, a.own, a.limit) == best_with_room(a, response));
    REQUIRE(takt::detail::least_used_queue(a.queues, a.own, a.limit, a.map, a.users) ==
            best_with_room(a, [&](replica_id x) { return std::tuple{users(x), response(x)}; }));
  }
}

TEST_CASE("active users of a GPU are the tasks that used it last, until they exit" * takt_tests::traces("GSD-68")) {
  takt::active_users<3, 2> users;
  CHECK(users.preferred(0) == takt::no_gpu);
  users.acquired(0, 1);
  users.acquired(1, 1);
  users.acquired(2, 0);
  CHECK(users.per_gpu()[0] == 1);
  CHECK(users.per_gpu()[1] == 2);
  users.acquired(1, 0);
  users.acquired(2, 0);
  CHECK(users.per_gpu()[0] == 2);
  CHECK(users.per_gpu()[1] == 1);
  CHECK(users.preferred(1) == 0);
  users.exited(0);
  users.exited(0);
  CHECK(users.per_gpu()[1] == 0);
  CHECK(users.preferred(0) == takt::no_gpu);
}

TEST_CASE("the donee is on the nearest GPU, of several there the one that will be done first" *
          takt_tests::traces("GSD-70")) {
  constexpr token_map map{.gpus = 3, .tokens_per_gpu = 1};
  constexpr std::array<takt::possible_donee, 4> eligible{{{4, 1, 9}, {3, 0, 20}, {2, 1, 7}, {1, 2, 1}}};
  constexpr std::array<std::int32_t, 3> from_first{0, 1, 2};
  constexpr std::array<std::int32_t, 3> from_second{1, 0, takt::unreachable};
  constexpr std::array<std::int32_t, 3> cut_off{takt::unreachable, takt::unreachable, 0};
  static_assert(takt::detail::nearest_donee(eligible, from_first, map) == 3);
  CHECK(takt::detail::nearest_donee(eligible, from_second, map) == 2);
  CHECK(takt::detail::nearest_donee(eligible, cut_off, map) == 1);
  CHECK(takt::detail::nearest_donee(std::span{eligible}.first(3), cut_off, map) == 2);
  CHECK(takt::detail::nearest_donee(eligible, {}, map) == 1);
  CHECK(takt::detail::nearest_donee({}, from_first, map) == no_request);
  constexpr std::array<takt::possible_donee, 2> tied{{{7, 0, rational{1, 2}}, {5, 0, rational{1, 2}}}};
  CHECK(takt::detail::nearest_donee(tied, from_first, map) == 5);
  constexpr std::array<takt::possible_donee, 2> in_order{tied[1], tied[0]};
  CHECK(takt::detail::nearest_donee(in_order, from_first, map) == 5);
}

namespace {

/// Queues the heuristic sees, in the numbers of the worked example: own length, length with the idle token.
constexpr std::array<takt::queued_request, 3> first_queue{{{1, 8, 9}, {2, 4, 7}, {3, 5, 6}}};
constexpr std::array<takt::queued_request, 2> second_queue{{{4, 3, 3}, {5, 9, 4}}};

/// Steals by predictions that a test has set.
struct predicting_thief {
  std::array<rational, 4> own{};
  std::array<rational, 4> there{};

  template <class Protocol>
  [[nodiscard]] auto queue(const Protocol& /*p*/, takt::request_id /*r*/) const noexcept -> replica_id {
    return no_replica;
  }
  template <class Protocol>
  [[nodiscard]] auto donee(const Protocol& /*p*/, takt::request_id /*r*/) const noexcept -> takt::request_id {
    return no_request;
  }
  template <class Protocol>
  [[nodiscard]] auto steal(const Protocol& p, replica_id x) const -> takt::steal_advice {
    std::vector<std::vector<takt::queued_request>> queues;
    for (replica_id y = 0; y < p.replicas(); ++y) {
      if (y == x) { continue; }
      auto& queue = queues.emplace_back();
      for (auto r = p.queues().head(y); r != no_request; r = p.queues().next(r)) {
        const auto i = static_cast<std::size_t>(r);
        queue.push_back({r, own.at(i), there.at(i)});
      }
    }
    const std::vector<std::span<const takt::queued_request>> views(queues.begin(), queues.end());
    const auto best = takt::detail::most_helped_request(views);
    return {.request = best, .leave_idle = best == no_request};
  }
  template <class Protocol>
  void enqueued(const Protocol& /*p*/, takt::request_id /*r*/, replica_id /*x*/) noexcept {}
  template <class Protocol>
  void dequeued(const Protocol& /*p*/, takt::request_id /*r*/, replica_id /*x*/) noexcept {}
  template <class Protocol>
  void acquired(const Protocol& /*p*/, takt::request_id /*r*/, replica_id /*x*/) noexcept {}
  template <class Protocol>
  void freed(const Protocol& /*p*/, takt::request_id /*r*/, replica_id /*x*/) noexcept {}
};

/// Requests 0 and 1 hold, 2 waits behind 0; then 1 ends and its token is idle.
[[nodiscard]] auto holder_after_release(const predicting_thief& thief) -> takt::request_id {
  using pool = takt::r2dglp<2, 4, predicting_thief>;
  pool tokens{{.replicas = 2, .cluster = 4}, thief};
  (void)tokens.issue(0, {.priority = {10, 0}});
  (void)tokens.issue(1, {.priority = {11, 1}});
  (void)tokens.issue(2, {.priority = {12, 2}});
  return tokens.release(1);
}

}  // namespace

TEST_CASE("an idle token goes to the request that saves most time, or stays idle" * takt_tests::traces("GSD-71")) {
  constexpr std::array<std::span<const takt::queued_request>, 2> queues{first_queue, second_queue};
  static_assert(takt::detail::most_helped_request(queues) == 3);
  CHECK(takt::detail::most_helped_request(queues, takt::steal_objective::shorter_there) == 5);
  constexpr std::array<takt::queued_request, 2> far{{{1, 4, 0}, {2, 4, 8}}};
  const std::array<std::span<const takt::queued_request>, 2> not_worth_it{far, {}};
  CHECK(takt::detail::most_helped_request(not_worth_it) == no_request);
  CHECK(takt::detail::most_helped_request({}) == no_request);

  CHECK(holder_after_release({.own = {8, 8, 5}, .there = {8, 8, 12}}) == 2);
  CHECK(holder_after_release({.own = {8, 8, 5}, .there = {8, 8, 13}}) == no_request);
}

TEST_CASE("predictions that overflow count as the longest") {
  constexpr std::int64_t large = std::numeric_limits<std::int64_t>::max();
  constexpr std::array<rational, 2> overflowing{large, large};
  const std::array<queue_load, 2> queues{takt::load_of(overflowing), queue_load{1, large}};
  constexpr std::array<rational, 2> own{0, 0};
  CHECK(takt::detail::quickest_queue(queues, own, 9) == 1);
  CHECK(takt::shortest_queue(queues, takt::load_measure::predicted_time) == 1);
}
