// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <thread>
#include <vector>

#include <takt/runtime/copy_arbiter.hpp>

#include "support/limited_wait.hpp"

namespace {

constexpr std::size_t clients = 12;
using arbiter = takt::runtime::copy_arbiter<clients>;

void await_waiting(arbiter& engine, takt::rank task) {
  takt_tests::await([&] { return engine.waits(task); });
}

}  // namespace

TEST_CASE("RTGPU-34 the arbiter grants the waiting copy of highest priority, whatever the order of arrival") {
  arbiter engine;
  engine.acquire(5);
  std::vector<takt::rank> order;
  std::vector<std::thread> threads;
  for (const takt::rank task : {7, 2, 11, 0, 9, 3, 10, 1}) {
    threads.emplace_back([&engine, &order, task] {
      engine.acquire(task);
      order.push_back(task);
      engine.release();
    });
    await_waiting(engine, task);
  }
  CHECK(engine.holder() == 5);
  CHECK(order.empty());
  engine.release();
  for (std::thread& t : threads) { t.join(); }
  CHECK(order == std::vector<takt::rank>{0, 1, 2, 3, 7, 9, 10, 11});
  CHECK(engine.holder() == takt::nobody);
}

TEST_CASE("RTGPU-34 one copy at a time holds the engine under contention") {
  arbiter engine;
  int inside = 0;
  int most_inside = 0;
  std::array<int, clients> copies{};
  std::vector<std::thread> threads;
  for (std::size_t c = 0; c < clients; ++c) {
    threads.emplace_back([&, c] {
      for (int i = 0; i < 200; ++i) {
        engine.acquire(static_cast<takt::rank>(c));
        most_inside = std::max(most_inside, ++inside);
        ++copies[c];
        --inside;
        engine.release();
      }
    });
  }
  for (std::thread& t : threads) { t.join(); }
  CHECK(most_inside == 1);
  for (const int n : copies) { CHECK(n == 200); }
}

TEST_CASE("RTGPU-34 a request of higher priority does not take the engine from its holder") {
  arbiter engine;
  engine.acquire(8);
  bool granted = false;
  engine.request(0, {[](void* flag) { *static_cast<bool*>(flag) = true; }, &granted});
  CHECK_FALSE(granted);
  CHECK(engine.holder() == 8);
  engine.release();
  CHECK(granted);
  CHECK(engine.holder() == 0);
  engine.release();
}
