// SPDX-License-Identifier: Apache-2.0
#include "amalthea_page.hpp"

#include <array>
#include <ostream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "amalthea_metamodel.hpp"

namespace takt::program {

namespace {

using std::string_view;

[[nodiscard]] auto word_of(treatment how) -> string_view {
  switch (how) {
    case treatment::read: return "read";
    case treatment::harmless: return "harmless";
    case treatment::left_out: return "left out";
    case treatment::refused: return "refused";
    case treatment::kind_of: return "abstract";
  }
  return "";
}

[[nodiscard]] auto with_versions(string_view name, string_view versions) -> std::string {
  return versions.empty() ? fmt::format("`{}`", name) : fmt::format("`{}` ({})", name, versions);
}

}  // namespace

void print_metamodel(std::ostream& out) {
  out << "| class | is | read | harmless | left out or refused, as it can make the system slower |\n"
         "| --- | --- | --- | --- | --- |\n";
  for (const metamodel_class& c : metamodel_classes()) {
    std::array<std::string, 3> cells;
    std::string reason;
    for (const metamodel_feature& f : metamodel_features()) {
      if (f.owner != c.name) { continue; }
      const bool slows = f.how == treatment::left_out || f.how == treatment::refused;
      std::string& cell = cells[slows ? 2 : f.how == treatment::read ? 0 : 1];
      cell += cell.empty() ? "" : ", ";
      cell += with_versions(f.name, f.versions);
      if (slows) { cell += fmt::format(": {}", f.why); }
    }
    for (const harmless_values& v : metamodel_values()) {
      if (v.owner != c.name) { continue; }
      cells[2] += cells[2].empty() ? "" : ", ";
      cells[2] += fmt::format("`{}` with another value than {}: {}", v.name, v.values, v.why);
    }
    std::string how{word_of(c.how)};
    if (!c.why.empty()) { how += fmt::format(": {}", c.why); }
    out << fmt::format("| {} | {} | {} | {} | {} |\n", with_versions(c.name, c.versions), how, cells[0], cells[1],
                       cells[2]);
  }
}

}  // namespace takt::program
