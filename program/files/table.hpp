// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
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

/// What a reader reads, printed: by the reader itself if it knows how.
template <class Reader, class Value>
[[nodiscard]] auto printed(const Reader& reader, const Value& value) -> ordered_json {
  if constexpr (requires { reader.print(value); }) {
    return reader.print(value);
  } else if constexpr (requires { *value; }) {
    return printed(reader, *value);  // NOLINT(bugprone-unchecked-optional-access): what is not there is not printed
  } else {
    return written(value);
  }
}

/// Readers of one value each, for rows of a table.
struct boolean {
  [[nodiscard]] auto operator()(const json_value& v) const -> bool { return read_boolean(v); }
  [[nodiscard]] static auto print(bool value) -> ordered_json { return value; }
};
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

/// An array under a key.
template <class Reader>
struct list_of {
  Reader reader;
  std::string_view allowed;

  auto operator()(const json_value& v) const {
    std::vector<std::invoke_result_t<const Reader&, const json_value&>> out;
    for (const json_value& item : require_array(v, allowed)) { out.push_back(reader(item)); }
    return out;
  }
  template <class Value>
  [[nodiscard]] auto print(const std::vector<Value>& all) const -> ordered_json {
    ordered_json out = ordered_json::array();
    for (const Value& value : all) { out.push_back(printed(reader, value)); }
    return out;
  }
};
template <class Reader>
list_of(Reader, std::string_view) -> list_of<Reader>;

using ways = std::vector<std::string_view>;

/// What a row of a table says beyond the value of its key. A key that may be left out is printed where its value
/// differs from the default.
struct row_facts {
  std::string_view missing{};  ///< what is missing where the key is; empty: it may be left out
  ways needed_by{};            ///< ways of sharing a GPU; none: all
  ways read_by{};              ///< ways of sharing a GPU; none: all
  bool always = false;         ///< printed
};
[[nodiscard]] inline auto needed(std::string_view missing) -> row_facts { return {.missing = missing, .always = true}; }
[[nodiscard]] inline auto needed_by(ways sharing, std::string_view missing) -> row_facts {
  return {.missing = missing, .needed_by = std::move(sharing)};
}
[[nodiscard]] inline auto read_by(ways sharing) -> row_facts { return {.read_by = std::move(sharing)}; }
inline const row_facts always{.always = true};

/// A key of an object, how its value is read into a `T`, and how it is printed from there.
template <class T>
struct row {
  /// The code around the table reads and prints it.
  explicit row(std::string_view key) : name{key} {}
  /// The code around the table reads it.
  template <class Member, class C>
  row(std::string_view key, Member C::* member, row_facts more = {})
      : name{key},
        facts{std::move(more)},
        shown{differs(member, facts.always)},
        print{[=](const T& value) { return printed(std::identity{}, value.*member); }} {}
  /// `reader` makes the value of a member from a JSON value, and from what the rows before have read if it wants that.
  template <class Member, class C, class Reader>
    requires(!std::same_as<Reader, row_facts>)
  row(std::string_view key, Member C::* member, Reader reader, row_facts more = {})
      : name{key},
        facts{std::move(more)},
        read{[=](T& out, const json_value& v) {
          if constexpr (std::is_invocable_v<const Reader&, const json_value&, T&>) {
            out.*member = static_cast<Member>(reader(v, out));
          } else {
            out.*member = static_cast<Member>(reader(v));
          }
        }},
        shown{differs(member, facts.always)},
        print{[=](const T& value) { return printed(reader, value.*member); }} {}
  [[nodiscard]] auto shown_if(std::function<bool(const T&)> condition) const -> row {
    row out = *this;
    out.shown = std::move(condition);
    return out;
  }

  std::string_view name;
  row_facts facts{};
  std::function<void(T&, const json_value&)> read{};
  std::function<bool(const T&)> shown{};
  std::function<ordered_json(const T&)> print{};

 private:
  template <class Member, class C>
  [[nodiscard]] static auto differs(Member C::* member, bool printed_always) -> std::function<bool(const T&)> {
    return [=](const T& value) { return printed_always || value.*member != T{}.*member; };
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

/// `sharing`: of the file, where keys depend on it.
template <class T>
void read_object(const json_value& v, const table<T>& of, T& out, std::string_view sharing = {}) {
  const auto holds = [sharing](const ways& w) { return w.empty() || std::ranges::find(w, sharing) != w.end(); };
  require_keys(v, of.keys());
  for (const auto& [name, facts, read, shown, print] : of.rows) {
    if (!facts.missing.empty() && holds(facts.needed_by)) { (void)require(v, name, facts.missing); }
    const json_value* const found = v.find(name);
    if (found == nullptr) { continue; }
    if (!holds(facts.read_by)) {
      throw input_error{found->where, fmt::format("says nothing about \"{}\" sharing", sharing),
                        fmt::format("\"{}\" sharing, or no such key", fmt::join(facts.read_by, "\", \""))};
    }
    if (read) { read(out, *found); }
  }
}

template <class T>
[[nodiscard]] auto print_object(const T& value, const table<T>& of) -> ordered_json {
  ordered_json out = ordered_json::object();
  for (const row<T>& r : of.rows) {
    if (r.print && r.shown(value)) { out[std::string{r.name}] = r.print(value); }
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
};
template <class T>
object_of(const table<T>&) -> object_of<T>;

}  // namespace takt::program
