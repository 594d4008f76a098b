// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include <takt/model/locked_gpus/platform.hpp>

#include "../files/workload_file.hpp"

namespace takt::program {

/// Whether a file is about graphs on clusters whose kernels, if there are some, meet in one queue of blocks.
[[nodiscard]] auto has_graphs(const workload_file& file) -> bool;

/// What a file says of GPUs with locked engines of their own, where its tasks hold tokens for them under a policy and a
/// rule of processors. `own`: the policy is the file's; else the file must say that GPUs have engines. Throws
/// `input_error` where the sizes of the board do not fit.
[[nodiscard]] auto locked_engines(const workload_file& file, std::string_view policy, std::string_view cpus, bool own)
    -> std::optional<gpusync_board<>>;

}  // namespace takt::program
