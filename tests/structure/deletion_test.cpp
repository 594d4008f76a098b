// SPDX-License-Identifier: Apache-2.0
// Holds the law of deletion by the text of includes: without a system's folder everything else still finds its headers.
// Whatever lists systems, `takt/systems/*.hpp`, is changed with them, and so are their tests, examples and pages.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using names = std::set<std::string, std::less<>>;
/// The headers of takt that each header includes; paths as includes write them.
using include_graph = std::map<std::string, std::vector<std::string>, std::less<>>;

constexpr std::string_view systems_folder = "takt/systems/";

/// Outside of the library systems are reached by these files, of one system each, which go with it, and by lists.
const std::map<std::string, std::string, std::less<>> of_one_system{
    {"benchmarks/analysis_benchmark.cpp", "rtgpu"},
    {"benchmarks/cuda/responses.cu", "rtgpu"},
    {"benchmarks/gpusync_analysis.cpp", "locked_gpus"},
    {"program/generators/chains.cpp", "rtgpu"},
    {"program/generators/graphs.cpp", "graphs"},
    {"program/generators/kernels.cpp", "graphs"},
    {"program/generators/sections.cpp", "locked_gpus"},
    {"program/generators/shares.cpp", "shares"},
    {"program/host/run_graphs.cpp", "graphs"},
    {"program/host/run_locked_gpus.cpp", "locked_gpus"},
    {"program/sweep/accelerator.cpp", "accelerators"},
    {"program/sweep/gpusync.cpp", "locked_gpus"},
    {"program/sweep/gpusync_runtime.cpp", "locked_gpus"},
    {"program/sweep/gpusync_video.cpp", "locked_gpus"},
    {"program/sweep/openvx.cpp", "graphs"},
    {"program/sweep/rtgpu.cpp", "rtgpu"},
    {"program/sweep/wamp2s.cpp", "shares"},
    {"program/sweep/wamp2s_networks.cpp", "shares"},
};
/// Files of the program that ask lists of systems.
const names by_lists{
    "export/cpp_rules.cpp",      // takt/systems/asked_policy.hpp
    "host/run_locked_gpus.cpp",  // takt/systems/asked_policy.hpp
    "plan/file_judge.cpp",       // takt/systems/policies.hpp
    "policies/judge_units.hpp",  // takt/systems/judge_by_keyword.hpp
    "policies/judged.cpp",       // takt/systems/in_words.hpp
};

auto includes_of(const std::string& text) -> std::vector<std::string> {
  std::vector<std::string> found;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    const auto hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#' || line.find("include", hash) == std::string::npos) { continue; }
    const auto open = line.find_first_of("<\"", hash);
    const auto close = line.find_first_of(">\"", open + 1);
    if (open == std::string::npos || close == std::string::npos) { continue; }
    const std::string path = line.substr(open + 1, close - open - 1);
    if (path.starts_with("takt/")) { found.push_back(path); }
  }
  return found;
}

/// The system in whose folder a header stands; empty where it stands in none.
auto system_of(std::string_view path) -> std::string {
  if (!path.starts_with(systems_folder)) { return {}; }
  const std::string_view rest = path.substr(systems_folder.size());
  const auto slash = rest.find('/');
  return slash == std::string_view::npos ? std::string{} : std::string{rest.substr(0, slash)};
}
/// A list of systems, or the door of one.
auto lists_systems(std::string_view path) -> bool {
  return path.starts_with(systems_folder) && system_of(path).empty();
}

/// The systems that a header, or a file with these includes, reaches in the end.
auto reached(const include_graph& graph, const std::vector<std::string>& from) -> names {
  names seen;
  names systems;
  std::vector<std::string> left = from;
  while (!left.empty()) {
    const std::string path = std::move(left.back());
    left.pop_back();
    if (!seen.insert(path).second) { continue; }
    if (std::string system = system_of(path); !system.empty()) { systems.insert(std::move(system)); }
    if (const auto found = graph.find(path); found != graph.end()) {
      left.insert(left.end(), found->second.begin(), found->second.end());
    }
  }
  return systems;
}

/// The systems into which files that stay reach when these are deleted: "who reaches which".
auto broken_by(const include_graph& graph, const names& deleted) -> names {
  names out;
  for (const auto& [path, included] : graph) {
    if (lists_systems(path) || deleted.contains(system_of(path))) { continue; }
    for (const auto& system : reached(graph, included)) {
      if (deleted.contains(system)) { out.insert(path + " reaches " + system); }
    }
  }
  return out;
}

/// The same of a file that is no header of the library, by what it includes itself.
auto broken_file(const std::string& path, const std::vector<std::string>& included, const names& deleted) -> names {
  names out;
  for (const auto& header : included) {
    if (const std::string system = system_of(header); deleted.contains(system)) {
      out.insert(path + " reaches " + system);
    }
  }
  return out;
}

