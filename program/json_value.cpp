// SPDX-License-Identifier: Apache-2.0
#include "json_value.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <takt/report/visible.hpp>

#include "failure.hpp"

namespace takt::program {

namespace {

/// Where a byte of a text stands. Lines and columns count from 1, columns in bytes.
[[nodiscard]] auto line_and_column(std::string_view text, std::size_t position) -> std::string {
  const std::string_view before = text.substr(0, std::min(position, text.size()));
  const auto lines = std::ranges::count(before, '\n');
  const std::size_t last = before.rfind('\n');
  const std::size_t column = last == std::string_view::npos ? before.size() : before.size() - last - 1;
  return fmt::format("line {}, column {}", lines + 1, std::max<std::size_t>(column, 1));
}

/// "…: syntax error while parsing value - unexpected X; expected Y" as the two parts of our own line.
[[nodiscard]] auto syntax_error(std::string_view text, std::size_t position, std::string_view message) -> input_error {
  for (const std::string_view lead : {std::string_view{"] "}, std::string_view{": "}, std::string_view{" - "}}) {
    if (const auto at = message.find(lead); at != std::string_view::npos) { message.remove_prefix(at + lead.size()); }
  }
  std::string_view allowed = "one whole JSON value in UTF-8";
  constexpr std::string_view expected = "; expected ";
  if (const auto at = message.rfind(expected); at != std::string_view::npos) {
    allowed = message.substr(at + expected.size());
    if (allowed == "'}'") { allowed = "',' or '}'"; }
    if (allowed == "']'") { allowed = "',' or ']'"; }
    message = message.substr(0, at);
  }
  if (const auto at = message.find("; last read"); at != std::string_view::npos) { message = message.substr(0, at); }
  return {line_and_column(text, position), std::string(message), std::string(allowed)};
}

class tree_builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  using kind = json_value::kind;

  explicit tree_builder(std::string_view text) : text_{text} {}

  auto null() -> bool override { return add(kind::null, ""); }
  auto boolean(bool value) -> bool override { return add(kind::boolean, value ? "true" : "false"); }
  auto number_integer(number_integer_t value) -> bool override { return add(kind::integer, std::to_string(value)); }
  auto number_unsigned(number_unsigned_t value) -> bool override { return add(kind::integer, std::to_string(value)); }
  auto number_float(number_float_t /*rounded*/, const string_t& digits) -> bool override {
    const bool whole = digits.find_first_of(".eE") == std::string::npos;
    return add(whole ? kind::integer : kind::decimal, digits);
  }
  auto string(string_t& value) -> bool override { return add(kind::string, std::move(value)); }
  auto binary(binary_t& /*value*/) -> bool override { return false; }
  auto start_object(std::size_t /*elements*/) -> bool override { return open(kind::object); }
  auto start_array(std::size_t /*elements*/) -> bool override { return open(kind::array); }
  auto end_object() -> bool override { return close(); }
  auto end_array() -> bool override { return close(); }
  auto key(string_t& given) -> bool override {
    open_value& holder = open_.back();
    if (given.size() > max_json_key_bytes) {
      throw input_error{step_into(holder.value->where, one_line(given, shown_of_key)),
                        fmt::format("this key has {} bytes", given.size()),
                        fmt::format("at most {} bytes", max_json_key_bytes)};
    }
    std::string name = report::visible(given);
    if (holder.keys.size() == max_json_keys) {
      throw input_error{holder.value->where, fmt::format("has more than {} keys", max_json_keys), "fewer keys"};
    }
    if (!holder.keys.insert(name).second) {
      throw input_error{step_into(holder.value->where, name), "this key is already there", "each key once per object"};
    }
    key_ = std::move(name);
    return true;
  }
  auto parse_error(std::size_t position, const std::string& /*token*/, const nlohmann::detail::exception& e)
      -> bool override {
    throw syntax_error(text_, position, e.what());
  }

  [[nodiscard]] auto take() -> json_value { return std::move(root_); }

