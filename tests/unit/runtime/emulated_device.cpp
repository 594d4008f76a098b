// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include <takt/runtime/emulated_device.hpp>
#include <takt/runtime/event.hpp>

#include "support/limited_wait.hpp"

namespace {

using takt::runtime::emulated_device;

auto board(std::int32_t sms = 8) -> takt::platform_record {
  takt::platform_record p{.cores = 1, .copy_engines = 1, .gpus = {}};
  p.gpus.unchecked_push_back({.sms = sms, .virtual_per_sm = 2, .granularity = 1, .shared = false});
  return p;
}

void launch_and_wait(emulated_device::stream& stream, const takt::runtime::emulated_kernel& kernel) {
  takt::runtime::event ended;
  stream.launch(kernel, takt::runtime::notify<&takt::runtime::event::signal>(&ended));
  ended.wait();
}

}  // namespace

TEST_CASE("an emulated kernel runs each block exactly once for every number of blocks and workers") {
  for (const std::size_t workers : {1U, 2U, 3U, 7U}) {
    emulated_device device{board(), workers};
    auto stream = device.open({.gpu = 0, .first = 0, .count = 4});
    CHECK(device.workers({.gpu = 0, .first = 0, .count = 4}) == std::min<std::size_t>(workers, 8));
    for (const std::int64_t blocks : {0, 1, 2, 6, 7, 8, 13, 100, 1009}) {
      CAPTURE(workers);
      CAPTURE(blocks);
      const auto runs = std::make_unique<std::atomic<int>[]>(static_cast<std::size_t>(blocks) + 1);
      launch_and_wait(stream, {blocks, [&runs](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; }});
      for (std::int64_t i = 0; i < blocks; ++i) { CHECK(runs[static_cast<std::size_t>(i)] == 1); }
      CHECK(runs[static_cast<std::size_t>(blocks)] == 0);
    }
  }
}

TEST_CASE("a range has no more workers than virtual SMs") {
  emulated_device device{board(), 16};
  const takt::sm_range one{.gpu = 0, .first = 2, .count = 1};
  CHECK(device.workers(one) == 0);
  (void)device.open(one);
  CHECK(device.workers(one) == 2);
  CHECK(device.ready());
}

TEST_CASE("kernels of two ranges run on workers of their own, also at the same time") {
  emulated_device device{board(), 3};
  auto left = device.open({.gpu = 0, .first = 0, .count = 2});
  auto right = device.open({.gpu = 0, .first = 2, .count = 2});
  std::mutex mutex;
  std::set<std::thread::id> left_workers;
  std::set<std::thread::id> right_workers;
  std::atomic<int> inside = 0;
  const auto note = [&mutex](std::set<std::thread::id>& workers) {
    const std::lock_guard lock{mutex};
    workers.insert(std::this_thread::get_id());
  };
  const auto meet = [&inside](std::int64_t) {
    ++inside;
    takt_tests::await([&inside] { return inside == 2; });
  };
  const takt::runtime::emulated_kernel left_meets{1, meet};
  const takt::runtime::emulated_kernel right_meets{1, meet};
  takt::runtime::event left_ended;
  takt::runtime::event right_ended;
  left.launch(left_meets, takt::runtime::notify<&takt::runtime::event::signal>(&left_ended));
  right.launch(right_meets, takt::runtime::notify<&takt::runtime::event::signal>(&right_ended));
  left_ended.wait();
  right_ended.wait();
  for (int i = 0; i < 20; ++i) {
    launch_and_wait(left, {50, [&](std::int64_t) { note(left_workers); }});
    launch_and_wait(right, {50, [&](std::int64_t) { note(right_workers); }});
  }
  std::vector<std::thread::id> both;
  std::ranges::set_intersection(left_workers, right_workers, std::back_inserter(both));
  CHECK(both.empty());
}

