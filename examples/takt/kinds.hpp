// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "described_file.hpp"
#include "json_value.hpp"

namespace takt::program {

/// A kind of file. The first of the list that recognizes a document reads it.
struct file_kind {
  bool (*recognizes)(const json_value& document);
  std::unique_ptr<described_file> (*read)(const json_value& document);
};

extern const file_kind accelerator_kind;
extern const file_kind graph_kind;
extern const file_kind gpusync_kind;
extern const file_kind share_kind;
/// Recognizes what no other kind does, so that faults are explained in its terms.
extern const file_kind chain_kind;

}  // namespace takt::program
