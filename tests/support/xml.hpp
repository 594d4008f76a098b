// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

namespace takt_tests {

/// Whether tags nest, attributes are quoted and every entity is one that XML knows.
inline auto well_formed(std::string_view text) -> bool {
  std::vector<std::string_view> open;
  bool any = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '&') {
      const std::size_t end = text.find(';', i);
      if (end == std::string_view::npos) { return false; }
      const std::set<std::string_view> known{"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
      if (!known.contains(text.substr(i, end - i + 1))) { return false; }
    }
    if (text[i] == '>') { return false; }
    if (static_cast<unsigned char>(text[i]) < 0x20 && text[i] != '\n') { return false; }
    if (text[i] != '<') { continue; }
    std::size_t end = i;
    bool quoted = false;
    for (; end < text.size() && (quoted || text[end] != '>'); ++end) {
      if (text[end] == '"') { quoted = !quoted; }
      if (end > i && text[end] == '<') { return false; }
    }
    const std::string_view tag = text.substr(i + 1, end - i - 1);
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) { return false; }
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      if (open.empty() && any) { return false; }
      any = true;
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    i = end;
  }
  return any && open.empty();
}

}  // namespace takt_tests
