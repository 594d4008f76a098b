// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "command.hpp"
#include "failure.hpp"
#include "fields.hpp"

namespace takt::program {

namespace {

constexpr ticks longest_of_range = 1'000'000'000'000;

[[nodiscard]] auto as_value(const std::string& option, const std::string& text) -> json_value {
  return {.what = json_value::kind::string, .text = text, .where = option};
}

}  // namespace

auto option_time(const std::string& option, const std::string& text) -> ticks {
  const ticks out = read_time(as_value(option, text));
  if (out < 0) { throw input_error{option, fmt::format("{} is negative", text), "a time of at least 0ns"}; }
  return out;
}

auto option_ratio(const std::string& option, const std::string& text) -> std::pair<std::int64_t, std::int64_t> {
  return read_ratio(as_value(option, text));
}

auto option_range(const std::string& option, const std::string& text) -> interval<ticks> {
  const std::size_t separator = text.find("..");
  if (separator == std::string::npos) {
    throw input_error{option, fmt::format("\"{}\" is no range", text), "two times such as \"1ms..20ms\""};
  }
  const interval<ticks> out{option_time(option, text.substr(0, separator)),
                            option_time(option, text.substr(separator + 2))};
  if (out.lower < 1 || out.lower > out.upper || out.upper > longest_of_range) {
    throw input_error{option, fmt::format("\"{}\" is out of range", text),
                      "two times from 1ns to 1000s, the shorter one first"};
  }
  return out;
}

}  // namespace takt::program
