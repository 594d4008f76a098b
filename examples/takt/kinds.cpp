// SPDX-License-Identifier: Apache-2.0
#include "kinds.hpp"

#include "text_file.hpp"

namespace takt::program {

auto open_file(const std::string& path) -> std::unique_ptr<described_file> {
  const json_value document = parse_json(read_text_file(path));
  for (const file_kind* kind : {&accelerator_kind, &share_kind, &gpusync_kind, &graph_kind}) {
    if (kind->recognizes(document)) { return kind->read(document); }
  }
  return chain_kind.read(document);
}

}  // namespace takt::program
