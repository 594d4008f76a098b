// SPDX-License-Identifier: Apache-2.0
#include "kinds.hpp"

#include <utility>

#include "text_file.hpp"

namespace takt::program {

auto open_file(const std::string& path) -> std::unique_ptr<described_file> {
  json_value document = parse_json(read_text_file(path));
  for (const file_kind* kind : {&accelerator_kind, &share_kind, &gpusync_kind, &graph_kind}) {
    if (kind->recognizes(document)) { return kind->read(std::move(document)); }
  }
  return chain_kind.read(std::move(document));
}

}  // namespace takt::program
