// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace takt::program {

/// Where a value stands: the text, a JSON pointer, is made when it is asked for. A file may have many values at places
/// that are long.
class json_place {
 public:
  json_place() = default;
  /// Of a value that has no file, or the one that a file is.
  json_place(std::string start) : start_{std::move(start)} {}  // NOLINT(google-explicit-constructor): as it was given
  json_place(const char* start) : start_{start} {}             // NOLINT(google-explicit-constructor)

  /// One step further. Pre: `holder` is the place of who holds it.
  [[nodiscard]] static auto within(std::shared_ptr<const json_place> holder, std::string key) -> json_place;
  [[nodiscard]] static auto within(std::shared_ptr<const json_place> holder, std::size_t index) -> json_place;

  [[nodiscard]] auto text() const -> std::string;
  operator std::string() const { return text(); }  // NOLINT(google-explicit-constructor): it is one

 private:
  std::shared_ptr<const json_place> holder_;
  std::string start_;      ///< or the key of a member, as it was read
  std::size_t index_ = 0;  ///< of an item
  enum class step : std::uint8_t { none, key, index } step_ = step::none;
};

/// A JSON value as it stands in a file, and where. Numbers keep their digits, so that none is rounded before it is
/// understood.
struct json_value {
  enum class kind : std::uint8_t { null, boolean, integer, decimal, string, array, object };

  kind what = kind::null;
  std::string text{};               ///< the digits of a number, the characters of a string
  std::string key{};                ///< of a member of an object, control characters as JSON spells them
  json_place where{};               ///< a JSON pointer
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
inline constexpr std::size_t max_json_keys = 1024;      ///< of one object
inline constexpr std::size_t max_json_key_bytes = 256;  ///< of one key

/// Passes over comments. Throws `input_error` at the first fault of syntax, a second key, and beyond the limits above.
[[nodiscard]] auto parse_json(std::string_view text) -> json_value;

/// `where` with one more step; the step is escaped as RFC 6901 says.
[[nodiscard]] auto step_into(const json_place& where, std::string_view key) -> std::string;
[[nodiscard]] auto step_into(const json_place& where, std::size_t index) -> std::string;

/// The text with everything that could break a line or a terminal made visible, cut after `most` characters.
[[nodiscard]] auto one_line(std::string_view text, std::size_t most) -> std::string;

}  // namespace takt::program
