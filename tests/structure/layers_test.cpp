// SPDX-License-Identifier: Apache-2.0
// Holds every include below include/takt to the table of layers.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <takt/core/version.hpp>

namespace {

namespace fs = std::filesystem;
using names = std::set<std::string, std::less<>>;
using complaints = std::vector<std::string>;

const std::map<std::string, names, std::less<>> may_include{
    {"core", {}},
    {"model", {"core"}},
    {"rules", {"core", "model"}},
    {"analysis", {"core", "model", "rules"}},
    {"allocation", {"core", "model", "rules", "analysis"}},
    {"prediction", {"core", "model"}},
    {"generation", {"core", "model"}},
    {"host", {"core", "model", "rules", "prediction"}},
    {"simulation", {"core", "model", "rules", "prediction", "host"}},
    {"checking", {"core", "model", "rules"}},
    {"report", {"core", "model", "rules", "analysis", "allocation", "simulation"}},
    {"study", {"core", "report"}},
    {"runtime", {"core", "model", "rules", "analysis", "allocation", "prediction", "host"}},
    {"cuda", {"core", "model", "rules", "analysis", "allocation", "prediction", "runtime"}},
};

/// Rooms that work without an operating system, in constant expressions and in CUDA files.
const names freestanding{"core", "model", "rules", "analysis", "allocation"};
const names freestanding_headers{"array",  "bit", "compare", "concepts",    "cstddef",     "cstdint",
                                 "limits", "new", "span",    "string_view", "type_traits", "utility"};
const names layers_with_ranges{"generation", "report"};

/// What a folder of a system is: each may include what the layer of the kernel may.
const std::map<std::string, std::string, std::less<>> layer_of_role{
    {"tasks", "model"},   {"rules", "rules"},           {"analysis", "analysis"}, {"plans", "allocation"},
    {"host", "host"},     {"simulation", "simulation"}, {"run", "runtime"},       {"cuda", "cuda"},
    {"report", "report"}, {"figures", "generation"}};

/// The doors of tasks on boards: the everyday one, and those beside it.
const std::set<std::string, std::less<>> doors_of_boards{"takt/graphs.hpp", "takt/kernels.hpp", "takt/shares.hpp",
                                                         "takt/takt.hpp", "takt/tokens.hpp"};

struct place {
  std::string layer;   ///< none of an umbrella header
  std::string system;  ///< none of the kernel

  /// The lists of all systems, which stand beside them.
  [[nodiscard]] auto lists_systems() const -> bool { return layer == "systems"; }
};

auto place_of(std::string_view path) -> place {
  std::vector<std::string> folders;
  for (std::size_t from = 0, slash = 0; (slash = path.find('/', from)) != std::string_view::npos; from = slash + 1) {
    folders.emplace_back(path.substr(from, slash - from));
  }
  if (folders.size() < 2 || folders[0] != "takt") { return {}; }
  if (folders[1] != "systems" || folders.size() == 2) { return {folders[1], {}}; }
  const auto role = folders.size() > 3 ? layer_of_role.find(folders[3]) : layer_of_role.end();
  return {role != layer_of_role.end() ? role->second : "systems/" + folders[2], folders[2]};
}

auto includes_of(const std::string& text) -> std::vector<std::string> {
  std::vector<std::string> found;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    const auto hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#' || line.find("include", hash) == std::string::npos) { continue; }
    const auto open = line.find_first_of("<\"", hash);
    const auto close = line.find_first_of(">\"", open + 1);
    if (open != std::string::npos && close != std::string::npos) {
      found.push_back(line.substr(open + 1, close - open - 1));
    }
  }
  return found;
}

/// What is wrong with one include of a header that stands in a layer.
auto check_include(const std::string& path, const std::string& included) -> std::string {
  const auto [layer, system] = place_of(path);
  if (included.starts_with("takt/")) {
    const place other = place_of(included);
    if (other.layer.empty()) {
      // The door of a system brings those of tasks and boards that it needs.
      const bool good = doors_of_boards.contains(included) && place_of(path).lists_systems();
      return good ? "" : "an umbrella header inside the library";
    }
    if (place_of(path).lists_systems()) { return ""; }
    if (!other.system.empty() && other.system != system) {
      return (system.empty() ? "the kernel" : system) + " may not include the system " + other.system;
    }
    if (other.lists_systems()) { return "nothing in the library may include lists of systems"; }
    return other.layer == layer || may_include.at(layer).contains(other.layer)
               ? ""
               : layer + " may not include " + other.layer;
  }
  if (included == "range/v3/all.hpp") { return "all of range-v3"; }
  if (included.starts_with("range/v3/") && !layers_with_ranges.contains(layer)) { return "range-v3 in " + layer; }
  if (included.starts_with("boost/")) {
    return layer == "model" && included.starts_with("boost/hana/") ? "" : "Boost outside model, or not Hana";
  }
  // What a broken precondition says, where there is an operating system.
  if (path == "takt/core/expects.hpp" && (included == "cstdio" || included == "cstdlib")) { return ""; }
  if (freestanding.contains(layer) && !freestanding_headers.contains(included)) {
    return "not one of the headers for " + layer;
  }
  return "";
}

