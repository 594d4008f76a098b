// SPDX-License-Identifier: Apache-2.0
// Texts with structure keep most of it: half of the changes are about whole quoted texts, numbers and groups.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" auto LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) -> std::size_t;

namespace {

struct part {
  std::size_t first;
  std::size_t size;
};

constexpr std::array<std::string_view, 14> edges{"0",          "1",
                                                 "-1",         "2",
                                                 "100",        "2147483647",
                                                 "2147483648", "4294967296",
                                                 "999999999",  "1000000000000000",
                                                 "1e15",       "4611686018427387904",
                                                 "0.001",      "9223372036854775807"};

[[nodiscard]] auto is_of_number(char c) -> bool { return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.'; }

/// Texts without their quotes, and numbers outside and inside of them.
[[nodiscard]] auto atoms_of(std::string_view text) -> std::vector<part> {
  std::vector<part> out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      if (const auto end = text.find('"', i + 1); end != std::string_view::npos) {
        out.push_back({i + 1, end - i - 1});
      }
    }
    if (!is_of_number(text[i]) || (i > 0 && is_of_number(text[i - 1]))) { continue; }
    std::size_t end = i;
    while (end < text.size() && is_of_number(text[end])) { ++end; }
    out.push_back({i, end - i});
  }
  return out;
}

/// What stands between brackets that go together, with them; lines of a text without brackets.
[[nodiscard]] auto groups_of(std::string_view text) -> std::vector<part> {
  std::vector<part> out;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' || text[i] == '[') { open.push_back(i); }
    if ((text[i] == '}' || text[i] == ']') && !open.empty()) {
      out.push_back({open.back(), i + 1 - open.back()});
      open.pop_back();
    }
  }
  for (std::size_t i = 0; out.empty() && i < text.size();) {
    const auto end = std::min(text.find('\n', i), text.size() - 1);
    out.push_back({i, end + 1 - i});
    i = end + 1;
  }
  return out;
}

}  // namespace

extern "C" auto LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed)
    -> std::size_t {
  std::minstd_rand random{seed};
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  std::string text{reinterpret_cast<const char*>(data), size};
  const auto atoms = atoms_of(text);
  const auto groups = groups_of(text);
  if (below(2) == 0 || atoms.empty() || groups.empty()) { return LLVMFuzzerMutate(data, size, most); }
  const part atom = atoms[below(atoms.size())];
  const part group = groups[below(groups.size())];
  const auto taken = [&](const part& p) { return text.substr(p.first, p.size); };
  switch (below(5)) {
    case 0: text.replace(atom.first, atom.size, edges[below(edges.size())]); break;
    case 1: text.replace(atom.first, atom.size, taken(atoms[below(atoms.size())])); break;
    case 2: text.replace(group.first, group.size, taken(groups[below(groups.size())])); break;
    case 3:
      text.insert(group.first, taken(group) + (text[group.first] == '{' || text[group.first] == '[' ? "," : ""));
      break;
    default: text.erase(group.first, group.size); break;
  }
  text.resize(std::min(text.size(), most));
  std::ranges::copy(text, data);
  return text.size();
}
