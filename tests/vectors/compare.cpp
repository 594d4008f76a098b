// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace takt_vectors {

namespace {

[[nodiscard]] auto is_integer_text(std::string_view text) -> bool {
  if (text.starts_with('-')) { text.remove_prefix(1); }
  if (text.size() > 1 && text.starts_with('0')) { return false; }  // Boost.Multiprecision takes that for octal
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

[[nodiscard]] auto as_number(const std::string& text) -> std::optional<exact> {
  const auto slash = text.find('/');
  const auto top = text.substr(0, slash);
  const auto bottom = slash == std::string::npos ? std::string{"1"} : text.substr(slash + 1);
  if (!is_integer_text(top) || !is_integer_text(bottom)) { return std::nullopt; }
  using boost::multiprecision::cpp_int;
  if (cpp_int(bottom) == 0) { return std::nullopt; }
  return exact(cpp_int(top), cpp_int(bottom));
}

/// Whether a dotted pattern matches a path of keys.
[[nodiscard]] auto matches(std::string_view pattern, const std::vector<std::string>& path) -> bool {
  for (const auto& key : path) {
    if (pattern.empty()) { return false; }
    const auto dot = pattern.find('.');
    const auto head = pattern.substr(0, dot);
    if (head != "*" && head != key) { return false; }
    pattern = dot == std::string_view::npos ? std::string_view{} : pattern.substr(dot + 1);
  }
  return pattern.empty();
}

/// Whether numbers of which one is a floating-point number are as near as its rounding lets one ask for.
[[nodiscard]] auto nearly_equal(double expected, double actual) -> bool {
  constexpr double relative = 1e-9;
  constexpr double absolute = 1e-12;
  return std::abs(expected - actual) <= std::max(absolute, relative * std::abs(expected));
}

class comparison {
 public:
  explicit comparison(const std::vector<std::string>& ignored) : ignored_{ignored} {}

  [[nodiscard]] auto differ(const json& expected, const json& actual) -> std::optional<std::string> {
    for (const auto& pattern : ignored_) {
      if (matches(pattern, path_)) { return std::nullopt; }
    }
    if (expected.is_object() && actual.is_object()) { return differ_in_object(expected, actual); }
    if (expected.is_array() && actual.is_array()) { return differ_in_array(expected, actual); }
    const auto wanted = exact_value(expected);
    const auto found = exact_value(actual);
    const bool rounded = expected.is_number() && actual.is_number() && !(wanted && found);
    const bool equal = wanted && found ? *wanted == *found
                       : rounded       ? nearly_equal(expected.get<double>(), actual.get<double>())
                                       : expected == actual;
    return equal ? std::nullopt : std::optional{at() + ": expected " + expected.dump() + ", got " + actual.dump()};
  }

 private:
  [[nodiscard]] auto differ_in_object(const json& expected, const json& actual) -> std::optional<std::string> {
    static const json null;
    for (const auto& [key, value] : expected.items()) {
      path_.push_back(key);
      auto difference = differ(value, actual.contains(key) ? actual.at(key) : null);
      path_.pop_back();
      if (difference) { return difference; }
    }
    return std::nullopt;
  }

  [[nodiscard]] auto differ_in_array(const json& expected, const json& actual) -> std::optional<std::string> {
    if (expected.size() != actual.size()) {
      return at() + ": expected " + std::to_string(expected.size()) + " elements, got " + std::to_string(actual.size());
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      path_.push_back(std::to_string(i));
      auto difference = differ(expected[i], actual[i]);
      path_.pop_back();
      if (difference) { return difference; }
    }
    return std::nullopt;
  }

  [[nodiscard]] auto at() const -> std::string {
    std::string text;
    for (const auto& key : path_) { text += "/" + key; }
    return text.empty() ? "/" : text;
  }

  const std::vector<std::string>& ignored_;
  std::vector<std::string> path_;
};

}  // namespace

auto exact_value(const json& value) -> std::optional<exact> {
  if (value.is_number_unsigned()) { return exact(value.get<std::uint64_t>()); }
  if (value.is_number_integer()) { return exact(value.get<std::int64_t>()); }
  return value.is_string() ? as_number(value.get<std::string>()) : std::nullopt;
}

auto to_json(const exact& value) -> json {
  const auto bottom = denominator(value);
  const auto top = numerator(value);
  if (bottom == 1 && top >= INT64_MIN && top <= INT64_MAX) { return top.convert_to<std::int64_t>(); }
  return bottom == 1 ? top.str() : top.str() + "/" + bottom.str();
}

auto to_json(takt::ticks value) -> json { return value; }

auto first_difference(const json& expected, const json& actual, const std::vector<std::string>& ignored)
    -> std::optional<std::string> {
  return comparison{ignored}.differ(expected, actual);
}

}  // namespace takt_vectors
