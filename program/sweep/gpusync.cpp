// SPDX-License-Identifier: Apache-2.0
// Elliott 2015, section 4.3.6: which ways to share GPUs schedule how many task sets, and how they rank. Fig. 4.17: the
// same against effective utilisation.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>

#include <takt/allocation/ranking.hpp>
#include <takt/generation/parameter_views.hpp>
#include <takt/systems/locked_gpus/analysis/analysis.hpp>
#include <takt/systems/locked_gpus/analysis/as_published.hpp>
#include <takt/systems/locked_gpus/analysis/options.hpp>
#include <takt/systems/locked_gpus/figures/studied_boards.hpp>
#include <takt/systems/locked_gpus/figures/studied_sets.hpp>
#include <takt/systems/locked_gpus/plans/partition.hpp>
#include <takt/systems/locked_gpus/plans/published_ranking.hpp>
#include <takt/systems/locked_gpus/tasks/study.hpp>

#include "../failure.hpp"
#include "study.hpp"

namespace takt::program::sweep {

namespace {

using generation::studied_axes;
namespace an = analysis::gpusync;
constexpr auto& overhead_names = generation::studied_case_names;

using study_board = generation::studied_board;

/// Light tasks at the highest utilisation are 218 on average; more than 320 have not once in 10^20 sets a chance. Most
/// sets are small, and what they cost grows with the room for them.
constexpr std::size_t most_tasks = 320;
constexpr std::size_t few_tasks = 64;
using study_tasks = task_rows<gpusync_task<ticks, 1>, most_tasks>;

/// How sets are judged, by parameters of these names. Throws `input_error`.
class judgement {
 public:
  explicit judgement(const settings& s)
      : sound_{s.choice("rules", std::array<std::string_view, 2>{"sound", "printed"}) == 0},
        dedicated_{s.choice("uncontended", std::array<std::string_view, 2>{"shared", "dedicated"}) == 1},
        copy_percent_{s.number("copy-percent")} {
    constexpr std::array<std::string_view, 3> limits{"cpus", "users", "all-cpus"};
    options_.interrupting_engines = s.number<std::int32_t>("interrupting");
    const std::size_t queues = s.choice("queues", limits);
    for_all_cpus_ = queues == 2;
    options_.queues = queues == 1 ? an::token_queue_limit::users_per_token : an::token_queue_limit::cpus_per_token;
  }
  [[nodiscard]] static auto parameters() -> std::vector<parameter> {
    return {
        {"rules", "sound", "of the analysis: sound or printed"},
        {"interrupting", "0", "engines of a GPU whose interrupts delay a section; 0: all, 1: only its own, unsound", 0,
         3},
        {"queues", "all-cpus", "limit of token queues: cpus or users per token, or all-cpus where clusters share GPUs"},
        {"uncontended", "dedicated", "GPUs of no more tasks than GPUs: dedicated to a task each, or shared"},
        {"copy-percent", "100", "of the copy times in the tables", 1, 1000}};
  }

  /// The study's machine in a studied configuration, under one of the four overheads.
  [[nodiscard]] auto board(std::size_t configuration, std::size_t overheads) const -> study_board {
    gpusync_configuration shape = studied_configurations[configuration].value;
    shape.tokens.for_all_cpus = for_all_cpus_;
    shape.uncontended = dedicated_ ? uncontended_gpus::dedicated : uncontended_gpus::shared;
    return generation::make_studied_board(shape, overheads, copy_percent_);
  }
  /// Whether a set that is placed on a board has bounded responses.
  [[nodiscard]] auto accepts(const study_board& on, const study_tasks& tasks) const -> bool {
    return sound_ ? accepted_by<an::sound_rules>(on, tasks) : accepted_by<an::as_published::rules>(on, tasks);
  }

