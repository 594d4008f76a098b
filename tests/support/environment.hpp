// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <doctest/doctest.h>

#include <takt/core/number.hpp>

namespace takt_tests {

/// The number that a variable of the environment asks for, such as one of random systems, else so many.
template <class Number = std::uint64_t>
[[nodiscard]] auto from_environment(const char* name, std::type_identity_t<Number> otherwise) -> Number {
  const char* const asked = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  if (asked == nullptr) { return otherwise; }
  const std::string_view text{asked};
  Number out{};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  REQUIRE_MESSAGE((error == std::errc{} && rest == text.data() + text.size()), name << " is no number: " << text);
  return out;
}

/// How long a test keeps what it tests under load: for TAKT_STRESS_SECONDS, else so long.
[[nodiscard]] inline auto stress_time(takt::ticks few) -> takt::ticks {
  constexpr takt::ticks second = 1'000'000'000;
  const auto seconds = from_environment<takt::ticks>("TAKT_STRESS_SECONDS", -1);
  return seconds < 0 ? few : seconds * second;
}

}  // namespace takt_tests
