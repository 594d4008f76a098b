// SPDX-License-Identifier: Apache-2.0
// Elliott 2015, section 4.3.6: which ways to share GPUs schedule how many task sets, and how they rank. Fig. 4.17: the
// same against effective utilisation.
#include <algorithm>
#include <array>
#include <iterator>
#include <memory>

#include <takt/allocation/locked_gpus/load.hpp>
#include <takt/allocation/locked_gpus/partition.hpp>
#include <takt/allocation/ranking.hpp>
#include <takt/analysis/known/locked_gpus/analysis.hpp>
#include <takt/analysis/known/locked_gpus/as_published.hpp>
#include <takt/analysis/known/locked_gpus/options.hpp>
#include <takt/generation/locked_gpus/studied_boards.hpp>
#include <takt/generation/locked_gpus/studied_sets.hpp>
#include <takt/model/locked_gpus/study.hpp>

#include "../failure.hpp"
#include "engine.hpp"

namespace takt::program::sweep {

namespace {

using generation::studied_group;
namespace an = analysis::gpusync;
namespace values = generation::studied_values;
constexpr auto& overhead_names = generation::studied_case_names;

using study_board = generation::studied_board;

/// Light tasks at the highest utilisation are 218 on average; more than 320 have not once in 10^20 sets a chance. Most
/// sets are small, and what they cost grows with the room for them.
constexpr std::size_t most_tasks = 320;
constexpr std::size_t few_tasks = 64;
using study_tasks = gpusync_table<ticks, most_tasks, 1>;

/// How sets are judged, by parameters of these names. Throws `input_error`.
class judgement {
 public:
  explicit judgement(const settings& s)
      : sound_{s.choice("rules", std::array<std::string_view, 2>{"sound", "printed"}) == 0},
        dedicated_{s.choice("uncontended", std::array<std::string_view, 2>{"shared", "dedicated"}) == 1},
        copy_percent_{s.number("copy-percent")} {
    constexpr std::array<std::string_view, 3> limits{"cpus", "users", "all-cpus"};
    options_.interrupting_engines = s.number<std::int32_t>("interrupting");
    options_.queues = static_cast<an::token_queue_limit>(s.choice("queues", limits));
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
    gpusync_table<ticks, Room, 1> placed;
    for (const auto& t : tasks.tasks) { (void)placed.add(t); }
    require(partition_gpusync<Rules>(on, placed, options_).placed(), "a task set of this study cannot be placed");
    return an::analyze_set<Rules>(on, placed, options_).schedulable();
  }

