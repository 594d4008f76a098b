// SPDX-License-Identifier: Apache-2.0
#include "xml_edit.hpp"

#include <fmt/format.h>

namespace takt::program {

namespace {

constexpr std::string_view blanks = " \t\r\n";

[[nodiscard]] auto escaped(std::string_view value) -> std::string {
  std::string out;
  for (const char c : value) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&apos;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace

auto xml_edit::start_tag(const xml_element& e, std::string_view attribute) const -> tag {
  const std::string& text = file_.text();
  tag out;
  std::size_t at = e.offset() + e.tag().size();
  for (;;) {
    out.end = at;
    at = text.find_first_not_of(blanks, at);
    if (text[at] == '>' || text[at] == '/') {
      out.empty = text[at] == '/';
      out.close = text.find('>', at) + 1;
      return out;
    }
    const auto name_end = text.find_first_of(" \t\r\n=", at);
    const bool wanted = std::string_view{text}.substr(at, name_end - at) == attribute;
    const auto quote = text.find_first_of("\"'", name_end);
    const auto close = text.find(text[quote], quote + 1);
    if (wanted) {
      out.value = quote + 1;
      out.length = close - quote - 1;
    }
    at = close + 1;
  }
}

auto xml_edit::addition_to(const xml_element& e) -> addition& {
  addition& out = additions_[e.offset()];
  if (!out.name.empty()) { return out; }
  const std::string& text = file_.text();
  const auto before = text.rfind('\n', e.offset());
  const auto line = before == std::string::npos ? 0 : before + 1;
  out.at = start_tag(e, "");
  out.name = e.tag();
  out.indent = text.substr(line, text.find_first_not_of(" \t", line) - line);
  return out;
}

void xml_edit::set(const xml_element& e, std::string_view attribute, std::string_view value) {
  const tag t = start_tag(e, attribute);
  if (t.value > 0) {
    values_[t.value] = {t.length, escaped(value)};
  } else {
    addition_to(e).attributes[std::string{attribute}] = escaped(value);
  }
}

void xml_edit::add_child(const xml_element& parent, std::string_view markup) {
  addition& to = addition_to(parent);
  const std::string start = fmt::format("\n{}  ", to.indent);
  to.inside += start;
  for (const char c : markup) {
    if (c == '\n') {
      to.inside += start;
    } else {
      to.inside += c;
    }
  }
}

auto xml_edit::text() const -> std::string {
  auto changes = values_;
  for (const auto& [offset, a] : additions_) {
    std::string attributes;
    for (const auto& [name, value] : a.attributes) { attributes += fmt::format(" {}=\"{}\"", name, value); }
    if (a.at.empty && !a.inside.empty()) {
      changes[a.at.end] = {a.at.close - a.at.end,
                           fmt::format("{}>{}\n{}</{}>", attributes, a.inside, a.indent, a.name)};
      continue;
    }
    if (!attributes.empty()) { changes[a.at.end] = {0, attributes}; }
    if (!a.inside.empty()) { changes[a.at.close] = {0, a.inside}; }
  }
  const std::string& old = file_.text();
  std::string out;
  std::size_t from = 0;
  for (const auto& [at, change] : changes) {
    out.append(old, from, at - from);
    out += change.second;
    from = at + change.first;
  }
  return out.append(old, from);
}

}  // namespace takt::program
