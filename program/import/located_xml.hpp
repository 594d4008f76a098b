// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pugixml.hpp>

#include "../failure.hpp"

namespace takt::program {

class xml_file;

/// An element of a file, and where it stands.
class xml_element {
 public:
  xml_element(pugi::xml_node node, const xml_file& file) : node_{node}, file_{&file} {}

  [[nodiscard]] auto tag() const -> std::string_view { return node_.name(); }
  /// `xsi:type` without its prefix; empty where there is none.
  [[nodiscard]] auto type() const -> std::string_view;
  [[nodiscard]] auto children() const -> std::vector<xml_element>;
  [[nodiscard]] auto children(std::string_view tag) const -> std::vector<xml_element>;
  /// Of several the first.
  [[nodiscard]] auto child(const char* tag) const -> xml_element;
  [[nodiscard]] explicit operator bool() const { return !node_.empty(); }
  /// Empty where there is none, or no element.
  [[nodiscard]] auto attribute(const char* name) const -> std::string_view;
  [[nodiscard]] auto has(const char* name) const -> bool { return !node_.attribute(name).empty(); }
  /// Throws `input_error` where there is none.
  [[nodiscard]] auto required(const char* name, std::string_view allowed) const -> std::string_view;
  [[nodiscard]] auto required_child(const char* tag, std::string_view allowed) const -> xml_element;

  [[nodiscard]] auto line() const -> std::size_t;
  /// Bytes from the start of the file to the name of the element.
  [[nodiscard]] auto offset() const -> std::size_t { return static_cast<std::size_t>(node_.offset_debug()); }
  /// "line N: element", with the type and the name that it has.
  [[nodiscard]] auto where() const -> std::string;
  [[nodiscard]] auto error(std::string problem, std::string_view allowed) const -> input_error {
    return {where(), std::move(problem), std::string{allowed}};
  }
  [[nodiscard]] friend auto operator==(const xml_element& a, const xml_element& b) -> bool {
    return a.node_ == b.node_;
  }
  [[nodiscard]] auto key() const -> const void* { return node_.internal_object(); }
  [[nodiscard]] auto node() const -> const pugi::xml_node& { return node_; }

 private:
  pugi::xml_node node_;
  const xml_file* file_;
};

inline constexpr std::size_t max_model_bytes = std::size_t{64} << 20;
inline constexpr std::size_t max_xml_depth = 200;
inline constexpr std::size_t max_xml_attributes = 200;

class xml_file {
 public:
  /// Throws `input_error` at the first fault of syntax, and where elements nest deeper than any model. `name`: of one
  /// file of several, which places in it begin with.
  explicit xml_file(std::string text, std::string name = {});
  xml_file(const xml_file&) = delete;
  auto operator=(const xml_file&) -> xml_file& = delete;
  xml_file(xml_file&&) = delete;
  auto operator=(xml_file&&) -> xml_file& = delete;
  ~xml_file() = default;

  [[nodiscard]] auto root() const -> xml_element;
  [[nodiscard]] auto text() const -> const std::string& { return text_; }
  [[nodiscard]] auto line_of(std::size_t offset) const -> std::size_t;

 private:
  friend class xml_element;

  [[nodiscard]] auto place_of(std::size_t line) const -> std::string;

  std::string text_;
  std::string name_;
  pugi::xml_document document_;
  std::vector<std::size_t> line_ends_;
};

}  // namespace takt::program
