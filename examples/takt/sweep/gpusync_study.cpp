// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/model/locked_gpus/study.hpp>

#include "../failure.hpp"
#include "engine.hpp"
#include "gpusync_studies.hpp"
#include "gpusync_study_ranking.hpp"
#include "gpusync_study_sets.hpp"
#include "old_study.hpp"

namespace takt::program::old_sweep {

namespace {

constexpr std::array<std::string_view, 3> cpu_names{"P", "C", "G"};
constexpr std::array<std::string_view, 4> gpu_names{"P", "C2", "C4", "G"};
constexpr std::array<std::string_view, 4> token_names{"1", "2", "3", "inf"};

/// Columns behind those of `study_column`: shares of the drawn sets.
enum column : std::uint8_t { percent = study_columns, percent_p2p };

struct base_configuration {
  std::array<std::string_view, 3> cells;
  std::size_t plain = 0;
  std::size_t p2p = no_configuration;
};

[[nodiscard]] auto base_configurations(const settings& s) -> std::vector<base_configuration> {
  std::vector<base_configuration> out;
  for (const std::size_t cpus : choices(s, "cpus", cpu_names)) {
    for (const std::size_t gpus : choices(s, "gpus", gpu_names)) {
      for (const std::size_t tokens : choices(s, "tokens", token_names)) {
        const auto named = [&](std::string_view path) {
          return fmt::format("({},{}{},{})", cpu_names[cpus], gpu_names[gpus], path, token_names[tokens]);
        };
        const std::size_t plain = find_studied(named(""));
        if (plain == no_configuration) { continue; }
        out.push_back({{cpu_names[cpus], gpu_names[gpus], token_names[tokens]}, plain, find_studied(named("P2P"))});
      }
    }
  }
  if (out.empty()) { throw input_error{"tokens", "leave no configuration", "inf with gpus=P only"}; }
  return out;
}

/// Groups in the order of their numbers, every so many of those that all parameters allow.
[[nodiscard]] auto groups_of(const settings& s) -> std::vector<std::size_t> {
  namespace v = generation::studied_values;
  const auto utilizations = choices(s, "utilization", v::utilization_names);
  const auto periods = choices(s, "period", v::period_names);
  const auto shares = choices(s, "gpu-share", v::gpu_share_names);
  const auto kernels = choices(s, "kernels", v::kernel_names);
  const auto bytes = choices(s, "bytes", v::byte_names);
  const auto states = choices(s, "state", v::state_names);
  const auto has = [](const std::vector<std::size_t>& list, std::size_t i) {
    return std::ranges::find(list, i) != list.end();
  };
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < generation::studied_groups; ++i) {
    const auto g = generation::studied_group_at(i);
    if (has(utilizations, g.utilization) && has(periods, g.period) && has(shares, g.gpu_share) &&
        has(kernels, g.kernels) && has(bytes, g.bytes) && has(states, g.state)) {
      all.push_back(i);
    }
  }
  const auto every = static_cast<std::size_t>(s.number("every", 1, generation::studied_groups));
  std::vector<std::size_t> out;
  for (std::size_t i = every / 2; i < all.size(); i += every) { out.push_back(all[i]); }
  if (out.empty()) { out.push_back(all.front()); }
  return out;
}

void count_scenario(const scenario& what, const stopping_rule& stop, const judgement& by, std::uint64_t seed,
                    std::int64_t level, study_tasks& tasks, std::span<std::int64_t> counts) {
  const auto group = generation::studied_group_at(what.group);
  const auto board = [&](std::size_t i) { return board_of(by.shape(i), what.overheads, what.copy_percent); };
  const study_board plain = board(what.plain);
  const study_board p2p = board(what.p2p == no_configuration ? what.plain : what.p2p);
  std::int64_t sets = 0;
  std::array<std::int64_t, 2> found{};
  do {
    draw(group, what.group, level, seed, sets++, tasks);
    found[0] += accepts(plain, by, tasks) ? 1 : 0;
    if (what.p2p != no_configuration) { found[1] += accepts(p2p, by, tasks) ? 1 : 0; }
  } while (!stop.enough(sets, found[0]) || !stop.enough(sets, found[1]));
  counts[drawn] = 1000 * sets;
  counts[accepted] = 1000 * found[0];
  counts[accepted_p2p] = 1000 * found[1];
  counts[percent] = 100'000 * found[0] / sets;
  counts[percent_p2p] = 100'000 * found[1] / sets;
}

/// What Figure 4.16 shows, best first.
constexpr std::array<std::string_view, 12> figure_names{"(G,P,inf)",   "(C,P,inf)",   "(C,C2P2P,2)", "(G,C2P2P,2)",
                                                        "(C,C4,2)",    "(P,P,inf)",   "(G,C4,2)",    "(G,G,2)",
                                                        "(P,C2P2P,1)", "(P,C4P2P,1)", "(P,G,1)",     "(C,G,1)"};
constexpr std::size_t most_panels = 12;

/// One panel per group and overheads, of the first few.
[[nodiscard]] auto panels_of(const std::vector<scenario>& all) -> std::vector<panel> {
  std::vector<panel> out;
  std::vector<std::pair<std::size_t, std::size_t>> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::pair key{all[i].overheads, all[i].group};
    auto at = static_cast<std::size_t>(std::ranges::find(seen, key) - seen.begin());
    if (at == seen.size()) {
      if (seen.size() == most_panels) { continue; }
      namespace v = generation::studied_values;
      const auto g = generation::studied_group_at(key.second);
      seen.push_back(key);
      out.push_back({.title = fmt::format("{}: {}, {}, {} % GPU, kernels {} %, {}, state {} %",
                                          overhead_names[key.first], v::utilization_names[g.utilization],
                                          v::period_names[g.period], v::gpu_share_names[g.gpu_share],
                                          v::kernel_names[g.kernels], v::byte_names[g.bytes], v::state_names[g.state]),
                     .curves = {}});
    }
    for (std::size_t c = 0; c < figure_names.size(); ++c) {
      const std::size_t wanted = find_studied(figure_names[c]);
      if (wanted != all[i].plain && wanted != all[i].p2p) { continue; }
      out[at].curves.push_back({.series = i,
                                .column = wanted == all[i].plain ? std::size_t{percent} : std::size_t{percent_p2p},
                                .title = std::string{figure_names[c]},
                                .colour = static_cast<int>(c % 7),
                                .line = c < 7 ? stroke::solid : stroke::dashed});
    }
  }
  return out;
}

