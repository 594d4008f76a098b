// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <takt/core/duration.hpp>

#include "workload_file.hpp"

namespace takt::program {

/// Whether some task is first released after the others.
[[nodiscard]] auto has_offsets(const workload_file& file) -> bool;
/// The first releases of all tasks.
[[nodiscard]] auto offsets_of(const workload_file& file) -> std::vector<duration>;
/// Throws `input_error` at the first task with an offset: `problem` is what is wrong with that.
void refuse_offsets(const workload_file& file, const std::string& problem, const std::string& allowed);
/// The same at the first strictly periodic task.
void refuse_strict(const workload_file& file, const std::string& problem, const std::string& allowed);

}  // namespace takt::program
