// SPDX-License-Identifier: Apache-2.0
//
// takt_vectors [--kind KIND]... FILE...: holds takt against recorded cases, of all kinds or of those named. Prints a
// line per failing case with the path of the first difference and of the first part of the input that was not used,
// then `N passed, M failed`. Exit status 1 when a case failed or its kind is unknown, 2 when a file cannot be read, has
// members that are not used, or has no case of a kind that was named.
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "suite.hpp"

namespace takt_vectors {
namespace {

struct adapter {
  suite kinds;
  std::optional<std::string> repeats_kind;  ///< member of the input that may say the kind once more
};

[[nodiscard]] auto adapters() -> const std::map<std::string, adapter>& {
  static const std::map<std::string, adapter> all = [] {
    using parts = std::vector<void (*)(suite&)>;
    struct entry {
      parts adds;
      std::optional<std::string> repeats_kind;
    };
    const std::map<std::string, entry> entries{
        {"accelerator_platform", {{add_accelerator_platform}, {}}},
        {"gpusync_analysis",
         {{add_gpusync_analysis, add_gpusync_analysis_graphs, add_gpusync_rank, add_gpusync_tardiness_analysis}, {}}},
        {"gpusync_design",
         {{add_gpusync_bounds, add_gpusync_design_graphs, add_gpusync_edf, add_gpusync_locking, add_gpusync_mechanisms,
           add_gpusync_pipeline, add_gpusync_run, add_gpusync_tardiness_design},
          "kind"}},
        {"openvx", {{add_openvx_bounds, add_openvx_graphs, add_openvx_simulation}, "op"}},
        {"rtgpu", {{add_rtgpu}, {}}},
        {"wamp2s", {{add_wamp2s_controller, add_wamp2s_prediction, add_wamp2s_shares, add_wamp2s_simulation}, "kind"}}};
    std::map<std::string, adapter> out;
    for (const auto& [name, one] : entries) {
      out[name].repeats_kind = one.repeats_kind;
      for (const auto add : one.adds) { add(out[name].kinds); }
    }
    return out;
  }();
  return all;
}

/// A parser keeps one of two members of the same name in silence, hence they are refused here.
[[nodiscard]] auto read(const std::filesystem::path& path) -> json {
  std::ifstream in{path};
  if (!in) { throw std::runtime_error(path.string() + ": cannot be read"); }
  std::vector<std::set<std::string>> names;
  return json::parse(in, [&](int /*depth*/, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) { names.emplace_back(); }
    if (event == json::parse_event_t::object_end) { names.pop_back(); }
    if (event == json::parse_event_t::key && !names.back().insert(parsed.get<std::string>()).second) {
      throw std::runtime_error(path.string() + ": an object has two members " + parsed.dump());
    }
    return true;
  });
}

/// The diagnostics that the list beside the vector file, or else takt's own copy of it, excludes.
[[nodiscard]] auto not_compared(const std::filesystem::path& vectors, const std::string& suite_name,
                                const std::string& kind) -> std::vector<std::string> {
  const auto beside = vectors.parent_path() / "not-compared.json";
  static std::map<std::filesystem::path, json> known;
  const auto source = std::filesystem::exists(beside) ? beside : std::filesystem::path{TAKT_NOT_COMPARED};
  if (!known.contains(source)) { known[source] = read(source); }
  const auto& list = known[source];
  if (!list.contains(suite_name) || !list[suite_name].contains(kind)) { return {}; }
  return list[suite_name][kind].get<std::vector<std::string>>();
}

/// Everything that is wrong with a case.
[[nodiscard]] auto complaints_about(const std::filesystem::path& file, const std::string& suite_name, const json& one)
    -> std::vector<std::string> {
  const auto kind = one.at("kind").get<std::string>();
  const auto found = adapters().find(suite_name);
  if (found == adapters().end()) { return {"unknown suite " + suite_name}; }
  const auto run = found->second.kinds.find(kind);
  if (run == found->second.kinds.end()) { return {"unknown kind " + kind}; }
  std::vector<std::string> out;
  try {
    reading_record record{one, ""};
    const field whole{one, record};
    for (const char* known : {"id", "kind", "expected"}) { whole.set_aside(known); }
    const field input = whole.at("input");
    if (const auto& again = found->second.repeats_kind; again && input.contains(*again)) {
      if (input.at(*again).text() != kind) { input.at(*again).refuse("is not the kind of the case, " + kind); }
    }
    const answer a = run->second(input);
    if (auto difference = first_difference(one.at("expected"), a.value, not_compared(file, suite_name, kind))) {
      out.push_back(*difference);
    }
    if (a.complaint) { out.push_back(*a.complaint); }
    if (auto path = record.first_unread()) { out.push_back(*path + " is not used"); }
  } catch (const std::exception& error) { out.push_back(std::string{"stopped: "} + error.what()); }
  return out;
}

struct request {
  std::set<std::string> kinds;  ///< empty: all
  std::vector<std::string> files;
};

[[nodiscard]] auto run(const request& what) -> int {
  int passed = 0;
  int failed = 0;
  std::set<std::string> unseen = what.kinds;
  for (const auto& file : what.files) {
    const json vectors = read(file);
    for (const auto& [member, value] : vectors.items()) {
      if (member != "suite" && member != "cases") { throw std::runtime_error(file + ": /" + member + " is not used"); }
    }
    const auto name = vectors.at("suite").get<std::string>();
    for (const auto& one : vectors.at("cases")) {
      const auto kind = one.at("kind").get<std::string>();
      if (!what.kinds.empty() && !what.kinds.contains(kind)) { continue; }
      unseen.erase(kind);
      const auto complaints = complaints_about(file, name, one);
      if (complaints.empty()) {
        ++passed;
        continue;
      }
      ++failed;
      std::cout << name << " " << one.at("id").get<std::string>() << ": " << complaints.front();
      for (std::size_t i = 1; i < complaints.size(); ++i) { std::cout << "; " << complaints[i]; }
      std::cout << "\n";
    }
  }
  if (!unseen.empty()) { throw std::runtime_error("no case of kind " + *unseen.begin()); }
  std::cout << passed << " passed, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace takt_vectors

auto main(int argc, char** argv) -> int {
  takt_vectors::request what;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view{argv[i]} == "--kind" && i + 1 < argc) {
      what.kinds.insert(argv[++i]);
    } else {
      what.files.emplace_back(argv[i]);
    }
  }
  if (what.files.empty()) {
    std::cerr << "usage: takt_vectors [--kind KIND]... FILE...\n";
    return 2;
  }
  try {
    return takt_vectors::run(what);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
