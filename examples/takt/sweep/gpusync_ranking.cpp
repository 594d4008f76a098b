// SPDX-License-Identifier: Apache-2.0
#include "gpusync_ranking.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <takt/allocation/ranking.hpp>
#include <takt/generation/locked_gpus/studied_boards.hpp>
#include <takt/model/locked_gpus/study.hpp>

namespace takt::program::sweep {

namespace {

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
                            generation::studied_case_names[overheads], ranking.groups(),
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

}  // namespace

auto describe_rankings(const std::vector<scenario>& all, std::size_t levels, std::int64_t most, const tally& found)
    -> std::vector<std::string> {
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
  for (std::size_t o = 0; o < generation::studied_case_names.size(); ++o) {
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

}  // namespace takt::program::sweep
