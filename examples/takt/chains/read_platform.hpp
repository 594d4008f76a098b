// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../fields.hpp"
#include "task_file.hpp"

namespace takt::program {

/// Reads the object `platform` of a file. Throws `input_error`.
void read_platform(const located& v, task_file& out);

}  // namespace takt::program
