// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include <takt/rules/shares/launch_tokens.hpp>
#include <takt/systems/shares/run/launch_gate.hpp>
#include "support/traces.hpp"

namespace {

using takt::launch_tokens;
using takt::share_feedback;
using takt::token_capacity;

constexpr token_capacity gtx1060{.sms = 10, .threads_per_sm = 2048, .factor = 32};

constexpr auto follow(std::initializer_list<std::int64_t> used) {
  std::array<std::int64_t, 7> out{};
  share_feedback feedback{gtx1060};
  std::size_t i = 0;
  for (const std::int64_t u : used) {
    feedback.observe(30, u);
    out[i++] = feedback.refill();
  }
  return out;
}
static_assert(follow({0, 10, 25, 33, 60, 31, 29}) ==
              std::array<std::int64_t, 7>{4645, 6709, 7109, 6709, 2064, 1664, 2064});

/// A device that runs `rate` blocks per period when it is never idle, for a client that has kernels without end.
class plant {
 public:
  plant(std::int64_t rate, std::int64_t kernel, std::int64_t cost) : rate_{rate}, kernel_{kernel}, cost_{cost} {}

  /// One period: the blocks that were run.
  auto run(launch_tokens& tokens) -> std::int64_t {
    constexpr std::int64_t slices = 100;
    std::int64_t done = 0;
    for (std::int64_t s = 1; s <= slices; ++s) {
      const std::int64_t able = rate_ * s / slices - rate_ * (s - 1) / slices;
      while (queued_ < able + kernel_ && tokens.take(kernel_ * cost_)) { queued_ += kernel_; }
      const std::int64_t run = std::min(queued_, able);
      queued_ -= run;
      done += run;
    }
    return done;
  }

 private:
  std::int64_t rate_;
  std::int64_t kernel_;
  std::int64_t cost_;
  std::int64_t queued_ = 0;
};

/// Mean utilization in hundredths of a percent over `periods` after as many to settle.
auto settle(launch_tokens& tokens, plant& device, std::int64_t rate, int periods) -> std::int64_t {
  std::int64_t blocks = 0;
  for (int k = 0; k < 2 * periods; ++k) {
    const std::int64_t done = device.run(tokens);
    tokens.refill(100 * done / rate);
    blocks += k >= periods ? done : 0;
  }
  return blocks * 10'000 / (rate * periods);
}

}  // namespace

TEST_CASE("the token controller follows its reference sequence and brings a simulated plant to its limit" *
          takt_tests::traces("WAMP-07")) {
  share_feedback feedback{gtx1060};
  for (const auto& [used, refill] : {std::pair{0, 4645}, {10, 6709}, {25, 7109}, {33, 6709}, {60, 2064}}) {
    feedback.observe(30, used);
    CHECK(feedback.refill() == refill);
  }
  // From twenty times the least step to as many tokens as there are.
  for (const std::int64_t rate : {20'000, 60'000, 200'000, 600'000}) {
    for (const std::int64_t kernel : {rate / 2000, rate / 200, rate / 50}) {
      for (const std::int64_t limit : {5, 10, 30, 50, 80, 100}) {
        CAPTURE(rate);
        CAPTURE(kernel);
        CAPTURE(limit);
        launch_tokens tokens{gtx1060};
        tokens.set_limit(limit);
        plant device{rate, kernel, 1};
        const std::int64_t mean = settle(tokens, device, rate, 1500);
        CHECK(mean >= 100 * (limit - 5));
        CHECK(mean <= 100 * (limit + 5));
      }
    }
  }
}