 private:
  template <class Rules>
  [[nodiscard]] auto accepted_by(const study_board& on, const study_tasks& tasks) const -> bool {
    return tasks.size() <= few_tasks ? accepted_with<few_tasks, Rules>(on, tasks)
                                     : accepted_with<most_tasks, Rules>(on, tasks);
  }
  template <std::size_t Room, class Rules>
  [[nodiscard]] auto accepted_with(const study_board& on, const study_tasks& tasks) const -> bool {
    task_rows<gpusync_task<ticks, 1>, Room> placed;
    for (const auto& t : tasks.tasks) { (void)placed.add(t); }
    require(partition_gpusync<Rules>(on, placed, options_).placed(), "a task set of this study cannot be placed");
    return an::analyze_set<Rules>(on, placed, options_).schedulable();
  }

  bool sound_;
  bool dedicated_;
  bool for_all_cpus_ = false;
  std::int64_t copy_percent_;
  an::options<ticks> options_;
};

void draw(std::size_t group, std::int64_t utilization, std::uint64_t seed, std::int64_t index, study_tasks& out) {
  require(generation::generate(group, utilization, seed, index, out) == model_fault::none,
          "a task set cannot be drawn");
}

// The study.

constexpr std::size_t no_configuration = studied_configurations.size();

/// Ways of migration: through system memory or none, and from GPU to GPU.
constexpr std::array<std::string_view, 2> path_names{"", "P2P"};
constexpr std::size_t paths = path_names.size();

/// What of a series of the study decides its counts: 75,816 of them, by their paths, are the published study.
struct scenario {
  std::size_t group = 0;
  std::size_t overheads = 0;
  std::array<std::size_t, paths> configurations{};  ///< by path, as position in `studied_configurations`
};

/// Columns of a scenario, in thousandths: sets drawn, and by path how many of them are accepted, and which share.
enum study_column : std::uint8_t { drawn, accepted, percent = accepted + paths };

// The ranking.

using study_ranking = area_ranking<studied_configurations.size()>;

void describe(const study_ranking& ranking, std::size_t overheads, std::vector<std::string>& out) {
  const studied_ranks& theirs = published_ranks[overheads];
  studied_ranks ours{};
  std::int64_t rank = 0;
  for (const rank_statistics& s : ranking.ranked()) { ours[s.candidate] = ++rank; }
  out.push_back(fmt::format("ranking under {}, {} groups; rank correlation with the published one {}",
                            overhead_names[overheads], ranking.groups(),
                            thousandths_text(rank_correlation(ours, theirs))));
  out.push_back(
      fmt::format("{:>4} {:>9} {:<12} {:>6} {:>6} {:>6}", "rank", "published", "", "median", "mean", "sigma"));
  for (const rank_statistics& s : ranking.ranked()) {
    const auto hundredths = (s.mean * rational{100} + rational{1, 2}).floor();
    const auto sigma = s.deviation(100);
    out.push_back(fmt::format("{:>4} {:>9} {:<12} {:>4}.{} {:>3}.{:02} {:>3}.{:02}", ours[s.candidate],
                              theirs[s.candidate], studied_configurations[s.candidate].name(), s.twice_median / 2,
                              s.twice_median % 2 * 5, hundredths / 100, hundredths % 100, sigma / 100, sigma % 100));
  }
  for (const ranking_observation& o : ranking_observations) {
    const auto [here, cases] = o.check(ours);
    const auto [printed, printed_cases] = o.check(theirs);
    out.push_back(
        fmt::format("claim: {}: here {} of {}, published {} of {}", o.text, here, cases, printed, printed_cases));
  }
}

/// For each kind of overheads, from the groups for which all configurations were tried: a table of the ranking beside
/// the published one, and in how many of the cases that the paper's observations name they hold in both. Points have at
/// most so many sets, and one series per scenario.
[[nodiscard]] auto describe_rankings(const std::vector<scenario>& all, std::size_t levels, std::int64_t most,
                                     const tally& found) -> std::vector<std::string> {
  struct group_areas {
    studied_ranks areas{};
    std::size_t known = 0;
  };
  std::array<std::map<std::size_t, group_areas>, overhead_names.size()> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    group_areas& g = groups[all[i].overheads][all[i].group];
    for (std::size_t p = 0; p < paths; ++p) {
      if (all[i].configurations[p] == no_configuration) { continue; }
      ++g.known;
      for (std::size_t l = 0; l < levels; ++l) {
        const auto counts = found.counts(i, l);
        g.areas[all[i].configurations[p]] += counts[accepted + p] / 1000 * (most * 1000 / counts[drawn]);
      }
    }
  }
  std::vector<std::string> out;
  for (std::size_t o = 0; o < groups.size(); ++o) {
    study_ranking ranking(studied_configurations.size());
    for (const auto& [group, g] : groups[o]) {
      if (g.known == studied_configurations.size()) { (void)ranking.add(std::span<const std::int64_t>{g.areas}); }
    }
    if (ranking.groups() > 0) { describe(ranking, o, out); }
  }
  return out;
}

// Its points.

/// Groups in the order of their numbers, every so many of those that all parameters allow.
[[nodiscard]] auto groups_of(const settings& s) -> std::vector<std::size_t> {
  std::vector<std::size_t> all(generation::studied_groups);
  std::iota(all.begin(), all.end(), 0);
  for (const auto& axis : studied_axes) {
    const auto chosen = s.choices(axis.name, axis.names);
    std::erase_if(all, [&](std::size_t group) {
      return std::ranges::find(chosen, generation::studied_group_at(group).*axis.position) == chosen.end();
    });
  }
  const auto every = s.number<std::size_t>("every");
  std::vector<std::size_t> out;
  for (std::size_t i = every / 2 < all.size() ? every / 2 : 0; i < all.size(); i += every) { out.push_back(all[i]); }
  return out;
}

constexpr std::array<std::string_view, 3> cpu_names{"P", "C", "G"};
constexpr std::array<std::string_view, 4> gpu_names{"P", "C2", "C4", "G"};
constexpr std::array<std::string_view, 4> token_names{"1", "2", "3", "inf"};

/// Adds a series for every configuration, with its other path, and every group.
void add_scenarios(const settings& s, std::size_t overheads, experiment& e, std::vector<scenario>& all) {
  const auto all_cpus = s.choices("cpus", cpu_names);
  const auto all_gpus = s.choices("gpus", gpu_names);
  const auto all_tokens = s.choices("tokens", token_names);
  for (const auto& chosen : views::parameters(all_cpus, all_gpus, all_tokens)) {
    const std::string_view cpus = cpu_names[std::get<0>(chosen)];
    const std::string_view gpus = gpu_names[std::get<1>(chosen)];
    const std::string_view tokens = token_names[std::get<2>(chosen)];
    scenario one{.group = 0, .overheads = overheads};
    std::ranges::transform(path_names, one.configurations.begin(), [&](std::string_view path) {
      return find_studied(fmt::format("({},{}{},{})", cpus, gpus, path, tokens));
    });
    if (one.configurations[0] == no_configuration) { continue; }
    for (const std::size_t group : groups_of(s)) {
      one.group = group;
      all.push_back(one);
      e.add_series(overhead_names[overheads], cpus, gpus, tokens);
      for (const auto& a : studied_axes) {
        e.series.back().emplace_back(a.names[generation::studied_group_at(group).*a.position]);
      }
    }
  }
  if (all.empty()) { throw input_error{"tokens", "leave no configuration", "inf with gpus=P only"}; }
}

void count_scenario(const scenario& what, const generation::studied_precision& wanted, const judgement& by,
                    std::uint64_t seed, std::int64_t level, row counts) {
  std::vector<study_board> boards;
  for (const std::size_t c : what.configurations) {
    if (c != no_configuration) { boards.push_back(by.board(c, what.overheads)); }
  }
  const auto tasks = std::make_unique<study_tasks>();
  std::int64_t sets = 0;
  std::array<std::int64_t, paths> found{};
  do {
    draw(what.group, level, seed, sets++, *tasks);
    for (std::size_t p = 0; p < boards.size(); ++p) { found[p] += by.accepts(boards[p], *tasks) ? 1 : 0; }
  } while (!std::ranges::all_of(found, [&](std::int64_t count) { return wanted.enough(sets, count); }));
  counts[drawn] = 1000 * sets;
  for (std::size_t p = 0; p < paths; ++p) {
    counts[accepted + p] = 1000 * found[p];
    counts[percent + p] = 100'000 * found[p] / sets;
  }
}

/// What Figure 4.16 shows, best first.
constexpr std::array<std::string_view, 12> figure_names{"(G,P,inf)",   "(C,P,inf)",   "(C,C2P2P,2)", "(G,C2P2P,2)",
                                                        "(C,C4,2)",    "(P,P,inf)",   "(G,C4,2)",    "(G,G,2)",
                                                        "(P,C2P2P,1)", "(P,C4P2P,1)", "(P,G,1)",     "(C,G,1)"};
constexpr std::size_t most_panels = 12;

/// One panel per group and overheads, of the first few.
void add_panels(const std::vector<scenario>& all, experiment& e) {
  std::vector<std::pair<std::size_t, std::size_t>> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::pair key{all[i].overheads, all[i].group};
    const auto at = static_cast<std::size_t>(std::ranges::find(seen, key) - seen.begin());
    if (at == seen.size()) {
      if (seen.size() == most_panels) { continue; }
      seen.push_back(key);
      const auto& n = e.series[i];
      e.add_panel(
          fmt::format("{}: {}, {}, {} % GPU, kernels {} %, {}, state {} %", n[0], n[4], n[5], n[6], n[7], n[8], n[9]));
    }
    for (std::size_t c = 0; c < figure_names.size(); ++c) {
      const auto path = std::ranges::find(all[i].configurations, find_studied(figure_names[c]));
      if (path == all[i].configurations.end()) { continue; }
      const auto column = static_cast<std::size_t>(percent + (path - all[i].configurations.begin()));
      e.panels[at].curves.push_back(
          {i, column, std::string{figure_names[c]}, static_cast<int>(c % 7), c < 7 ? stroke::solid : stroke::dashed});
    }
  }
}

