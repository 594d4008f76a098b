// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <takt/core/random.hpp>
#include <takt/systems/shares/run/share_page.hpp>
#include <takt/systems/shares/run/share_publisher.hpp>

#include "support/environment.hpp"

namespace {

using takt::ticks;
using takt::runtime::share_page;
using takt::runtime::share_publisher;
using takt::runtime::share_word;

using words = std::array<share_word, share_page::capacity>;

/// Shares of `count` applications that add up to at most 100.
auto random_shares(takt::random_stream& random, std::size_t count) -> std::vector<std::int32_t> {
  std::vector<std::int32_t> out(count, 0);
  std::int32_t left = 100;
  for (std::size_t n = 0; n < count; ++n) {
    const auto i = static_cast<std::size_t>(random.between(0, static_cast<ticks>(count) - 1));
    const auto more = static_cast<std::int32_t>(random.between(0, left));
    out[i] += more;
    left -= more;
  }
  return out;
}

}  // namespace

TEST_CASE("a word holds a share and a version, and the last write wins in whatever order they come") {
  static_assert(share_word{100, 0xFFFFFF}.share() == 100);
  static_assert(share_word{7, 0x1000005}.version() == 5);
  static_assert(share_word{7, 0xFFFFFF}.next(8) == share_word{8, 0});
  static_assert(!share_word{101U << 24}.valid() && share_word{100U << 24}.valid());
  const share_word older{30, 0xFFFFFE};
  const share_word newer = older.next(40).next(10);
  CHECK(newer.newer_than(older));
  CHECK_FALSE(older.newer_than(newer));
  CHECK_FALSE(older.newer_than(older));
  CHECK(takt::runtime::latest(older, newer) == newer);
  CHECK(takt::runtime::latest(newer, older) == newer);
}

TEST_CASE("versions of a cell grow by one with each write, also over their end") {
  share_page page;
  page.cells[3].store(share_word{5, 0xFFFFF0}.bits());
  share_word before = page.read(3);
  for (std::int32_t n = 0; n < 40; ++n) {
    const share_word after = page.write(3, n);
    CHECK(after.newer_than(before));
    CHECK(after.version() == ((before.version() + 1) & share_word::version_mask));
    CHECK(after.share() == n);
    CHECK(page.read(3) == after);
    before = after;
  }
}

TEST_CASE("shares outside the range or above 100 in sum are refused and change nothing") {
  share_page page;
  share_publisher publisher{page};
  const std::array<std::int32_t, 3> good{50, 30, 20};
  REQUIRE(publisher.aim(good));
  CHECK(publisher.publish(0) == share_publisher::never);
  for (const auto& bad :
       {std::array<std::int32_t, 3>{50, 31, 20}, {-1, 0, 0}, {101, 0, 0}, {INT32_MAX, INT32_MAX, 2}}) {
    CHECK_FALSE(publisher.aim(bad));
  }
  CHECK_FALSE(publisher.aim(std::vector<std::int32_t>(share_page::capacity + 1, 0)));
  CHECK_FALSE(publisher.aim(0, 51));
  CHECK_FALSE(publisher.aim(share_page::capacity, 0));
  CHECK(publisher.publish(1) == share_publisher::never);
  CHECK(publisher.published(0).share() == 50);
  REQUIRE(publisher.aim(0, 40));
  REQUIRE(publisher.aim(1, 40));
  CHECK(publisher.publish(2) == share_publisher::never);
  CHECK(publisher.published(1) == share_word{40, 2});
  CHECK(publisher.published(2) == share_word{20, 1});
}

TEST_CASE("with an actuation delay, increases wait for as much as was given up that long ago") {
  share_page page;
  share_publisher publisher{page, 10};
  REQUIRE(publisher.aim(std::array<std::int32_t, 2>{60, 40}));
  CHECK(publisher.publish(0) == share_publisher::never);
  REQUIRE(publisher.aim(std::array<std::int32_t, 3>{20, 70, 5}));
  CHECK(publisher.publish(100) == 110);
  CHECK(publisher.published(0).share() == 20);
  CHECK(publisher.published(1).share() == 40);
  CHECK(publisher.published(2).share() == 0);
  CHECK(publisher.sum_in_force(100) == 100);
  // What is lowered again in between counts from then on, and only to what it had.
  REQUIRE(publisher.aim(std::array<std::int32_t, 3>{10, 80, 5}));
  CHECK(publisher.publish(105) == 115);
  CHECK(publisher.published(1).share() == 40);
  CHECK(publisher.publish(115) == share_publisher::never);
  CHECK(publisher.published(1).share() == 80);
  CHECK(publisher.published(2).share() == 5);
  // Back to what it still has costs nobody anything.
  REQUIRE(publisher.aim(std::array<std::int32_t, 3>{10, 30, 5}));
  CHECK(publisher.publish(200) == share_publisher::never);
  REQUIRE(publisher.aim(std::array<std::int32_t, 3>{10, 80, 5}));
  CHECK(publisher.publish(201) == share_publisher::never);
  CHECK(publisher.published(1).share() == 80);
}

