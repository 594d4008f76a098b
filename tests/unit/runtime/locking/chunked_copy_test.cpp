// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <takt/core/duration.hpp>
#include <takt/model/copy_chunks.hpp>
#include <takt/model/gpu_migration.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/model/stage.hpp>
#include <takt/rules/locking/engine_locks.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/runtime/locking/chunked_copy.hpp>
#include <takt/runtime/locking/gpu_pool.hpp>

#include "fake_clocks.hpp"
#include "support/traces.hpp"
#include "team.hpp"

namespace {

using namespace locking_tests;
using takt::copy_chunks;
using takt::engine_kind;
using takt::runtime::copy_in_chunks;
using takt::runtime::copy_tally;
using piece = std::pair<std::int64_t, std::int64_t>;

constexpr std::size_t clients = 4;
using topology = takt::gpu_topology<2, 2>;
using pool = takt::runtime::gpu_pool<takt::k_fmlp<4, clients>, takt::priority_engine_locks<2, clients>, topology>;

/// An engine that is asked to yield as a list says; counts what happens to it.
struct scripted_engine {
  std::vector<bool>* yields;
  int* held;

  scripted_engine(std::vector<bool>& answers, int& holders) : yields{&answers}, held{&holders} { ++*held; }
  scripted_engine(const scripted_engine&) = delete;
  auto operator=(const scripted_engine&) -> scripted_engine& = delete;
  ~scripted_engine() {
    if (held != nullptr) { --*held; }
  }
  [[nodiscard]] auto should_yield() const -> bool {
    const bool answer = yields->front();
    yields->erase(yields->begin());
    return answer;
  }
  void release() && { --*std::exchange(held, nullptr); }
};

struct scripted_copy {
  copy_tally tally{};
  std::vector<piece> moved{};
  int held = 0;
  std::size_t answers_left = 0;
};

auto copy(const copy_chunks& size, std::vector<bool> yields) -> scripted_copy {
  scripted_copy out;
  out.tally = copy_in_chunks(
      size, [&] { return scripted_engine{yields, out.held}; },
      [&](std::int64_t first, std::int64_t length) {
        CHECK(out.held == 1);
        out.moved.emplace_back(first, length);
      });
  out.answers_left = yields.size();
  return out;
}

constexpr auto two_peers(int copy_engines) -> topology {
  topology t;
  const auto hub = t.add_hub();
  (void)t.add_gpu(hub, copy_engines);
  (void)t.add_gpu(hub, copy_engines);
  return t;
}

using taken_engines = std::array<std::set<engine_kind>, 2>;

/// What threads that have the other three tokens of two GPUs cannot lock.
auto taken(pool& gpus) -> taken_engines {
  taken_engines out;
  std::atomic<int> ready{0};
  std::atomic<bool> done{false};
  std::vector<std::jthread> others;
  for (int n = 0; n < 3; ++n) {
    others.emplace_back([&] {
      auto token = gpus.begin_job().acquire_token();
      for (const auto kind : {engine_kind::execution, engine_kind::copy, engine_kind::copy_to_host}) {
        bool is_free = true;
        const auto refused = error_of(
            [&] { is_free = static_cast<bool>(token.try_lock_until(std::chrono::steady_clock::now(), kind)); });
        if (!is_free && !refused) { out[static_cast<std::size_t>(token.gpu())].insert(kind); }
      }
      ++ready;
      await([&] { return done.load(); });
    });
    await([&] { return ready > n; });
  }
  done = true;
  return out;
}

/// An engine that, when it is asked for the first time, answers once somebody of better priority waits for it.
template <class Engine>
struct contended_engine {
  Engine engine;
  std::optional<std::jthread>* other;
  pool* gpus;
  int* answers;

  [[nodiscard]] auto should_yield() const -> bool {
    if ((*answers)++ == 0) {
      other->emplace([g = gpus] {
        auto token = g->begin_job({.priority = 1}).acquire_token();
        (void)token.lock(engine_kind::copy);
      });
      await([&] { return engine.contended(); });
    }
    return engine.should_yield();
  }
  void release() && { std::move(engine).release(); }
};

}  // namespace

