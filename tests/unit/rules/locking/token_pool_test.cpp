// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/model/gpu_migration.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/engine_locks.hpp>
#include <takt/rules/locking/gpu_access.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/progress.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/rules/locking/token_pool.hpp>
#include "support/environment.hpp"
#include "support/progress_edges.hpp"
#include "support/traces.hpp"

namespace {

using takt::access_status;
using takt::edge_status;
using takt::engine_kind;
using takt::no_request;
using takt::priority_point;
using takt::request_id;
using takt::ticks;
using takt::token_map;
using takt::token_status;

constexpr std::size_t clients = 6;
constexpr std::size_t gpus = 3;
using topology_type = takt::gpu_topology<gpus, 2>;
using fifo_engines = takt::fifo_engine_locks<gpus, clients>;
using priority_engines = takt::priority_engine_locks<gpus, clients>;

/// GPUs 0 and 1 are peers with two copy engines each; GPU 2 hangs on a hub of its own and has one.
[[nodiscard]] constexpr auto two_peers_and_a_loner() -> topology_type {
  topology_type t;
  const auto left = t.add_hub();
  const auto right = t.add_hub();
  t.add_gpu(left, 2);
  t.add_gpu(left, 2);
  t.add_gpu(right, 1);
  return t;
}
[[nodiscard]] constexpr auto peers(std::int32_t copy_engines) -> topology_type {
  topology_type t;
  const auto hub = t.add_hub();
  for (std::size_t i = 0; i < gpus; ++i) { t.add_gpu(hub, copy_engines); }
  return t;
}

template <class Engines, class Protocol = takt::k_fmlp<6, clients>>
[[nodiscard]] constexpr auto access_to(const topology_type& t, std::int32_t tokens_per_gpu) {
  const token_map map{.gpus = t.gpus(), .tokens_per_gpu = tokens_per_gpu};
  return takt::gpu_access<Protocol, Engines, topology_type>{map, Protocol{{.replicas = map.tokens()}}, t};
}

[[nodiscard]] constexpr auto at(request_id c) -> std::size_t { return static_cast<std::size_t>(c); }

[[nodiscard]] auto runs(const char* name, int standard) -> int {
  return takt_tests::from_environment<int>(name, standard);
}

enum class way : std::uint8_t { one_gpu, peer_copies };

/// Jobs that take a token, use engines for random times in whole units, perhaps after a copy from another GPU, and give
/// the token back. Requests of one instant come in random order.
template <class Engines, class Protocol>
class random_jobs {
 public:
  random_jobs(std::uint64_t seed, way w, std::int32_t tokens_per_gpu, std::int32_t copy_engines)
      : random_{seed}, way_{w}, access_{access_to<Engines, Protocol>(peers(copy_engines), tokens_per_gpu)} {
    REQUIRE(access_.fits());
  }

  void run(ticks until) {
    for (ticks now = 0; now < until; ++now) {
      for (request_id c = 0; c < std::ssize(jobs_); ++c) { end_operation(c, now); }
      std::array<request_id, clients> order{};
      for (request_id c = 0; c < std::ssize(order); ++c) { order[at(c)] = c; }
      for (std::size_t i = clients; i > 1; --i) {
        std::swap(order[i - 1], order[static_cast<std::size_t>(random_.below(static_cast<ticks>(i)))]);
      }
      for (const request_id c : order) {
        while (step(c, now)) {}
      }
      check();
    }
  }
  [[nodiscard]] auto longest_engine_wait() const -> ticks { return longest_wait_; }
  [[nodiscard]] auto longest_wait_of(request_id c) const -> ticks { return jobs_[at(c)].longest_wait; }
  [[nodiscard]] auto peer_copies() const -> int { return peer_copies_; }
  [[nodiscard]] auto sections() const -> int { return sections_; }

 private:
  struct job {
    ticks pause = 0;
    int operations = 0;
    ticks asked_at = -1;
    ticks busy_until = -1;
    std::int32_t last_gpu = takt::no_gpu;
    bool moved_in = false;
    ticks longest_wait = 0;
  };