TEST_CASE("what is in force never exceeds 100, for any sequence of decisions and any delay") {
  takt::random_stream random{7};
  for (const ticks delay : {0, 1, 5, 50}) {
    share_page page;
    share_publisher publisher{page, delay};
    // The share that each application may still be using: the most of the last `delay` instants.
    std::vector<std::vector<std::int32_t>> history;
    for (ticks now = 0; now < 2'000; ++now) {
      if (random.between(0, 6) == 0) { REQUIRE(publisher.aim(random_shares(random, 12))); }
      const ticks again = publisher.publish(now);
      CHECK(again > now);
      history.emplace_back();
      std::int32_t sum = 0;
      for (std::size_t i = 0; i < 12; ++i) {
        history.back().push_back(publisher.published(i).share());
        std::int32_t most = 0;
        for (ticks back = 0; back <= std::min(now, std::max<ticks>(0, delay - 1)); ++back) {
          most = std::max(most, history[static_cast<std::size_t>(now - back)][i]);
        }
        sum += most;
        if (again == share_publisher::never) { CHECK(publisher.published(i).share() == publisher.aimed(i)); }
      }
      REQUIRE(sum <= 100);
    }
  }
}

TEST_CASE("no reader ever sees more than 100 in sum while shares change as fast as they can") {
  const ticks length = takt_tests::stress_time(200'000'000);
  share_page page;
  std::atomic<bool> over = false;
  std::atomic<std::uint64_t> seen = 0;
  std::atomic<std::uint64_t> wrong = 0;
  std::vector<std::thread> readers;
  for (int r = 0; r < 2; ++r) {
    readers.emplace_back([&] {
      words snapshot{};
      words before{};
      while (!over) {
        if (!page.snapshot(snapshot)) { continue; }
        ++seen;
        if (sum_of(snapshot) > 100) { ++wrong; }
        for (std::size_t i = 0; i < snapshot.size(); ++i) {
          if (before[i].newer_than(snapshot[i])) { ++wrong; }
        }
        before = snapshot;
      }
    });
  }
  share_publisher publisher{page};
  takt::random_stream random{3};
  const ticks end = takt::runtime::now() + length;
  while (takt::runtime::now() < end || seen < 100) {
    CHECK(publisher.aim(random_shares(random, 20)));
    (void)publisher.publish(0);
  }
  over = true;
  for (auto& r : readers) { r.join(); }
  CHECK(wrong == 0);
  CHECK(seen >= 100);
}

TEST_CASE("a page that was handed on can be read, and neither written nor resized") {
  auto own = takt::runtime::shared_page::create();
  REQUIRE(own);
  takt::runtime::descriptor copy{dup(own.file())};
  const int file = copy.get();
  CHECK(mmap(nullptr, sizeof(share_page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) == MAP_FAILED);
  CHECK(ftruncate(file, 0) != 0);
  CHECK(ftruncate(file, 1 << 20) != 0);
  CHECK(pwrite(file, "x", 1, 0) != 1);
  const auto mapped = takt::runtime::shared_page::map(std::move(copy));
  REQUIRE(mapped);
  CHECK(mapped.page().is_open());
  own.page().write(5, 42);
  CHECK(mapped.page().read(5) == share_word{42, 1});
  own.page().open = 0;
  CHECK_FALSE(mapped.page().is_open());
}

TEST_CASE("a file that is no page, or that could shrink under its reader, is not mapped") {
  using takt::runtime::descriptor;
  using takt::runtime::shared_page;
  CHECK_FALSE(shared_page::map(descriptor{}));
  CHECK_FALSE(shared_page::map(descriptor{open("/dev/zero", O_RDONLY | O_CLOEXEC)}));
  const auto make = [](off_t length, int seals) {
    descriptor file{memfd_create("test", MFD_ALLOW_SEALING | MFD_CLOEXEC)};
    CHECK(ftruncate(file.get(), length) == 0);
    CHECK(fcntl(file.get(), F_ADD_SEALS, seals) == 0);
    return file;
  };
  CHECK_FALSE(shared_page::map(make(4096, F_SEAL_GROW)));
  CHECK_FALSE(shared_page::map(make(16, F_SEAL_SHRINK)));
  CHECK_FALSE(shared_page::map(make(4096, F_SEAL_SHRINK)));
}
