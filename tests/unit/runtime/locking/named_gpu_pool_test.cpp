// SPDX-License-Identifier: Apache-2.0
// TAKT_STRESS_SECONDS: for how long a pool is under load, 60 ms by default.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <takt/core/duration.hpp>
#include <takt/model/copy_chunks.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/model/stage.hpp>
#include <takt/rules/locking/advice.hpp>
#include <takt/rules/locking/declared_affinity.hpp>
#include <takt/rules/locking/engine_locks.hpp>
#include <takt/rules/locking/priority_mutex.hpp>
#include <takt/rules/locking/token_map.hpp>
#include <takt/runtime/locking/chunked_copy.hpp>
#include <takt/runtime/locking/gpu_pool.hpp>
#include <takt/runtime/locking/named_locks.hpp>
#include <takt/runtime/locking/protocol_lock.hpp>

#include "fake_clocks.hpp"
#include "support/environment.hpp"
#include "support/traces.hpp"
#include "team.hpp"

namespace {

using namespace locking_tests;
using takt::copy_chunks;
using takt::engine_kind;
using takt::runtime::lock_registry;
using takt::runtime::pool_error;
using takt::runtime::pool_field;
using takt::runtime::detail::lock_name_error;
using takt::runtime::detail::name_fault;

constexpr std::size_t jobs = 12;

/// Sends whoever has a choice to the last queue that is not full.
struct last_queue : takt::plain_advice {
  template <class Protocol>
  [[nodiscard]] auto queue(const Protocol& p, takt::request_id /*r*/) const noexcept -> takt::replica_id {
    return p.replicas() - 1;
  }
};

using plain_gpus = takt::runtime::named_gpu_pool<2, 2, jobs>;
using advised_gpus = takt::runtime::named_gpu_pool<2, 2, jobs, last_queue, takt::priority_engine_locks<2, jobs>>;
using prioritized_gpus =
    takt::runtime::named_gpu_pool<2, 2, jobs, takt::plain_advice, takt::priority_engine_locks<2, jobs>>;

constexpr auto board(int gpus) -> plain_gpus::topology {
  plain_gpus::topology t;
  const auto hub = t.add_hub();
  for (int g = 0; g < gpus; ++g) { (void)t.add_gpu(hub, 2); }
  return t;
}

/// Memory of an emulated GPU, and what there is to compute.
struct emulated_gpu {
  std::vector<int> memory = std::vector<int>(100);