  bool sound_;
  bool dedicated_;
  std::int64_t copy_percent_;
  an::options<ticks> options_;
};

/// Draws set number `index` of a group at a utilisation in thousandths; the number is unique among all of them.
void draw(std::size_t group, std::int64_t utilization, std::uint64_t seed, std::int64_t index, study_tasks& out) {
  constexpr std::int64_t most_levels = 100'001;
  constexpr std::int64_t most_indices = 20'000;
  const auto number = (static_cast<std::int64_t>(group) * most_levels + utilization) * most_indices + index;
  const auto options = generation::options_of(generation::studied_group_at(group), utilization);
  require(generation::generate(options, seed, static_cast<std::uint64_t>(number), out) == model_fault::none,
          "a task set cannot be drawn");
}

// The study.

constexpr std::size_t ranked_configurations = 57;
constexpr std::size_t no_configuration = ranked_configurations;

/// What of a series of the study decides its counts: 75,816 of them are the published study.
struct scenario {
  std::size_t group = 0;
  std::size_t overheads = 0;
  std::size_t plain = 0;               ///< position in `studied_configurations`
  std::size_t p2p = no_configuration;  ///< the same with the other path
};

/// Columns of a scenario: sets drawn, and how many of them are accepted with migration through system memory or none,
/// and from GPU to GPU where there is such a path. In thousandths.
enum study_column : std::uint8_t { drawn, accepted, accepted_p2p, study_columns };

// The ranking.

using study_ranking = area_ranking<ranked_configurations>;
/// Places from 1, by position in `studied_configurations`.
using study_places = std::array<std::int64_t, ranked_configurations>;

/// Tables 4.5 to 4.8, by the position of the overheads in `studied_case_names`.
constexpr std::array<study_places, 4> published{{
    {21, 11, 10, 5,  38, 41, 43, 37, 42, 44, 47, 48, 50, 46, 49, 51, 52, 53, 54, 12, 2,  3,  1,  31, 9,  14, 29, 8, 13,
     36, 15, 18, 34, 16, 17, 55, 57, 56, 22, 7,  6,  4,  35, 20, 24, 32, 19, 23, 40, 25, 30, 39, 26, 28, 45, 27, 33},
    {19, 10, 12, 8,  41, 43, 45, 39, 42, 44, 47, 49, 50, 46, 48, 51, 52, 53, 55, 11, 2,  3,  1,  32, 9,  17, 30, 7, 14,
     37, 15, 22, 35, 13, 20, 54, 56, 57, 21, 5,  6,  4,  34, 18, 25, 33, 16, 23, 38, 26, 29, 36, 24, 28, 40, 27, 31},
    {26, 16, 14, 7,  41, 42, 44, 39, 43, 45, 47, 48, 50, 46, 49, 51, 53, 54, 55, 10, 4,  3,  1,  32, 9,  18, 31, 8, 17,
     37, 13, 20, 35, 15, 23, 52, 57, 56, 19, 6,  5,  2,  34, 12, 22, 33, 11, 21, 38, 24, 28, 36, 25, 27, 40, 29, 30},
    {30, 13, 14, 7,  41, 43, 45, 40, 42, 44, 47, 48, 50, 46, 49, 51, 52, 54, 55, 18, 5,  3,  2,  34, 11, 23, 32, 10, 20,
     38, 12, 28, 36, 15, 29, 53, 57, 56, 22, 6,  4,  1,  33, 9,  21, 31, 8,  17, 37, 16, 25, 35, 19, 26, 39, 24, 27},
}};

/// One of the paper's observations: in how many of the cases that it names it holds, and in how many of them it should.
struct claim {
  std::string text;
  std::int64_t holds = 0;
  std::int64_t cases = 0;
};

[[nodiscard]] auto place(const study_places& places, std::string_view name) -> std::int64_t {
  return places[find_studied(name)];
}

/// That one configuration is above another, whatever the parts of their names are in these lists.
struct order {
  std::string text;
  std::string above;
  std::string below;
  std::vector<std::string> first;
  std::vector<std::string> second;
  std::vector<std::string> third{""};

