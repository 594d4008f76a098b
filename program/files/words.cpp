// SPDX-License-Identifier: Apache-2.0
#include "words.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../failure.hpp"

namespace takt::program {

namespace {

using std::string_view;

[[nodiscard]] auto holds(std::span<const string_view> all, string_view word) -> bool {
  return std::ranges::find(all, word) != all.end();
}

/// The first object that has a key; empty where none has.
[[nodiscard]] auto owner_of(string_view key) -> string_view {
  for (const object_keys& other : all_objects()) {
    if (holds(other.keys, key)) { return other.what; }
  }
  return {};
}

}  // namespace

auto choices::listed(const choice& of) -> std::string { return fmt::format("\"{}\"", fmt::join(of.words(), "\", \"")); }

auto read_word(const json_value& v, const choice& of) -> string_view {
  const std::string allowed = choices::listed(of);
  const std::string word = read_text(v, allowed);
  if (const auto words = of.words(); holds(words, word)) { return *std::ranges::find(words, word); }
  for (const choice* other : choices::all) {
    if (!holds(other->words(), word)) { continue; }
    throw input_error{v.where, fmt::format("\"{}\" is {} and not {}", word, other->what, of.what), allowed};
  }
  throw input_error{v.where, fmt::format("{} is unknown, the nearest is \"{}\"", v.quoted(), nearest(word, of.words())),
                    allowed};
}

void require_keys(const json_value& v, const object_keys& of) {
  const std::string known = fmt::format("{}", fmt::join(of.keys, ", "));
  if (!v.is(json_value::kind::object)) { refuse_kind(v, "an object with " + known); }
  for (const json_value& member : v.items) {
    if (holds(of.keys, member.key)) { continue; }
    if (const string_view owner = owner_of(member.key); !owner.empty()) {
      throw input_error{member.where, fmt::format("is a key of {} and not of {}", owner, of.what), known};
    }
    std::vector<string_view> candidates = of.keys;
    for (const object_keys& other : all_objects()) {
      candidates.insert(candidates.end(), other.keys.begin(), other.keys.end());
    }
    const string_view near = nearest(member.key, candidates);
    const std::string whose = holds(of.keys, near) ? "" : fmt::format(" of {}", owner_of(near));
    throw input_error{member.where, fmt::format("is not a key of this object, the nearest is \"{}\"{}", near, whose),
                      known};
  }
}

auto position_of(const json_value& v, string_view thing, std::span<const string_view> names, string_view allowed)
    -> std::size_t {
  const std::string name = read_text(v, allowed);
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    throw input_error{v.where,
                      fmt::format("{} is no {}, the nearest is \"{}\"", v.quoted(), thing, nearest(name, names)),
                      std::string(allowed)};
  }
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace takt::program
