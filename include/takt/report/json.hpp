// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

#include <takt/report/visible.hpp>

namespace takt::inline TAKT_ABI::report {

/// Returns a text as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD, so that any name is valid
/// JSON; characters that act on what shows them are escaped.
[[nodiscard]] inline auto json_string(std::string_view text) -> std::string {
  std::string out = "\"";
  for_each_character(text, [&](char32_t c, std::string_view bytes) {
    switch (c) {
      case U'"': out += "\\\""; return;
      case U'\\': out += "\\\\"; return;
      case U'\n': out += "\\n"; return;
      case U'\r': out += "\\r"; return;
      case U'\t': out += "\\t"; return;
      default: break;
    }
    if (detail::is_control(c)) {
      out += escaped(c);
    } else {
      out += bytes;
    }
  });
  return out + '"';
}

/// Writes one JSON value to a stream as it is told, in that order, whatever the stream's locale and format flags.
/// Pre: every call is legal where it stands (a key before each value of an object, and only there).
class json_writer {
 public:
  explicit json_writer(std::ostream& out) : out_{&out} {}

  auto begin_object() -> json_writer& { return open('{'); }
  auto end_object() -> json_writer& { return close('}'); }
  auto begin_array() -> json_writer& { return open('['); }
  auto end_array() -> json_writer& { return close(']'); }

  auto key(std::string_view name) -> json_writer& {
    separate();
    *out_ << json_string(name) << ':';
    after_value_ = false;
    return *this;
  }

  auto value(std::string_view text) -> json_writer& { return literal(json_string(text)); }
  auto value(const char* text) -> json_writer& { return value(std::string_view{text}); }
  auto value(std::nullptr_t) -> json_writer& { return literal("null"); }
  template <std::same_as<bool> B>
  auto value(B b) -> json_writer& {
    return literal(b ? "true" : "false");
  }
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  auto value(I number) -> json_writer& {
    return literal(std::to_string(number));
  }
  template <class T>
  auto member(std::string_view name, const T& v) -> json_writer& {
    return key(name).value(v);
  }

  /// A value that is JSON already.
  auto literal(std::string_view json) -> json_writer& {
    separate();
    *out_ << json;
    after_value_ = true;
    return *this;
  }
  /// Puts the next key or value on a new line.
  auto line() -> json_writer& {
    separate();
    *out_ << '\n';
    after_value_ = false;
    return *this;
  }
  /// Ends the last line.
  void finish() { *out_ << '\n'; }

 private:
  void separate() {
    if (after_value_) { *out_ << ','; }
  }
  auto open(char bracket) -> json_writer& {
    separate();
    *out_ << bracket;
    after_value_ = false;
    return *this;
  }
  auto close(char bracket) -> json_writer& {
    *out_ << bracket;
    after_value_ = true;
    return *this;
  }

  std::ostream* out_;
  bool after_value_ = false;
};

}  // namespace takt::inline TAKT_ABI::report
