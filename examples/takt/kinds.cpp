// SPDX-License-Identifier: Apache-2.0
#include "kinds.hpp"

#include <utility>

#include "files/shapes.hpp"
#include "policies/policy_kind.hpp"
#include "text_file.hpp"

namespace takt::program {

auto open_file(const std::string& path, const rule_wishes& wishes) -> std::unique_ptr<described_file> {
  auto file = read_workload(parse_json(read_text_file(path)));
  switch (wishes.any() ? file_shape::other : shape_of(*file)) {
    case file_shape::other: break;
    case file_shape::graphs: return known_graphs(std::move(file));
    case file_shape::sections: return known_sections(std::move(file));
  }
  return under_policy(std::move(file), wishes);
}

}  // namespace takt::program
