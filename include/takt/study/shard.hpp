// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/hosted.hpp>

#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <vector>

#include <takt/report/text.hpp>
#include <takt/study/errors.hpp>
#include <takt/study/tally.hpp>

namespace takt::studies {

/// Which part of a sweep is this process's own: part `index` of `count`, counted from 1.
struct shard {
  std::size_t index = 1;
  std::size_t count = 1;
};

/// From "2/8". Throws `refusal`.
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

/// This shard's stretch of the units, without those that are known.
[[nodiscard]] inline auto units_to_do(const tally& known, const shard& part) -> std::vector<std::size_t> {
  const auto bound = [&](std::size_t i) {
    return known.units() / part.count * i + known.units() % part.count * i / part.count;
  };
  std::vector<std::size_t> out;
  for (std::size_t u = bound(part.index - 1); u < bound(part.index); ++u) {
    if (!known.knows(u)) { out.push_back(u); }
  }
  return out;
}

}  // namespace takt::studies
