// SPDX-License-Identifier: Apache-2.0
#include "study_file.hpp"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../failure.hpp"
#include "../fields.hpp"
#include "../files/words.hpp"
#include "policy_study.hpp"

namespace takt::program::sweep {

namespace {

using kind = json_value::kind;

constexpr std::string_view study_format = "takt-study/1";
const object_keys own_study{
    "a study of one's own",
    {"format", "name", "title", "generator", "parameters", "levels", "sets", "seed", "stop", "methods", "vary"}};
const object_keys known_study{"a study of this program",
                              {"format", "study", "parameters", "levels", "sets", "seed", "stop"}};
const object_keys stop_keys{"a stopping rule", {"interval", "least_sets"}};
const object_keys method_keys{"a method", {"policy", "cpus", "analysis"}};

/// As for task-set files, whose keys have no place here.
void require_own_keys(const json_value& v, const object_keys& of) {
  const std::string known = fmt::format("{}", fmt::join(of.keys, ", "));
  if (!v.is(kind::object)) { refuse_kind(v, "an object with " + known); }
  for (const json_value& member : v.items) {
    if (std::ranges::find(of.keys, member.key) == of.keys.end()) {
      throw input_error{member.where,
                        fmt::format("is no key of {}, the nearest is \"{}\"", of.what, nearest(member.key, of.keys)),
                        known};
    }
  }
}

/// A value as `--set` would have it: a text, or the digits of a number.
[[nodiscard]] auto value_text(const json_value& v) -> std::string {
  if (!v.is(kind::string) && !v.is(kind::integer) && !v.is(kind::decimal)) { refuse_kind(v, "a number or a text"); }
  return v.text;
}
/// A value, or several.
[[nodiscard]] auto list_text(const json_value& v) -> std::string {
  if (!v.is(kind::array)) { return value_text(v); }
  std::vector<std::string> out;
  for (const json_value& one : require_array(v, "at least one value")) { out.push_back(value_text(one)); }
  return fmt::format("{}", fmt::join(out, ","));
}

[[nodiscard]] auto method_text(const json_value& v) -> std::string {
  if (v.is(kind::string)) { return v.text; }
  require_own_keys(v, method_keys);
  std::string out = read_text(require(v, "policy", "a way of sharing the GPU, or all"), "a policy such as federated") +
                    "@" + read_text(require(v, "cpus", "a rule of the processors"), "a rule such as edf");
  if (const auto* const analysis = v.find("analysis"); analysis != nullptr) {
    out += "/" + read_text(*analysis, "a published analysis");
  }
  return out;
}

[[nodiscard]] auto read_methods(const json_value& v) -> std::string {
  std::vector<std::string> out;
  for (const json_value& one : require_array(v, "methods such as \"federated@edf\"")) {
    out.push_back(method_text(one));
  }
  return fmt::format("{}", fmt::join(out, ","));
}

/// {"sms": [4, 8]} as "sms:4,8".
[[nodiscard]] auto read_varied(const json_value& v) -> std::string {
  if (!v.is(kind::object) || v.items.size() != 1) { refuse_kind(v, "an object with one parameter and its values"); }
  return fmt::format("{}:{}", v.items[0].key, list_text(v.items[0]));
}

[[nodiscard]] auto read_study_name(const json_value& document) -> std::string {
  std::string out = read_name(document, "a name for files and tables");
  const auto is_good = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; };
  if (!std::ranges::all_of(out, is_good)) {
    throw input_error{document.find("name")->where, fmt::format("\"{}\" is no name of a study", out),
                      "letters, digits, - and _"};
  }
  return out;
}

/// Puts a value in its place. What the parameter itself does not know of is refused where the file gives it.
void give(described_study& out, const std::string& name, const json_value& v, const std::string& text) {
  out.places[name] = v.where;
  try {
    out.with.set(name, text);
  } catch (const refusal& e) { throw input_error{v.where, e.problem, e.allowed}; }
}

void give_stop(described_study& out, const json_value& v) {
  require_own_keys(v, stop_keys);
  const json_value& interval = require(v, "interval", "width of a 95 % interval, such as 0.1");
  const auto [numerator, denominator] = read_ratio(interval);
  if (numerator < 1 || numerator > denominator || numerator * 1000 % denominator != 0) {
    throw input_error{interval.where, fmt::format("{} is no width of an interval", interval.quoted()),
                      "0.001 to 1 in steps of 0.001"};
  }
  give(out, "interval", interval, std::to_string(numerator * 1000 / denominator));
  if (const auto* const least = v.find("least_sets"); least != nullptr) {
    give(out, "least-sets", *least, value_text(*least));
  }
}

[[nodiscard]] auto base_study(const json_value& document, const std::function<const study&(const std::string&)>& find)
    -> study {
  if (const auto* const known = document.find("study"); known != nullptr) {
    require_own_keys(document, known_study);
    try {
      return find(read_text(*known, "a study that takt sweep --list shows"));
    } catch (const input_error& e) { throw input_error{known->where, e.problem, e.allowed}; }
  }
  require_own_keys(document, own_study);
  const json_value& generator = require(document, "generator", "a generator that takt generate --list shows");
  std::string name = read_study_name(document);
  const auto* const title = document.find("title");
  std::string shown = title == nullptr ? name : read_text(*title, "a text");
  const auto& drawn = find_generator(generator.where, read_text(generator, "the name of a generator"));
  if (drawn.level_name.empty()) {
    throw input_error{generator.where,
                      fmt::format("sets of {} have no level over which they could be counted", drawn.name),
                      "a generator of random sets"};
  }
  const json_value& methods = require(document, "methods", "methods such as [\"federated@edf\"]");
  return policy_study(std::move(name), std::move(shown), drawn, read_methods(methods));
}

}  // namespace

auto read_study(const json_value& document, const std::function<const study&(const std::string&)>& find)
    -> described_study {
  if (!document.is(kind::object)) { refuse_kind(document, "an object with \"format\": \"takt-study/1\""); }
  const json_value& format = require(document, "format", fmt::format("\"{}\"", study_format));
  if (read_text(format, fmt::format("\"{}\"", study_format)) != study_format) {
    throw input_error{format.where, fmt::format("{} is no format of a study", format.quoted()),
                      fmt::format("\"{}\"", study_format)};
  }
  study base = base_study(document, find);
  settings first{base.parameters};
  described_study out{std::move(base), std::move(first), {}};
  if (const auto* const methods = document.find("methods"); methods != nullptr) {
    out.places["methods"] = methods->where;
  }
  if (const auto* const parameters = document.find("parameters"); parameters != nullptr) {
    if (!parameters->is(kind::object)) { refuse_kind(*parameters, "an object with parameters and their values"); }
    for (const json_value& p : parameters->items) { give(out, p.key, p, list_text(p)); }
  }
  for (const char* key : {"levels", "sets", "seed"}) {
    if (const auto* const v = document.find(key); v != nullptr) { give(out, key, *v, list_text(*v)); }
  }
  if (const auto* const stop = document.find("stop"); stop != nullptr) { give_stop(out, *stop); }
  if (const auto* const varied = document.find("vary"); varied != nullptr) {
    give(out, "vary", *varied, read_varied(*varied));
  }
  return out;
}

}  // namespace takt::program::sweep
