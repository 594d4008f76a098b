// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compare.hpp"

namespace takt_vectors {

/// Which values below a root have been read.
class reading_record {
 public:
  /// `root` must outlive the record, and is called `name` in paths.
  reading_record(const json& root, std::string name) : root_{&root}, name_{std::move(name)} {}

  void read(const json& value) { read_.insert(&value); }
  void read_all(const json& value);

  [[nodiscard]] auto path_of(const json& value) const -> std::string;
  /// The path of the first value of which nothing was read, if any. An empty list or object counts as a value.
  [[nodiscard]] auto first_unread() const -> std::optional<std::string>;

 private:
  [[nodiscard]] auto touched(const json& value) const -> bool;
  [[nodiscard]] auto first_unread_below(const json& value, const std::string& path) const -> std::optional<std::string>;

  const json* root_;
  std::string name_;
  std::unordered_set<const json*> read_;
};

/// The words that a member may hold, with what they mean.
template <class Meaning>
using words = std::initializer_list<std::pair<std::string_view, Meaning>>;

/// A value of a case's input. What is got from it is put down as read; what has another type or range than asked for,
/// and every unknown word, is refused by an exception that names the path.
class field {
 public:
  /// Of an empty list or object that is all there is to read.
  field(const json& value, reading_record& record) : value_{&value}, record_{&record} {
    if (value.is_structured() && value.empty()) { record.read(value); }
  }

  /// Of an object. Asking whether it has a member reads nothing.
  [[nodiscard]] auto contains(const std::string& key) const -> bool;
  [[nodiscard]] auto at(const std::string& key) const -> field;
  [[nodiscard]] auto members() const -> std::vector<std::pair<std::string, field>>;
  /// The member, or an empty list or object where there is none.
  [[nodiscard]] auto list_or_empty(const std::string& key) const -> field;
  [[nodiscard]] auto object_or_empty(const std::string& key) const -> field;

  /// Of a list.
  class iterator;
  [[nodiscard]] auto size() const -> std::size_t;
  [[nodiscard]] auto at(std::size_t index) const -> field;
  [[nodiscard]] auto begin() const -> iterator;
  [[nodiscard]] auto end() const -> iterator;

  [[nodiscard]] auto is_list() const -> bool { return value_->is_array(); }
  [[nodiscard]] auto is_null() const -> bool;
  /// A string, number, truth value or null as it stands.
  [[nodiscard]] auto leaf() const -> const json&;
  [[nodiscard]] auto text() const -> const std::string&;
  /// A string or a whole number, as the key of an object is written.
  [[nodiscard]] auto key() const -> std::string;

  /// A truth value, integer (also one that is written as a string), `exact`, double, string, list of such as a vector,
  /// or as an array of just so many.
  template <class T>
  [[nodiscard]] auto get() const -> T {
    T out{};
    get_to(out);
    return out;
  }
  template <class T>
  [[nodiscard]] auto value(const std::string& key, T otherwise) const -> T {
    return contains(key) ? at(key).get<T>() : otherwise;
  }
  /// Nothing for a member that is absent or null.
  template <class T>
  [[nodiscard]] auto optional(const std::string& key) const -> std::optional<T> {
    if (!contains(key) || at(key).is_null()) { return std::nullopt; }
    return at(key).get<T>();
  }
  /// What its word means.
  template <class Meaning>
  [[nodiscard]] auto word(words<Meaning> known) const -> Meaning {
    std::string list;
    for (const auto& [name, meaning] : known) {
      if (name == text()) { return meaning; }
      list += (list.empty() ? "" : ", ") + std::string{name};
    }
    refuse("is not one of " + list);
  }
  template <class Meaning>
  [[nodiscard]] auto word(const std::string& key, Meaning otherwise, words<std::type_identity_t<Meaning>> known) const
      -> Meaning {
    return contains(key) ? at(key).word<Meaning>(known) : otherwise;
  }

  /// For what a format has although it changes no result.
  void set_aside() const { record_->read_all(*value_); }
  void set_aside(const std::string& key) const {
    if (contains(key)) { at(key).set_aside(); }
  }
  /// Stops the case: the value cannot be served.
  [[noreturn]] void refuse(const std::string& why) const;
  /// Stops the case where an element of the list found no place among `room`.
  void must_fit(bool fits, std::size_t room) const {
    if (!fits) { refuse("does not fit: this runner has room for " + std::to_string(room)); }
  }

 private:
  void get_to(bool& out) const;
  void get_to(double& out) const;
  void get_to(exact& out) const;
  void get_to(std::string& out) const { out = text(); }
  template <class T>
    requires std::is_integral_v<T>
  void get_to(T& out) const {
    const exact number = get<exact>();
    if (denominator(number) != 1) { refuse("is no whole number"); }
    if (number < std::numeric_limits<T>::min() || number > std::numeric_limits<T>::max()) { refuse("is out of range"); }
    out = numerator(number).template convert_to<T>();
  }
  template <class T>
  void get_to(std::vector<T>& out) const {
    for (std::size_t i = 0; i < size(); ++i) { out.push_back(at(i).get<T>()); }
  }
  template <class T, std::size_t N>
  void get_to(std::array<T, N>& out) const {
    if (size() != N) { refuse("is not a list of " + std::to_string(N)); }
    for (std::size_t i = 0; i < N; ++i) { out[i] = at(i).get<T>(); }
  }

  const json* value_;
  reading_record* record_;
};

class field::iterator {
 public:
  iterator(const field& list, std::size_t index) : list_{list}, index_{index} {}
  [[nodiscard]] auto operator*() const -> field { return list_.at(index_); }
  auto operator++() -> iterator& {
    ++index_;
    return *this;
  }
  [[nodiscard]] auto operator!=(const iterator& other) const -> bool { return index_ != other.index_; }

 private:
  field list_;
  std::size_t index_;
};

}  // namespace takt_vectors