[[nodiscard]] auto cells_of(std::size_t overheads, const std::array<std::string_view, 3>& configuration,
                            const generation::studied_group& g) -> std::vector<std::string> {
  namespace v = generation::studied_values;
  std::vector<std::string> out{std::string{overhead_names[overheads]}};
  out.insert(out.end(), configuration.begin(), configuration.end());
  for (const std::string_view name :
       {v::utilization_names[g.utilization], v::period_names[g.period], v::gpu_share_names[g.gpu_share],
        v::kernel_names[g.kernels], v::byte_names[g.bytes], v::state_names[g.state]}) {
    out.emplace_back(name);
  }
  return out;
}

[[nodiscard]] auto design(const settings& s) -> experiment {
  experiment e;
  e.title = "GPUSync (Elliott 2015), section 4.3.6";
  e.level_title = "utilization";
  e.level_name = "utilization";
  e.share_title = "accepted task sets (%)";
  e.measured = measure::thousandths;
  e.levels = s.levels("levels");
  if (e.levels.back() > 12'000) { throw input_error{"levels", "are more than the CPUs", "at most 12"}; }
  const stopping_rule stop{.least = s.number("least", 1, 20'000),
                           .most = s.number("sets", 1, 20'000),
                           .interval_permille = s.number("interval", 1, 1000)};
  e.sets = stop.most;
  e.sets_per_unit = stop.most;
  e.keys = {"overheads", "cpus",      "gpus",    "tokens", "task_utilization",
            "period",    "gpu_share", "kernels", "bytes",  "state"};
  e.columns = {"drawn", "accepted", "accepted_p2p", "percent", "percent_p2p"};
  std::vector<scenario> all;
  const auto groups = groups_of(s);
  const std::int64_t copies = copy_percent_of(s);
  for (const std::size_t o : choices(s, "overheads", overhead_names)) {
    for (const base_configuration& c : base_configurations(s)) {
      for (const std::size_t group : groups) {
        e.all_series.push_back({cells_of(o, c.cells, generation::studied_group_at(group))});
        all.push_back({group, o, c.plain, c.p2p, copies});
      }
    }
  }
  e.panels = panels_of(all);
  const auto seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX));
  const judgement by = judgement_of(s);
  const auto shared = std::make_shared<const std::vector<scenario>>(std::move(all));
  e.remarks = [shared, levels = e.levels.size(), most = stop.most](const tally& found) {
    return describe_rankings(*shared, levels, most, found);
  };
  e.make_counter = [shared, stop, by, seed] {
    return [shared, stop, by, seed, tasks = std::make_shared<study_tasks>()](const unit& u,
                                                                             std::span<std::int64_t> counts) {
      count_scenario((*shared)[u.series], stop, by, seed, u.level, *tasks, counts);
    };
  };
  return e;
}

[[nodiscard]] auto parameters() -> std::vector<parameter> {
  std::vector<parameter> out{
      {"seed", "1", "of everything that is drawn"},
      {"sets", "4000", "per point, at most"},
      {"least", "500", "sets per point, at least"},
      {"interval", "30", "width of the 95 % confidence interval, in thousandths, that is enough"},
      {"levels", "0.25..12/0.25", "utilization of a set"},
      {"overheads", "WC/L,WC/I,AC/L,AC/I", "worst or average case, loaded or idle machine"},
      {"cpus", "P,C,G", "partitioned, in clusters of 6, global"},
      {"gpus", "P,C2,C4,G", "partitioned, in clusters of 2 or 4, all together"},
      {"tokens", "1,2,3,inf", "per GPU"},
      {"utilization", "light,medium,heavy", "of a task"},
      {"period", "moderate,long", "of a task"},
      {"gpu-share", "33,66,100", "tasks that use GPUs, in percent"},
      {"kernels", "10-25,25-75,75-95", "part of such a task's time, in percent"},
      {"bytes", "256KB,2MB,8MB", "input and output of a job"},
      {"state", "0,25,100", "in percent of that"},
      {"every", "1", "only one of so many of the groups that are left"}};
  std::ranges::move(judgement_parameters(), std::back_inserter(out));
  return out;
}

[[nodiscard]] auto with_values(std::vector<parameter> all,
                               const std::vector<std::pair<std::string_view, std::string_view>>& values)
    -> std::vector<parameter> {
  for (const auto& [name, value] : values) { std::ranges::find(all, name, &parameter::name)->value = value; }
  return all;
}

}  // namespace

auto gpusync_studies() -> std::vector<study> {
  return {{"gpusync", "57 ways to share 8 GPUs among 12 CPUs: all 75816 scenarios, ranked", parameters(), design},
          {"gpusync-small", "the same in minutes: some groups, levels and sets",
           with_values(
               parameters(),
               {{"sets", "32"}, {"least", "16"}, {"levels", "1..8/1"}, {"overheads", "WC/L,AC/L"}, {"every", "13"}}),
           design},
          {"gpusync-fig4.16", "acceptance of medium tasks with much data, under average overheads of a loaded machine",
           with_values(parameters(), {{"sets", "400"},
                                      {"least", "100"},
                                      {"overheads", "AC/L"},
                                      {"utilization", "medium"},
                                      {"period", "moderate"},
                                      {"gpu-share", "66"},
                                      {"kernels", "25-75"},
                                      {"bytes", "8MB"},
                                      {"state", "25"}}),
           design}};
}

}  // namespace takt::program::old_sweep
