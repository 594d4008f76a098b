// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../command.hpp"
#include "../failure.hpp"
#include "../fields.hpp"

namespace takt::program::sweep {

namespace {

constexpr std::int64_t highest_level = 100'000;
constexpr std::size_t most_values = 1000;

[[nodiscard]] auto split(std::string_view text, char separator) -> std::vector<std::string_view> {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) { return parts; }
    text.remove_prefix(at + 1);
  }
}

[[nodiscard]] auto to_number(std::string_view name, std::string_view text, std::int64_t least, std::int64_t most)
    -> std::int64_t {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size() || out < least || out > most) {
    throw input_error{std::string{name}, fmt::format("\"{}\" is out of range", text),
                      fmt::format("an integer from {} to {}", least, most)};
  }
  return out;
}

[[nodiscard]] auto to_level(std::string_view name, std::string_view text) -> std::int64_t {
  const auto [numerator, denominator] = option_ratio(std::string{name}, std::string{text});
  if (numerator < 1 || numerator > highest_level * denominator || 1000 % denominator != 0 ||
      numerator * (1000 / denominator) > highest_level) {
    throw input_error{std::string{name}, fmt::format("\"{}\" is no level", text), "0.001 to 100 in steps of 0.001"};
  }
  return numerator * (1000 / denominator);
}

}  // namespace

auto settings::find(std::string_view name) const -> const parameter& {
  return *std::ranges::find(all_, name, &parameter::name);
}

void settings::set(std::string_view name, std::string_view value) {
  const auto found = std::ranges::find(all_, name, &parameter::name);
  if (found == all_.end()) {
    std::vector<std::string_view> known;
    for (const parameter& p : all_) { known.emplace_back(p.name); }
    throw input_error{std::string{name},
                      fmt::format("is no parameter of this study, the nearest is \"{}\"", nearest(name, known)),
                      fmt::format("{}", fmt::join(known, ", "))};
  }
  found->value = value;
}

auto settings::number(std::string_view name, std::int64_t least, std::int64_t most) const -> std::int64_t {
  return to_number(name, find(name).value, least, most);
}

auto settings::numbers(std::string_view name, std::int64_t least, std::int64_t most) const
    -> std::vector<std::int64_t> {
  std::vector<std::int64_t> out;
  for (const std::string_view part : split(find(name).value, ',')) {
    out.push_back(to_number(name, part, least, most));
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

auto settings::ratio(std::string_view name) const -> std::pair<std::int64_t, std::int64_t> {
  return option_ratio(std::string{name}, find(name).value);
}

auto settings::levels(std::string_view name) const -> std::vector<std::int64_t> {
  const std::string& text = find(name).value;
  std::vector<std::int64_t> out;
  const std::size_t dots = text.find("..");
  const std::size_t slash = text.find('/', dots == std::string::npos ? 0 : dots);
  if (dots != std::string::npos && slash != std::string::npos) {
    const std::string_view whole = text;
    const std::int64_t last = to_level(name, whole.substr(dots + 2, slash - dots - 2));
    const std::int64_t step = to_level(name, whole.substr(slash + 1));
    for (std::int64_t at = to_level(name, whole.substr(0, dots)); at <= last; at += step) { out.push_back(at); }
  } else {
    for (const std::string_view part : split(text, ',')) { out.push_back(to_level(name, part)); }
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
  }
  if (out.empty() || out.size() > most_values) {
    throw input_error{std::string{name}, fmt::format("\"{}\" holds {} levels", text, out.size()),
                      fmt::format("1 to {} levels such as \"0.2..3.0/0.2\" or \"0.5,1,1.5\"", most_values)};
  }
  return out;
}

auto settings::fingerprint() const -> std::string {
  std::string out;
  for (const parameter& p : all_) { out += fmt::format("{}{}={}", out.empty() ? "" : " ", p.name, p.value); }
  return out;
}

auto thousandths_text(std::int64_t thousandths) -> std::string {
  std::string out = fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
  while (out.back() == '0' && out[out.size() - 2] != '.') { out.pop_back(); }
  return out;
}

}  // namespace takt::program::sweep
