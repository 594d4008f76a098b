// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <takt/generation/locked_gpus/studied_sets.hpp>
#include <takt/model/locked_gpus/platform.hpp>
#include <takt/model/locked_gpus/study.hpp>
#include <takt/model/locked_gpus/task.hpp>
#include <takt/model/locked_gpus/transfer.hpp>

#include "study.hpp"

namespace takt::program::sweep {

using study_board = gpusync_board<transfer_curves<4>>;

/// Light tasks at the highest utilisation are 218 on average; more than 320 have not once in 10^20 sets a chance.
inline constexpr std::size_t most_study_tasks = 320;
using study_tasks = gpusync_table<ticks, most_study_tasks, 1>;

/// Worst or average case, of a loaded or an idle machine: positions in the list.
inline constexpr std::array<std::string_view, 4> overhead_names{"WC/L", "WC/I", "AC/L", "AC/I"};

/// How sets are judged, by the parameters of `judgement::parameters`. Throws `input_error`.
class judgement {
 public:
  explicit judgement(const settings& s);
  [[nodiscard]] static auto parameters() -> std::vector<parameter>;

  /// The study's machine in a studied configuration, under one of the four overheads. Nanoseconds.
  [[nodiscard]] auto board(std::size_t configuration, std::size_t overheads) const -> study_board;
  /// Whether a set that is placed on a board has bounded responses.
  [[nodiscard]] auto accepts(const study_board& board, const study_tasks& tasks) const -> bool;

 private:
  bool sound_ = true;
  std::int32_t interrupting_engines_ = 0;
  std::size_t queues_ = 0;
  uncontended_gpus uncontended_;
  std::int64_t copy_percent_ = 100;
};

/// Draws set number `index` of a group at a utilisation in thousandths; the number is unique among all of them.
void draw(std::size_t group, std::int64_t utilization, std::uint64_t seed, std::int64_t index, study_tasks& out);

}  // namespace takt::program::sweep
