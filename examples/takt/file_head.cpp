// SPDX-License-Identifier: Apache-2.0
#include "file_head.hpp"

#include <fmt/format.h>

#include "failure.hpp"

namespace takt::program {

auto read_head(const fields& top) -> std::string {
  const auto format = top.require("format", "\"takt/1\"");
  if (read_text(format, "\"takt/1\"") != "takt/1") {
    throw input_error{format.where, fmt::format("{} is unknown", format.value->quoted()), "\"takt/1\""};
  }
  const auto name = top.find("name");
  return name ? read_text(name, "the name of the task set") : std::string{};
}

auto require_list(const located& v, std::string_view things, std::size_t most) -> located {
  const auto list = require_array(v, fmt::format("at least one {}", things.substr(0, things.size() - 1)));
  const std::size_t count = list.value->items.size();
  if (count > most) {
    throw input_error{v.where, fmt::format("has {} {}, more than this program holds", count, things),
                      fmt::format("at most {}", most)};
  }
  return list;
}

auto read_name(const fields& object, std::string_view allowed) -> std::string {
  const auto name = object.require("name", allowed);
  std::string out = read_text(name, allowed);
  if (out.empty()) { throw input_error{name.where, "is empty", "a name of at least one character"}; }
  return out;
}

auto look_up(const json_value& from, std::initializer_list<std::string_view> path) -> const json_value* {
  const json_value* at = &from;
  for (const std::string_view key : path) {
    at = at->find(key);
    if (at == nullptr) { return nullptr; }
  }
  return at;
}

auto sharing_of(const json_value& document) -> std::string_view {
  const json_value* at = look_up(document, {"platform", "gpus"});
  if (at == nullptr || at->what != json_value::kind::array || at->items.empty()) { return {}; }
  at = at->items[0].find("sharing");
  return at == nullptr || at->what != json_value::kind::string ? std::string_view{} : std::string_view{at->text};
}

}  // namespace takt::program