  void add_one() {
    for (int& x : memory) { ++x; }
  }
};

/// The wrong field and what is said of it.
struct refusal {
  pool_field field{};
  std::string sentence;
};
template <class Call>
auto refusal_of(Call call) -> std::optional<refusal> {
  try {
    call();
  } catch (const pool_error& e) { return refusal{e.field(), e.what()}; }
  return std::nullopt;
}
template <class Call>
auto name_refusal_of(Call call) -> std::optional<std::pair<takt::runtime::detail::name_fault, std::string>> {
  try {
    call();
  } catch (const takt::runtime::detail::lock_name_error& e) { return std::pair{e.fault(), std::string{e.what()}}; }
  return std::nullopt;
}

/// Takes the state of a task through a GPU that it knows by name alone.
void compute(lock_registry& names, std::array<emulated_gpu, 2>& board_of, std::vector<int>& state) {
  // excerpt: open a pool
  const auto gpus = names.open<advised_gpus>("vision");
  fake_time time;
  fake_meter meter{takt::duration{1'000}, fake_clocks{time}};
  takt::runtime::token_guard token{gpus->begin_job(), meter};
  auto& gpu = board_of[static_cast<std::size_t>(gpus->device(token.gpu()) - 4)];
  const copy_chunks size{static_cast<std::int64_t>(state.size()), 30};
  const auto in = takt::runtime::copy_in_chunks(token, takt::to_device, size, [&](auto first, auto length) {
    std::copy_n(state.begin() + first, length, gpu.memory.begin() + first);
    time.suspend(length);
  });
  CHECK(in.chunks == 4);
  // end of excerpt
  {
    const auto engine = token.lock(engine_kind::execution);
    gpu.add_one();
    time.suspend(50);
  }
  (void)takt::runtime::copy_in_chunks(token, takt::to_host, size, [&](auto first, auto length) {
    std::copy_n(gpu.memory.begin() + first, length, state.begin() + first);
    time.suspend(length);
  });
  std::move(token).release();
  CHECK(meter.account().budget().left == 1'000 - 250);
}

}  // namespace

TEST_CASE("a pool made by name is used elsewhere: tokens, engines, copies in chunks, yielding and budgets" *
          takt_tests::traces("GSD-92")) {
  lock_registry names;
  std::array<emulated_gpu, 2> gpus;
  std::vector<int> states[2] = {std::vector<int>(100), std::vector<int>(100)};
  std::iota(states[0].begin(), states[0].end(), 0);
  std::iota(states[1].begin(), states[1].end(), 1'000);
  const auto expected = [](int first) {
    std::vector<int> out(100);
    std::iota(out.begin(), out.end(), first + 1);
    return out;
  };
  {
    // excerpt: create a pool
    const auto pool = names.create<advised_gpus>(
        "vision", advised_gpus::description{.topology = board(2), .devices = {5, 4}, .queue_limit = 1}, last_queue{});
    // end of excerpt
    CHECK(pool->gpus() == 2);
    CHECK(pool->device(0) == 5);
    for (auto& state : states) {
      std::jthread{[&] { compute(names, gpus, state); }}.join();
    }
    CHECK(states[0] == expected(0));
    CHECK(states[1] == expected(1'000));
    CHECK(gpus[0].memory == states[1]);
    CHECK(gpus[1].memory == std::vector<int>(100));

    auto low = pool->begin_job({.priority = 5}).acquire_token();
    CHECK(low.gpu() == 1);
    auto engine = low.lock(takt::to_host);
    CHECK_FALSE(engine.should_yield());
    std::optional<std::jthread> high{[&] {
      const auto theirs = names.open<advised_gpus>("vision");
      fake_time time;
      fake_meter meter{takt::duration{9}, fake_clocks{time}};
      CHECK_THROWS_AS(([&] {
                        takt::runtime::token_guard token{theirs->begin_job({.priority = 1}), meter};
                        CHECK(token.gpu() == 0);
                        (void)takt::runtime::copy_from_peer(token, 1, {10, 5}, [&](auto, auto) { time.suspend(6); });
                      }()),
                      takt::runtime::budget_exhausted);
    }};
    await([&] { return engine.contended(); });
    CHECK(engine.should_yield());
    std::move(engine).release();
    high.reset();
    CHECK(static_cast<bool>(low.lock_peer_copy(0)));
    CHECK(pool->tokens().abandoned() == 0);
  }
  CHECK(name_refusal_of([&] { (void)names.open<advised_gpus>("vision"); })->first ==
        takt::runtime::detail::name_fault::unknown);
}

TEST_CASE("locks of engines without a token go by name as well" * takt_tests::traces("GSD-92")) {
  using engine_lock = takt::runtime::lock<takt::priority_mutex<jobs>>;
  lock_registry names;
  const auto mine = names.create<engine_lock>("copies of GPU 3");
  const auto theirs = names.open<engine_lock>("copies of GPU 3");
  const auto held = mine->acquire();
  std::jthread{[&] { CHECK_FALSE(theirs->try_lock()); }}.join();
  CHECK(mine == theirs);
}

TEST_CASE("names are refused that are empty, taken, unknown or of another kind of lock, with those there are" *
          takt_tests::traces("GSD-92")) {
  lock_registry names;
  const auto create = [&](const char* name) {
    return names.create<plain_gpus>(name, plain_gpus::description{.topology = board(1)});
  };
  CHECK(name_refusal_of([&] { (void)names.open<plain_gpus>("a"); }) ==
        std::pair{takt::runtime::detail::name_fault::unknown,
                  std::string{"takt: the name \"a\" is unknown; there are: none"}});
  auto a = create("a");
  const auto b = create("b");
  CHECK(name_refusal_of([&] { (void)create("a"); }) ==
        std::pair{takt::runtime::detail::name_fault::taken,
                  std::string{"takt: the name \"a\" is taken; choose one that none of the locks in use has: \"a\", "
                              "\"b\""}});
  CHECK(name_refusal_of([&] { (void)names.open<plain_gpus>("A"); })->second ==
        "takt: the name \"A\" is unknown; there are: \"a\", \"b\"");
  CHECK(name_refusal_of([&] { (void)names.open<advised_gpus>("a"); })->first ==
        takt::runtime::detail::name_fault::other_type);
  CHECK(name_refusal_of([&] { (void)create(""); })->first == takt::runtime::detail::name_fault::empty);
  CHECK(names.open<plain_gpus>("a") == a);
  a.reset();
  CHECK(name_refusal_of([&] { (void)names.open<plain_gpus>("a"); })->first ==
        takt::runtime::detail::name_fault::unknown);
  CHECK(create("a") != nullptr);
}

TEST_CASE("the registry of the process is the same everywhere" * takt_tests::traces("GSD-92")) {
  const auto pool = takt::runtime::process_locks().create<plain_gpus>("of the process",
                                                                      plain_gpus::description{.topology = board(1)});
  std::jthread{[&] { CHECK(takt::runtime::process_locks().open<plain_gpus>("of the process") == pool); }}.join();
}

TEST_CASE("a description that is no pool is refused with field, value and what is allowed" *
          takt_tests::traces("GSD-92")) {
  using description = plain_gpus::description;
  const auto refused = [](const description& d) { return refusal_of([&] { const plain_gpus p{d}; }); };
  const auto is = [](const std::optional<refusal>& r, pool_field field, const char* sentence) {
    return r && r->field == field && r->sentence == sentence;
  };
  CHECK_FALSE(refused({.topology = board(2), .tokens_per_gpu = 2, .queue_limit = 2, .cpus = 8}));
  CHECK(is(refused({}), pool_field::topology, "takt: the number of GPUs in topology is 0; 1 to 2"));
  CHECK(is(refused({.topology = board(2), .devices = {1}}), pool_field::devices,
           "takt: the number of devices is 1; 0, or one for each of the 2 GPUs of the topology"));
  CHECK(is(refused({.topology = board(2), .devices = {1, -1}}), pool_field::devices,
           "takt: devices[1] is -1; at least 0"));
  CHECK(is(refused({.topology = board(2), .devices = {3, 3}}), pool_field::devices,
           "takt: devices[1] is 3; a GPU that is not in the pool already"));
  CHECK(is(refused({.topology = board(2), .tokens_per_gpu = 0}), pool_field::tokens_per_gpu,
           "takt: tokens_per_gpu is 0; 1 to 2"));
  CHECK(is(refused({.topology = board(2), .tokens_per_gpu = 3}), pool_field::tokens_per_gpu,
           "takt: tokens_per_gpu is 3; 1 to 2"));
  CHECK(is(refused({.topology = board(2), .cpus = 0}), pool_field::cpus, "takt: cpus is 0; at least 1"));
  CHECK(is(refused({.topology = board(2), .tokens_per_gpu = 2, .queue_limit = 1, .cpus = 8}), pool_field::queue_limit,
           "takt: queue_limit is 1; at least 2 for so many CPUs and tokens, or 0 for that"));
  CHECK(is(refused({.topology = board(2), .queue_limit = -1}), pool_field::queue_limit,
           "takt: queue_limit is -1; at least 1 for so many CPUs and tokens, or 0 for that"));
  const plain_gpus p{{.topology = board(2)}};
  for (const int gpu : {-1, 2}) {
    CHECK(is(refusal_of([&] { (void)p.device(gpu); }), pool_field::gpu,
             ("takt: the GPU is " + std::to_string(gpu) + "; 0 to 1").c_str()));
  }
}

TEST_CASE("advice that a queue limit forbids is not taken, and the other GPU serves") {
  const auto gpus_of = [](std::int32_t limit) {
    advised_gpus pool{{.topology = board(2), .queue_limit = limit, .cpus = 2}};
    auto first = pool.begin_job().acquire_token();
    const std::int32_t mine = first.gpu();
    std::int32_t other = takt::no_gpu;
    std::jthread{[&] {
      const auto token = pool.begin_job().try_acquire_token_until(std::chrono::steady_clock::now());
      if (token) { other = token.gpu(); }
    }}.join();
    return std::pair{mine, other};
  };
  CHECK(gpus_of(1) == std::pair{1, 0});
  CHECK(gpus_of(2) == std::pair{1, takt::no_gpu});
}

TEST_CASE("a pool of threads takes advice of affinity: new tasks to the GPU with fewer users, old ones to theirs" *
          takt_tests::traces("GSD-91")) {
  using affinity = takt::declared_affinity<8, 2, 4>;
  // excerpt: affinity
  using gpus_by_affinity = takt::runtime::named_gpu_pool<2, 2, jobs, affinity>;
  const auto map = takt::token_map{.gpus = 2, .tokens_per_gpu = 2};
  gpus_by_affinity pool{{.topology = board(2), .tokens_per_gpu = 2, .cpus = 2}, affinity{map, board(2), 1'000'000}};
  // end of excerpt
  const auto gpu_of = [&](std::int32_t task) {
    return pool.begin_job({.length = takt::duration{1'000}, .task = task}).acquire_token().gpu();
  };
  CHECK(gpu_of(0) == 0);
  CHECK(gpu_of(1) == 1);
  CHECK(gpu_of(1) == 1);
  CHECK(gpu_of(2) == 0);
  SUBCASE("with all there, GPU 1 has fewer users") { CHECK(gpu_of(3) == 1); }
  SUBCASE("when those of GPU 0 have ended, that has") {
    pool.tokens().task_exited(0);
    pool.tokens().task_exited(2);
    CHECK(gpu_of(3) == 0);
  }
}

TEST_CASE("pools by name under load: exclusion, overruns that free what was held, and no lost token" *
          takt_tests::traces("GSD-92")) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds{takt_tests::stress_time(60'000'000)};
  lock_registry names;
  auto pool = names.create<prioritized_gpus>(
      "loaded", prioritized_gpus::description{.topology = board(2), .tokens_per_gpu = 2, .queue_limit = 3, .cpus = 8});
  std::array<std::atomic<int>, 2> on_gpu{};
  std::array<std::array<std::atomic<int>, 3>, 2> on_engine{};
  std::atomic<bool> violated{false};
  std::atomic<std::int64_t> completed{0};
  std::atomic<std::int64_t> exhausted{0};
  std::atomic<std::int64_t> mistaken{0};

  struct user {
    std::atomic<int>* count;
    user(std::atomic<int>& users, int most, std::atomic<bool>& violated) : count{&users} {
      if (++users > most) { violated = true; }
    }
    user(const user&) = delete;
    auto operator=(const user&) -> user& = delete;
    ~user() { --*count; }
  };
  const auto job = [&](std::minstd_rand& random) {
    const auto shared = names.open<prioritized_gpus>("loaded");
    fake_time time;
    const auto budget = static_cast<takt::ticks>(random() % 40 + 1);
    fake_meter meter{takt::duration{budget}, fake_clocks{time}};
    takt::ticks used = 0;
    const auto spend = [&](std::size_t gpu, engine_kind kind) {
      const user u{on_engine[gpu][static_cast<std::size_t>(kind)], 1, violated};
      const auto t = static_cast<takt::ticks>(random() % 8);
      used += t;
      time.suspend(t);
      if (random() % 4 == 0) { std::this_thread::yield(); }
    };
    try {
      takt::runtime::token_guard token{shared->begin_job({.priority = static_cast<std::int64_t>(random() % 5)}), meter};
      const auto gpu = static_cast<std::size_t>(token.gpu());
      const user u{on_gpu[gpu], 2, violated};
      (void)takt::runtime::copy_in_chunks(token, takt::to_device, copy_chunks{30, 10},
                                          [&](auto, auto) { spend(gpu, engine_kind::copy); });
      if (random() % 2 == 0) {
        (void)takt::runtime::copy_from_peer(token, 1 - token.gpu(), copy_chunks{20, 10}, [&](auto, auto) {
          const user source{on_engine[1 - gpu][static_cast<std::size_t>(engine_kind::copy_to_host)], 1, violated};
          spend(gpu, engine_kind::copy);
        });
      }
      {
        const auto engine = token.lock(engine_kind::execution);
        spend(gpu, engine_kind::execution);
      }
      (void)takt::runtime::copy_in_chunks(token, takt::to_host, copy_chunks{10, 10},
                                          [&](auto, auto) { spend(gpu, engine_kind::copy_to_host); });
      ++completed;
      if (used > budget) { ++mistaken; }
    } catch (const takt::runtime::budget_exhausted& e) {
      ++exhausted;
      if (e.overrun().count() != used - budget) { ++mistaken; }
    }
  };
  {
    std::vector<std::jthread> team;
    for (std::size_t i = 0; i < jobs - 1; ++i) {
      team.emplace_back([&, i] {
        std::minstd_rand random{static_cast<std::uint32_t>(i + 1)};
        for (int n = 0; n < 20 || std::chrono::steady_clock::now() < end; ++n) { job(random); }
      });
    }
  }
  CHECK_FALSE(violated);
  CHECK(mistaken == 0);
  CHECK(completed > 0);
  CHECK(exhausted > 0);
  CHECK(pool->tokens().abandoned() == 0);
  for (const auto& gpu : on_gpu) { CHECK(gpu == 0); }

  // All four tokens are there.
  std::atomic<int> holding{0};
  std::atomic<bool> done{false};
  std::vector<std::jthread> holders;
  for (int n = 0; n < 4; ++n) {
    holders.emplace_back([&] {
      const auto token = pool->begin_job().acquire_token();
      ++holding;
      await([&] { return done.load(); });
    });
  }
  await([&] { return holding == 4; });
  done = true;
}
