// SPDX-License-Identifier: Apache-2.0
#include "fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <takt/core/ratio_text.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/visible.hpp>

#include "failure.hpp"

namespace takt::program {

namespace {

constexpr std::string_view time_allowed =
    "an integer of nanoseconds, or text with a unit such as \"12.5ms\", below 2^63 ns";

[[noreturn]] void refuse(const json_value& v, std::string_view problem, std::string_view allowed) {
  throw input_error{v.where, fmt::format("{} {}", v.quoted(), problem), std::string(allowed)};
}

[[nodiscard]] auto digits_to_integer(std::string_view digits, std::int64_t& out) -> bool {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return error == std::errc{} && end == digits.data() + digits.size();
}

/// A decimal number without an exponent: an integer whose last `places` digits stand behind the point.
struct decimal {
  std::string digits;
  std::size_t places = 0;
};

[[nodiscard]] auto split_decimal(std::string_view s) -> std::optional<decimal> {
  const std::size_t point = std::min(s.find('.'), s.size());
  std::string_view fraction = s.substr(std::min(point + 1, s.size()));
  const std::string_view whole = s.substr(0, point).substr(s.starts_with('-') ? 1 : 0);
  const auto is_digits = [](std::string_view t) {
    return !t.empty() && t.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (!is_digits(whole) || (point < s.size() && !is_digits(fraction))) { return std::nullopt; }
  while (fraction.ends_with('0')) { fraction.remove_suffix(1); }
  return decimal{std::string{s.substr(0, point)} + std::string{fraction}, fraction.size()};
}

[[nodiscard]] auto read_time_text(const json_value& v) -> ticks {
  constexpr std::pair<std::string_view, std::size_t> units[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};
  const std::string_view text = v.text;
  const std::size_t number = std::min(text.find_first_not_of("-.0123456789"), text.size());
  const std::string_view name = text.substr(number);
  if (name.empty() && !text.empty()) { refuse(v, "has no unit", "ns, us, ms or s behind the number"); }
  auto d = split_decimal(text.substr(0, number));
  if (!d) { refuse(v, "is not a time", time_allowed); }
  const auto* const unit = std::ranges::find(units, name, [](const auto& u) { return u.first; });
  if (unit == std::ranges::end(units)) { refuse(v, "has an unknown unit", "ns, us, ms or s"); }
  if (d->places > unit->second) { refuse(v, "is not a whole number of nanoseconds", "a multiple of 1ns"); }
  ticks out = 0;
  if (!digits_to_integer(d->digits.append(unit->second - d->places, '0'), out)) {
    refuse(v, "does not fit", "a time below 2^63 ns");
  }
  return out;
}

}  // namespace

void refuse_kind(const json_value& v, std::string_view allowed) {
  const bool plain = v.is(json_value::kind::array) || v.is(json_value::kind::object) || v.is(json_value::kind::null);
  throw input_error{v.where, fmt::format("{}is {}", plain ? "" : v.quoted() + " ", name_of(v.what)),
                    std::string(allowed)};
}

auto require(const json_value& object, std::string_view key, std::string_view allowed) -> const json_value& {
  const json_value* const found = object.find(key);
  if (found == nullptr) { throw input_error{step_into(object.where, key), "is missing", std::string(allowed)}; }
  return *found;
}

auto read_text(const json_value& v, std::string_view allowed) -> std::string {
  if (!v.is(json_value::kind::string)) { refuse_kind(v, allowed); }
  return report::visible(v.text);
}

auto read_name(const json_value& object, std::string_view allowed) -> std::string {
  const json_value& name = require(object, "name", allowed);
  std::string out = read_text(name, allowed);
  if (out.empty()) { throw input_error{name.where, "is empty", "a name of at least one character"}; }
  return out;
}

auto read_integer(const json_value& v, std::int64_t least, std::int64_t most) -> std::int64_t {
  const auto allowed = fmt::format("an integer from {} to {}", least, most);
  if (!v.is(json_value::kind::integer)) { refuse_kind(v, allowed); }
  std::int64_t out = 0;
  const bool fits = digits_to_integer(v.text, out);
  if (!fits || out < least || out > most) { refuse(v, "is out of range", allowed); }
  return out;
}

auto read_count(const json_value& v, std::int32_t most) -> std::int32_t {
  return static_cast<std::int32_t>(read_integer(v, 1, most));
}

auto read_boolean(const json_value& v) -> bool {
  if (!v.is(json_value::kind::boolean)) { refuse_kind(v, "true or false"); }
  return v.text == "true";
}

auto read_time(const json_value& v) -> ticks {
  if (v.is(json_value::kind::string)) { return read_time_text(v); }
  if (!v.is(json_value::kind::integer)) { refuse_kind(v, time_allowed); }
  ticks out = 0;
  if (!digits_to_integer(v.text, out)) { refuse(v, "does not fit", "a time below 2^63 ns"); }
  return out;
}

auto read_time_from(const json_value& v, ticks least) -> ticks {
  const ticks time = read_time(v);
  if (time < least) {
    throw input_error{v.where,
                      fmt::format("{} is {}", report::format_duration(time), least > 0 ? "not positive" : "negative"),
                      fmt::format("a time of at least {}", report::format_duration(least))};
  }
  return time;
}

auto read_span(const json_value& v) -> interval<ticks> {
  if (!v.is(json_value::kind::array)) { return {0, read_time_from(v, 0)}; }
  if (v.items.size() != 2) {
    throw input_error{v.where, fmt::format("is an array of length {}", v.items.size()), "a time, or [lower, upper]"};
  }
  const interval<ticks> out{read_time_from(v.items[0], 0), read_time_from(v.items[1], 0)};
  if (out.lower > out.upper) {
    throw refused_at(v.where, {.fault = model_fault::best_case_exceeds_worst_case,
                               .value = out.lower,
                               .limit = out.upper,
                               .has_value = true,
                               .has_limit = true});
  }
  return out;
}

auto read_ratio(const json_value& v) -> std::pair<std::int64_t, std::int64_t> {
  constexpr std::string_view allowed = "a ratio such as \"9/5\", 2 or 1.8";
  if (!v.is(json_value::kind::string) && !v.is(json_value::kind::integer) && !v.is(json_value::kind::decimal)) {
    refuse_kind(v, allowed);
  }
  const auto read = ratio_of(v.text);
  if (!read.ok()) { refuse(v, read.problem, allowed); }
  return {read.numerator, read.denominator};
}

auto require_array(const json_value& v, std::string_view allowed) -> const std::vector<json_value>& {
  if (!v.is(json_value::kind::array)) { refuse_kind(v, allowed); }
  if (v.items.empty()) { throw input_error{v.where, "is empty", std::string(allowed)}; }
  return v.items;
}

auto require_list(const json_value& v, std::string_view things, std::size_t most) -> const std::vector<json_value>& {
  const auto& list = require_array(v, fmt::format("at least one {}", things.substr(0, things.size() - 1)));
  if (list.size() > most) {
    throw input_error{v.where, fmt::format("has {} {}, more than this program holds", list.size(), things),
                      fmt::format("at most {}", most)};
  }
  return list;
}

}  // namespace takt::program