TEST_CASE("a copy goes in pieces of one size and a rest, under one lock while nobody should go first" *
          takt_tests::traces("GSD-75")) {
  const auto whole = copy({10, 4}, {false, false});
  CHECK(whole.moved == std::vector<piece>{{0, 4}, {4, 4}, {8, 2}});
  CHECK(whole.tally == copy_tally{.chunks = 3, .acquisitions = 1});
  CHECK(whole.held == 0);
  CHECK(whole.answers_left == 0);
  const auto yielding = copy({12, 4}, {true, false});
  CHECK(yielding.moved == std::vector<piece>{{0, 4}, {4, 4}, {8, 4}});
  CHECK(yielding.tally == copy_tally{.chunks = 3, .acquisitions = 2});
  CHECK(copy({3, 4}, {}).tally == copy_tally{.chunks = 1, .acquisitions = 1});
  CHECK(copy({0, 4}, {}).tally == copy_tally{});
  CHECK_THROWS_AS(copy({4, 0}, {}), std::invalid_argument);
  CHECK_THROWS_AS(copy({-1, 4}, {}), std::invalid_argument);
}

TEST_CASE("a copy that fails gives back its engine") {
  int held = 0;
  std::vector<bool> yields{false, false};
  CHECK_THROWS_AS(copy_in_chunks(
                      copy_chunks{10, 4}, [&] { return scripted_engine{yields, held}; },
                      [](std::int64_t first, std::int64_t) {
                        if (first > 0) { throw std::runtime_error{"lost"}; }
                      }),
                  std::runtime_error);
  CHECK(held == 0);
  CHECK(yields.size() == 1);
}

TEST_CASE("copies take the engine of their direction, and both engines between peers") {
  using kinds = std::set<engine_kind>;
  pool two{{.gpus = 2, .tokens_per_gpu = 2}, takt::k_fmlp<4, clients>{}, two_peers(2)};
  auto token = two.begin_job().acquire_token();
  REQUIRE(token.gpu() == 0);
  const auto taken_while = [&](pool& gpus, auto lock) {
    const auto engines = lock();
    return taken(gpus);
  };
  CHECK(taken_while(two, [&] { return token.lock(takt::to_device); }) == taken_engines{kinds{engine_kind::copy}});
  CHECK(taken_while(two, [&] { return token.lock(takt::to_host); }) == taken_engines{kinds{engine_kind::copy_to_host}});
  CHECK(taken_while(two, [&] { return token.lock_peer_copy(1); }) ==
        taken_engines{kinds{engine_kind::copy}, kinds{engine_kind::copy_to_host}});
  CHECK(taken(two) == taken_engines{});

  pool one{{.gpus = 2, .tokens_per_gpu = 2}, takt::k_fmlp<4, clients>{}, two_peers(1)};
  auto other = one.begin_job().acquire_token();
  CHECK(taken_while(one, [&] { return other.lock(takt::to_host); }) == taken_engines{kinds{engine_kind::copy}});
}

TEST_CASE("a copy from what is no peer is refused, with both GPUs and those that there are") {
  topology apart;
  (void)apart.add_gpu(apart.add_hub(), 2);
  (void)apart.add_gpu(apart.add_hub(), 2);
  pool gpus{{.gpus = 2, .tokens_per_gpu = 2}, takt::k_fmlp<4, clients>{}, apart};
  auto token = gpus.begin_job().acquire_token();
  for (const int source : {-1, 0, 1, 2}) {
    CHECK(error_of([&] { (void)token.lock_peer_copy(source); }) == std::errc::invalid_argument);
  }
  try {
    (void)token.lock_peer_copy(7);
    FAIL("accepted");
  } catch (const std::system_error& e) {
    CHECK(std::string{e.what()}.starts_with(
        "takt: a peer copy to GPU 0 from GPU 7; from another of 0 to 1 below the same hub"));
  }
}

TEST_CASE("a copy lets a more important one go first between two chunks") {
  topology t;
  (void)t.add_gpu(t.add_hub(), 1);
  pool gpu{{.gpus = 1, .tokens_per_gpu = 2}, takt::k_fmlp<4, clients>{takt::k_fmlp_options{.replicas = 2}}, t};
  auto token = gpu.begin_job({.priority = 5}).acquire_token();
  std::optional<std::jthread> other;
  int answers = 0;
  const auto tally = copy_in_chunks(
      copy_chunks{5, 1},
      [&] { return contended_engine<pool::engine>{token.lock(takt::to_device), &other, &gpu, &answers}; },
      [](auto, auto) {});
  CHECK(tally == copy_tally{.chunks = 5, .acquisitions = 2});
}

