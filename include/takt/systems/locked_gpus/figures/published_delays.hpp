// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/systems/locked_gpus/figures/video_graphs.hpp>

namespace takt::inline TAKT_ABI::generation {

/// Gives the percent of the frames that are dropped. Of the times between two frames, in periods, it gives the longest,
/// the 99.9th and 99th percentile, the median, the mean and the standard deviation.
enum delay_column : std::uint8_t { dropped, longest, longest_of_999, longest_of_990, median, mean, deviation };
inline constexpr std::size_t delay_columns = 7;
using delay_row = std::array<std::int64_t, delay_columns>;

/// Says how smoothly the graphs ran in a configuration: number of tokens, of jobs that wait for each and order of
/// engines, or the scheduler where there are no tokens.
struct configuration_delays {
  std::string_view name;
  delay_row row{};
};

/// All graphs together, in hundredths. Source: Elliott 2015, Table 5.14.
inline constexpr std::array<configuration_delays, 11> published_delays{{
    {"SCHED_OTHER", {0, 920, 633, 165, 97, 100, 37}},
    {"SCHED_FIFO", {477, 1112, 983, 425, 189, 188, 99}},
    {"C-EDF", {0, 1212, 840, 422, 86, 100, 93}},
    {"(1 6 FIFO)", {3783, 965, 764, 370, 169, 174, 47}},
    {"(1 6 PRIO)", {3788, 953, 753, 370, 169, 174, 46}},
    {"(2 3 FIFO)", {699, 426, 305, 178, 113, 115, 20}},
    {"(2 3 PRIO)", {723, 454, 334, 178, 114, 116, 20}},
    {"(3 2 FIFO)", {0, 367, 237, 139, 99, 100, 15}},
    {"(3 2 PRIO)", {0, 383, 238, 141, 99, 100, 16}},
    {"(6 1 FIFO)", {0, 399, 222, 151, 99, 100, 21}},
    {"(6 1 PRIO)", {0, 392, 323, 160, 98, 100, 26}},
}};

/// All graphs together from one row for each of `video_rates`: drops by frames, delays by graphs, rounded down.
[[nodiscard]] constexpr auto over_all_graphs(std::span<const delay_row, video_rates.size()> by_rate) -> delay_row {
  constexpr std::int64_t common = 1'200;  // a multiple of all periods
  delay_row out{};
  std::int64_t frames = 0;
  for (std::size_t r = 0; r < video_rates.size(); ++r) {
    const std::int64_t weight = video_rates[r].graphs * (common / video_rates[r].milliseconds);
    for (std::size_t k = 0; k < delay_columns; ++k) {
      out[k] += by_rate[r][k] * (k == dropped ? weight : video_rates[r].graphs);
    }
    frames += weight;
  }
  for (std::size_t k = 0; k < delay_columns; ++k) {
    out[k] /= k == dropped ? frames : static_cast<std::int64_t>(video_graph_count);
  }
  return out;
}

namespace detail {

/// Holds rows of configurations, in parts of 1.
class delay_table {
 public:
  constexpr delay_table(std::span<const configuration_delays> rows, std::int64_t parts) : rows_{rows}, parts_{parts} {}

  /// More than one percent of its frames.
  [[nodiscard]] constexpr auto drops(std::string_view name) const -> bool { return find(name)[dropped] > parts_; }
  [[nodiscard]] constexpr auto varies(std::string_view name) const -> std::int64_t { return find(name)[deviation]; }
  [[nodiscard]] constexpr auto rows() const noexcept -> std::span<const configuration_delays> { return rows_; }

 private:
  /// Pre: the table names it.
  [[nodiscard]] constexpr auto find(std::string_view name) const -> const delay_row& {
    const auto at = std::ranges::find(rows_, name, &configuration_delays::name);
    TAKT_EXPECTS(at != rows_.end());
    return at->row;
  }

  std::span<const configuration_delays> rows_;
  std::int64_t parts_;
};

struct delay_observation {
  std::string_view text;
  bool (*holds)(const delay_table&);
};

}  // namespace detail

/// Lists what the paper says of the table. Of schedulers without tokens it does so again for those that wait busily, as
/// it supposes of the driver's library: of tables that name all of them. Source: Elliott 2015, section 5.5.3.1.
inline constexpr std::array<detail::delay_observation, 11> delay_observations{{
    {"one token drops frames (observation 42)",
     [](const detail::delay_table& t) { return t.drops("(1 6 FIFO)") && t.drops("(1 6 PRIO)"); }},
    {"two tokens drop frames (42)",
     [](const detail::delay_table& t) { return t.drops("(2 3 FIFO)") && t.drops("(2 3 PRIO)"); }},
    {"three and six tokens drop none (43)",
     [](const detail::delay_table& t) {
       return !t.drops("(3 2 FIFO)") && !t.drops("(3 2 PRIO)") && !t.drops("(6 1 FIFO)") && !t.drops("(6 1 PRIO)");
     }},
    {"(3 2 FIFO) has the least deviation of those without drops (47)",
     [](const detail::delay_table& t) {
       return std::ranges::all_of(t.rows(), [&t](const configuration_delays& c) {
         return t.drops(c.name) || t.varies(c.name) >= t.varies("(3 2 FIFO)");
       });
     }},
    {"engines in order of arrival vary less than in order of priority (46)",
     [](const detail::delay_table& t) {
       return t.varies("(3 2 FIFO)") <= t.varies("(3 2 PRIO)") && t.varies("(6 1 FIFO)") <= t.varies("(6 1 PRIO)");
     }},
    {"C-EDF is bursty, its deviation above twice that of (3 2 FIFO) (43, 49)",
     [](const detail::delay_table& t) { return t.varies("C-EDF") > 2 * t.varies("(3 2 FIFO)"); }},
    {"SCHED_OTHER varies less than C-EDF (44)",
     [](const detail::delay_table& t) { return t.varies("SCHED_OTHER") < t.varies("C-EDF"); }},
    {"SCHED_FIFO drops frames (42)", [](const detail::delay_table& t) { return t.drops("SCHED_FIFO"); }},
    {"C-EDF busy is bursty, its deviation above twice that of (3 2 FIFO) (43, 49)",
     [](const detail::delay_table& t) { return t.varies("C-EDF busy") > 2 * t.varies("(3 2 FIFO)"); }},
    {"SCHED_OTHER busy varies less than C-EDF busy (44)",
     [](const detail::delay_table& t) { return t.varies("SCHED_OTHER busy") < t.varies("C-EDF busy"); }},
    {"SCHED_FIFO busy drops frames (42)", [](const detail::delay_table& t) { return t.drops("SCHED_FIFO busy"); }},
}};

}  // namespace takt::inline TAKT_ABI::generation
