// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../command.hpp"
#include "../failure.hpp"
#include "../fields.hpp"

namespace takt::program::sweep {

namespace {

constexpr std::int64_t highest_level = 100'000;
constexpr std::size_t most_values = 1000;

/// What stands in a list such as "3,5,7", in rising order.
template <class Read>
[[nodiscard]] auto each_of(std::string_view list, const Read& read) {
  std::set<decltype(read(list))> out;
  for (std::size_t at = 0, end = 0; end != std::string_view::npos; at = end + 1) {
    end = list.find(',', at);
    out.insert(read(list.substr(at, end - at)));
  }
  return std::vector(out.begin(), out.end());
}

[[nodiscard]] auto to_number(const parameter& of, std::string_view text) -> std::int64_t {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size() || out < of.least || out > of.most) {
    throw input_error{of.name, fmt::format("\"{}\" is out of range", text),
                      fmt::format("an integer from {} to {}", of.least, of.most)};
  }
  return out;
}

[[nodiscard]] auto to_level(const parameter& of, std::string_view text) -> std::int64_t {
  const auto [numerator, denominator] = option_ratio(of.name, std::string{text});
  if (numerator < 1 || numerator > highest_level * denominator || 1000 % denominator != 0 ||
      numerator * (1000 / denominator) > highest_level) {
    throw input_error{of.name, fmt::format("\"{}\" is no level", text), "0.001 to 100 in steps of 0.001"};
  }
  return numerator * (1000 / denominator);
}

/// "first..last/step" or a list.
[[nodiscard]] auto to_levels(const parameter& of) -> std::vector<std::int64_t> {
  const std::string_view text = of.value;
  const std::size_t dots = text.find("..");
  const std::size_t slash = text.find('/', std::min(dots, text.size()));
  if (slash == std::string_view::npos) {
    return each_of(text, [&of](std::string_view one) { return to_level(of, one); });
  }
  const std::int64_t last = to_level(of, text.substr(dots + 2, slash - dots - 2));
  const std::int64_t step = to_level(of, text.substr(slash + 1));
  std::vector<std::int64_t> out;
  for (std::int64_t at = to_level(of, text.substr(0, dots)); at <= last; at += step) { out.push_back(at); }
  return out;
}

}  // namespace

auto with(std::vector<parameter> all, std::vector<parameter> own) -> std::vector<parameter> {
  for (parameter& p : own) {
    const auto same = std::ranges::find(all, p.name, &parameter::name);
    if (same == all.end()) {
      all.push_back(std::move(p));
    } else {
      same->value = std::move(p.value);
    }
  }
  return all;
}

void settings::set(std::string_view name, std::string_view value) {
  if (!has(name)) {
    std::vector<std::string_view> known;
    for (const parameter& p : all_) { known.emplace_back(p.name); }
    throw input_error{std::string{name},
                      fmt::format("is no parameter of this study, the nearest is \"{}\"", nearest(name, known)),
                      fmt::format("{}", fmt::join(known, ", "))};
  }
  std::ranges::find(all_, name, &parameter::name)->value = value;
}

auto settings::has(std::string_view name) const -> bool {
  return std::ranges::find(all_, name, &parameter::name) != all_.end();
}

auto settings::find(std::string_view name) const -> const parameter& {
  return *std::ranges::find(all_, name, &parameter::name);
}

auto settings::integer(std::string_view name) const -> std::int64_t { return to_number(find(name), find(name).value); }

auto settings::numbers(std::string_view name) const -> std::vector<std::int64_t> {
  return each_of(find(name).value, [&of = find(name)](std::string_view one) { return to_number(of, one); });
}

auto settings::ratio(std::string_view name) const -> std::pair<std::int64_t, std::int64_t> {
  return option_ratio(std::string{name}, find(name).value);
}

auto settings::real(std::string_view name) const -> double {
  const auto [numerator, denominator] = ratio(name);
  return static_cast<double>(numerator) / static_cast<double>(denominator);
}

auto settings::levels(std::string_view name) const -> std::vector<std::int64_t> {
  const parameter& of = find(name);
  const std::vector<std::int64_t> out = to_levels(of);
  if (out.empty() || out.size() > most_values) {
    throw input_error{of.name, fmt::format("\"{}\" holds {} levels", of.value, out.size()),
                      fmt::format("1 to {} levels such as \"0.2..3.0/0.2\" or \"0.5,1,1.5\"", most_values)};
  }
  for (const std::int64_t level : out) {
    if (level < of.least || level > of.most || level % of.step != 0) {
      const auto in_full = [](std::int64_t thousandths) { return 0.001 * static_cast<double>(thousandths); };
      throw input_error{of.name, fmt::format("{} is out of range", thousandths_text(level)),
                        fmt::format("{:g} to {:g} in steps of {:g}", in_full(of.least),
                                    in_full(std::min(of.most, highest_level)), in_full(of.step))};
    }
  }
  return out;
}

auto settings::choices(std::string_view name, std::span<const std::string_view> names) const
    -> std::vector<std::size_t> {
  return each_of(find(name).value, [&](std::string_view one) {
    const auto at = std::ranges::find(names, one);
    if (at == names.end()) {
      throw input_error{std::string{name}, fmt::format("\"{}\" is no value of it", one),
                        fmt::format("some of {}", fmt::join(names, ","))};
    }
    return static_cast<std::size_t>(at - names.begin());
  });
}

auto settings::choice(std::string_view name, std::span<const std::string_view> names) const -> std::size_t {
  const auto chosen = choices(name, names);
  if (chosen.size() != 1) {
    throw input_error{std::string{name}, "has several values", fmt::format("one of {}", fmt::join(names, ","))};
  }
  return chosen.front();
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
