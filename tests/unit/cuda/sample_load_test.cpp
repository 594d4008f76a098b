// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>

#include <takt/cuda/measure/sample_load.hpp>

namespace {

using takt::ticks;
using takt::cuda::sample_load;

/// A load whose steps take so long each, by a clock that each look at it moves on a little.
struct made_up_load {
  ticks now = 0;
  ticks step = 10;
  ticks begun = -1;
  ticks ends = -1;     ///< at which instant it ends by itself
  ticks stalls = -1;   ///< from which instant it stands still
  ticks resumes = -1;  ///< until which
  bool refuses = false;
  int stops = 0;

  [[nodiscard]] auto steps() const -> std::uint64_t {
    if (begun < 0) { return 0; }
    ticks until = ends >= 0 && ends < now ? ends : now;
    if (stalls >= 0 && until > stalls) { until -= (resumes < 0 || resumes > until ? until : resumes) - stalls; }
    return static_cast<std::uint64_t>((until - begun) / step);
  }
  [[nodiscard]] auto beside() -> sample_load {
    return sample_load{{[this] {
                          begun = refuses ? -1 : now;
                          return !refuses;
                        },
                        [this] { return steps(); }, [this] { ++stops; }},
                       [this] { return ++now; },
                       2'000};
  }
};

}  // namespace

TEST_CASE("a sample counts when the load went on from its beginning to its end") {
  made_up_load made;
  {
    auto load = made.beside();
    REQUIRE(load.start());
    for (const ticks length : {1, 5, 10, 39, 40, 500, 12'345}) {
      CAPTURE(length);
      const auto time = load.beside([&]() -> std::optional<ticks> {
        made.now += length;
        return length;
      });
      CHECK(time == length);
      CHECK(load.fault().empty());
    }
    CHECK_FALSE(load.beside([]() -> std::optional<ticks> { return std::nullopt; }));
    CHECK(load.fault().empty());
    CHECK(made.stops == 0);
  }
  CHECK(made.stops == 1);
}

TEST_CASE("a sample beside a load that ended, stood still or became slow is none, and the load says why") {
  const auto sample = [](made_up_load& made, ticks length) {
    return [&made, length]() -> std::optional<ticks> {
      made.now += length;
      return length;
    };
  };
  {
    made_up_load made;
    auto load = made.beside();
    REQUIRE(load.start());
    made.ends = made.now + 10;
    CHECK_FALSE(load.beside(sample(made, 20)));
    CHECK(load.fault() == "the load had ended before a sample did");
  }
  {
    made_up_load made;
    auto load = made.beside();
    REQUIRE(load.start());
    made.stalls = made.now;
    made.resumes = made.now + 1'000;
    CHECK_FALSE(load.beside(sample(made, 1'000)));
    CHECK(load.fault() == "the load made 0 steps beside a sample, where 100 are usual");
    CHECK(load.beside(sample(made, 1'000)) == 1'000);
  }
  for (const ticks still : {700, 800}) {
    CAPTURE(still);
    made_up_load made;
    auto load = made.beside();
    REQUIRE(load.start());
    made.stalls = made.now + 3;
    made.resumes = made.stalls + still;
    CHECK(load.beside(sample(made, 1'000)).has_value() == (still == 700));
  }
}

TEST_CASE("a load that does not start, does not work or stands still at once is refused, and is stopped") {
  const auto why = [](made_up_load made) {
    auto load = made.beside();
    CHECK_FALSE(load.start());
    CHECK(made.stops == 1);
    return load.fault();
  };
  CHECK(why({.refuses = true}) == "the load could not be started");
  CHECK(why({.stalls = 5}) == "the load did not begin to work");
  CHECK(why({.stalls = 35}) == "the load stood still before any sample");
}
