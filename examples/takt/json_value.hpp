// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace takt::program {

/// A JSON value as it stands in a file, and where. Numbers keep their digits, so that none is rounded before it is
/// understood.
struct json_value {
  enum class kind : std::uint8_t { null, boolean, integer, decimal, string, array, object };

  kind what = kind::null;
  std::string text{};               ///< the digits of a number, the characters of a string
  std::string key{};                ///< of a member of an object, control characters as JSON spells them
  std::string where{};              ///< a JSON pointer
  std::vector<json_value> items{};  ///< of an array or object

  [[nodiscard]] auto is(kind k) const noexcept -> bool { return what == k; }
  /// Null when this is no object or has no such key.
  [[nodiscard]] auto find(std::string_view name) const noexcept -> const json_value*;
  /// How a message quotes it: short, on one line.
  [[nodiscard]] auto quoted() const -> std::string;
};

/// As the member of an object.
[[nodiscard]] auto named(std::string_view key, json_value v) -> json_value;

[[nodiscard]] auto name_of(json_value::kind k) noexcept -> std::string_view;

inline constexpr std::size_t max_json_depth = 64;
inline constexpr std::size_t max_json_values = 200'000;

/// Passes over comments. Throws `input_error` at the first fault of syntax, a second key, and beyond the limits above.
[[nodiscard]] auto parse_json(std::string_view text) -> json_value;

/// `where` with one more step; the step is escaped as RFC 6901 says.
[[nodiscard]] auto step_into(std::string_view where, std::string_view key) -> std::string;
[[nodiscard]] auto step_into(std::string_view where, std::size_t index) -> std::string;

/// The text with everything that could break a line or a terminal made visible, cut after `most` characters.
[[nodiscard]] auto one_line(std::string_view text, std::size_t most) -> std::string;

}  // namespace takt::program
