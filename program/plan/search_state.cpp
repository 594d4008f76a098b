// SPDX-License-Identifier: Apache-2.0
#include "search_state.hpp"

#include <cstdint>
#include <filesystem>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "../fields.hpp"
#include "../text_file.hpp"

namespace takt::program {

namespace {

using nlohmann::ordered_json;
constexpr const char* version = "takt-plan-state/1";

/// FNV-1a of Fowler, Noll and Vo: which file it is, not who wrote it.
[[nodiscard]] auto digest(const std::string& text) -> std::uint64_t {
  std::uint64_t out = 0xCBF2'9CE4'8422'2325U;
  for (const char c : text) { out = (out ^ static_cast<unsigned char>(c)) * 0x100'0000'01B3U; }
  return out;
}

[[nodiscard]] auto written(const decisions<file_problem::max_decisions>& all) -> ordered_json {
  ordered_json out = ordered_json::array();
  for (const std::uint32_t value : all) { out.push_back(value); }
  return out;
}

constexpr std::int64_t most = INT64_MAX;

[[nodiscard]] auto read_decisions(const json_value& top, const char* key, file_problem& problem, bool whole)
    -> decisions<file_problem::max_decisions> {
  const json_value& given = require(top, key, "an array of numbers");
  if (!given.is(json_value::kind::array)) { refuse_kind(given, "an array of numbers"); }
  const bool fits = whole ? given.items.size() == problem.size() : given.items.size() <= problem.size();
  if (!fits) {
    throw input_error{given.where, fmt::format("has {} decisions", given.items.size()),
                      fmt::format("{}{}", whole ? "" : "at most ", problem.size())};
  }
  decisions<file_problem::max_decisions> out;
  for (const json_value& v : given.items) {
    // Bound: at most the decisions of the problem, see above.
    out.unchecked_push_back(static_cast<std::uint32_t>(read_integer(v, 0, problem.values(out.size()) - 1)));
  }
  return out;
}

}  // namespace

auto search_key(const plan_options& o, const std::string& document) -> std::string {
  return fmt::format("{:016x} policies {} cpus {} objective {} search {} offsets {} replan {} seed {}",
                     digest(document), fmt::join(o.policies, ","), fmt::join(o.cpus, ","),
                     static_cast<int>(o.objective), static_cast<int>(o.search), o.offsets, o.replan, o.seed);
}

auto read_state(const std::string& path, const std::string& key, file_problem& problem) -> plan_progress {
  plan_progress out;
  if (!std::filesystem::exists(path)) { return out; }
  try {
    const json_value top = parse_json(read_text_file(path));
    if (read_text(require(top, "format", version), version) != version) {
      throw input_error{"/format", "is no kept search", version};
    }
    if (read_text(require(top, "search", "what is searched"), "what is searched") != key) {
      throw input_error{"/search", "is another search", "the file, options and seed of that one, or another FILE"};
    }
    const auto number = [&](const char* of) { return read_integer(require(top, of, "an integer"), 0, most); };
    const auto answer = [&](const char* of) { return read_boolean(require(top, of, "true or false")); };
    out.evaluations = static_cast<std::uint64_t>(number("evaluations"));
    out.found = answer("found");
    if (out.found) { out.best = read_decisions(top, "best", problem, true); }
    out.score = number("score");
    out.nearest = number("nearest");
    if (out.nearest > 0) { out.closest = read_decisions(top, "closest", problem, true); }
    out.complete = answer("complete");
    out.at = read_decisions(top, "at", problem, false);
    out.steps = static_cast<std::uint64_t>(number("steps"));
    out.stale = static_cast<std::uint64_t>(number("stale"));
    out.climbing = answer("climbing");
    if (out.climbing) { out.current = read_decisions(top, "current", problem, true); }
    out.height = number("height");
  } catch (const input_error& e) {
    throw input_error{"--resume", fmt::format("{}: {}: {}", path, e.where, e.problem), e.allowed};
  }
  return out;
}

void write_state(const std::string& path, const std::string& key, const plan_progress& s) {
  const ordered_json out{{"format", version},
                         {"search", key},
                         {"evaluations", s.evaluations},
                         {"found", s.found},
                         {"best", written(s.best)},
                         {"score", s.score},
                         {"nearest", s.nearest},
                         {"closest", written(s.closest)},
                         {"complete", s.complete},
                         {"at", written(s.at)},
                         {"steps", s.steps},
                         {"stale", s.stale},
                         {"climbing", s.climbing},
                         {"current", written(s.current)},
                         {"height", s.height}};
  write_file(path, [&](std::ostream& to) { to << out.dump() << '\n'; });
}

}  // namespace takt::program