auto read(const fs::path& file) -> std::string {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

auto root() -> fs::path { return TAKT_SOURCE_DIR; }

auto library() -> const include_graph& {
  static const include_graph out = [] {
    include_graph found;
    for (const auto& entry : fs::recursive_directory_iterator{root() / "include"}) {
      if (!entry.is_regular_file()) { continue; }
      found[fs::relative(entry.path(), root() / "include").generic_string()] = includes_of(read(entry.path()));
    }
    return found;
  }();
  return out;
}

auto all_systems() -> names {
  names out;
  for (const auto& entry : fs::directory_iterator{root() / "include" / systems_folder}) {
    if (entry.is_directory()) { out.insert(entry.path().filename().string()); }
  }
  return out;
}

/// What the program, benchmarks, modules and the playground include of the library, by file.
auto programs() -> include_graph {
  include_graph out;
  for (const std::string_view folder : {"program", "benchmarks", "modules", "playground"}) {
    for (const auto& entry : fs::recursive_directory_iterator{root() / folder}) {
      const std::string kind = entry.path().extension().string();
      const bool is_source = kind == ".hpp" || kind == ".cpp" || kind == ".cu" || kind == ".cuh" || kind == ".cppm";
      if (!entry.is_regular_file() || !is_source) { continue; }
      out[fs::relative(entry.path(), root()).generic_string()] = includes_of(read(entry.path()));
    }
  }
  return out;
}

/// The name of a file of the program within its folder; else empty.
auto in_program(std::string_view path) -> std::string {
  constexpr std::string_view folder = "program/";
  return path.starts_with(folder) ? std::string{path.substr(folder.size())} : std::string{};
}

/// What breaks when these systems are deleted, but for what is allowed to reach them.
auto broken(const names& deleted) -> names {
  names out = broken_by(library(), deleted);
  for (const auto& [path, included] : programs()) {
    const auto own = of_one_system.find(path);
    for (const auto& system : deleted) {
      if (own != of_one_system.end() && own->second == system) { continue; }
      out.merge(broken_file(path, included, {system}));
    }
  }
  return out;
}

void hold(const names& deleted) {
  for (const auto& complaint : broken(deleted)) { FAIL_CHECK(complaint); }
}

}  // namespace

TEST_CASE("when a system is deleted, nothing that stays includes it") {
  const names systems = all_systems();
  CHECK(systems.size() == 5);
  for (const auto& system : systems) {
    CAPTURE(system);
    hold({system});
  }
}

TEST_CASE("when all systems are deleted, nothing that stays includes one") { hold(all_systems()); }

TEST_CASE("the program asks lists of systems in few files") {
  names found;
  for (const auto& [path, included] : programs()) {
    const std::string name = in_program(path);
    if (name.empty() || std::ranges::none_of(included, lists_systems)) { continue; }
    CHECK_MESSAGE(by_lists.contains(name), path << " includes a list of systems");
    found.insert(name);
  }
  CHECK(found == by_lists);
  for (const auto& [name, system] : of_one_system) {
    CHECK_MESSAGE(fs::exists(root() / name), name << " is gone, and its line stays");
    CHECK(all_systems().contains(system));
  }
}

TEST_CASE("the check of deletion finds planted violations") {
  const include_graph graph{
      {"takt/analysis/a.hpp", {"takt/model/b.hpp"}},
      {"takt/model/b.hpp", {"takt/systems/x.hpp"}},
      {"takt/systems/x.hpp", {"takt/systems/x/tasks/c.hpp"}},
      {"takt/systems/x/tasks/c.hpp", {}},
      {"takt/systems/y/tasks/d.hpp", {"takt/model/b.hpp"}},
      {"takt/systems/z/tasks/e.hpp", {"takt/systems/z/tasks/f.hpp"}},
      {"takt/systems/z/tasks/f.hpp", {}},
  };
  CHECK(broken_by(graph, {"x"}) ==
        names{"takt/analysis/a.hpp reaches x", "takt/model/b.hpp reaches x", "takt/systems/y/tasks/d.hpp reaches x"});
  CHECK(broken_by(graph, {"x", "y"}) == names{"takt/analysis/a.hpp reaches x", "takt/model/b.hpp reaches x"});
  CHECK(broken_by(graph, {"z"}).empty());
  CHECK(broken_file("program/a.cpp", {"takt/systems/x/tasks/c.hpp", "takt/systems/x.hpp"}, {"x"}) ==
        names{"program/a.cpp reaches x"});
  CHECK(includes_of("  # include <takt/core/a.hpp>\n#include <vector>\n// takt/core/b.hpp\n") ==
        std::vector<std::string>{"takt/core/a.hpp"});
}
