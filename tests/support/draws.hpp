// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include "support/environment.hpp"

namespace takt_tests {

/// What a random system or a run of it draws. Pre: a <= b, n > 0.
class draws {
 public:
  explicit draws(std::uint64_t seed) : random_{seed} {}
  auto between(takt::ticks a, takt::ticks b) -> takt::ticks { return random_.between(a, b); }
  auto time(takt::ticks a, takt::ticks b) -> takt::duration { return takt::duration{between(a, b)}; }
  auto count(takt::ticks a, takt::ticks b) -> std::int32_t { return static_cast<std::int32_t>(between(a, b)); }
  auto one_in(takt::ticks n) -> bool { return random_.chance(1, n); }

 private:
  takt::random_stream random_;
};

/// As many random systems as TAKT_SYSTEMS asks for, else so many.
[[nodiscard]] inline auto systems_or(std::uint64_t few) -> std::uint64_t {
  return takt_tests::from_environment("TAKT_SYSTEMS", few);
}

}  // namespace takt_tests