  [[nodiscard]] auto check(const study_places& places) const -> claim {
    claim out{text};
    for (const auto& a : first) {
      for (const auto& b : second) {
        for (const auto& c : third) {
          const std::string high = fmt::format(fmt::runtime(above), a, b, c);
          if (high == "(C,G,2)") { continue; }  // the exception of observation 16
          const std::string low = fmt::format(fmt::runtime(below), a, b, c);
          out.holds += place(places, high) < place(places, low) ? 1 : 0;
          ++out.cases;
        }
      }
    }
    return out;
  }
};

const std::array<order, 4> orders{{
    {"partitioned GPUs: no limit of tokens is above 1, 2 and 3 per GPU (observation 15)",
     "({},P,inf)",
     "({},P,{})",
     {"P", "C", "G"},
     {"1", "2", "3"}},
    {"clustered GPUs, CPUs not partitioned: 2 tokens per GPU are above 1 and 3, (C,G) apart (observation 16)",
     "({},{},2)",
     "({},{},{})",
     {"C", "G"},
     {"C2", "C2P2P", "C4", "C4P2P", "G"},
     {"1", "3"}},
    {"2 GPUs per cluster, CPUs not partitioned: migration from GPU to GPU is above system memory (17)",
     "({},C2P2P,{})",
     "({},C2,{})",
     {"C", "G"},
     {"1", "2", "3"}},
    {"2 GPUs per cluster are above 4, all else equal (observations 18 and 23)",
     "({},C2{},{})",
     "({},C4{},{})",
     {"P", "C", "G"},
     {"", "P2P"},
     {"1", "2", "3"}},
}};

[[nodiscard]] auto check_claims(const study_places& places) -> std::vector<claim> {
  constexpr std::int64_t lowest = 37;  // the 21 lowest of 57
  const std::int64_t best = place(places, "(C,P,inf)");
  const std::int64_t pairs = place(places, "(C,C2P2P,2)");
  std::vector<claim> out{{"(C,P,inf) is first or second (observations 13 and 14)", best <= 2 ? 1 : 0, 1}};
  for (const order& o : orders) { out.push_back(o.check(places)); }
  out.push_back({"(C,C2P2P,2) is above (P,P,inf), or at most 3 places below (observations 19 and 22)",
                 pairs <= place(places, "(P,P,inf)") + 3 ? 1 : 0, 1});
  claim donating{"GPUs shared among CPU clusters, by CK-OMLP, take 18 of the 21 lowest places (observations 20 and 25)",
                 0, 18};
  for (std::size_t i = 0; i < ranked_configurations; ++i) {
    const bool donates = studied_configurations[i].value.protocol() == token_protocol::ck_omlp;
    donating.holds += donates && places[i] >= lowest ? 1 : 0;
  }
  out.push_back(donating);
  return out;
}

/// Spearman's coefficient of two rankings without ties, in thousandths, rounded down.
[[nodiscard]] auto rank_correlation(const study_places& a, const study_places& b) -> std::int64_t {
  constexpr auto n = static_cast<std::int64_t>(ranked_configurations);
  std::int64_t squares = 0;
  for (std::size_t i = 0; i < ranked_configurations; ++i) { squares += (a[i] - b[i]) * (a[i] - b[i]); }
  return floor_divide<std::int64_t>(1000 * (n * (n * n - 1) - 6 * squares), n * (n * n - 1));
}

void describe(const study_ranking& ranking, std::size_t overheads, std::vector<std::string>& out) {
  const study_places& theirs = published[overheads];
  study_places ours{};
  std::int64_t rank = 0;
  for (const place_statistics& s : ranking.ranked()) { ours[s.candidate] = ++rank; }
  out.push_back(fmt::format("ranking under {}, {} groups; rank correlation with the published one {}",
                            overhead_names[overheads], ranking.groups(),
                            thousandths_text(rank_correlation(ours, theirs))));
  out.push_back(
      fmt::format("{:>4} {:>9} {:<12} {:>6} {:>6} {:>6}", "rank", "published", "", "median", "mean", "sigma"));
  for (const place_statistics& s : ranking.ranked()) {
    const auto hundredths = (s.mean * rational{100} + rational{1, 2}).floor();
    const auto sigma = s.deviation(100);
    out.push_back(fmt::format("{:>4} {:>9} {:<12} {:>4}.{} {:>3}.{:02} {:>3}.{:02}", ours[s.candidate],
                              theirs[s.candidate], studied_configurations[s.candidate].name(), s.twice_median / 2,
                              s.twice_median % 2 * 5, hundredths / 100, hundredths % 100, sigma / 100, sigma % 100));
  }
  const auto printed = check_claims(theirs);
  const auto here = check_claims(ours);
  for (std::size_t i = 0; i < here.size(); ++i) {
    out.push_back(fmt::format("claim: {}: here {} of {}, published {} of {}", here[i].text, here[i].holds,
                              here[i].cases, printed[i].holds, printed[i].cases));
  }
}

/// For each kind of overheads, from the groups for which all configurations were tried: a table of the ranking beside
/// the published one, and in how many of the cases that the paper's observations name they hold in both. Points have at
/// most so many sets, and one series per scenario.
[[nodiscard]] auto describe_rankings(const std::vector<scenario>& all, std::size_t levels, std::int64_t most,
                                     const tally& found) -> std::vector<std::string> {
  struct group_areas {
    std::array<std::int64_t, ranked_configurations> areas{};
    std::size_t known = 0;
  };
  std::map<std::pair<std::size_t, std::size_t>, group_areas> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    group_areas& g = groups[{all[i].overheads, all[i].group}];
    const bool has_p2p = all[i].p2p != no_configuration;
    g.known += has_p2p ? 2 : 1;
    for (std::size_t l = 0; l < levels; ++l) {
      const auto counts = found.counts(i, l);
      const std::int64_t weight = most * 1000 / counts[drawn];
      g.areas[all[i].plain] += counts[accepted] / 1000 * weight;
      if (has_p2p) { g.areas[all[i].p2p] += counts[accepted_p2p] / 1000 * weight; }
    }
  }
  std::vector<std::string> out;
  for (std::size_t o = 0; o < overhead_names.size(); ++o) {
    study_ranking ranking(ranked_configurations);
    for (const auto& [key, g] : groups) {
      if (key.first == o && g.known == ranked_configurations) {
        (void)ranking.add(std::span<const std::int64_t>{g.areas});
      }
    }
    if (ranking.groups() > 0) { describe(ranking, o, out); }
  }
  return out;
}

// Its points.

/// How long a point of a curve is worked on: at least, and until the 95 % confidence interval of its share of accepted
/// sets is narrow, or at most. Sets are only counted up to divisors of `most`, so that shares have one denominator.
struct stopping_rule {
  std::int64_t least;
  std::int64_t most;
  std::int64_t interval_permille;

