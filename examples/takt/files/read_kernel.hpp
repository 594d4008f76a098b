// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../fields.hpp"
#include "workload_file.hpp"

namespace takt::program {

/// [lower, upper] or an upper bound, neither negative nor reversed.
[[nodiscard]] auto read_span(const located& v) -> interval<ticks>;

/// Adds what is known of a kernel, in any combination. Throws `input_error`.
void read_kernel(const located& v, described_visit& out, workload_file& file);

}  // namespace takt::program