  void end_operation(request_id c, ticks now) {
    job& j = jobs_[at(c)];
    if (j.busy_until != now) { return; }
    j.busy_until = -1;
    --j.operations;
    REQUIRE(access_.release_token(c).status == access_status::engine_held);
    start(access_.release_engines(c).granted, now);
  }
  /// True if c did something that takes no time.
  auto step(request_id c, ticks now) -> bool {
    job& j = jobs_[at(c)];
    const auto& tokens = access_.tokens();
    if (j.busy_until >= 0 || tokens.waits(c) || access_.engines().waits(c) || j.pause-- > 0) { return false; }
    if (!tokens.holds(c)) {
      REQUIRE(access_.begin_job(c).status == access_status::accepted);
      j.operations = static_cast<int>(random_.between(1, 3));
      j.moved_in = false;
      const auto a = access_.request_token(c, {.priority = {c, 0}});
      REQUIRE(a.status == access_status::accepted);
      start(a.granted, now);
      return !a.granted.empty();
    }
    if (j.operations == 0) {
      j.last_gpu = tokens.gpu(c);
      const auto a = access_.release_token(c);
      REQUIRE(a.status == access_status::accepted);
      start(a.granted, now);
      REQUIRE(access_.request_token(c, {}).status == access_status::second_section);
      ++sections_;
      j.pause = random_.below(3);
      return false;
    }
    request_engine(c, now);
    return false;
  }
  void request_engine(request_id c, ticks now) {
    job& j = jobs_[at(c)];
    const std::int32_t gpu = access_.tokens().gpu(c);
    j.asked_at = now;
    const bool moves = way_ == way::peer_copies && !j.moved_in && j.last_gpu != takt::no_gpu && j.last_gpu != gpu;
    j.moved_in = true;
    if (moves) {
      ++peer_copies_;
      ++j.operations;
      const auto a = access_.request_migration(c, access_.topology().peer_copy_engines(j.last_gpu, gpu), {c, 0});
      REQUIRE(a.status == access_status::accepted);
      start(a.granted, now);
      return;
    }
    const auto direction = random_.chance(1, 2) ? takt::copy_direction::to_host : takt::copy_direction::to_device;
    const auto engine = random_.chance(1, 2) ? access_.topology().execution_engine(gpu)
                                             : access_.topology().copy_engine(gpu, direction);
    const auto a = access_.request_engine(c, engine, {c, 0});
    REQUIRE(a.status == access_status::accepted);
    start(a.granted, now);
  }
  template <class List>
  void start(const List& granted, ticks now) {
    for (const request_id c : granted) {
      job& j = jobs_[at(c)];
      if (!access_.engines().holds(c)) { continue; }
      j.longest_wait = std::max(j.longest_wait, now - j.asked_at);
      longest_wait_ = std::max(longest_wait_, now - j.asked_at);
      j.busy_until = now + random_.between(1, 4);
    }
  }
  void check() const {
    std::map<takt::lock_id, int> holders;
    for (request_id c = 0; c < std::ssize(jobs_); ++c) {
      const auto& engines = access_.engines();
      if (!engines.holds(c)) { continue; }
      REQUIRE(access_.tokens().holds(c));
      REQUIRE(engines.wanted(c).size() <= 2);
      for (const takt::lock_id l : engines.wanted(c)) { REQUIRE(++holders[l] == 1); }
      if (engines.wanted(c).size() == 1) {
        REQUIRE(engines.wanted(c)[0] / takt::locks_per_gpu == access_.tokens().gpu(c));
      }
    }
  }

  takt::random_stream random_;
  way way_;
  takt::gpu_access<Protocol, Engines, topology_type> access_;
  std::array<job, clients> jobs_{};
  ticks longest_wait_ = 0;
  int peer_copies_ = 0;
  int sections_ = 0;
};

}  // namespace