  [[nodiscard]] auto enough(std::int64_t sets, std::int64_t count) const -> bool {
    if (sets >= most) { return true; }
    if (sets < least || most % sets != 0) { return false; }
    // 1.96^2 a (n - a) / n^3 <= (w / 2000)^2, the normal approximation.
    return 15'366'400 * count * (sets - count) <= interval_permille * interval_permille * sets * sets * sets;
  }
};

/// A parameter that tells groups of task sets apart.
struct group_axis {
  std::string_view parameter;
  std::span<const std::string_view> names;
  std::size_t studied_group::* position;
};
constexpr std::array<group_axis, 6> group_axes{{{"utilization", values::utilization_names, &studied_group::utilization},
                                                {"period", values::period_names, &studied_group::period},
                                                {"gpu-share", values::gpu_share_names, &studied_group::gpu_share},
                                                {"kernels", values::kernel_names, &studied_group::kernels},
                                                {"bytes", values::byte_names, &studied_group::bytes},
                                                {"state", values::state_names, &studied_group::state}}};

/// Groups in the order of their numbers, every so many of those that all parameters allow.
[[nodiscard]] auto groups_of(const settings& s) -> std::vector<std::size_t> {
  std::array<std::vector<std::size_t>, group_axes.size()> chosen;
  std::ranges::transform(group_axes, chosen.begin(), [&](const auto& a) { return s.choices(a.parameter, a.names); });
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < generation::studied_groups; ++i) {
    const studied_group g = generation::studied_group_at(i);
    bool in = true;
    for (std::size_t a = 0; a < chosen.size(); ++a) {
      in = in && std::ranges::find(chosen[a], g.*group_axes[a].position) != chosen[a].end();
    }
    if (in) { all.push_back(i); }
  }
  const auto every = s.number<std::size_t>("every");
  std::vector<std::size_t> out;
  for (std::size_t i = every / 2; i < all.size(); i += every) { out.push_back(all[i]); }
  if (out.empty()) { out.push_back(all.front()); }
  return out;
}

[[nodiscard]] auto names_of(std::size_t group) -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const group_axis& a : group_axes) { out.emplace_back(a.names[generation::studied_group_at(group).*a.position]); }
  return out;
}

constexpr std::array<std::string_view, 3> cpu_names{"P", "C", "G"};
constexpr std::array<std::string_view, 4> gpu_names{"P", "C2", "C4", "G"};
constexpr std::array<std::string_view, 4> token_names{"1", "2", "3", "inf"};

/// Adds a series for every configuration, with its other path, and every group.
void add_scenarios(const settings& s, std::size_t overheads, experiment& e, std::vector<scenario>& all) {
  const auto groups = groups_of(s);
  for (const std::size_t cpus : s.choices("cpus", cpu_names)) {
    for (const std::size_t gpus : s.choices("gpus", gpu_names)) {
      for (const std::size_t tokens : s.choices("tokens", token_names)) {
        const auto named = [&](std::string_view path) {
          return find_studied(fmt::format("({},{}{},{})", cpu_names[cpus], gpu_names[gpus], path, token_names[tokens]));
        };
        if (named("") == no_configuration) { continue; }
        for (const std::size_t group : groups) {
          all.push_back({group, overheads, named(""), named("P2P")});
          e.add_series(overhead_names[overheads], cpu_names[cpus], gpu_names[gpus], token_names[tokens]);
          std::ranges::move(names_of(group), std::back_inserter(e.series.back()));
        }
      }
    }
  }
  if (all.empty()) { throw input_error{"tokens", "leave no configuration", "inf with gpus=P only"}; }
}

