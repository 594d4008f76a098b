// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "located_xml.hpp"

namespace takt::program {

/// Changes of a file that leave every other byte of it as it is.
class xml_edit {
 public:
  /// The file has to outlive it.
  explicit xml_edit(const xml_file& file) : file_{file} {}

  /// Changes the value, or adds the attribute behind the others.
  void set(const xml_element& e, std::string_view attribute, std::string_view value);
  /// Adds lines in front of the other children; `markup` is indented as it should be inside of `parent`.
  void add_child(const xml_element& parent, std::string_view markup);

  [[nodiscard]] auto text() const -> std::string;

 private:
  /// The start tag of an element.
  struct tag {
    std::size_t value = 0;   ///< where the value of the wanted attribute starts; 0: it has none
    std::size_t length = 0;  ///< of the value
    std::size_t end = 0;     ///< of the attributes
    std::size_t close = 0;   ///< behind the tag
    bool empty = false;      ///< no end tag follows
  };
  struct addition {
    tag at;
    std::string name;
    std::string indent;
    std::map<std::string, std::string> attributes;
    std::string inside;
  };

  [[nodiscard]] auto start_tag(const xml_element& e, std::string_view attribute) const -> tag;
  auto addition_to(const xml_element& e) -> addition&;

  const xml_file& file_;
  std::map<std::size_t, std::pair<std::size_t, std::string>> values_;  ///< lengths of old ones, and new ones
  std::map<std::size_t, addition> additions_;                          ///< by the offset of the element
};

}  // namespace takt::program
