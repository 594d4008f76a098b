// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <takt/model/shares/wcet_row.hpp>
#include <takt/model/sm_power.hpp>

#include "../failure.hpp"
#include "words.hpp"

namespace takt::program {

using nlohmann::ordered_json;

/// Values as the format writes them.
[[nodiscard]] inline auto written(const interval<ticks>& t) -> ordered_json {
  return t.lower == 0 ? ordered_json(t.upper) : ordered_json::array({t.lower, t.upper});
}
[[nodiscard]] inline auto written(const gpu_speed& s) -> ordered_json {
  return fmt::format("{}/{}", s.numerator, s.denominator);
}
template <class Value>
[[nodiscard]] auto written(const Value& value) -> ordered_json {
  return ordered_json(value);
}
template <class Value>
[[nodiscard]] auto written(const std::optional<Value>& value) -> ordered_json {
  return written(*value);
}

/// Readers of one value each, for rows of a table.
[[nodiscard]] inline auto integer(std::int64_t least, std::int64_t most) {
  return [=](const json_value& v) { return read_integer(v, least, most); };
}
[[nodiscard]] inline auto count(std::int32_t most) { return integer(1, most); }
[[nodiscard]] inline auto time_from(ticks least) {
  return [=](const json_value& v) { return read_time_from(v, least); };
}
[[nodiscard]] inline auto text(std::string_view allowed) {
  return [=](const json_value& v) { return read_text(v, allowed); };
}
[[nodiscard]] inline auto word(const choice& of) {
  return [&of](const json_value& v) { return read_word(v, of); };
}

/// What a row of a table says beyond the value of its key.
template <class T>
struct row_facts {
  std::string_view needed{};                  ///< what is missing where the key is; empty: it may be left out
  std::vector<std::string_view> needed_by{};  ///< ways of sharing a GPU; none: all
  std::vector<std::string_view> used_by{};    ///< ways of sharing a GPU; none: all
  std::function<bool(const T&)> shown{};      ///< whether it is printed; none: where it differs from the default
};

inline constexpr auto always = [](const auto&) { return true; };

/// A key of an object, how its value is read into a `T`, and how it is printed from there.
template <class T>
struct row {
  /// The code around the table reads and prints it.
  explicit row(std::string_view key) : name{key} {}
  /// Read by the code around the table.
  template <class Member, class C>
  row(std::string_view key, Member C::* member, row_facts<T> more = {}) : row{key, member, more, nullptr} {
    print = [=](const T& value) { return written(value.*member); };
  }
  /// `reader` makes the value of a member from a JSON value, and from what the rows before have read if it wants that.
  template <class Member, class C, class Reader>
    requires(!std::same_as<Reader, row_facts<T>>)
  row(std::string_view key, Member C::* member, Reader reader, row_facts<T> more = {})
      : row{key, member, more, nullptr} {
    read = [=](T& out, const json_value& v) {
      if constexpr (std::is_invocable_v<const Reader&, const json_value&, T&>) {
        out.*member = static_cast<Member>(reader(v, out));
      } else {
        out.*member = static_cast<Member>(reader(v));
      }
    };
    print = [=](const T& value) {
      if constexpr (requires { reader.print(value.*member); }) {
        return reader.print(value.*member);
      } else {
        return written(value.*member);
      }
    };
  }

  std::string_view name;
  std::function<void(T&, const json_value&)> read{};
  std::function<ordered_json(const T&)> print{};
  row_facts<T> facts{};

 private:
  template <class Member, class C>
  row(std::string_view key, Member C::* member, row_facts<T> more, std::nullptr_t) : name{key}, facts{std::move(more)} {
    if (facts.shown) { return; }
    const bool always_there = !facts.needed.empty() && facts.needed_by.empty();
    facts.shown = [=](const T& value) { return always_there || value.*member != T{}.*member; };
  }
};

/// Everything that may stand in an object of the format.
template <class T>
struct table {
  std::string_view what;
  std::vector<row<T>> rows;

  [[nodiscard]] auto keys() const -> object_keys {
    object_keys out{what, {}};
    for (const row<T>& r : rows) { out.keys.push_back(r.name); }
    return out;
  }
};

/// Throws at a key that the way of sharing does not read.
template <class T>
void require_used(const json_value& v, const row<T>& r, std::string_view sharing) {
  const auto& used = r.facts.used_by;
  if (used.empty() || std::ranges::find(used, sharing) != used.end()) { return; }
  throw input_error{v.where, fmt::format("says nothing about \"{}\" sharing", sharing),
                    fmt::format("\"{}\" sharing, or no such key", fmt::join(used, "\", \""))};
}

/// `own` are names of resources that stand as keys beside the object's own.
template <class T>
void read_object(const json_value& v, const table<T>& of, T& out, std::string_view sharing = {},
                 std::span<const std::string_view> own = {}) {
  object_keys known = of.keys();
  known.keys.insert(known.keys.end(), own.begin(), own.end());
  require_keys(v, known);
  for (const row<T>& r : of.rows) {
    const auto& needing = r.facts.needed_by;
    const bool needed = needing.empty() || std::ranges::find(needing, sharing) != needing.end();
    if (needed && !r.facts.needed.empty()) { (void)require(v, r.name, r.facts.needed); }
    const json_value* const found = v.find(r.name);
    if (found == nullptr) { continue; }
    require_used(*found, r, sharing);
    if (r.read) { r.read(out, *found); }
  }
}

template <class T>
[[nodiscard]] auto print_object(const T& value, const table<T>& of) -> ordered_json {
  ordered_json out = ordered_json::object();
  for (const row<T>& r : of.rows) {
    if (r.print && r.facts.shown(value)) { out[std::string{r.name}] = r.print(value); }
  }
  return out;
}

/// An object under a key.
template <class T>
struct object_of {
  const table<T>& of;

  auto operator()(const json_value& v) const -> T {
    T out;
    read_object(v, of, out);
    return out;
  }
  [[nodiscard]] auto print(const T& value) const -> ordered_json { return print_object(value, of); }
  [[nodiscard]] auto print(const std::optional<T>& value) const -> ordered_json { return print(*value); }
};

/// An array of objects under a key.
template <class T>
struct list_of {
  const table<T>& of;
  std::string_view allowed;

  auto operator()(const json_value& v) const -> std::vector<T> {
    std::vector<T> out;
    for (const json_value& item : require_array(v, allowed)) { read_object(item, of, out.emplace_back()); }
    return out;
  }
  [[nodiscard]] auto print(const std::vector<T>& all) const -> ordered_json {
    ordered_json out = ordered_json::array();
    for (const T& value : all) { out.push_back(print_object(value, of)); }
    return out;
  }
};

}  // namespace takt::program
