// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <takt/analysis/known/locked_gpus/options.hpp>
#include <takt/generation/locked_gpus/studied_sets.hpp>
#include <takt/model/locked_gpus/configuration.hpp>
#include <takt/model/locked_gpus/task.hpp>

#include "gpusync_study_overheads.hpp"
#include "old_study.hpp"

namespace takt::program::old_sweep {

/// Light tasks at the highest utilisation are 218 on average; more than 320 have not once in 10^20 sets a chance.
inline constexpr std::size_t most_study_tasks = 320;
using study_tasks = gpusync_table<ticks, most_study_tasks, 1>;

/// How long a point of a curve is worked on: at least, and until the 95 % confidence interval of its share of accepted
/// sets is narrow, or at most. Sets are only counted up to divisors of `most`, so that shares have one denominator.
struct stopping_rule {
  std::int64_t least = 500;
  std::int64_t most = 4000;
  std::int64_t interval_permille = 30;

  [[nodiscard]] auto enough(std::int64_t sets, std::int64_t accepted) const -> bool;
};

enum class analysis_rules : std::uint8_t { sound, printed };

/// How sets are judged.
struct judgement {
  analysis_rules rules = analysis_rules::sound;
  std::int32_t interrupting_engines = 0;  ///< of a GPU, whose interrupts delay each engine section; 0: all of them
  analysis::gpusync::token_queue_limit queues = analysis::gpusync::token_queue_limit::all_cpus_per_token;
  uncontended_gpus uncontended = uncontended_gpus::dedicated;

  /// Studied configuration number i, as judged.
  [[nodiscard]] auto shape(std::size_t i) const -> gpusync_configuration;
};

/// Draws set number `index` of a group at a utilisation in thousandths; the number is unique among all of them.
void draw(const generation::studied_group& g, std::size_t group, std::int64_t utilization, std::uint64_t seed,
          std::int64_t index, study_tasks& out);

/// Whether a set that is placed on a board has bounded responses.
[[nodiscard]] auto accepts(const study_board& board, const judgement& by, const study_tasks& tasks) -> bool;

/// Values of a parameter, "a,b", as rising positions in a list of names. Throws `input_error`.
[[nodiscard]] auto choices(const settings& s, std::string_view name, std::span<const std::string_view> names)
    -> std::vector<std::size_t>;
[[nodiscard]] auto judgement_of(const settings& s) -> judgement;
/// The parameters that it reads, and the percentage of copy times.
[[nodiscard]] auto judgement_parameters() -> std::vector<parameter>;
[[nodiscard]] auto copy_percent_of(const settings& s) -> std::int64_t;

}  // namespace takt::program::old_sweep