TEST_CASE("an emulated copy moves its bytes") {
  emulated_device device{board()};
  auto stream = device.open({});
  std::vector<std::uint8_t> from(10'007);
  std::iota(from.begin(), from.end(), std::uint8_t{0});
  std::vector<std::uint8_t> to(from.size(), 0);
  takt::runtime::event ended;
  const takt::runtime::emulated_copy copy{to.data(), from.data(), from.size()};
  stream.copy(0, copy, takt::runtime::notify<&takt::runtime::event::signal>(&ended));
  ended.wait();
  CHECK(to == from);
}

TEST_CASE("operations of one unit end in their order, whatever they are, and one of nothing ends at once") {
  takt::runtime::emulated_unit unit{3};
  struct ending {
    std::vector<int>* order;
    int number;
    void ended() { order->push_back(number); }
  };
  std::vector<int> order;
  std::atomic<int> calls = 0;
  const std::vector<takt::runtime::emulated_kernel> kernels{takt::runtime::emulated_kernel{300'000},
                                                            {7, [&calls](std::int64_t) { ++calls; }},
                                                            takt::runtime::emulated_kernel{100'000},
                                                            {0, [&calls](std::int64_t) { ++calls; }},
                                                            {2, 32, 100'000, 200'000}};
  std::vector<ending> endings;
  for (int n = 0; n < 5; ++n) { endings.push_back({&order, n}); }
  takt::runtime::event last;
  for (std::size_t n : {0U, 1U, 2U, 4U}) {
    unit.submit(kernels[n], takt::runtime::notify<&ending::ended>(&endings[n]));
  }
  const takt::runtime::emulated_kernel behind;
  unit.submit(behind, takt::runtime::notify<&takt::runtime::event::signal>(&last));
  last.wait();
  CHECK(order == std::vector<int>{0, 1, 2, 4});
  CHECK(calls == 7);
  takt::runtime::event nothing;
  unit.submit(kernels[3], takt::runtime::notify<&takt::runtime::event::signal>(&nothing));
  nothing.wait();
  CHECK(calls == 7);
}

TEST_CASE("what a unit has not done when it goes ends then, so that nobody waits for it") {
  struct ending {
    int count = 0;
    void ended() { ++count; }
  } told;
  const takt::runtime::emulated_kernel hours{3'600'000'000'000};
  {
    takt::runtime::emulated_unit unit{1};
    unit.submit(hours, takt::runtime::notify<&ending::ended>(&told));
    unit.submit(hours, takt::runtime::notify<&ending::ended>(&told));
  }
  CHECK(told.count == 2);
}

TEST_CASE("more kernels than a block queue holds are done in their order, and each is told") {
  constexpr std::size_t count = takt::runtime::emulated_unit::most_kernels + 300;
  takt::runtime::emulated_unit unit{1};
  std::atomic<bool> open{false};
  std::vector<int> order;  // by the one thread that does them
  std::vector<takt::runtime::emulated_kernel> kernels;
  for (std::size_t n = 0; n < count; ++n) {
    kernels.emplace_back(1, [&order, &open, n](std::int64_t) {
      if (n == 0) {
        takt_tests::await([&open] { return open.load(); });
      }
      order.push_back(static_cast<int>(n));
    });
  }
  struct counter {
    std::atomic<std::size_t> told{0};
    void tell() { ++told; }
  } ends;
  for (const auto& k : kernels) { unit.submit(k, takt::runtime::notify<&counter::tell>(&ends)); }
  open = true;
  takt_tests::await([&ends] { return ends.told == count; });
  std::vector<int> expected(count);
  std::iota(expected.begin(), expected.end(), 0);
  CHECK(order == expected);
}

TEST_CASE("a kernel of which a block fits on no SM ends at once, and does nothing") {
  takt::runtime::emulated_unit unit{{.sms = 2, .each = {.threads = 64, .blocks = 2}}, 1};
  bool ran = false;
  const takt::runtime::emulated_kernel large{1, 65, [&ran](std::int64_t) { ran = true; }};
  takt::runtime::event ended;
  unit.submit(large, takt::runtime::notify<&takt::runtime::event::signal>(&ended));
  ended.wait();
  CHECK_FALSE(ran);
}

TEST_CASE("what completions submit while a unit goes is told, too, and what waited for room") {
  struct chain {
    takt::runtime::emulated_unit* unit = nullptr;
    const takt::runtime::emulated_kernel* next = nullptr;
    int left = 0;
    int told = 0;
    void ended() {
      ++told;
      if (left-- > 0) { unit->submit(*next, takt::runtime::notify<&chain::ended>(this)); }
    }
  };
  const takt::runtime::emulated_kernel hours{3'600'000'000'000};
  const takt::runtime::emulated_kernel nothing{0, 1, takt::ticks{0}};
  std::vector<chain> all(takt::runtime::emulated_unit::most_kernels + 20);
  {
    takt::runtime::emulated_unit unit{1};
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = {.unit = &unit, .next = i % 2 == 0 ? &hours : &nothing, .left = 3};
      unit.submit(hours, takt::runtime::notify<&chain::ended>(&all[i]));
    }
  }
  CHECK(std::ranges::all_of(all, [](const chain& c) { return c.told == 4; }));
}

TEST_CASE("timed operations last as long as asked and one engine serves them one after another") {
  emulated_device device{board()};
  auto first = device.open({.gpu = 0, .first = 0, .count = 1});
  auto second = device.open({.gpu = 0, .first = 1, .count = 1});
  const auto length = takt::ticks{3'000'000};
  const takt::runtime::emulated_copy copy{length};
  takt::runtime::event one;
  takt::runtime::event two;
  const takt::ticks before = takt::runtime::now();
  first.copy(0, copy, takt::runtime::notify<&takt::runtime::event::signal>(&one));
  second.copy(0, copy, takt::runtime::notify<&takt::runtime::event::signal>(&two));
  one.wait();
  CHECK(takt::runtime::now() - before >= length);
  two.wait();
  CHECK(takt::runtime::now() - before >= 2 * length);
  const takt::ticks launched = takt::runtime::now();
  launch_and_wait(first, takt::runtime::emulated_kernel{length});
  CHECK(takt::runtime::now() - launched >= length);
}
