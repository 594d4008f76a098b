// SPDX-License-Identifier: Apache-2.0
#include "amalthea_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "../json_value.hpp"

namespace takt::program {

namespace {

using std::string_view;

struct unit_word {
  string_view word;
  double factor;
};

constexpr std::array<unit_word, 7> time_units{
    {{"ps", 1e-3}, {"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}}};
constexpr std::array<unit_word, 4> frequency_units{{{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}};
constexpr std::array<unit_word, 14> size_units{{{"bit", 0.125},
                                                {"kbit", 125},
                                                {"Mbit", 125e3},
                                                {"Gbit", 125e6},
                                                {"Kibit", 128},
                                                {"Mibit", 131'072},
                                                {"B", 1},
                                                {"kB", 1e3},
                                                {"MB", 1e6},
                                                {"GB", 1e9},
                                                {"TB", 1e12},
                                                {"KiB", 1024},
                                                {"MiB", 1'048'576},
                                                {"GiB", 1'073'741'824}}};
constexpr double most_value = 1e15;

/// The word of a rate is that of a size and "PerSecond".
[[nodiscard]] auto size_in_rate(string_view word) -> string_view {
  constexpr string_view per = "PerSecond";
  if (!word.ends_with(per)) { return word; }
  return word.substr(0, word.size() - per.size());
}

template <std::size_t N>
[[nodiscard]] auto in_units(const xml_element& e, const std::array<unit_word, N>& units, string_view word) -> double {
  // What a model leaves out has the default of the metamodel.
  const double value = e.has("value") ? real(e, "value", 0, most_value) : 0;
  if (value == 0 && word.empty()) { return 0; }
  const auto* const found = std::ranges::find(units, word, &unit_word::word);
  if (found == units.end()) {
    std::string allowed;
    for (const unit_word& u : units) { allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", u.word); }
    if (word.empty()) { throw e.error("has no unit", allowed); }
    throw e.error(fmt::format("has the unit \"{}\"", one_line(word, 30)), allowed);
  }
  return value * found->factor;
}

[[nodiscard]] auto whole(const xml_element& e, double value) -> std::int64_t {
  constexpr double most = 4e18;
  if (value > most) { throw e.error("is too large", "less than some hundred years, or exabytes"); }
  return static_cast<std::int64_t>(std::ceil(value - 1e-6));
}

[[nodiscard]] auto hex(char c) -> int {
  if (c >= '0' && c <= '9') { return c - '0'; }
  if (c >= 'A' && c <= 'F') { return c - 'A' + 10; }
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

[[nodiscard]] auto unescaped(string_view text) -> std::string {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && hex(text[i + 1]) >= 0 && hex(text[i + 2]) >= 0;
    if (escape) {
      out += static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace

auto references(std::string_view value) -> std::vector<std::string> {
  std::vector<std::string> out;
  while (!value.empty()) {
    const auto end = std::min(value.find(' '), value.size());
    string_view one = value.substr(0, end);
    value.remove_prefix(std::min(end + 1, value.size()));
    one = one.substr(0, one.find("?type="));
    constexpr string_view scheme = "amlt:/#";
    if (one.starts_with(scheme)) { one.remove_prefix(scheme.size()); }
    if (!one.empty()) { out.push_back(unescaped(one)); }
  }
  return out;
}

auto all_references(const xml_element& of, const char* name) -> std::vector<std::string> {
  auto out = references(of.attribute(name));
  for (const xml_element& e : of.children(name)) {
    for (std::string& one : references(e.attribute("href"))) { out.push_back(std::move(one)); }
  }
  return out;
}

auto reference(const xml_element& of, const char* attribute) -> std::string {
  auto all = all_references(of, attribute);
  if (all.empty()) { throw of.error(fmt::format("has no {}", attribute), "the name of one element"); }
  if (all.size() != 1) { throw of.error(fmt::format("{} names {} elements", attribute, all.size()), "one"); }
  return std::move(all.front());
}

auto name_of(const xml_element& e) -> std::string { return std::string{e.required("name", "a name")}; }

auto dangling(const xml_element& at, std::string_view attribute, std::string_view name) -> input_error {
  return at.error(fmt::format("{} names \"{}\", which is not there", attribute, one_line(name, 60)),
                  "an element of the model");
}

auto is_priority(const xml_element& parameter) -> bool {
  const std::vector<std::string> priority{"priority"};
  return references(parameter.attribute("key")) == priority ||
         references(parameter.attribute("definition")) == priority;
}

auto real(const xml_element& of, const char* attribute, double least, double most) -> double {
  const string_view text = of.required(attribute, "a number");
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  const bool good = error == std::errc{} && end == text.data() + text.size() && out >= least && out <= most;
  if (!good) {
    throw of.error(fmt::format("{} is \"{}\"", attribute, one_line(text, 40)),
                   fmt::format("a number from {} to {}", least, most));
  }
  return out;
}

auto time_of(const xml_element& e) -> ticks { return whole(e, in_units(e, time_units, e.attribute("unit"))); }
auto hertz_of(const xml_element& e) -> double {
  // Without a unit it is Hz, the first of them, which is the slowest, too.
  const string_view unit = e.attribute("unit");
  return in_units(e, frequency_units, unit.empty() || unit == "_undefined_" ? "Hz" : unit);
}
auto bytes_of(const xml_element& e) -> std::int64_t { return whole(e, in_units(e, size_units, e.attribute("unit"))); }
auto bytes_per_second_of(const xml_element& e) -> double {
  return in_units(e, size_units, size_in_rate(e.attribute("unit")));
}

auto cycles_of(const xml_element& e) -> cycle_range {
  const auto number = [](const xml_element& of, const char* key) { return real(of, key, 0, most_cycles); };
  const bool constant = e.type() == "DiscreteValueConstant" || e.type() == "InstructionsConstant";
  if (constant && !e.has("value")) { return {}; }
  if (e.has("value")) {
    const double all = number(e, "value");
    return {all, all};
  }
  cycle_range out;
  if (const xml_element d = e.child("deviation")) {
    out.lower = number(d.required_child("lowerBound", "fewest cycles"), "value");
    out.upper = number(d.required_child("upperBound", "most cycles"), "value");
  } else if (const auto entries = e.children("entries"); !entries.empty()) {
    out.lower = most_cycles;
    for (const xml_element& part : entries) {
      out.lower = std::min(out.lower, part.has("lowerBound") ? number(part, "lowerBound") : 0);
      out.upper = std::max(out.upper, part.has("upperBound") ? number(part, "upperBound") : 0);
    }
  } else {
    out.lower = e.has("lowerBound") ? number(e, "lowerBound") : 0;
    // A distribution that has no end is not bounded; an interval without one ends at 0.
    const bool open = e.type() == "DiscreteValueGaussDistribution" || e.type().empty();
    out.upper = open || e.has("upperBound") ? number(e, "upperBound") : 0;
  }
  if (out.lower > out.upper) { throw e.error("has a lower bound above the upper one", "lower <= upper"); }
  return out;
}

auto time_in(const xml_element& where, std::string_view text) -> ticks {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  string_view unit = error == std::errc{} ? text.substr(static_cast<std::size_t>(end - text.data())) : "";
  while (unit.starts_with(' ')) { unit.remove_prefix(1); }
  const auto* const found = std::ranges::find(time_units, unit, &unit_word::word);
  if (found == time_units.end() || !(value >= 0 && value <= most_value)) {
    throw where.error(fmt::format("\"{}\" is no time", one_line(text, 40)), "such as 7200us or 50 ms");
  }
  return whole(where, value * found->factor);
}

}  // namespace takt::program