auto check_umbrella(const std::string& path, const std::string& included) -> std::string {
  const std::string name = fs::path{path}.stem().string();
  const std::string other = place_of(included).layer;
  if (name == "compare" || doors_of_boards.contains(path)) {
    // The everyday door brings no other; those beside it bring it, and `compare` all of them.
    const bool is_door =
        name == "compare" ? doors_of_boards.contains(included) : path != "takt/takt.hpp" && included == "takt/takt.hpp";
    return freestanding.contains(other) || is_door ? "" : name + ".hpp brings core to allocation only";
  }
  if (!may_include.contains(name)) { return "no layer of this name"; }
  const bool own = other == name || may_include.at(name).contains(other) || included == "takt/takt.hpp";
  return own ? "" : name + ".hpp brings its own layer and what that may include";
}

/// `path` is relative to include/.
auto check_header(const std::string& path, const std::string& text) -> complaints {
  complaints out;
  const std::string layer = place_of(path).layer;
  if (!layer.empty() && layer != "systems" && !may_include.contains(layer)) {
    return {path + ": no such layer: " + layer};
  }
  for (const auto& included : includes_of(text)) {
    const std::string wrong = layer.empty() ? check_umbrella(path, included) : check_include(path, included);
    if (!wrong.empty()) { out.push_back(path + " includes " + included + ": " + wrong); }
  }
  if (text.find("#pragma once") == std::string::npos) { out.push_back(path + ": no #pragma once"); }
  const std::string versioned = "namespace takt::inline TAKT_ABI";
  for (std::size_t at = 0; (at = text.find("\nnamespace takt", at)) != std::string::npos; ++at) {
    if (text.compare(at + 1, versioned.size(), versioned) != 0) {
      out.push_back(path + ": not in " + versioned + ", which keeps versions and checks apart when they are linked");
    }
  }
  if (std::ranges::count(text, '\n') > 400) { out.push_back(path + ": more than 400 lines"); }
  return out;
}

auto read(const fs::path& file) -> std::string {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

TEST_CASE("every header includes only what its layer may include") {
  const fs::path root = fs::path{TAKT_SOURCE_DIR} / "include";
  std::size_t seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator{root}) {
    if (!entry.is_regular_file() || entry.path().filename() == "CMakeLists.txt") { continue; }
    ++seen;
    for (const auto& complaint : check_header(fs::relative(entry.path(), root).generic_string(), read(entry.path()))) {
      FAIL_CHECK(complaint);
    }
  }
  CHECK(seen > 40);
}

