// SPDX-License-Identifier: Apache-2.0
//
// takt_vectors [--kind KIND]... FILE...: holds takt against recorded cases, of all kinds or of those named. Prints a
// line per failing case with the path of the first difference, then `N passed, M failed`. Exit status 1 when a case
// failed or its kind is unknown, 2 when a file cannot be read or has no case of a kind that was named.
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "suite.hpp"

namespace takt_vectors {
namespace {

[[nodiscard]] auto suites() -> const std::map<std::string, suite>& {
  static const std::map<std::string, suite> all = [] {
    using parts = std::vector<void (*)(suite&)>;
    const std::map<std::string, parts> adapters{
        {"accelerator_platform", {add_accelerator_platform}},
        {"gpusync_analysis",
         {add_gpusync_analysis, add_gpusync_analysis_graphs, add_gpusync_rank, add_gpusync_tardiness_analysis}},
        {"gpusync_design",
         {add_gpusync_bounds, add_gpusync_design_graphs, add_gpusync_edf, add_gpusync_locking, add_gpusync_mechanisms,
          add_gpusync_pipeline, add_gpusync_run, add_gpusync_tardiness_design}},
        {"openvx", {add_openvx_bounds, add_openvx_graphs, add_openvx_simulation}},
        {"rtgpu", {add_rtgpu}},
        {"wamp2s", {add_wamp2s_controller, add_wamp2s_prediction, add_wamp2s_shares, add_wamp2s_simulation}}};
    std::map<std::string, suite> out;
    for (const auto& [name, adds] : adapters) {
      for (const auto add : adds) { add(out[name]); }
    }
    return out;
  }();
  return all;
}

[[nodiscard]] auto read(const std::filesystem::path& path) -> json {
  std::ifstream in{path};
  if (!in) { throw std::runtime_error(path.string() + ": cannot be read"); }
  return json::parse(in);
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

[[nodiscard]] auto complaint_about(const std::filesystem::path& file, const std::string& suite_name, const json& one)
    -> std::optional<std::string> {
  const auto kind = one.at("kind").get<std::string>();
  const auto found = suites().find(suite_name);
  if (found == suites().end()) { return "unknown suite " + suite_name; }
  const auto run = found->second.find(kind);
  if (run == found->second.end()) { return "unknown kind " + kind; }
  try {
    const answer a = run->second(one.at("input"));
    if (auto difference = first_difference(one.at("expected"), a.value, not_compared(file, suite_name, kind))) {
      return difference;
    }
    return a.complaint;
  } catch (const std::exception& error) { return std::string{"stopped: "} + error.what(); }
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
    const auto name = vectors.at("suite").get<std::string>();
    for (const auto& one : vectors.at("cases")) {
      const auto kind = one.at("kind").get<std::string>();
      if (!what.kinds.empty() && !what.kinds.contains(kind)) { continue; }
      unseen.erase(kind);
      if (const auto complaint = complaint_about(file, name, one)) {
        std::cout << name << " " << one.at("id").get<std::string>() << ": " << *complaint << "\n";
        ++failed;
      } else {
        ++passed;
      }
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