TEST_CASE_TEMPLATE("a job has one token section, on the GPU of its token, over every protocol", Protocol,
                   takt::k_fmlp<6, clients>, takt::r2dglp<6, clients>, takt::ck_omlp<6, clients>) {
  const token_map map{.gpus = 3, .tokens_per_gpu = 2};
  takt::token_pool<Protocol> pool{map, Protocol{}};
  REQUIRE(pool.fits());
  std::array<int, gpus> holders{};
  for (request_id c = 0; c < 6; ++c) {
    CHECK(pool.request(c, {}) == takt::token_result{token_status::accepted, c});
    CHECK(pool.gpu(c) == map.gpu_of(pool.protocol().replica(c)));
    ++holders[at(pool.gpu(c))];
  }
  CHECK(holders == std::array{2, 2, 2});
  CHECK(pool.request(0, {}).status == token_status::second_token);
  CHECK(pool.begin_job(0) == token_status::second_token);
  CHECK(pool.withdraw(0).status == token_status::not_waiting);
  CHECK(pool.release(0).status == token_status::accepted);
  CHECK(pool.gpu(0) == takt::no_gpu);
  CHECK(pool.release(0).status == token_status::not_held);
  CHECK(pool.request(0, {}).status == token_status::second_section);
  CHECK(pool.begin_job(0) == token_status::accepted);
  CHECK(pool.request(0, {}).granted == 0);
}

TEST_CASE("a withdrawn request for a token may be issued again") {
  takt::token_pool<takt::fifo_mutex<2>> pool{{}, {}};
  CHECK(pool.request(0, {}).granted == 0);
  CHECK(pool.request(1, {}) == takt::token_result{token_status::accepted, no_request});
  CHECK(pool.inheritor(1) == 0);
  CHECK(pool.contended(0));
  CHECK(pool.withdraw(1).status == token_status::accepted);
  CHECK(pool.request(1, {}).status == token_status::accepted);
  CHECK(pool.release(0).granted == 1);
}

TEST_CASE("a pool whose map and protocol disagree refuses every request, one with few tokens only says so") {
  const takt::token_pool<takt::k_fmlp<6, clients>> right{{.gpus = 3, .tokens_per_gpu = 2}, {}};
  CHECK(right.map().check(peers(1)) == takt::token_finding::none);
  CHECK(right.map().check(peers(2)) == takt::token_finding::engines_never_all_busy);
  takt::token_pool<takt::k_fmlp<6, clients>> wrong{{.gpus = 2, .tokens_per_gpu = 2}, {}};
  CHECK(!wrong.fits());
  CHECK(wrong.request(0, {}).status == token_status::map_mismatch);
  takt::token_pool<takt::k_fmlp<6, clients>> none{{.gpus = 0, .tokens_per_gpu = 2}, {}};
  CHECK(none.request(0, {}).status == token_status::map_mismatch);

  auto other_cluster = takt::gpu_access<takt::k_fmlp<4, clients>, fifo_engines, topology_type>{
      {.gpus = 2, .tokens_per_gpu = 2}, takt::k_fmlp<4, clients>{}, peers(2)};
  CHECK(other_cluster.request_token(0, {}).status == access_status::pool_mismatch);
  CHECK(access_to<fifo_engines>(peers(2), 2).finding() == takt::token_finding::engines_never_all_busy);
  CHECK(access_to<fifo_engines>(peers(2), 2).fits());
}

TEST_CASE_TEMPLATE("steps out of the order token, engine, token are refused and change nothing", Engines, fifo_engines,
                   priority_engines) {
  auto a = access_to<Engines>(two_peers_and_a_loner(), 2);
  const auto& t = a.topology();
  const priority_point p{1, 0};
  CHECK(a.request_engine(0, t.execution_engine(0), p).status == access_status::no_token);
  CHECK(a.release_token(0).status == access_status::no_token);
  CHECK(a.release_engines(0).status == access_status::no_engine);
  REQUIRE(a.request_token(0, {}).granted.size() == 1);
  REQUIRE(a.tokens().gpu(0) == 0);
  CHECK(a.request_engine(0, t.execution_engine(1), p).status == access_status::other_gpu);
  CHECK(a.request_engine(0, {7, engine_kind::execution}, p).status == access_status::unknown_engine);
  CHECK(a.request_engine(0, {-1, engine_kind::execution}, p).status == access_status::unknown_engine);
  CHECK(a.request_engine(0, {2, engine_kind::copy_to_host}, p).status == access_status::unknown_engine);
  CHECK(a.request_token(0, {}).status == access_status::second_token);
  CHECK(a.begin_job(0).status == access_status::second_token);
  CHECK(a.withdraw(0).status == access_status::not_waiting);
  CHECK(!a.engines().holds(0));

  REQUIRE(a.request_engine(0, t.execution_engine(0), p).granted.size() == 1);
  CHECK(a.request_engine(0, t.execution_engine(0), p).status == access_status::second_engine);
  CHECK(a.request_engine(0, t.copy_engine(0, takt::to_host), p).status == access_status::second_engine);
  CHECK(a.release_token(0).status == access_status::engine_held);
  CHECK(a.tokens().holds(0));
  REQUIRE(a.release_engines(0).status == access_status::accepted);
  REQUIRE(a.release_token(0).status == access_status::accepted);
  CHECK(a.request_token(0, {}).status == access_status::second_section);
  REQUIRE(a.begin_job(0).status == access_status::accepted);
  CHECK(a.request_token(0, {}).status == access_status::accepted);
}

