// SPDX-License-Identifier: Apache-2.0
#include "gpusync_study_ranking.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <takt/model/locked_gpus/study.hpp>

#include "gpusync_study_overheads.hpp"
#include "old_study.hpp"

namespace takt::program::old_sweep {

namespace {

/// WC/L, WC/I, AC/L, AC/I.
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

class comparison {
 public:
  explicit comparison(const study_places& places) : places_{&places} {}

  [[nodiscard]] auto place(const std::string& cpus, const std::string& gpus, const std::string& tokens) const
      -> std::int64_t {
    return (*places_)[find_studied(fmt::format("({},{},{})", cpus, gpus, tokens))];
  }
  /// How many places are at least so low.
  [[nodiscard]] auto donating_below(std::int64_t limit) const -> std::int64_t {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < ranked_configurations; ++i) {
      const bool donating = studied_configurations[i].value.protocol() == token_protocol::ck_omlp;
      count += donating && (*places_)[i] >= limit ? 1 : 0;
    }
    return count;
  }

 private:
  const study_places* places_;
};

const std::array<std::string, 3> all_cpus{"P", "C", "G"};
const std::array<std::string, 2> wide_cpus{"C", "G"};
const std::array<std::string, 3> all_tokens{"1", "2", "3"};

[[nodiscard]] auto unlimited_is_best(const comparison& c) -> claim {
  claim out{"partitioned GPUs: no limit of tokens is above 1, 2 and 3 per GPU (observation 15)", 0, 0};
  for (const auto& cpus : all_cpus) {
    for (const auto& tokens : all_tokens) {
      out.holds += c.place(cpus, "P", "inf") < c.place(cpus, "P", tokens) ? 1 : 0;
      ++out.cases;
    }
  }
  return out;
}

[[nodiscard]] auto two_tokens_are_best(const comparison& c) -> claim {
  claim out{"clustered GPUs, CPUs not partitioned: 2 tokens per GPU are above 1 and 3, (C,G) apart (observation 16)", 0,
            0};
  for (const auto& cpus : wide_cpus) {
    for (const std::string gpus : {"C2", "C2P2P", "C4", "C4P2P", "G"}) {
      if (cpus == "C" && gpus == "G") { continue; }
      for (const std::string other : {"1", "3"}) {
        out.holds += c.place(cpus, gpus, "2") < c.place(cpus, gpus, other) ? 1 : 0;
        ++out.cases;
      }
    }
  }
  return out;
}

[[nodiscard]] auto peer_is_best(const comparison& c) -> claim {
  claim out{"2 GPUs per cluster, CPUs not partitioned: migration from GPU to GPU is above system memory (17)", 0, 0};
  for (const auto& cpus : wide_cpus) {
    for (const auto& tokens : all_tokens) {
      out.holds += c.place(cpus, "C2P2P", tokens) < c.place(cpus, "C2", tokens) ? 1 : 0;
      ++out.cases;
    }
  }
  return out;
}

[[nodiscard]] auto pairs_are_best(const comparison& c) -> claim {
  claim out{"2 GPUs per cluster are above 4, all else equal (observations 18 and 23)", 0, 0};
  for (const auto& cpus : all_cpus) {
    for (const std::string path : {"", "P2P"}) {
      for (const auto& tokens : all_tokens) {
        out.holds += c.place(cpus, "C2" + path, tokens) < c.place(cpus, "C4" + path, tokens) ? 1 : 0;
        ++out.cases;
      }
    }
  }
  return out;
}

}  // namespace

auto published_places(std::size_t overheads) -> study_places { return published[overheads]; }

auto places_in(const study_ranking& ranking) -> study_places {
  study_places out{};
  std::int64_t place = 0;
  for (const place_statistics& s : ranking.ranked()) { out[s.candidate] = ++place; }
  return out;
}

auto check_claims(const study_places& places) -> std::vector<claim> {
  const comparison c{places};
  constexpr std::int64_t donating = 18;
  constexpr std::int64_t lowest = 37;  // the 21 lowest of 57
  return {
      {"(C,P,inf) is first or second (observations 13 and 14)", c.place("C", "P", "inf") <= 2 ? 1 : 0, 1},
      unlimited_is_best(c),
      two_tokens_are_best(c),
      peer_is_best(c),
      pairs_are_best(c),
      {"(C,C2P2P,2) is above (P,P,inf), or at most 3 places below (observations 19 and 22)",
       c.place("C", "C2P2P", "2") <= c.place("P", "P", "inf") + 3 ? 1 : 0, 1},
      {"GPUs shared among CPU clusters, by CK-OMLP, take 18 of the 21 lowest places (observations 20 and 25)",
       c.donating_below(lowest), donating},
  };
}

auto rank_correlation(const study_places& a, const study_places& b) -> std::int64_t {
  constexpr auto n = static_cast<std::int64_t>(ranked_configurations);
  std::int64_t squares = 0;
  for (std::size_t i = 0; i < ranked_configurations; ++i) { squares += (a[i] - b[i]) * (a[i] - b[i]); }
  return floor_divide<std::int64_t>(1000 * (n * (n * n - 1) - 6 * squares), n * (n * n - 1));
}

auto describe(const study_ranking& ranking, std::size_t overheads) -> std::vector<std::string> {
  const study_places ours = places_in(ranking);
  const study_places theirs = published_places(overheads);
  std::vector<std::string> out;
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
  const auto found = check_claims(ours);
  for (std::size_t i = 0; i < found.size(); ++i) {
    out.push_back(fmt::format("claim: {}: here {} of {}, published {} of {}", found[i].text, found[i].holds,
                              found[i].cases, printed[i].holds, printed[i].cases));
  }
  return out;
}

auto describe_rankings(const std::vector<scenario>& all, std::size_t levels, std::int64_t most_sets, const tally& found)
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
      const std::int64_t weight = most_sets * 1000 / counts[drawn];
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
    if (ranking.groups() == 0) { continue; }
    std::ranges::move(describe(ranking, o), std::back_inserter(out));
  }
  return out;
}

}  // namespace takt::program::old_sweep