/// Columns behind those of `study_column`: shares of the drawn sets.
enum share_column : std::uint8_t { percent = study_columns, percent_p2p };

void count_scenario(const scenario& what, const stopping_rule& stop, const judgement& by, std::uint64_t seed,
                    std::int64_t level, std::span<std::int64_t> counts) {
  const bool has_p2p = what.p2p != no_configuration;
  const study_board plain = by.board(what.plain, what.overheads);
  const study_board p2p = by.board(has_p2p ? what.p2p : what.plain, what.overheads);
  const auto tasks = std::make_unique<study_tasks>();
  std::int64_t sets = 0;
  std::array<std::int64_t, 2> found{};
  do {
    draw(what.group, level, seed, sets++, *tasks);
    found[0] += by.accepts(plain, *tasks) ? 1 : 0;
    if (has_p2p) { found[1] += by.accepts(p2p, *tasks) ? 1 : 0; }
  } while (!stop.enough(sets, found[0]) || !stop.enough(sets, found[1]));
  counts[drawn] = 1000 * sets;
  for (std::size_t i = 0; i < found.size(); ++i) {
    counts[accepted + i] = 1000 * found[i];
    counts[percent + i] = 100'000 * found[i] / sets;
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
      const auto n = names_of(key.second);
      seen.push_back(key);
      e.add_panel(fmt::format("{}: {}, {}, {} % GPU, kernels {} %, {}, state {} %", overhead_names[key.first], n[0],
                              n[1], n[2], n[3], n[4], n[5]));
    }
    for (std::size_t c = 0; c < figure_names.size(); ++c) {
      const std::size_t wanted = find_studied(figure_names[c]);
      if (wanted != all[i].plain && wanted != all[i].p2p) { continue; }
      e.panels[at].curves.push_back({i, static_cast<std::size_t>(wanted == all[i].plain ? percent : percent_p2p),
                                     std::string{figure_names[c]}, static_cast<int>(c % 7),
                                     c < 7 ? stroke::solid : stroke::dashed});
    }
  }
}

void fill_study(const settings& s, experiment& e) {
  std::vector<scenario> found;
  for (const std::size_t o : s.choices("overheads", overhead_names)) { add_scenarios(s, o, e, found); }
  add_panels(found, e);
  const stopping_rule stop{s.number("least"), e.sets, s.number("interval")};
  const auto all = std::make_shared<const std::vector<scenario>>(std::move(found));
  e.remarks = [all, levels = e.levels.size(), most = e.sets](const tally& counts) {
    return describe_rankings(*all, levels, most, counts);
  };
  e.count = [all, stop, by = judgement{s}, seed = s.seed()](const unit& u, std::span<std::int64_t> counts) {
    count_scenario((*all)[u.series], stop, by, seed, u.level, counts);
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
  return {name, about,
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

/// Figure 4.16's tasks: medium, moderate periods, 66 % with GPUs, kernels of 25 to 75 %, 8 MB, and 25 % of it state.
constexpr std::size_t figure_group = [] {
  std::size_t i = 0;
  while (generation::studied_group_at(i) != studied_group{1, 0, 1, 1, 2, 1}) { ++i; }
  return i;
}();

/// Sets of every utilisation of Figure 4.16 whose effective utilisation is in the bin that ends at a level.
void count_bin(const study_board& board, const judgement& by, std::uint64_t seed, std::int64_t width,
               std::int64_t speed_up, const unit& u, std::span<std::int64_t> counts) {
  const auto tasks = std::make_unique<study_tasks>();
  for (std::int64_t utilization = 250; utilization <= 12'000; utilization += 250) {
    // Sets of so little utilisation do not reach the bin.
    if (utilization * (speed_up + 1) < u.level - width) { continue; }
    for (std::int64_t i = 0; i < u.sets; ++i) {
      draw(figure_group, utilization, seed, i, *tasks);
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
                const unit& u, std::span<std::int64_t> counts) {
    count_bin(boards[u.series], by, seed, width, speed_up, u, counts);
  };
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
