// SPDX-License-Identifier: Apache-2.0
#include "policies/policy_kind.hpp"
#include "text_file.hpp"

namespace takt::program {

auto open_file(const std::string& path, const rule_wishes& wishes) -> std::unique_ptr<described_file> {
  return under_policy(read_workload(parse_json(read_text_file(path))), wishes);
}

}  // namespace takt::program
