// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <sys/types.h>

#include <takt/model/gpu_topology.hpp>
#include <takt/rules/locking/engine_locks.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/runtime/locking/gpu_pool.hpp>

#include "support/asleep.hpp"
#include "support/signal_storm.hpp"
#include "support/traces.hpp"
#include "team.hpp"

namespace {

using namespace locking_tests;
using namespace std::chrono_literals;
using takt::engine_kind;

constexpr std::size_t clients = 12;
using topology = takt::gpu_topology<2, 1>;
using pool = takt::runtime::gpu_pool<takt::r2dglp<4, clients>, takt::fifo_engine_locks<2, clients>, topology>;
using priority_pool =
    takt::runtime::gpu_pool<takt::k_fmlp<2, clients>, takt::priority_engine_locks<1, clients>, topology>;

/// GPUs of one hub, each with one copy engine.
constexpr auto board(int gpus) -> topology {
  topology t;
  const auto hub = t.add_hub();
  for (int g = 0; g < gpus; ++g) { (void)t.add_gpu(hub, 1); }
  return t;
}
auto make_pool() -> std::unique_ptr<pool> {
  return std::make_unique<pool>(takt::token_map{.gpus = 2, .tokens_per_gpu = 2},
                                takt::r2dglp<4, clients>{{.replicas = 4, .cluster = 4}}, board(2));
}

template <class T>
union never_destroyed {
  explicit never_destroyed(T&& t) : value{std::move(t)} {}
  never_destroyed(const never_destroyed&) = delete;
  auto operator=(const never_destroyed&) -> never_destroyed& = delete;
  ~never_destroyed() {}  // NOLINT(modernize-use-equals-default)
  T value;
};

static_assert(!std::is_copy_constructible_v<pool::token> && std::is_move_constructible_v<pool::token>);
static_assert(!std::is_copy_constructible_v<pool::engine> && std::is_move_constructible_v<pool::engine>);
static_assert(!std::constructible_from<pool::engine, pool&>, "an engine comes from a token only");
static_assert(!std::constructible_from<pool::token, pool&>, "a token comes from a job only");

}  // namespace

TEST_CASE("a job gets one token, with it the engines of the token's GPU one by one, and two for a peer copy" *
          takt_tests::traces("GSD-63")) {
  const auto gpus = make_pool();
  auto job = gpus->begin_job();
  auto token = std::move(job).acquire_token();
  REQUIRE(static_cast<bool>(token));
  CHECK_FALSE(static_cast<bool>(job));  // NOLINT(bugprone-use-after-move)
  const auto here = token.gpu();
  {
    auto copy = token.lock(engine_kind::copy);
    CHECK(error_of([&] { (void)token.lock(engine_kind::execution); }) == std::errc::operation_not_permitted);
    CHECK(error_of([&] { std::move(token).release(); }) == std::errc::device_or_resource_busy);
    CHECK(error_of([&] { (void)gpus->begin_job(); }) == std::errc::resource_deadlock_would_occur);
    std::error_code elsewhere;
    std::jthread{[&] { elsewhere = error_of([&] { std::move(copy).release(); }); }}.join();
    CHECK(elsewhere == std::errc::operation_not_permitted);
    std::move(copy).release();
  }
  CHECK(static_cast<bool>(token.lock(engine_kind::execution)));
  CHECK(error_of([&] { (void)token.lock(engine_kind::copy_to_host); }) == std::errc::invalid_argument);
  const auto both = board(2).peer_copy_engines(1 - here, here);
  CHECK(static_cast<bool>(token.lock_migration(both)));
  CHECK(error_of([&] { (void)token.lock_migration(board(2).peer_copy_engines(here, 1 - here)); }) ==
        std::errc::invalid_argument);
  std::move(token).release();
  CHECK(static_cast<bool>(gpus->begin_job().acquire_token()));
}

TEST_CASE("at most rho jobs work on a GPU and one on each of its engines, under load" * takt_tests::traces("GSD-63")) {
  const takt_tests::signal_storm storm;
  const auto gpus = make_pool();
  std::array<std::atomic<int>, 2> on_gpu{};
  std::array<std::array<std::atomic<int>, 2>, 2> on_engine{};
  std::atomic<bool> violated{false};
  std::atomic<int> sections{0};
  {
    std::vector<std::jthread> team;
    for (std::size_t i = 0; i < clients; ++i) {
      team.emplace_back([&, i] {
        std::minstd_rand random{static_cast<std::uint32_t>(i + 1)};
        const auto work = [&](std::atomic<int>& users) {
          if (++users > 1) { violated = true; }
          if (random() % 4 == 0) { std::this_thread::yield(); }
          --users;
        };
        for (int n = 0; n < 100; ++n) {
          auto job = gpus->begin_job({.priority = static_cast<std::int64_t>(random() % 5)});
          auto token = random() % 3 == 0
                           ? std::move(job).try_acquire_token_until(std::chrono::steady_clock::now() + 50us)
                           : std::move(job).acquire_token();
          if (!token) { continue; }
          const auto gpu = static_cast<std::size_t>(token.gpu());
          if (++on_gpu[gpu] > 2) { violated = true; }
          if (random() % 4 == 0) {
            const auto held = token.lock_migration(board(2).peer_copy_engines(1 - token.gpu(), token.gpu()));
            work(on_engine[0][1]);
            work(on_engine[1][1]);
          }
          if (const auto held = token.lock(engine_kind::execution)) { work(on_engine[gpu][0]); }
          if (const auto held = token.try_lock_until(std::chrono::steady_clock::now() + 50us, engine_kind::copy)) {
            work(on_engine[gpu][1]);
          }
          --on_gpu[gpu];
          ++sections;
        }
      });
    }
  }
  CHECK_FALSE(violated);
  CHECK(sections > static_cast<int>(clients) * 50);
  CHECK(gpus->abandoned() == 0);
}

