// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/hosted.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <takt/report/text.hpp>
#include <takt/study/errors.hpp>
#include <takt/study/tally.hpp>

namespace takt::inline TAKT_ABI::studies {

/// Says which part of a sweep is this process's: part `index` of `count`, counted from 1, or the units that are named.
struct shard {
  std::size_t index = 1;
  std::size_t count = 1;
  std::vector<std::size_t> units{};  ///< if any, these alone, in rising order

  [[nodiscard]] auto is_whole() const noexcept -> bool { return count == 1 && units.empty(); }
};

namespace detail {

inline constexpr std::size_t most_named_units = 10'000'000;

}  // namespace detail

/// Reads "2/8". Throws `refusal`.
[[nodiscard]] inline auto read_shard(std::string_view text) -> shard {
  shard out;
  const char* const end = text.data() + text.size();
  const auto [slash, first_error] = std::from_chars(text.data(), text.data() + text.size(), out.index);
  const bool split = first_error == std::errc{} && slash != end && *slash == '/';
  const auto [last, second_error] = std::from_chars(split ? slash + 1 : end, end, out.count);
  if (!split || second_error != std::errc{} || last != end || out.index < 1 || out.index > out.count) {
    throw refusal{"part", report::text("\"", text, "\" is no part of a sweep"), "I/N with 1 <= I <= N, such as 2/8"};
  }
  return out;
}

/// Reads units from "3,7-12". Throws `refusal`.
[[nodiscard]] inline auto read_units(std::string_view text) -> std::vector<std::size_t> {
  std::vector<std::size_t> out;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](std::size_t& to) {
    const auto [next, error] = std::from_chars(at, end, to);
    at = next;
    return error == std::errc{};
  };
  while (true) {
    std::size_t first = 0;
    bool good = number(first);
    std::size_t last = first;
    if (good && at != end && *at == '-') { good = (++at, number(last)); }
    good = good && last >= first && last - first < detail::most_named_units - out.size() &&
           (out.empty() || first > out.back()) && (at == end || *at == ',');
    if (!good) {
      throw refusal{"units", report::text("\"", text, "\" names no blocks"),
                    "rising numbers and ranges such as 3,7-12"};
    }
    for (std::size_t u = first; u <= last; ++u) { out.push_back(u); }
    if (at == end) { return out; }
    ++at;
  }
}

/// Returns the units as text. Pre: rising.
[[nodiscard]] inline auto units_text(const std::vector<std::size_t>& units) -> std::string {
  TAKT_EXPECTS_IN_TESTS(std::ranges::is_sorted(units));
  std::string out;
  for (std::size_t i = 0; i < units.size();) {
    std::size_t last = i;
    while (last + 1 < units.size() && units[last + 1] == units[last] + 1) { ++last; }
    out += report::text(out.empty() ? "" : ",", units[i]) + (last > i ? report::text("-", units[last]) : "");
    i = last + 1;
  }
  return out;
}

/// This shard's units, without those that are known: an interval of them, or where points end early, whole points,
/// since no other process could tell where these end. Throws `refusal` when a unit that is named is none.
[[nodiscard]] inline auto units_to_do(const tally& known, const shard& part) -> std::vector<std::size_t> {
  std::vector<std::size_t> out;
  if (!part.units.empty()) {
    if (part.units.back() >= known.units()) {
      throw refusal{"units", report::text("block ", part.units.back(), " is none of this study"),
                    report::text("0 to ", known.units() - 1)};
    }
    std::ranges::copy_if(part.units, std::back_inserter(out), [&](std::size_t u) { return !known.knows(u); });
    return out;
  }
  if (known.stop().in_use()) {
    for (std::size_t u = 0; u < known.units(); ++u) {
      if (u % known.points() % part.count == part.index - 1 && !known.knows(u)) { out.push_back(u); }
    }
    return out;
  }
  const auto bound = [&](std::size_t i) {
    return known.units() / part.count * i + known.units() % part.count * i / part.count;
  };
  for (std::size_t u = bound(part.index - 1); u < bound(part.index); ++u) {
    if (!known.knows(u)) { out.push_back(u); }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::studies