TEST_CASE("with the cost of a block fitted to the device, its limit is reached whatever its speed") {
  for (const std::int64_t sms : {1, 10, 40, 132}) {
    const token_capacity capacity{.sms = sms, .threads_per_sm = 2048, .factor = 32};
    for (const std::int64_t rate : {500, 3'000, 50'000, 5'000'000}) {
      for (const std::int64_t limit : {10, 30, 50, 80}) {
        CAPTURE(sms);
        CAPTURE(rate);
        CAPTURE(limit);
        const std::int64_t cost = takt::runtime::tokens_per_block(capacity, rate);
        // More blocks than tokens: no cost of whole tokens brings these together.
        if (rate > capacity.total() / 2) { continue; }
        launch_tokens tokens{capacity};
        tokens.set_limit(limit);
        plant device{rate, std::max<std::int64_t>(1, rate / 100), cost};
        const std::int64_t mean = settle(tokens, device, rate, 400);
        CHECK(mean >= 100 * (limit - 5));
        CHECK(mean <= 100 * (limit + 5));
      }
    }
  }
}

TEST_CASE("the published controller misses its limit where a step is too coarse or the tokens are too few") {
  launch_tokens coarse{gtx1060};
  coarse.set_limit(30);
  plant slow{2'000, 10, 1};
  CHECK(settle(coarse, slow, 2'000, 1500) > 3'500);

  launch_tokens few{gtx1060};
  few.set_limit(100);
  plant fast{1'000'000, 100, 1};
  CHECK(settle(few, fast, 1'000'000, 1500) < 7'000);
}

TEST_CASE("a changed limit takes effect at once, in proportion") {
  launch_tokens tokens{gtx1060};
  tokens.set_limit(80);
  plant device{60'000, 100, 1};
  CHECK(settle(tokens, device, 60'000, 500) >= 7'500);
  tokens.set_limit(20);
  for (int k = 0; k < 3; ++k) { tokens.refill(100 * device.run(tokens) / 60'000); }
  CHECK(100 * device.run(tokens) / 60'000 <= 25);
  const std::int64_t mean = settle(tokens, device, 60'000, 50);
  CHECK(mean >= 1'500);
  CHECK(mean <= 2'500);
}

TEST_CASE("a limit of 0 lets nothing pass, keeps a debt and takes up again where it was") {
  launch_tokens tokens{gtx1060};
  CHECK_FALSE(tokens.take(1));
  tokens.set_limit(50);
  CHECK(tokens.take(1'000));
  CHECK(tokens.pool() == -1'000);
  CHECK_FALSE(tokens.take(1));
  tokens.refill(0);
  const std::int64_t learnt = tokens.feedback().refill();
  REQUIRE(learnt > 1'000);
  const std::int64_t left = tokens.pool();
  tokens.set_limit(0);
  CHECK(tokens.pool() == 0);
  CHECK(left > 0);
  for (int k = 0; k < 10; ++k) { tokens.refill(0); }
  CHECK(tokens.pool() == 0);
  CHECK_FALSE(tokens.take(1));
  tokens.set_limit(50);
  CHECK(tokens.feedback().refill() == learnt);
  tokens.set_limit(0);
  tokens.set_limit(25);
  CHECK(tokens.feedback().refill() == learnt / 2);
}

TEST_CASE("extreme inputs stay within the pool") {
  constexpr token_capacity largest{.sms = 4096, .threads_per_sm = 4096, .factor = 1024};
  static_assert(largest.valid());
  static_assert(!token_capacity{.sms = 0}.valid() && !token_capacity{.sms = 4097}.valid());
  launch_tokens tokens{largest};
  for (const std::int64_t limit : {INT64_MIN, std::int64_t{-1}, std::int64_t{1}, std::int64_t{100}, INT64_MAX}) {
    tokens.set_limit(limit);
    for (const std::int64_t used : {INT64_MIN, std::int64_t{0}, std::int64_t{50}, std::int64_t{100}, INT64_MAX}) {
      tokens.refill(used);
      (void)tokens.take(INT64_MIN);
      (void)tokens.take(INT64_MAX);
      CHECK(tokens.pool() <= largest.total());
      CHECK(tokens.pool() >= -2 * largest.total());
      CHECK(tokens.feedback().refill() >= 0);
      CHECK(tokens.feedback().refill() <= largest.total());
    }
  }
}
