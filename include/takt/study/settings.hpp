// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/hosted.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <takt/core/ratio_text.hpp>
#include <takt/report/nearest.hpp>
#include <takt/report/table.hpp>
#include <takt/report/text.hpp>
#include <takt/study/errors.hpp>
#include <takt/study/thousandths.hpp>

namespace takt::inline TAKT_ABI::studies {

/// Is a value that decides the numbers of a study: all of these together make a result repeatable.
struct parameter {
  std::string name;
  std::string value;  ///< as text: the default, or what was asked for
  std::string about;
  /// Bounds its numbers from below; of levels, in thousandths.
  std::int64_t least = 0;
  std::int64_t most = INT64_MAX;
  std::int64_t step = 1;
};

/// Returns parameters with values of a study's own, and what only that study has. An empty text stays as it is.
[[nodiscard]] inline auto with(std::vector<parameter> all, std::vector<parameter> own) -> std::vector<parameter> {
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

namespace detail {

inline constexpr std::int64_t highest_level = 100'000;
inline constexpr std::size_t most_values = 1000;

/// Returns the texts of a list such as "3,5,7", in its order.
[[nodiscard]] inline auto texts_of(std::string_view list) -> std::vector<std::string> {
  std::vector<std::string> out;
  for (std::size_t at = 0, end = 0; end != std::string_view::npos; at = end + 1) {
    end = list.find(',', at);
    out.emplace_back(list.substr(at, end - at));
  }
  return out;
}

/// Returns the values of the list in rising order, each once.
template <class Read>
[[nodiscard]] auto each_of(std::string_view list, const Read& read) {
  std::set<decltype(read(list))> out;
  for (const std::string& one : texts_of(list)) { out.insert(read(one)); }
  return std::vector(out.begin(), out.end());
}

[[nodiscard]] inline auto to_number(const parameter& of, std::string_view text) -> std::int64_t {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  const bool is_whole = end == text.data() + text.size() && error != std::errc::invalid_argument;
  if (!is_whole || error != std::errc{} || out < of.least || out > of.most) {
    throw refusal{of.name, report::text("\"", text, is_whole ? "\" is out of range" : "\" is no integer"),
                  report::text("an integer from ", of.least, " to ", of.most)};
  }
  return out;
}

[[nodiscard]] inline auto to_ratio(const parameter& of, std::string_view text)
    -> std::pair<std::int64_t, std::int64_t> {
  const auto read = ratio_of(text);
  if (!read.ok()) {
    throw refusal{of.name, report::text("\"", text, "\" ", read.problem), "a ratio such as \"9/5\", 2 or 1.8"};
  }
  return {read.numerator, read.denominator};
}

[[nodiscard]] inline auto to_level(const parameter& of, std::string_view text) -> std::int64_t {
  const auto [numerator, denominator] = to_ratio(of, text);
  if (numerator < 1 || numerator > highest_level * denominator || 1000 % denominator != 0 ||
      numerator * (1000 / denominator) > highest_level) {
    throw refusal{of.name, report::text("\"", text, "\" is no level"), "0.001 to 100 in steps of 0.001"};
  }
  return numerator * (1000 / denominator);
}

/// Returns "first..last/step" or a list.
[[nodiscard]] inline auto to_levels(const parameter& of) -> std::vector<std::int64_t> {
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

}  // namespace detail

/// Holds the parameters of one study with the values in use. All members that read throw `refusal` with the name and
/// what is allowed.
class settings {
 public:
  explicit settings(std::vector<parameter> declared) : all_{std::move(declared)} {}

  /// An unknown name is refused and the nearest one named.
  void set(std::string_view name, std::string_view value) { all_[position(name)].value = value; }

  [[nodiscard]] auto all() const noexcept -> const std::vector<parameter>& { return all_; }
  [[nodiscard]] auto has(std::string_view name) const -> bool {
    return std::ranges::find(all_, name, &parameter::name) != all_.end();
  }
  [[nodiscard]] auto text(std::string_view name) const -> const std::string& { return find(name).value; }
  /// Returns "b,a" in its order.
  [[nodiscard]] auto texts(std::string_view name) const -> std::vector<std::string> {
    return detail::texts_of(find(name).value);
  }
  /// Pre: the parameter's numbers fit into `Number`.
  template <class Number = std::int64_t>
  [[nodiscard]] auto number(std::string_view name) const -> Number {
    const std::int64_t out = detail::to_number(find(name), find(name).value);
    TAKT_EXPECTS(std::in_range<Number>(out));
    return static_cast<Number>(out);
  }
  [[nodiscard]] auto seed() const -> std::uint64_t { return number<std::uint64_t>("seed"); }
  /// Returns "3,5,7", in rising order.
  [[nodiscard]] auto numbers(std::string_view name) const -> std::vector<std::int64_t> {
    return detail::each_of(find(name).value,
                           [&of = find(name)](std::string_view one) { return detail::to_number(of, one); });
  }
  /// Returns "17/10" or "1.7".
  [[nodiscard]] auto ratio(std::string_view name) const -> std::pair<std::int64_t, std::int64_t> {
    return detail::to_ratio(find(name), find(name).value);
  }
  /// Returns the ratio as a number.
  [[nodiscard]] auto real(std::string_view name) const -> double {
    const auto [numerator, denominator] = ratio(name);
    return static_cast<double>(numerator) / static_cast<double>(denominator);
  }
  /// Returns thousandths in rising order, from "0.2..3.0/0.2" (first, last, step) or "0.5,1,1.5".
  [[nodiscard]] auto levels(std::string_view name) const -> std::vector<std::int64_t> {
    const parameter& of = find(name);
    std::vector<std::int64_t> out = detail::to_levels(of);
    if (out.empty() || out.size() > detail::most_values) {
      throw refusal{of.name, report::text("\"", of.value, "\" holds ", out.size(), " levels"),
                    report::text("1 to ", detail::most_values, R"( levels such as "0.2..3.0/0.2" or "0.5,1,1.5")")};
    }
    for (const std::int64_t level : out) {
      if (level < of.least || level > of.most || level % of.step != 0) {
        const auto in_full = [](std::int64_t thousandths) { return report::count_of(thousandths, {"", 1000}); };
        throw refusal{of.name, thousandths_text(level) + " is out of range",
                      report::text(in_full(of.least), " to ", in_full(std::min(of.most, detail::highest_level)),
                                   " in steps of ", in_full(of.step))};
      }
    }
    return out;
  }
  /// Returns "a,b": rising positions in a list of names.
  [[nodiscard]] auto choices(std::string_view name, std::span<const std::string_view> names) const
      -> std::vector<std::size_t> {
    return detail::each_of(find(name).value, [&](std::string_view one) {
      const auto at = std::ranges::find(names, one);
      if (at == names.end()) {
        throw refusal{std::string{name}, report::text("\"", one, "\" is no value of it"),
                      "some of " + report::joined({names.begin(), names.end()}, ",")};
      }
      return static_cast<std::size_t>(at - names.begin());
    });
  }
  /// Returns the one value of a parameter.
  [[nodiscard]] auto choice(std::string_view name, std::span<const std::string_view> names) const -> std::size_t {
    const auto chosen = choices(name, names);
    if (chosen.size() != 1) {
      throw refusal{std::string{name}, "has several values",
                    "one of " + report::joined({names.begin(), names.end()}, ",")};
    }
    return chosen.front();
  }

  /// Returns "seed=1 sets=100 ...": equal for two runs exactly when their numbers belong together.
  [[nodiscard]] auto fingerprint() const -> std::string {
    std::string out;
    for (const parameter& p : all_) { out += report::text(out.empty() ? "" : " ", p.name, "=", p.value); }
    return out;
  }

 private:
  [[nodiscard]] auto find(std::string_view name) const -> const parameter& { return all_[position(name)]; }
  [[nodiscard]] auto position(std::string_view name) const -> std::size_t {
    const auto found = std::ranges::find(all_, name, &parameter::name);
    if (found != all_.end()) { return static_cast<std::size_t>(found - all_.begin()); }
    std::vector<std::string_view> known;
    for (const parameter& p : all_) { known.emplace_back(p.name); }
    if (known.empty()) { throw refusal{std::string{name}, "is no parameter of this study", "none"}; }
    throw refusal{std::string{name},
                  report::text("is no parameter of this study, the nearest is \"", report::nearest(name, known), "\""),
                  report::joined({known.begin(), known.end()})};
  }

  std::vector<parameter> all_;
};

}  // namespace takt::inline TAKT_ABI::studies