 private:
  /// A container does not grow while one of its items is open, so pointers to open ones stay valid.
  auto add(kind what, std::string text) -> bool {
    json_value value{.what = what, .text = std::move(text)};
    json_value* const holder = open_.empty() ? nullptr : open_.back().value;
    if (holder != nullptr && holder->is(kind::object)) {
      value.where = json_place::within(open_.back().place, key_);
      value.key = std::move(key_);
    } else if (holder != nullptr) {
      value.where = json_place::within(open_.back().place, holder->items.size());
    }
    if (++values_ > max_json_values) {
      throw input_error{holder == nullptr ? "" : holder->where.text(),
                        fmt::format("the file has more than {} values", max_json_values), "fewer values"};
    }
    (holder == nullptr ? root_ : holder->items.emplace_back()) = std::move(value);
    return true;
  }
  auto open(kind what) -> bool {
    if (open_.size() == max_json_depth) {
      throw input_error{open_.back().value->where, fmt::format("values are nested more than {} deep", max_json_depth),
                        "fewer levels"};
    }
    add(what, "");
    json_value& opened = open_.empty() ? root_ : open_.back().value->items.back();
    open_.push_back({&opened, std::make_shared<const json_place>(opened.where), {}});
    return true;
  }
  auto close() -> bool {
    open_.pop_back();
    return true;
  }

  /// A container that is not at its end.
  struct open_value {
    json_value* value;
    std::shared_ptr<const json_place> place;
    std::unordered_set<std::string> keys;
  };
  static constexpr std::size_t shown_of_key = 60;

  std::string_view text_;
  json_value root_;
  std::string key_;
  std::vector<open_value> open_;
  std::size_t values_ = 0;
};

}  // namespace

auto json_place::within(std::shared_ptr<const json_place> holder, std::string key) -> json_place {
  json_place out{std::move(key)};
  out.holder_ = std::move(holder);
  out.step_ = step::key;
  return out;
}

auto json_place::within(std::shared_ptr<const json_place> holder, std::size_t index) -> json_place {
  json_place out;
  out.holder_ = std::move(holder);
  out.index_ = index;
  out.step_ = step::index;
  return out;
}

auto json_place::text() const -> std::string {
  switch (step_) {
    case step::key: return step_into(holder_->text(), start_);
    case step::index: return step_into(holder_->text(), index_);
    case step::none: break;
  }
  return start_;
}

auto json_value::find(std::string_view name) const noexcept -> const json_value* {
  if (!is(kind::object)) { return nullptr; }
  const auto found = std::ranges::find(items, name, &json_value::key);
  return found == items.end() ? nullptr : &*found;
}

auto json_value::quoted() const -> std::string {
  constexpr std::size_t most = 60;
  if (is(kind::string)) { return fmt::format("\"{}\"", one_line(text, most)); }
  return is(kind::null) || is(kind::array) || is(kind::object) ? std::string{name_of(what)} : one_line(text, most);
}

auto named(std::string_view key, json_value v) -> json_value {
  v.key = key;
  return v;
}

auto name_of(json_value::kind k) noexcept -> std::string_view {
  constexpr std::array<std::string_view, 7> names{"null",     "a boolean", "an integer", "a decimal number",
                                                  "a string", "an array",  "an object"};
  return names[static_cast<std::size_t>(k)];
}

auto parse_json(std::string_view text) -> json_value {
  tree_builder builder{text};
  constexpr bool strict = true;
  constexpr bool with_comments = true;
  (void)nlohmann::json::sax_parse(text.begin(), text.end(), &builder, nlohmann::json::input_format_t::json, strict,
                                  with_comments);
  // To the parser of the library a byte of zero is the end of the text.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    throw input_error{line_and_column(text, zero + 1), "has a byte of zero", "one whole JSON value in UTF-8"};
  }
  return builder.take();
}

auto step_into(const json_place& where, std::string_view key) -> std::string {
  nlohmann::json::json_pointer step;
  step.push_back(std::string{key});
  return where.text() + step.to_string();
}

auto step_into(const json_place& where, std::size_t index) -> std::string {
  return fmt::format("{}/{}", where.text(), index);
}

auto one_line(std::string_view text, std::size_t most) -> std::string {
  std::string out;
  std::size_t shown = 0;
  report::for_each_character(text, [&](char32_t /*c*/, std::string_view bytes) {
    if (shown < most) { out += report::visible(bytes); }
    if (shown == most) { out += "..."; }
    ++shown;
  });
  return out;
}

}  // namespace takt::program
