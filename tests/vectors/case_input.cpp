// SPDX-License-Identifier: Apache-2.0
#include "case_input.hpp"

#include <stdexcept>

namespace takt_vectors {

void reading_record::read_all(const json& value) {
  read(value);
  if (!value.is_structured()) { return; }
  for (const json& below : value) { read_all(below); }
}

auto reading_record::path_of(const json& value) const -> std::string {
  const auto search = [&](const auto& self, const json& at, const std::string& path) -> std::string {
    if (&at == &value) { return path; }
    if (!at.is_structured()) { return {}; }
    for (const auto& [key, below] : at.items()) {
      if (auto found = self(self, below, path + "/" + key); !found.empty()) { return found; }
    }
    return {};
  };
  return search(search, *root_, name_);
}

auto reading_record::first_unread() const -> std::optional<std::string> { return first_unread_below(*root_, name_); }

auto reading_record::touched(const json& value) const -> bool {
  if (!value.is_structured() || value.empty()) { return read_.contains(&value); }
  for (const json& below : value) {
    if (touched(below)) { return true; }
  }
  return false;
}

auto reading_record::first_unread_below(const json& value, const std::string& path) const
    -> std::optional<std::string> {
  if (!touched(value)) { return path; }
  if (!value.is_structured()) { return std::nullopt; }
  for (const auto& [key, below] : value.items()) {
    if (auto found = first_unread_below(below, path + "/" + key)) { return found; }
  }
  return std::nullopt;
}

auto field::contains(const std::string& key) const -> bool {
  if (!value_->is_object()) { refuse("is no object"); }
  return value_->contains(key);
}

auto field::at(const std::string& key) const -> field {
  if (!contains(key)) { refuse("lacks " + key); }
  return {value_->at(key), *record_};
}

auto field::members() const -> std::vector<std::pair<std::string, field>> {
  if (!value_->is_object()) { refuse("is no object"); }
  std::vector<std::pair<std::string, field>> out;
  for (const auto& [key, value] : value_->items()) { out.emplace_back(key, field{value, *record_}); }
  return out;
}

auto field::list_or_empty(const std::string& key) const -> field {
  static const json none = json::array();
  return contains(key) ? at(key) : field{none, *record_};
}

auto field::object_or_empty(const std::string& key) const -> field {
  static const json none = json::object();
  if (!contains(key)) { return {none, *record_}; }
  const field member = at(key);
  if (!member.value_->is_object()) { member.refuse("is no object"); }
  return member;
}

auto field::size() const -> std::size_t {
  if (!value_->is_array()) { refuse("is no list"); }
  return value_->size();
}

auto field::at(std::size_t index) const -> field {
  if (index >= size()) { refuse("has fewer elements than are asked for"); }
  return {value_->at(index), *record_};
}

auto field::begin() const -> iterator { return {*this, 0}; }
auto field::end() const -> iterator { return {*this, size()}; }

auto field::is_null() const -> bool {
  if (value_->is_null()) { record_->read(*value_); }
  return value_->is_null();
}

auto field::leaf() const -> const json& {
  if (value_->is_structured()) { refuse("is no single value"); }
  record_->read(*value_);
  return *value_;
}

auto field::text() const -> const std::string& {
  if (!value_->is_string()) { refuse("is no string"); }
  record_->read(*value_);
  return value_->get_ref<const std::string&>();
}

auto field::key() const -> std::string { return value_->is_string() ? text() : std::to_string(get<std::int64_t>()); }

void field::refuse(const std::string& why) const {
  const std::string shown = value_->is_structured() ? "" : " " + value_->dump();
  throw std::invalid_argument(record_->path_of(*value_) + shown + " " + why);
}

void field::get_to(bool& out) const {
  if (!value_->is_boolean()) { refuse("is neither true nor false"); }
  record_->read(*value_);
  out = value_->get<bool>();
}

void field::get_to(double& out) const {
  if (!value_->is_number()) { refuse("is no number"); }
  record_->read(*value_);
  out = value_->get<double>();
}

void field::get_to(exact& out) const {
  const auto number = exact_value(*value_);
  if (!number) { refuse("is no exact number"); }
  record_->read(*value_);
  out = *number;
}

}  // namespace takt_vectors