TEST_CASE("an overrun within a copy is raised when its engine is free, before the chunks that remain" *
          takt_tests::traces("GSD-92")) {
  topology t;
  (void)t.add_gpu(t.add_hub(), 1);
  pool gpu{{.gpus = 1, .tokens_per_gpu = 2}, takt::k_fmlp<4, clients>{takt::k_fmlp_options{.replicas = 2}}, t};
  fake_time time;
  fake_meter meter{takt::duration{2}, fake_clocks{time}};
  std::vector<piece> moved;
  std::optional<std::jthread> other;
  int answers = 0;
  takt::runtime::token_guard token{gpu.begin_job({.priority = 5}), meter};
  using engine = decltype(token)::engine;
  CHECK_THROWS_AS(copy_in_chunks(
                      copy_chunks{5, 1},
                      [&] { return contended_engine<engine>{token.lock(takt::to_device), &other, &gpu, &answers}; },
                      [&](std::int64_t first, std::int64_t length) {
                        moved.emplace_back(first, length);
                        time.suspend(3);
                      }),
                  takt::runtime::budget_exhausted);
  CHECK(moved == std::vector<piece>{{0, 1}});
  CHECK(static_cast<bool>(token.lock(takt::to_device)));
}

TEST_CASE("the state of a task follows its token by every path, each step under the locks of its engines" *
          takt_tests::traces("GSD-78")) {
  constexpr std::int64_t bytes = 10;
  topology apart;
  (void)apart.add_gpu(apart.add_hub(), 2);
  (void)apart.add_gpu(apart.add_hub(), 2);
  struct board {
    topology gpus;
    takt::migration_path path;
    std::int64_t before;  ///< chunks in on another GPU
    std::int64_t after;   ///< chunks out after every job
  };
  for (const board& b : {board{two_peers(2), takt::migration_path::peer_to_peer, 3, 0},
                         board{apart, takt::migration_path::peer_to_peer, 6, 0},
                         board{two_peers(2), takt::migration_path::system_memory, 3, 3},
                         board{two_peers(1), takt::migration_path::none, 0, 0}}) {
    pool gpus{{.gpus = 2, .tokens_per_gpu = 2}, takt::k_fmlp<4, clients>{}, b.gpus};
    const copy_chunks size{bytes, 4};
    std::array<std::vector<int>, 2> on_gpu{std::vector<int>(bytes), std::vector<int>(bytes)};
    std::vector<int> in_memory(bytes);
    const auto copy = [&](const std::vector<int>& from, std::vector<int>& to, auto first, auto length) {
      std::copy_n(from.begin() + first, length, to.begin() + first);
    };
    /// What moves bytes: two engines from GPU to GPU, one to or from system memory by its direction.
    const auto mover = [&](bool out) {
      return [&, out](const takt::engine_set& engines, std::int64_t first, std::int64_t length) {
        const auto gpu_of = [&](std::size_t e) { return static_cast<std::size_t>(engines[e].gpu); };
        if (engines.size() == 2) { return copy(on_gpu[gpu_of(0)], on_gpu[gpu_of(1)], first, length); }
        const bool to_memory = out || engines[0].kind == engine_kind::copy_to_host;
        if (to_memory) { return copy(on_gpu[gpu_of(0)], in_memory, first, length); }
        copy(in_memory, on_gpu[gpu_of(0)], first, length);
      };
    };
    std::int32_t last = takt::no_gpu;
    const auto job = [&](std::int64_t expected_before) {
      auto token = gpus.begin_job().acquire_token();
      const std::int32_t gpu = token.gpu();
      const auto in = migrate(token, takt::migration_before(b.gpus, b.path, last, gpu, size), mover(false));
      CHECK(in.chunks == expected_before);
      for (int& x : on_gpu[static_cast<std::size_t>(gpu)]) { ++x; }
      const auto out = migrate(token, takt::migration_after(b.gpus, b.path, gpu, size), mover(true));
      CHECK(out.chunks == b.after);
      last = gpu;
      return gpu;
    };
    CHECK(job(0) == 0);
    CHECK(job(0) == 0);
    std::atomic<int> holding{0};
    std::atomic<bool> done{false};
    std::vector<std::jthread> others;
    for (int n = 0; n < 2; ++n) {
      others.emplace_back([&] {
        const auto token = gpus.begin_job().acquire_token();
        ++holding;
        await([&] { return done.load(); });
      });
      await([&] { return holding == n + 1; });
    }
    CHECK(job(b.before) == 1);
    done = true;
    others.clear();
    const bool has_state = b.path != takt::migration_path::none;
    CHECK(on_gpu[1] == std::vector<int>(bytes, has_state ? 3 : 1));
    auto token = gpus.begin_job().acquire_token();
    CHECK_THROWS_AS(migrate(token, takt::migration_before(b.gpus, b.path, 0, 7, size), mover(false)),
                    std::invalid_argument);
  }
}
