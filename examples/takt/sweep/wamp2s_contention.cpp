// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <takt/core/inline_vector.hpp>

#include "wamp2s_levels.hpp"
#include "wamp2s_sets.hpp"
#include "wamp2s_studies.hpp"

namespace takt::program::old_sweep {

namespace {

constexpr std::size_t observed = 4;  // lavaMD in Table 3

/// The benchmarks, whose periods do not matter here.
[[nodiscard]] auto benchmark_set() -> application_table {
  auto all = generation::synthetic_benchmarks;
  for (auto& a : all) { a.period = a.wcet; }
  application_table out;
  static_cast<void>(generation::synthetic_set(std::span<const generation::synthetic_application>{all}, out));
  return out;
}

/// With equal shares beside the first so many of the others, which never stop.
[[nodiscard]] auto time_beside(const application_table& table, std::size_t others) -> ticks {
  const share each = share::bounded(100 / static_cast<std::int32_t>(others + 1));
  inline_vector<co_runner, most_applications> load;
  for (std::uint32_t k = 0; load.size() < others; ++k) {
    if (k != observed) { static_cast<void>(load.push_back({k, each})); }
  }
  return share_predictor{table}.predict(observed, each, {load.data(), load.size()});
}

[[nodiscard]] auto milliseconds(ticks microseconds) -> std::int64_t { return microseconds / 1000; }

void measure_seconds(experiment& e) {
  e.share_title = "time of a job (s)";
  e.measured = measure::thousandths;
  e.sets = e.sets_per_unit = 1;
}

[[nodiscard]] auto fig1(const settings& s) -> experiment {
  experiment e;
  e.title = "WAMP2S (Yao et al. 2022), Fig. 1: time of lavaMD beside others, invented platform";
  e.level_title = "applications, with lavaMD";
  e.level_name = "applications";
  measure_seconds(e);
  e.levels = whole_levels(s, 1, most_applications);
  e.keys = {"platform"};
  e.all_series = {{{"invented"}}};
  e.columns = {"equal_shares", "time_slices"};
  e.panels = {{"lavaMD",
               {{.column = 0, .title = "equal shares, with contention", .colour = 0},
                {.column = 1, .title = "time slices", .colour = 1}}}};
  e.make_counter = [] {
    return [table = benchmark_set()](const unit& u, std::span<std::int64_t> counts) {
      const auto others = static_cast<std::size_t>(u.level / 1000 - 1);
      counts[0] = milliseconds(time_beside(table, others));
      counts[1] = milliseconds(table.tasks[observed].alone.at(full_share) * static_cast<ticks>(others + 1));
    };
  };
  return e;
}

[[nodiscard]] auto fig6(const settings& s) -> experiment {
  experiment e;
  e.title = "WAMP2S (Yao et al. 2022), Fig. 6: time alone by share of the GPU, invented platform";
  e.level_title = "share of the GPU (%)";
  e.level_name = "share";
  measure_seconds(e);
  e.levels = whole_levels(s, 1, 100);
  e.keys = {"platform"};
  e.all_series = {{{"invented"}}};
  panel all{"ten benchmarks alone", {}};
  for (const auto& a : generation::synthetic_benchmarks) {
    all.curves.push_back({.column = e.columns.size(),
                          .title = std::string{a.name},
                          .colour = static_cast<int>(e.columns.size()),
                          .line = e.columns.size() < 7 ? stroke::solid : stroke::dashed});
    e.columns.emplace_back(a.name);
  }
  e.panels = {all};
  e.make_counter = [] {
    return [table = benchmark_set()](const unit& u, std::span<std::int64_t> counts) {
      const share held = share::bounded(static_cast<std::int32_t>(u.level / 1000));
      for (std::size_t i = 0; i < counts.size(); ++i) { counts[i] = milliseconds(table.tasks[i].alone.at(held)); }
    };
  };
  return e;
}

}  // namespace

auto wamp2s_contention_studies() -> std::vector<study> {
  return {{"wamp2s-fig1",
           "time of lavaMD beside 0 to 9 others, on an invented platform",
           {{"levels", "1..10/1", "applications: lavaMD and others in the order of Table 3"}},
           fig1},
          {"wamp2s-fig6",
           "time of each benchmark alone by its share of the GPU, on an invented platform",
           {{"levels", "5..100/5", "shares"}},
           fig6}};
}

}  // namespace takt::program::old_sweep
