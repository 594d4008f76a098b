// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stop_token>
#include <thread>

#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/runtime/locking/donation_cluster.hpp>
#include <takt/runtime/locking/protocol_lock.hpp>

#include "support/traces.hpp"
#include "team.hpp"

namespace {

using namespace locking_tests;
using mutex = takt::runtime::lock<takt::fifo_mutex<4>>;

/// Whether this process may raise priorities.
auto permitted() -> bool { return takt::runtime::lock_domain{}.inherits(); }

}  // namespace

TEST_CASE("without inheritance a domain says so, and its locks work") {
  takt::runtime::lock_domain domain{takt::runtime::inheritance::off};
  CHECK_FALSE(domain.inherits());
  mutex lock{domain};
  CHECK(static_cast<bool>(lock.try_acquire()));
}

TEST_CASE("the system runs a holder at the priority of those who wait for it, along chains, and back" *
          takt_tests::traces("GSD-20") * doctest::skip(!permitted())) {
  takt::runtime::lock_domain domain;
  mutex outer{domain};
  mutex inner{domain};
  std::atomic<bool> low_holds{false};
  std::atomic<bool> middle_holds{false};
  std::atomic<bool> go{false};
  std::atomic<bool> ended{false};
  std::atomic<bool> low_may_end{false};
  prioritized_thread low{5, [&] {
                           {
                             const auto held = inner.acquire();
                             low_holds = true;
                             await([&] { return go.load(); });
                           }
                           ended = true;
                           await([&] { return low_may_end.load(); });
                         }};
  await([&] { return low_holds.load(); });
  prioritized_thread middle{7, [&] {
                              const auto held = outer.acquire();
                              middle_holds = true;
                              const auto nested = inner.acquire();
                            }};
  await([&] { return middle_holds && low.priority() == 7; });
  std::stop_source stop;
  prioritized_thread high{9, [&] { CHECK_FALSE(static_cast<bool>(outer.acquire(stop.get_token()))); }};
  // The two are raised one after the other.
  await([&] { return low.priority() == 9 && middle.priority() == 9; });
  stop.request_stop();
  high.join();
  CHECK(middle.priority() == 7);
  CHECK(low.priority() == 7);
  go = true;
  await([&] { return ended.load(); });
  CHECK(low.priority() == 5);
  low_may_end = true;
  middle.join();
  low.join();
}

TEST_CASE("a donor of R2DGLP lends its priority to a request that stands in a queue" * doctest::skip(!permitted())) {
  takt::runtime::lock_domain domain;
  takt::runtime::lock<takt::r2dglp<1, 4>> lock{domain, takt::r2dglp<1, 4>{{.replicas = 1, .cluster = 2}}};
  std::atomic<bool> go{false};
  std::atomic<bool> holds{false};
  prioritized_thread holder{3, [&] {
                              const auto held = lock.acquire();
                              holds = true;
                              await([&] { return go.load(); });
                            }};
  await([&] { return holds.load(); });
  prioritized_thread queued{4, [&] { const auto held = lock.acquire(); }};
  await([&] { return holder.priority() == 4; });
  prioritized_thread donor{6, [&] { const auto held = lock.acquire(); }};
  await([&] { return holder.priority() == 6; });
  go = true;
  holder.join();
  queued.join();
  donor.join();
}

TEST_CASE("a job of a donation cluster is suspended while it donates, and its donee runs at its priority") {
  takt::runtime::lock_domain domain;
  takt::runtime::donation_cluster<4> cluster{domain, 1};
  takt::runtime::lock<takt::ck_omlp<1, 4>> lock{domain};
  std::atomic<bool> holds{false};
  std::atomic<bool> go{false};
  std::atomic<bool> high_runs{false};
  std::atomic<bool> high_ran_first{false};
  prioritized_thread low{3, [&] {
                           auto job = cluster.begin_job({.priority = 2});
                           auto held = job.acquire(lock);
                           holds = true;
                           await([&] { return go.load(); });
                           high_ran_first = high_runs.load();
                         }};
  await([&] { return holds.load(); });
  prioritized_thread high{6, [&] {
                            const auto job = cluster.begin_job({.priority = 1});
                            high_runs = true;
                          }};
  if (domain.inherits()) {
    await([&] { return low.priority() == 6; });
  }
  CHECK_FALSE(high_runs);
  go = true;
  low.join();
  high.join();
  CHECK(high_runs);
  CHECK_FALSE(high_ran_first);
}

TEST_CASE("a job that is not among the best waits before its request is issued") {
  takt::runtime::lock_domain domain;
  takt::runtime::donation_cluster<4> cluster{domain, 1};
  takt::runtime::lock<takt::ck_omlp<1, 4>> lock{domain};
  auto best = std::make_unique<takt::runtime::donation_cluster<4>::job>(cluster.begin_job({.priority = 1}));
  std::atomic<bool> gave_up{false};
  std::atomic<bool> held{false};
  std::jthread other{[&] {
    auto job = cluster.begin_job({.priority = 2});
    gave_up = !job.try_acquire_until(std::chrono::steady_clock::now() + std::chrono::milliseconds{1}, lock);
    held = static_cast<bool>(job.acquire(lock));
  }};
  await([&] { return gave_up.load(); });
  CHECK(static_cast<bool>(best->acquire(lock)));
  CHECK_FALSE(held);
  best.reset();
  other.join();
  CHECK(held);
}
