// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <takt/report/json.hpp>

namespace takt::inline TAKT_ABI::report {

/// Is a JSON value that is kept, with the members of objects in the order in which they were added.
class tree {
 public:
  using array = std::vector<tree>;
  using object = std::vector<std::pair<std::string, tree>>;

  tree() = default;
  explicit tree(object members) : value_{std::move(members)} {}
  explicit tree(array elements) : value_{std::move(elements)} {}
  explicit tree(std::string_view text) : value_{std::string{text}} {}
  explicit tree(const char* text) : value_{std::string{text}} {}
  template <std::same_as<bool> B>
  explicit tree(B b) : value_{b} {}
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  explicit tree(I number) : value_{static_cast<std::int64_t>(number)} {}

  [[nodiscard]] auto is_null() const noexcept -> bool { return std::holds_alternative<std::nullptr_t>(value_); }

  /// Adds a member. Pre: an object, or nothing yet.
  template <class T>
  auto add(std::string_view name, T&& value) -> tree& {
    TAKT_EXPECTS(is_null() || std::holds_alternative<object>(value_));
    if (is_null()) { value_ = object{}; }
    std::get<object>(value_).emplace_back(std::string{name}, tree(std::forward<T>(value)));
    return *this;
  }
  /// Adds an element. Pre: an array, or nothing yet.
  template <class T>
  auto push(T&& value) -> tree& {
    TAKT_EXPECTS(is_null() || std::holds_alternative<array>(value_));
    if (is_null()) { value_ = array{}; }
    std::get<array>(value_).push_back(tree(std::forward<T>(value)));
    return *this;
  }

  /// Returns the members; none where this is no object.
  [[nodiscard]] auto members() const -> const object& {
    static const object none;
    const auto* const found = std::get_if<object>(&value_);
    return found == nullptr ? none : *found;
  }

  void write(json_writer& json) const {
    if (const auto* const members = std::get_if<object>(&value_)) {
      json.begin_object();
      for (const auto& [name, value] : *members) {
        json.key(name);
        value.write(json);
      }
      json.end_object();
    } else if (const auto* const elements = std::get_if<array>(&value_)) {
      json.begin_array();
      for (const tree& element : *elements) { element.write(json); }
      json.end_array();
    } else if (const auto* const text = std::get_if<std::string>(&value_)) {
      json.value(*text);
    } else if (const auto* const number = std::get_if<std::int64_t>(&value_)) {
      json.value(*number);
    } else if (const auto* const truth = std::get_if<bool>(&value_)) {
      json.value(*truth);
    } else {
      json.value(nullptr);
    }
  }

 private:
  std::variant<std::nullptr_t, bool, std::int64_t, std::string, array, object> value_{nullptr};
};

}  // namespace takt::inline TAKT_ABI::report
