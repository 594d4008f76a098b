// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/model/stage.hpp>

#include "json_value.hpp"

namespace takt::program {

/// A value and where it stands.
struct located {
  const json_value* value = nullptr;
  std::string where;

  [[nodiscard]] explicit operator bool() const noexcept { return value != nullptr; }
  [[nodiscard]] auto is(json_value::kind k) const noexcept -> bool { return value->what == k; }
  [[nodiscard]] auto item(std::size_t i) const -> located { return {&value->items[i], step_into(where, i)}; }
};

/// The members of an object. Construction throws `input_error` when it is none, or has an unknown key, whose nearest
/// known key it names.
class fields {
 public:
  fields(located object, std::span<const std::string_view> known);

  /// Empty when there is no such key.
  [[nodiscard]] auto find(std::string_view key) const -> located;
  /// Throws when there is none.
  [[nodiscard]] auto require(std::string_view key, std::string_view allowed) const -> located;

 private:
  located object_;
};

/// Readers of one value each. They throw `input_error` with the value and what is allowed in its place.
[[nodiscard]] auto read_text(const located& v, std::string_view allowed) -> std::string;
[[nodiscard]] auto read_integer(const located& v, std::int64_t least, std::int64_t most) -> std::int64_t;
[[nodiscard]] auto read_count(const located& v, std::int32_t most) -> std::int32_t;
/// Whole nanoseconds, or decimal text with a unit that comes to a whole number of them. May be negative.
[[nodiscard]] auto read_time(const located& v) -> ticks;
/// The same, but at least so long.
[[nodiscard]] auto read_time_from(const located& v, ticks least) -> ticks;
/// `T` means [0, T].
[[nodiscard]] auto read_bound(const located& v) -> interval<ticks>;
/// The upper end of a bound, where longest times alone count.
[[nodiscard]] auto read_longest(const located& v) -> ticks;
/// "9/5", 2, 1.8 or "1.8" as an exact fraction with a positive denominator.
[[nodiscard]] auto read_ratio(const located& v) -> std::pair<std::int64_t, std::int64_t>;
/// What a word of a file stands for.
template <class Value>
struct named_value {
  std::string_view name;
  Value value;
};
template <class Value>
named_value(const char*, Value) -> named_value<Value>;

/// Pre: one has the name.
template <class Value, std::size_t N>
[[nodiscard]] constexpr auto value_named(std::string_view name, const std::array<named_value<Value>, N>& all)
    -> const Value& {
  std::size_t at = 0;
  while (at + 1 < N && all[at].name != name) { ++at; }
  return all[at].value;
}

/// The array itself, with at least one item.
[[nodiscard]] auto require_array(const located& v, std::string_view allowed) -> located;

/// The candidate that takes the fewest changes of one character.
[[nodiscard]] auto nearest(std::string_view word, std::span<const std::string_view> candidates) -> std::string_view;

}  // namespace takt::program
