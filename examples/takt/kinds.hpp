// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "described_file.hpp"
#include "files/workload_file.hpp"

namespace takt::program {

/// Files for which a published method is made, as that method reads them. Pre: the file has the shape. They throw
/// `input_error` when something is wrong with the model.
[[nodiscard]] auto known_graphs(std::unique_ptr<workload_file> file) -> std::unique_ptr<described_file>;
[[nodiscard]] auto known_sections(std::unique_ptr<workload_file> file) -> std::unique_ptr<described_file>;

}  // namespace takt::program
