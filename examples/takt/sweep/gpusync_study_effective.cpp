// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <takt/allocation/locked_gpus/load.hpp>
#include <takt/model/locked_gpus/study.hpp>

#include "../failure.hpp"
#include "gpusync_studies.hpp"
#include "gpusync_study_sets.hpp"

namespace takt::program::old_sweep {

namespace {

enum column : std::uint8_t { drawn, accepted, percent };

constexpr std::array<std::string_view, 6> shown{"(C,P,inf)",   "(G,P,inf)", "(C,C2P2P,2)",
                                                "(G,C2P2P,2)", "(P,P,inf)", "(G,G,2)"};

/// Figure 4.16's tasks: medium, moderate periods, 66 % with GPUs, kernels of 25 to 75 %, 8 MB, and 25 % of it state.
constexpr generation::studied_group figure_tasks{
    .utilization = 1, .period = 0, .gpu_share = 1, .kernels = 1, .bytes = 2, .state = 1};

[[nodiscard]] constexpr auto number_of(const generation::studied_group& wanted) -> std::size_t {
  std::size_t i = 0;
  while (generation::studied_group_at(i) != wanted) { ++i; }
  return i;
}

struct question {
  std::uint64_t seed = 0;
  std::int64_t sets = 0;
  std::int64_t width = 0;  ///< of a bin, in thousandths
  std::int64_t speed_up = 0;
  judgement by{};
};

/// Sets of every utilisation of Figure 4.16 whose effective utilisation is in the bin that ends at a level.
void count_bin(const study_board& board, const question& q, std::int64_t level, study_tasks& tasks,
               std::span<std::int64_t> counts) {
  constexpr std::size_t group = number_of(figure_tasks);
  const auto effective = [&] { return effective_utilization(tasks, q.speed_up) / (whole_load<ticks>() / 1024); };
  for (std::int64_t utilization = 250; utilization <= 12'000; utilization += 250) {
    // Sets of so little utilisation do not reach the bin.
    if (utilization * (q.speed_up + 1) < level - q.width) { continue; }
    for (std::int64_t i = 0; i < q.sets; ++i) {
      draw(figure_tasks, group, utilization, q.seed, i, tasks);
      const std::int64_t e = effective() * 1000 / 1024;
      if (e <= level - q.width || e > level) { continue; }
      counts[drawn] += 1000;
      counts[accepted] += accepts(board, q.by, tasks) ? 1000 : 0;
    }
  }
  counts[percent] = counts[drawn] == 0 ? 0 : 100'000 * (counts[accepted] / 1000) / (counts[drawn] / 1000);
}

[[nodiscard]] auto design(const settings& s) -> experiment {
  experiment e;
  e.title = "GPUSync (Elliott 2015), Fig. 4.17";
  e.level_title = "effective utilization";
  e.level_name = "effective_utilization";
  e.share_title = "accepted task sets (%)";
  e.measured = measure::thousandths;
  e.levels = s.levels("levels");
  e.sets = s.number("sets", 1, 20'000);
  e.sets_per_unit = e.sets;
  e.keys = {"configuration"};
  e.columns = {"drawn", "accepted", "percent"};
  constexpr std::size_t loaded_average = 2;
  const judgement by = judgement_of(s);
  std::vector<study_board> boards;
  panel p{.title = "medium tasks, 66 % GPU, kernels 25-75 %, 8MB, state 25 %", .curves = {}};
  for (std::size_t i = 0; i < shown.size(); ++i) {
    std::string cell{shown[i]};
    p.curves.push_back({.series = i, .column = percent, .title = cell, .colour = static_cast<int>(i)});
    for (char& letter : cell) { letter = letter == ',' ? ' ' : letter; }
    e.all_series.push_back({{cell}});
    boards.push_back(board_of(by.shape(find_studied(shown[i])), loaded_average, copy_percent_of(s)));
  }
  e.panels.push_back(std::move(p));
  const question q{.seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX)),
                   .sets = e.sets,
                   .width = s.number("width", 1, 100'000),
                   .speed_up = s.number("speed-up", 1, 1000),
                   .by = by};
  e.make_counter = [boards, q] {
    return [boards, q, tasks = std::make_shared<study_tasks>()](const unit& u, std::span<std::int64_t> counts) {
      count_bin(boards[u.series], q, u.level, *tasks, counts);
    };
  };
  return e;
}

}  // namespace

auto gpusync_effective_studies() -> std::vector<study> {
  std::vector<parameter> parameters{{"seed", "1", "of everything that is drawn"},
                                    {"sets", "200", "per utilization from 0.25 to 12, each in the bin where it falls"},
                                    {"levels", "4..96/4", "where the bins of effective utilization end"},
                                    {"width", "4000", "of a bin, in thousandths"},
                                    {"speed-up", "32", "of a kernel over the same work on a CPU"}};
  std::ranges::move(judgement_parameters(), std::back_inserter(parameters));
  return {{"gpusync-fig4.17", "acceptance by effective utilization: what GPUs add to the CPUs", parameters, design}};
}

}  // namespace takt::program::old_sweep