void fill_study(const settings& s, experiment& e) {
  const auto all = std::make_shared<std::vector<scenario>>();
  for (const std::size_t o : s.choices("overheads", overhead_names)) { add_scenarios(s, o, e, *all); }
  add_panels(*all, e);
  e.remarks = [all, levels = e.levels.size(), most = e.sets](const tally& counts) {
    return describe_rankings(*all, levels, most, counts);
  };
  const generation::studied_precision wanted{s.number("least"), e.sets, s.number("interval")};
  e.count = [all, wanted, by = judgement{s}, seed = s.seed()](const unit& u, row counts) {
    count_scenario((*all)[u.series], wanted, by, seed, u.level, counts);
  };
}

[[nodiscard]] auto study_of(std::string_view name, std::string_view about, const std::vector<parameter>& own) -> study {
  constexpr std::int64_t most = 20'000;
  const auto all =
      with({{"seed", "1", "of everything that is drawn"},
            {"sets", "4000", "per point, at most", 1, most},
            {"least", "500", "sets per point, at least", 1, most},
            {"interval", "30", "width of the 95 % confidence interval, in thousandths, that is enough", 1, 1000},
            {"levels", "0.25..12/0.25", "utilization of a set", 1, 12'000},
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
            {"every", "1", "only one of so many of the groups that are left", 1, generation::studied_groups}},
           judgement::parameters());
  return {std::string{name}, std::string{about},
          layout("GPUSync (Elliott 2015), section 4.3.6", "utilization", "utilization", "accepted task sets (%)",
                 {"overheads", "cpus", "gpus", "tokens", "task_utilization", "period", "gpu_share", "kernels", "bytes",
                  "state"},
                 {"drawn", "accepted", "accepted_p2p", "percent", "percent_p2p"}, measure::thousandths),
          with(all, own), fill_study};
}

// Fig. 4.17.

enum bin_column : std::uint8_t { bin_drawn, bin_accepted, bin_percent };

constexpr std::array<std::string_view, 6> shown_configurations{"(C,P,inf)",   "(G,P,inf)", "(C,C2P2P,2)",
                                                               "(G,C2P2P,2)", "(P,P,inf)", "(G,G,2)"};

/// Sets of every utilisation of Figure 4.16 whose effective utilisation is in the bin that ends at a level.
void count_bin(const study_board& board, const judgement& by, std::uint64_t seed, std::int64_t width,
               std::int64_t speed_up, const unit& u, row counts) {
  constexpr std::size_t group = number_of(generation::figure_4_16_group);
  const auto tasks = std::make_unique<study_tasks>();
  for (std::int64_t utilization = 250; utilization <= 12'000; utilization += 250) {
    // Sets of so little utilisation do not reach the bin.
    if (utilization * (speed_up + 1) < u.level - width) { continue; }
    for (std::int64_t i = 0; i < u.sets; ++i) {
      draw(group, utilization, seed, i, *tasks);
      const std::int64_t effective =
          effective_utilization(*tasks, speed_up) / (whole_load<ticks>() / 1024) * 1000 / 1024;
      if (effective <= u.level - width || effective > u.level) { continue; }
      counts[bin_drawn] += 1000;
      counts[bin_accepted] += by.accepts(board, *tasks) ? 1000 : 0;
    }
  }
  counts[bin_percent] =
      counts[bin_drawn] == 0 ? 0 : 100'000 * (counts[bin_accepted] / 1000) / (counts[bin_drawn] / 1000);
}

void fill_bins(const settings& s, experiment& e) {
  constexpr std::size_t loaded_average = 2;
  const judgement by{s};
  std::vector<study_board> boards;
  e.add_panel("medium tasks, 66 % GPU, kernels 25-75 %, 8MB, state 25 %");
  for (const std::string_view name : shown_configurations) {
    std::string cell{name};
    std::ranges::replace(cell, ',', ' ');
    e.add_series(cell);
    e.draw(bin_percent, name, static_cast<int>(boards.size()));
    boards.push_back(by.board(find_studied(name), loaded_average));
  }
  e.count = [boards, by, seed = s.seed(), width = s.number("width"), speed_up = s.number("speed-up")](
                const unit& u, row counts) { count_bin(boards[u.series], by, seed, width, speed_up, u, counts); };
}

}  // namespace