TEST_CASE("a job whose wait for a token has ended can ask again, and is the same job") {
  priority_pool gpus{{.gpus = 1, .tokens_per_gpu = 2}, {}, board(1)};
  std::atomic<int> tokens{0};
  std::atomic<bool> done{false};
  std::vector<std::jthread> others;
  for (int i = 0; i < 2; ++i) {
    others.emplace_back([&] {
      const auto token = gpus.begin_job().acquire_token();
      ++tokens;
      await([&] { return done.load(); });
    });
  }
  await([&] { return tokens == 2; });
  auto job = gpus.begin_job();
  CHECK_FALSE(static_cast<bool>(std::move(job).try_acquire_token_until(std::chrono::steady_clock::now() + 1ms)));
  CHECK(static_cast<bool>(job));  // NOLINT(bugprone-use-after-move)
  done = true;
  CHECK(static_cast<bool>(std::move(job).acquire_token()));
}

TEST_CASE("limits at the ends of a clock end a wait for a token at once, or never") {
  using namespace std::chrono;
  priority_pool gpus{{.gpus = 1, .tokens_per_gpu = 2}, {}, board(1)};
  std::optional first = gpus.begin_job().acquire_token();
  std::atomic<bool> second{false};
  std::atomic<bool> done{false};
  std::jthread other{[&] {
    const auto token = gpus.begin_job().acquire_token();
    second = true;
    await([&] { return done.load(); });
  }};
  await([&] { return second.load(); });
  const auto gets_one = [&](auto limit) {
    bool granted = true;
    std::jthread{[&] { granted = static_cast<bool>(gpus.begin_job().try_acquire_token_until(limit)); }}.join();
    return granted;
  };
  CHECK_FALSE(gets_one(steady_clock::time_point::min()));
  CHECK_FALSE(gets_one(time_point<system_clock, seconds>::min()));
  std::atomic<int> granted{0};
  std::atomic<int> over{0};
  std::atomic<pid_t> waiting{0};
  std::jthread patient{[&] {
    waiting = takt_tests::own_thread();
    granted += gpus.begin_job().try_acquire_token_until(time_point<system_clock, seconds>::max()) ? 1 : 0;
    ++over;
  }};
  await([&] { return takt_tests::is_asleep(waiting) || over != 0; });
  CHECK(over == 0);
  first.reset();
  patient.join();
  CHECK(granted == 1);
  done = true;
}

TEST_CASE("the holder of an engine yields to a more important waiter, and to nobody else") {
  priority_pool gpus{{.gpus = 1, .tokens_per_gpu = 2}, {}, board(1)};
  const auto yields_to = [&](std::int64_t waiter) {
    auto token = gpus.begin_job({.priority = 5}).acquire_token();
    auto engine = token.lock(engine_kind::execution);
    const std::jthread other{[&] {
      auto theirs = gpus.begin_job({.priority = waiter}).acquire_token();
      const auto held = theirs.lock(engine_kind::execution);
    }};
    await([&] { return engine.contended(); });
    const bool answer = engine.should_yield();
    std::move(engine).release();
    return answer;
  };
  CHECK(yields_to(3));
  CHECK_FALSE(yields_to(8));
}

TEST_CASE("an exception on the way gives back the engine and then the token") {
  const auto gpus = make_pool();
  CHECK_THROWS_AS(([&] {
                    auto token = gpus->begin_job().acquire_token();
                    const auto engine = token.lock(engine_kind::execution);
                    throw std::runtime_error{"budget exhausted"};
                  }()),
                  std::runtime_error);
  auto again = gpus->begin_job().acquire_token();
  CHECK(static_cast<bool>(again.lock(engine_kind::execution)));
}

TEST_CASE("what a thread holds of a pool when it ends is given back and counted") {
  const auto gpus = make_pool();
  for (int i = 0; i < 6; ++i) {
    std::jthread{[&] {
      never_destroyed<pool::token> token{gpus->begin_job().acquire_token()};
      const never_destroyed<pool::engine> engine{token.value.lock(engine_kind::execution)};
    }}.join();
  }
  CHECK(gpus->abandoned() == 6);
  auto token = gpus->begin_job().acquire_token();
  CHECK(static_cast<bool>(token.lock(engine_kind::execution)));
}

TEST_CASE("a pool whose parts do not fit together is refused") {
  CHECK(error_of([] { (void)pool{{.gpus = 2, .tokens_per_gpu = 1}, takt::r2dglp<4, clients>{}, board(2)}; }) ==
        std::errc::invalid_argument);
}
