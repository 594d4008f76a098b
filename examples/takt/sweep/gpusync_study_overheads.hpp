// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/model/locked_gpus/configuration.hpp>
#include <takt/model/locked_gpus/platform.hpp>
#include <takt/model/locked_gpus/transfer.hpp>

namespace takt::program::old_sweep {

using study_board = gpusync_board<transfer_curves<4>>;

/// Worst or average case, of a loaded or an idle machine: positions in the list.
inline constexpr std::array<std::string_view, 4> overhead_names{"WC/L", "WC/I", "AC/L", "AC/I"};

/// The study's machine under one of the four, with copies that take so much of the time in the tables. Nanoseconds.
[[nodiscard]] auto board_of(const gpusync_configuration& c, std::size_t overheads, std::int64_t copy_percent = 100)
    -> study_board;

}  // namespace takt::program::old_sweep
