// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <takt/core/number.hpp>

#include "../files/workload_file.hpp"
#include "cpp_text.hpp"

namespace takt::program {

/// "1_ms, 2_ms", or the upper end alone where the lower one is 0.
[[nodiscard]] auto cpp_span(const interval<ticks>& time) -> std::vector<cpp_term>;

/// Whether a kernel may be the whole of a task on an accelerator: `takt::kernel(takt::wcet(...))`.
[[nodiscard]] auto is_whole_kernel(const runtime_visit& v) -> bool;
/// Whether it names its SM.
[[nodiscard]] auto has_own_sm(const runtime_visit& v) -> bool;

/// A kernel with all that is known of it. `whole`: it may be a task of an accelerator; `labelled`: it gets a name.
[[nodiscard]] auto cpp_kernel(const file_tasks& tasks, const runtime_visit& v, bool whole, bool labelled) -> cpp_term;

}  // namespace takt::program
