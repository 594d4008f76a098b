// SPDX-License-Identifier: Apache-2.0
#include "located_xml.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <takt/report/utf8.hpp>

#include "../json_value.hpp"

namespace takt::program {

namespace {

constexpr std::size_t longest_name = 60;
constexpr std::string_view whole_file = "a complete XML file in UTF-8";

}  // namespace

auto xml_element::type() const -> std::string_view {
  const std::string_view all = node_.attribute("xsi:type").value();
  return all.substr(all.find(':') == std::string_view::npos ? 0 : all.find(':') + 1);
}

auto xml_element::children() const -> std::vector<xml_element> {
  std::vector<xml_element> out;
  for (const pugi::xml_node& n : node_.children()) {
    if (n.type() != pugi::node_element) { continue; }
    out.emplace_back(n, *file_);
  }
  return out;
}

auto xml_element::children(std::string_view tag) const -> std::vector<xml_element> {
  std::vector<xml_element> out;
  for (const pugi::xml_node& n : node_.children()) {
    if (n.type() != pugi::node_element || tag != n.name()) { continue; }
    out.emplace_back(n, *file_);
  }
  return out;
}

auto xml_element::child(const char* tag) const -> xml_element {
  const pugi::xml_node found = node_.child(tag);
  return {found, *file_};
}

auto xml_element::attribute(const char* name) const -> std::string_view { return node_.attribute(name).value(); }

auto xml_element::required(const char* name, std::string_view allowed) const -> std::string_view {
  const std::string_view value = attribute(name);
  if (value.empty()) { throw error(fmt::format("has no {}", name), allowed); }
  return value;
}

auto xml_element::required_child(const char* tag, std::string_view allowed) const -> xml_element {
  const xml_element found = child(tag);
  if (!found) { throw error(fmt::format("has no {}", tag), allowed); }
  return found;
}

auto xml_element::line() const -> std::size_t { return file_->line_of(offset()); }

auto xml_element::where() const -> std::string {
  std::string out = fmt::format("{}: {}", file_->place_of(line()), one_line(tag(), longest_name));
  if (!type().empty()) { out += fmt::format(" {}", one_line(type(), longest_name)); }
  const std::string_view name = node_.attribute("name").value();
  return name.empty() ? out : out + fmt::format(" \"{}\"", one_line(name, longest_name));
}

xml_file::xml_file(std::string text, std::string name) : text_{std::move(text)}, name_{std::move(name)} {
  for (std::size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) {
    line_ends_.push_back(at);
  }
  // A byte of zero ends a text for whoever looks for places in it.
  if (const auto zero = text_.find('\0'); zero != std::string::npos) {
    throw input_error{place_of(line_of(zero)), "has a byte that no text has", std::string{whole_file}};
  }
  const auto result = document_.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    throw input_error{place_of(line_of(static_cast<std::size_t>(result.offset))),
                      fmt::format("is no XML ({})", result.description()), std::string{whole_file}};
  }
  // Without recursion, since nothing is known of the depth yet.
  std::vector<std::string_view> seen;
  std::size_t depth = 0;
  for (pugi::xml_node n = document_.document_element(); !n.empty();) {
    const xml_element here{n, *this};
    seen.clear();
    for (pugi::xml_attribute a : n.attributes()) {
      if (seen.size() == max_xml_attributes) {
        throw here.error(fmt::format("has more than {} attributes", max_xml_attributes),
                         "attributes as a model has them");
      }
      const std::string_view key = a.name();
      if (std::ranges::find(seen, key) != seen.end()) {
        throw here.error(fmt::format("has {} twice", one_line(key, longest_name)), "each attribute once");
      }
      seen.push_back(key);
      if (!report::is_utf8(a.value())) {
        throw here.error(fmt::format("{} has a byte or a reference that is no character", one_line(key, longest_name)),
                         "a text in UTF-8");
      }
    }
    if (depth > max_xml_depth) {
      throw here.error(fmt::format("nests deeper than {} elements", max_xml_depth), "elements as a model has them");
    }
    if (!n.first_child().empty()) {
      n = n.first_child();
      ++depth;
      continue;
    }
    while (n.next_sibling().empty() && depth > 0) {
      n = n.parent();
      --depth;
    }
    n = depth > 0 ? n.next_sibling() : pugi::xml_node{};
  }
}

auto xml_file::root() const -> xml_element { return {document_.document_element(), *this}; }

auto xml_file::place_of(std::size_t line) const -> std::string {
  return name_.empty() ? fmt::format("line {}", line) : fmt::format("{}, line {}", name_, line);
}

auto xml_file::line_of(std::size_t offset) const -> std::size_t {
  return static_cast<std::size_t>(std::ranges::lower_bound(line_ends_, offset) - line_ends_.begin()) + 1;
}

}  // namespace takt::program