TEST_CASE("every engine has a mutex in the cluster's order, one per direction where there are two copy engines" *
          takt_tests::traces("GSD-74")) {
  auto a = access_to<fifo_engines>(two_peers_and_a_loner(), 2);
  const auto& t = a.topology();
  for (request_id c = 0; c < 6; ++c) { REQUIRE(a.request_token(c, {.priority = {9 - c, 0}}).granted.size() == 1); }
  SUBCASE("all engines of a GPU can be busy at once") {
    REQUIRE(a.tokens().gpu(0) == 0);
    REQUIRE(a.tokens().gpu(1) == 0);
    CHECK(a.request_engine(0, t.copy_engine(0, takt::to_host), {}).granted.size() == 1);
    CHECK(a.request_engine(1, t.copy_engine(0, takt::to_device), {}).granted.size() == 1);
  }
  SUBCASE("the only copy engine serves both directions") {
    REQUIRE(a.tokens().gpu(4) == 2);
    REQUIRE(a.tokens().gpu(5) == 2);
    CHECK(a.request_engine(4, t.copy_engine(2, takt::to_host), {}).granted.size() == 1);
    CHECK(a.request_engine(5, t.copy_engine(2, takt::to_device), {}).granted.empty());
    CHECK(a.engines().inheritor(5) == 4);
  }
}

TEST_CASE("an engine's holder inherits the effective priority of who waits, also what that one inherits itself" *
          takt_tests::traces("GSD-74")) {
  using protocol = takt::k_fmlp<2, clients>;
  topology_type one_gpu;
  one_gpu.add_gpu(one_gpu.add_hub(), 1);
  takt::gpu_access<protocol, priority_engines, topology_type> a{
      {.gpus = 1, .tokens_per_gpu = 2}, protocol{{.replicas = 2}}, one_gpu};
  takt::priority_graph<clients + 1, 2 * clients> g;
  takt_tests::progress_edges<clients> token_edges;
  takt_tests::progress_edges<clients> engine_edges;
  constexpr takt::priority_node booster = clients;
  for (request_id c = 0; c < 4; ++c) { g.set_base(c, {9 - 2 * c, 0}); }
  const auto follow = [&] {
    REQUIRE(token_edges.follow(a.tokens(), takt::priority_inheritance{}, g, booster) == edge_status::added);
    REQUIRE(engine_edges.follow(a.engines(), takt::priority_inheritance{}, g, booster) == edge_status::added);
    g.report_changes([&](request_id c, const priority_point& p) {
      if (c < booster) { CHECK(a.reprioritize(c, p).granted.empty()); }
    });
  };
  REQUIRE(a.request_token(0, {}).granted.size() == 1);
  REQUIRE(a.request_token(1, {}).granted.size() == 1);
  REQUIRE(a.request_engine(0, one_gpu.execution_engine(0), g.effective(0)).granted.size() == 1);
  REQUIRE(a.request_engine(1, one_gpu.execution_engine(0), g.effective(1)).granted.empty());
  follow();
  CHECK(g.effective(0) == priority_point{7, 0});
  REQUIRE(a.request_token(2, {}).granted.empty());
  REQUIRE(a.request_token(3, {}).granted.empty());
  follow();
  REQUIRE(a.tokens().inheritor(3) == 1);
  CHECK(g.effective(1) == priority_point{3, 0});
  CHECK(g.effective(0) == priority_point{3, 0});
  CHECK(a.engines().effective(1) == priority_point{3, 0});
}

