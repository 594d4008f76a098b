// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/study.hpp>

namespace takt::inline TAKT_ABI {

/// Places from 1, by position in `studied_configurations`.
using studied_ranks = std::array<std::int64_t, studied_configurations.size()>;

/// Under each kind of overheads: worst case of a loaded and of an idle machine, average case of both.
/// Source: Elliott 2015, Tables 4.5 to 4.8.
inline constexpr std::array<studied_ranks, 4> published_ranks{{
    {21, 11, 10, 5,  38, 41, 43, 37, 42, 44, 47, 48, 50, 46, 49, 51, 52, 53, 54, 12, 2,  3,  1,  31, 9,  14, 29, 8, 13,
     36, 15, 18, 34, 16, 17, 55, 57, 56, 22, 7,  6,  4,  35, 20, 24, 32, 19, 23, 40, 25, 30, 39, 26, 28, 45, 27, 33},
    {19, 10, 12, 8,  41, 43, 45, 39, 42, 44, 47, 49, 50, 46, 48, 51, 52, 53, 55, 11, 2,  3,  1,  32, 9,  17, 30, 7, 14,
     37, 15, 22, 35, 13, 20, 54, 56, 57, 21, 5,  6,  4,  34, 18, 25, 33, 16, 23, 38, 26, 29, 36, 24, 28, 40, 27, 31},
    {26, 16, 14, 7,  41, 42, 44, 39, 43, 45, 47, 48, 50, 46, 49, 51, 53, 54, 55, 10, 4,  3,  1,  32, 9,  18, 31, 8, 17,
     37, 13, 20, 35, 15, 23, 52, 57, 56, 19, 6,  5,  2,  34, 12, 22, 33, 11, 21, 38, 24, 28, 36, 25, 27, 40, 29, 30},
    {30, 13, 14, 7,  41, 43, 45, 40, 42, 44, 47, 48, 50, 46, 49, 51, 52, 54, 55, 18, 5,  3,  2,  34, 11, 23, 32, 10, 20,
     38, 12, 28, 36, 15, 29, 53, 57, 56, 22, 6,  4,  1,  33, 9,  21, 31, 8,  17, 37, 16, 25, 35, 19, 26, 39, 24, 27},
}};

/// Counts in how many of the cases that an observation names it holds.
struct observed_cases {
  std::int64_t holds = 0;
  std::int64_t cases = 0;

  [[nodiscard]] friend constexpr auto operator==(const observed_cases&, const observed_cases&) noexcept
      -> bool = default;
};

struct ranking_observation {
  std::string_view text;
  observed_cases (*check)(const studied_ranks&);
};

namespace detail {

[[nodiscard]] constexpr auto place_of(const studied_ranks& places, std::string_view name) -> std::int64_t {
  return places[find_studied(name)];
}

[[nodiscard]] constexpr auto copies_directly(migration_path path) noexcept -> bool {
  switch (path) {
    case migration_path::none: return false;
    case migration_path::peer_to_peer: return true;
    case migration_path::system_memory: return false;
  }
  return false;
}

/// Counts, of the pairs that `names(a, b)` picks, those with a above b.
template <class Names>
[[nodiscard]] constexpr auto count_above(const studied_ranks& places, Names names) -> observed_cases {
  observed_cases out;
  for (std::size_t a = 0; a < places.size(); ++a) {
    for (std::size_t b = 0; b < places.size(); ++b) {
      if (!names(studied_configurations[a].value, studied_configurations[b].value)) { continue; }
      out.holds += places[a] < places[b] ? 1 : 0;
      ++out.cases;
    }
  }
  return out;
}

/// Returns whether two configurations differ in one field alone, or not at all.
template <class Field>
[[nodiscard]] constexpr auto alike_but_for(Field gpusync_configuration::* field, const gpusync_configuration& a,
                                           gpusync_configuration b) -> bool {
  b.*field = a.*field;
  return a == b;
}

}  // namespace detail

/// Lists what the paper says of its rankings. Source: Elliott 2015, section 4.3.6.2, observations 13 to 25.
inline constexpr std::array<ranking_observation, 7> ranking_observations{{
    {"(C,P,inf) is first or second (observations 13 and 14)",
     [](const studied_ranks& places) -> observed_cases {
       return {detail::place_of(places, "(C,P,inf)") <= 2 ? 1 : 0, 1};
     }},
    {"partitioned GPUs: no limit of tokens is above 1, 2 and 3 per GPU (observation 15)",
     [](const studied_ranks& places) {
       return detail::count_above(places, [](const auto& a, const auto& b) {
         return a.gpu_cluster_size == 1 && !a.limits_tokens() && b.limits_tokens() &&
                detail::alike_but_for(&gpusync_configuration::tokens_per_gpu, a, b);
       });
     }},
    {"clustered GPUs, CPUs not partitioned: 2 tokens per GPU are above 1 and 3, (C,G) apart (observation 16)",
     [](const studied_ranks& places) {
       return detail::count_above(places, [](const auto& a, const auto& b) {
         const bool apart = a.cpu_cluster_size < a.cpus && a.gpu_cluster_size == a.gpus;
         return a.cpu_cluster_size > 1 && a.gpu_cluster_size > 1 && !apart && a.tokens_per_gpu == 2 &&
                b.tokens_per_gpu != 2 && detail::alike_but_for(&gpusync_configuration::tokens_per_gpu, a, b);
       });
     }},
    {"2 GPUs per cluster, CPUs not partitioned: migration from GPU to GPU is above system memory (17)",
     [](const studied_ranks& places) {
       return detail::count_above(places, [](const auto& a, const auto& b) {
         return a.cpu_cluster_size > 1 && a.gpu_cluster_size == 2 && detail::copies_directly(a.migration) &&
                !detail::copies_directly(b.migration) && detail::alike_but_for(&gpusync_configuration::migration, a, b);
       });
     }},
    {"2 GPUs per cluster are above 4, all else equal (observations 18 and 23)",
     [](const studied_ranks& places) {
       return detail::count_above(places, [](const auto& a, const auto& b) {
         return a.gpu_cluster_size == 2 && b.gpu_cluster_size == 4 &&
                detail::alike_but_for(&gpusync_configuration::gpu_cluster_size, a, b);
       });
     }},
    {"(C,C2P2P,2) is above (P,P,inf), or at most 3 places below (observations 19 and 22)",
     [](const studied_ranks& places) -> observed_cases {
       return {detail::place_of(places, "(C,C2P2P,2)") <= detail::place_of(places, "(P,P,inf)") + 3 ? 1 : 0, 1};
     }},
    {"GPUs shared among CPU clusters, by CK-OMLP, take 18 of the 21 lowest places (observations 20 and 25)",
     [](const studied_ranks& places) -> observed_cases {
       constexpr std::int64_t lowest = 37;
       observed_cases out{0, 18};
       for (std::size_t i = 0; i < places.size(); ++i) {
         const bool donates = studied_configurations[i].value.protocol() == token_protocol::ck_omlp;
         out.holds += donates && places[i] >= lowest ? 1 : 0;
       }
       return out;
     }},
}};

}  // namespace takt::inline TAKT_ABI
