// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <takt/prediction/corun/co_run_model.hpp>

namespace takt::inline TAKT_ABI {

enum class model_text_status : std::uint8_t {
  read,
  not_a_model,
  other_version,
  damaged,
  other_number_of_inputs,
  too_many_rules,
  malformed,
  value_out_of_range,  ///< not finite, a width not above 0, or a range that ends before it begins
};

[[nodiscard]] constexpr auto name_of(model_text_status s) noexcept -> std::string_view {
  switch (s) {
    case model_text_status::read: return "read";
    case model_text_status::not_a_model: return "not a model of co-running";
    case model_text_status::other_version: return "written in another version of the format";
    case model_text_status::damaged: return "damaged: the checksum does not fit";
    case model_text_status::other_number_of_inputs: return "trained on another number of inputs";
    case model_text_status::too_many_rules: return "more rules than this network holds";
    case model_text_status::malformed: return "malformed";
    case model_text_status::value_out_of_range: return "a value is out of range";
  }
  return "";
}

namespace detail {

inline constexpr std::string_view model_text_kind = "takt-co-run-model";
inline constexpr std::string_view model_text_version = "1";
inline constexpr std::string_view model_text_checksum = "checksum ";

/// Returns FNV-1a over 64 bits (Fowler, Noll and Vo).
[[nodiscard]] constexpr auto text_checksum(std::string_view text) noexcept -> std::uint64_t {
  std::uint64_t hash = 0xCBF2'9CE4'8422'2325U;
  for (const char c : text) { hash = (hash ^ static_cast<unsigned char>(c)) * 0x0000'0100'0000'01B3U; }
  return hash;
}

/// Appends the shortest spelling that reads back as the same number.
inline void append_number(std::string& text, double value, char before = ' ') {
  std::array<char, 32> digits{};
  const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text += before;
  text.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

/// Reads words of a text, one after the other. What cannot be read leaves `good` false for ever.
class word_reader {
 public:
  explicit word_reader(std::string_view text) noexcept : rest_{text} {}

  [[nodiscard]] auto good() const noexcept -> bool { return good_; }
  [[nodiscard]] auto at_end() noexcept -> bool { return next().empty(); }

  [[nodiscard]] auto next() noexcept -> std::string_view {
    constexpr std::string_view blanks = " \n";
    const auto begin = rest_.find_first_not_of(blanks);
    rest_.remove_prefix(begin == std::string_view::npos ? rest_.size() : begin);
    const std::string_view word = rest_.substr(0, rest_.find_first_of(blanks));
    rest_.remove_prefix(word.size());
    return word;
  }
  void expect(std::string_view word) noexcept { good_ = next() == word && good_; }
  template <class Number>
  [[nodiscard]] auto number() noexcept -> Number {
    const std::string_view word = next();
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    good_ = good_ && !word.empty() && error == std::errc{} && end == word.data() + word.size();
    return value;
  }
  void numbers(std::string_view name, std::span<double> out) noexcept {
    expect(name);
    for (double& v : out) { v = number<double>(); }
  }

 private:
  std::string_view rest_;
  bool good_ = true;
};

[[nodiscard]] inline auto all_finite(std::span<const double> values) noexcept -> bool {
  for (const double v : values) {
    if (!std::isfinite(v)) { return false; }
  }
  return true;
}

[[nodiscard]] inline auto read_range(word_reader& words, std::string_view name, bool& good) noexcept -> value_range {
  std::array<double, 2> ends{};
  words.numbers(name, ends);
  good = good && all_finite(ends) && ends[0] <= ends[1];
  return {ends[0], ends[1]};
}

template <std::size_t Inputs>
[[nodiscard]] auto read_rule(word_reader& words, bool& good) noexcept -> fuzzy_rule<Inputs> {
  fuzzy_rule<Inputs> out;
  std::array<double, 2> scalars{};
  words.numbers("rule", scalars);
  out.weight = scalars[0];
  out.importance = scalars[1];
  words.numbers("center", out.center);
  words.numbers("width", out.width);
  words.numbers("slope", out.slope);
  good = good && all_finite(scalars) && all_finite(out.center) && all_finite(out.width) && all_finite(out.slope);
  for (const double w : out.width) { good = good && w > 0; }
  return out;
}

}  // namespace detail

/// Returns a model in words and numbers that read back as they are, closed by a checksum.
template <std::size_t Inputs, std::size_t MaxRules>
[[nodiscard]] auto to_text(const co_run_model<Inputs, MaxRules>& model) -> std::string {
  std::string out{detail::model_text_kind};
  out += ' ';
  out += detail::model_text_version;
  out += "\ninputs " + std::to_string(Inputs) + "\nrules " + std::to_string(model.network.rules.size()) + "\nscale ";
  out += name_of(model.scale);
  out += '\n';
  const auto line = [&out](std::string_view name, std::span<const double> values) {
    out += name;
    for (const double v : values) { detail::append_number(out, v); }
    out += '\n';
  };
  for (const value_range& r : model.inputs) { line("input", std::array{r.low, r.high}); }
  line("target", std::array{model.target.low, model.target.high});
  for (const fuzzy_rule<Inputs>& rule : model.network.rules) {
    line("rule", std::array{rule.weight, rule.importance});
    line("center", rule.center);
    line("width", rule.width);
    line("slope", rule.slope);
  }
  const std::string sum = std::to_string(detail::text_checksum(out));
  out += detail::model_text_checksum;
  out += sum + '\n';
  return out;
}

/// Reads what `to_text` wrote. Error: any other status, and `out` is as it was.
template <std::size_t Inputs, std::size_t MaxRules>
[[nodiscard]] auto read_model(std::string_view text, co_run_model<Inputs, MaxRules>& out) noexcept
    -> model_text_status {
  using enum model_text_status;
  detail::word_reader head{text};
  if (head.next() != detail::model_text_kind) { return not_a_model; }
  if (head.next() != detail::model_text_version) { return other_version; }
  const auto sum_at = text.rfind(detail::model_text_checksum);
  if (sum_at == std::string_view::npos) { return damaged; }
  detail::word_reader tail{text.substr(sum_at + detail::model_text_checksum.size())};
  const auto sum = tail.number<std::uint64_t>();
  if (!tail.good() || !tail.at_end() || sum != detail::text_checksum(text.substr(0, sum_at))) { return damaged; }

  detail::word_reader words{text.substr(0, sum_at)};
  words.expect(detail::model_text_kind);
  words.expect(detail::model_text_version);
  words.expect("inputs");
  const auto inputs = words.number<std::size_t>();
  words.expect("rules");
  const auto rules = words.number<std::size_t>();
  words.expect("scale");
  const std::string_view scale = words.next();
  if (!words.good() || (scale != "logarithmic" && scale != "linear")) { return malformed; }
  if (inputs != Inputs) { return other_number_of_inputs; }
  if (rules > MaxRules) { return too_many_rules; }
  co_run_model<Inputs, MaxRules> read_so_far;
  read_so_far.scale = scale == "linear" ? target_scale::linear : target_scale::logarithmic;
  bool good = true;
  for (value_range& r : read_so_far.inputs) { r = detail::read_range(words, "input", good); }
  read_so_far.target = detail::read_range(words, "target", good);
  for (std::size_t j = 0; j < rules; ++j) {
    // Bound: at most MaxRules, see above.
    read_so_far.network.rules.unchecked_push_back(detail::read_rule<Inputs>(words, good));
  }
  if (!words.good() || !words.at_end()) { return malformed; }
  if (!good) { return value_out_of_range; }
  out = read_so_far;
  return read;
}

}  // namespace takt::inline TAKT_ABI