TEST_CASE("the layer check finds planted violations") {
  const auto wrong = [](const std::string& path, const std::string& include) {
    return check_header(path, "#pragma once\n#include " + include + "\n").size();
  };
  CHECK(wrong("takt/analysis/a.hpp", "<takt/model/b.hpp>") == 0);
  CHECK(wrong("takt/model/a.hpp", "<takt/analysis/b.hpp>") == 1);
  CHECK(wrong("takt/core/a.hpp", "<takt/model/b.hpp>") == 1);
  CHECK(wrong("takt/report/a.hpp", "<takt/runtime/b.hpp>") == 1);
  CHECK(wrong("takt/study/a.hpp", "<takt/report/b.hpp>") == 0);
  CHECK(wrong("takt/study/a.hpp", "<takt/analysis/b.hpp>") == 1);
  CHECK(wrong("takt/runtime/a.hpp", "<takt/simulation/b.hpp>") == 1);
  CHECK(wrong("takt/runtime/a.hpp", "<takt/host/b.hpp>") == 0);
  CHECK(wrong("takt/host/a.hpp", "<takt/simulation/b.hpp>") == 1);
  CHECK(wrong("takt/cuda/a.hpp", "<takt/runtime/b.hpp>") == 0);
  CHECK(wrong("takt/rules/a.hpp", "<takt/takt.hpp>") == 1);
  CHECK(wrong("takt/attic/a.hpp", "<array>") == 1);

  CHECK(wrong("takt/systems/x/analysis/a.hpp", "<takt/rules/b.hpp>") == 0);
  CHECK(wrong("takt/systems/x/analysis/a.hpp", "<takt/systems/x/tasks/b.hpp>") == 0);
  CHECK(wrong("takt/systems/x/analysis/a.hpp", "<takt/systems/x/run/b.hpp>") == 1);
  CHECK(wrong("takt/systems/x/run/links/a.hpp", "<takt/systems/x/tasks/b.hpp>") == 0);
  CHECK(wrong("takt/systems/x/analysis/a.hpp", "<takt/systems/y/tasks/b.hpp>") == 1);
  CHECK(wrong("takt/analysis/a.hpp", "<takt/systems/y/analysis/b.hpp>") == 1);
  CHECK(wrong("takt/analysis/a.hpp", "<takt/systems/methods.hpp>") == 1);
  CHECK(wrong("takt/systems/x/analysis/a.hpp", "<takt/systems/methods.hpp>") == 1);
  CHECK(wrong("takt/systems/methods.hpp", "<takt/systems/y/analysis/b.hpp>") == 0);
  CHECK(wrong("takt/systems/y.hpp", "<takt/takt.hpp>") == 0);
  CHECK(wrong("takt/systems/y.hpp", "<takt/kernels.hpp>") == 0);
  CHECK(wrong("takt/systems/y.hpp", "<takt/simulation.hpp>") == 1);
  CHECK(wrong("takt/systems/x/attic/a.hpp", "<takt/core/b.hpp>") == 1);
  CHECK(wrong("takt/systems/x/plans/a.hpp", "<vector>") == 1);

  CHECK(wrong("takt/core/a.hpp", "<array>") == 0);
  CHECK(wrong("takt/core/a.hpp", "<chrono>") == 1);
  CHECK(wrong("takt/allocation/a.hpp", "<vector>") == 1);
  CHECK(wrong("takt/simulation/a.hpp", "<vector>") == 0);
  CHECK(wrong("takt/model/a.hpp", "<boost/hana/tuple.hpp>") == 0);
  CHECK(wrong("takt/analysis/a.hpp", "<boost/hana/tuple.hpp>") == 1);
  CHECK(wrong("takt/model/a.hpp", "<boost/mp11.hpp>") == 1);
  CHECK(wrong("takt/report/a.hpp", "<range/v3/view/zip.hpp>") == 0);
  CHECK(wrong("takt/report/a.hpp", "<range/v3/all.hpp>") == 1);
  CHECK(wrong("takt/runtime/a.hpp", "<range/v3/view/zip.hpp>") == 1);
  CHECK(wrong("takt/core/a.hpp", "  \"chrono\"") == 1);

  CHECK(wrong("takt/takt.hpp", "<takt/allocation/b.hpp>") == 0);
  CHECK(wrong("takt/takt.hpp", "<takt/runtime/b.hpp>") == 1);
  CHECK(wrong("takt/takt.hpp", "<takt/kernels.hpp>") == 1);
  CHECK(wrong("takt/kernels.hpp", "<takt/takt.hpp>") == 0);
  CHECK(wrong("takt/kernels.hpp", "<takt/tokens.hpp>") == 1);
  CHECK(wrong("takt/kernels.hpp", "<takt/simulation/b.hpp>") == 1);
  CHECK(wrong("takt/compare.hpp", "<takt/kernels.hpp>") == 0);
  CHECK(wrong("takt/simulation.hpp", "<takt/simulation/b.hpp>") == 0);
  CHECK(wrong("takt/simulation.hpp", "<takt/report/b.hpp>") == 1);
  CHECK(wrong("takt/everything.hpp", "<takt/core/b.hpp>") == 1);

  CHECK(check_header("takt/core/a.hpp", "#include <array>\n").size() == 1);
  CHECK(check_header("takt/core/a.hpp", "#pragma once\nnamespace takt {\n").size() == 1);
  CHECK(check_header("takt/core/a.hpp", "#pragma once\nnamespace takt::inline TAKT_ABI::detail {\n").empty());
  CHECK(check_header("takt/core/a.hpp", "#pragma once\n" + std::string(400, '\n')).size() == 1);
  CHECK(check_header("takt/core/a.hpp", "#pragma once\n# include <chrono>\n").size() == 1);
}