TEST_CASE("both copy engines of a peer-to-peer migration are taken in one atomic request" *
          takt_tests::traces("GSD-77")) {
  auto a = access_to<fifo_engines>(two_peers_and_a_loner(), 2);
  const auto& t = a.topology();
  for (request_id c = 0; c < 6; ++c) { REQUIRE(a.request_token(c, {}).granted.size() == 1); }
  const auto into_1 = t.peer_copy_engines(0, 1);
  const auto into_0 = t.peer_copy_engines(1, 0);
  REQUIRE(a.request_engine(0, t.copy_engine(0, takt::to_host), {}).granted.size() == 1);

  CHECK(a.request_migration(2, into_1, {}).granted.empty());
  CHECK(a.engines().holds(2, takt::engine_lock(t.copy_engine(1, takt::to_device))));
  CHECK(a.engines().inheritor(2) == 0);
  REQUIRE(a.tokens().gpu(1) == 0);
  CHECK(a.request_migration(1, into_0, {}).granted.size() == 1);
  CHECK(a.release_engines(0).granted.size() == 1);
  CHECK(a.engines().holds(2));

  SUBCASE("only towards the GPU of the token, and only between peers") {
    CHECK(a.request_migration(3, into_0, {}).status == access_status::other_gpu);
    CHECK(a.request_migration(4, t.peer_copy_engines(0, 2), {}).status == access_status::other_gpu);
    takt::engine_set two_kernels;
    two_kernels.unchecked_push_back(t.execution_engine(0));
    two_kernels.unchecked_push_back(t.execution_engine(1));
    CHECK(a.request_migration(3, two_kernels, {}).status == access_status::other_gpu);
    two_kernels = {};
    CHECK(a.request_migration(3, two_kernels, {}).status == access_status::other_gpu);
  }
  SUBCASE("between others the state takes one engine at a time") {
    const auto plan = takt::migration_before(t, takt::migration_path::peer_to_peer, 0, 2, {8, 4});
    REQUIRE(plan.possible);
    REQUIRE(plan.steps.size() == 2);
    for (const auto& step : plan.steps) {
      CHECK(a.request_migration(4, step.engines, {}).status == access_status::accepted);
      if (a.engines().waits(4)) { REQUIRE(a.release_engines(2).granted.size() == 1); }
      CHECK(a.release_engines(4).status == access_status::accepted);
    }
  }
}

TEST_CASE_TEMPLATE("random jobs never wait longer for an engine than the other token holders can use it", Protocol,
                   takt::k_fmlp<6, clients>, takt::r2dglp<6, clients>) {
  constexpr ticks longest_section = 4;
  const int histories = runs("TAKT_ACCESS_RUNS", 20);
  ticks seen = 0;
  int copies = 0;
  for (int i = 0; i < histories; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const std::int32_t copy_engines = 1 + i % 2;
    const std::int32_t tokens_per_gpu = 1 + i / 2 % 2;
    random_jobs<fifo_engines, Protocol> at_home{seed, way::one_gpu, tokens_per_gpu, copy_engines};
    at_home.run(300);
    CHECK(at_home.longest_engine_wait() <= (tokens_per_gpu - 1) * longest_section);
    random_jobs<fifo_engines, Protocol> moving{seed, way::peer_copies, tokens_per_gpu, copy_engines};
    moving.run(300);
    CHECK(moving.longest_engine_wait() <= (tokens_per_gpu * static_cast<ticks>(gpus) - 1) * longest_section);
    CHECK(std::min(at_home.sections(), moving.sections()) > 50);
    seen = std::max(seen, moving.longest_engine_wait());
    copies += moving.peer_copies();
  }
  CHECK(seen > longest_section);
  CHECK(copies > histories);
}

TEST_CASE("in priority order the best of random jobs waits for one engine section at most, peer copies included") {
  constexpr ticks longest_section = 4;
  const int histories = runs("TAKT_ACCESS_RUNS", 20);
  ticks worst_wait = 0;
  for (int i = 0; i < histories; ++i) {
    random_jobs<priority_engines, takt::k_fmlp<6, clients>> jobs{static_cast<std::uint64_t>(i), way::peer_copies,
                                                                 1 + i / 2 % 2, 1 + i % 2};
    jobs.run(300);
    CHECK(jobs.longest_wait_of(0) <= longest_section);
    worst_wait = std::max(worst_wait, jobs.longest_engine_wait());
  }
  CHECK(worst_wait > longest_section);
}