auto gpusync_studies() -> std::vector<study> {
  return {
      study_of("gpusync", "57 ways to share 8 GPUs among 12 CPUs: all 75816 scenarios, ranked", {}),
      study_of("gpusync-small", "the same in minutes: some groups, levels and sets",
               {{"sets", "32", ""},
                {"least", "16", ""},
                {"levels", "1..8/1", ""},
                {"overheads", "WC/L,AC/L", ""},
                {"every", "13", ""}}),
      study_of("gpusync-fig4.16",
               "acceptance of medium tasks with much data, under average overheads of a loaded machine",
               {{"sets", "400", ""},
                {"least", "100", ""},
                {"overheads", "AC/L", ""},
                {"utilization", "medium", ""},
                {"period", "moderate", ""},
                {"gpu-share", "66", ""},
                {"kernels", "25-75", ""},
                {"bytes", "8MB", ""},
                {"state", "25", ""}}),
      {"gpusync-fig4.17", "acceptance by effective utilization: what GPUs add to the CPUs",
       layout("GPUSync (Elliott 2015), Fig. 4.17", "effective_utilization", "effective utilization",
              "accepted task sets (%)", {"configuration"}, {"drawn", "accepted", "percent"}, measure::thousandths),
       with({{"seed", "1", "of everything that is drawn"},
             {"sets", "200", "per utilization from 0.25 to 12, each in the bin where it falls", 1, 20'000},
             {"levels", "4..96/4", "where the bins of effective utilization end"},
             {"width", "4000", "of a bin, in thousandths", 1, 100'000},
             {"speed-up", "32", "of a kernel over the same work on a CPU", 1, 1000}},
            judgement::parameters()),
       fill_bins},
  };
}

}  // namespace takt::program::sweep
