// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/model/platform_record.hpp>
#include <takt/model/task_table.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu.hpp>

namespace takt_tests {

using takt::ticks;
using table = takt::task_table<ticks, 8, 64, 64>;
using range = takt::interval<ticks>;

struct kernel_of {
  range work;
  ticks overhead = 0;
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;
};

/// A task in the notation of the worked examples: m CPU segments, m - 1 kernels, and two, one or no copies per kernel.
struct task_of {
  std::string_view name;
  ticks period = 0;
  ticks deadline = 0;
  std::vector<range> cpu;
  std::vector<range> copies;
  std::vector<kernel_of> kernels;
  std::int32_t core = 0;
};

inline void append_chain(table& out, const task_of& t) {
  const std::size_t per_kernel = t.kernels.empty() ? 0 : t.copies.size() / t.kernels.size();
  std::size_t copy = 0;
  for (std::size_t j = 0; j < t.cpu.size(); ++j) {
    out.add_segment({.where = takt::stage::cpu, .time = t.cpu[j]});
    if (j >= t.kernels.size()) { continue; }
    const kernel_of& k = t.kernels[j];
    if (per_kernel > 0) {
      out.add_segment({.where = takt::stage::copy, .direction = takt::to_device, .time = t.copies[copy++]});
    }
    out.add_segment({.where = takt::stage::kernel,
                     .time = k.work,
                     .overhead = k.overhead,
                     .interleave_numerator = k.numerator,
                     .interleave_denominator = k.denominator});
    if (per_kernel > 1) {
      out.add_segment({.where = takt::stage::copy, .direction = takt::to_host, .time = t.copies[copy++]});
    }
  }
}

/// The table of some tasks in deadline-monotonic order.
[[nodiscard]] inline auto table_of(const std::vector<task_of>& tasks) -> table {
  table out;
  for (const auto& t : tasks) {
    out.add_task(t.name, t.period, t.deadline, takt::no_priority, t.core);
    append_chain(out, t);
  }
  takt::prioritize(out);
  return out;
}

[[nodiscard]] inline auto board(std::int32_t sms, std::int32_t virtual_per_sm, bool shared = false,
                                std::int32_t cores = 1, std::int32_t engines = 1) -> takt::platform_record {
  takt::platform_record out;
  out.cores = cores;
  out.copy_engines = engines;
  out.gpus.unchecked_push_back({sms, virtual_per_sm, 1, shared});
  return out;
}

/// The worked examples E1 to E5 that the RTGPU analyses are held to: platforms with task sets.
struct example {
  takt::platform_record platform;
  table tasks;
};

[[nodiscard]] inline auto example_1() -> example {
  return {board(4, 2), table_of({{"A", 60, 50, {{2, 3}, {2, 4}}, {{2, 2}, {1, 2}}, {{{20, 30}, 2, 3, 2}}},
                                 {"B",
                                  120,
                                  100,
                                  {{3, 5}, {2, 4}, {1, 2}},
                                  {{2, 3}, {2, 3}, {1, 2}, {2, 4}},
                                  {{{30, 40}, 3, 9, 5}, {{10, 20}, 1, 9, 5}}}})};
}
[[nodiscard]] inline auto example_2() -> example {
  return {board(4, 2), table_of({{"L", 59, 59, {{4, 5}, {10, 10}}, {{5, 6}, {3, 5}}, {{{7, 14}, 1, 9, 5}}},
                                 {"H", 33, 33, {{1, 1}, {1, 2}}, {{1, 2}, {4, 4}}, {{{8, 10}, 0, 17, 10}}}})};
}
[[nodiscard]] inline auto example_3() -> example {
  return {
      board(6, 2),
      table_of({{"A", 100, 80, {{3, 4}, {2, 3}, {2, 2}}, {{3, 4}, {2, 3}}, {{{24, 32}, 2, 8, 5}, {{12, 16}, 1, 8, 5}}},
                {"B", 150, 150, {{4, 6}, {5, 6}}, {{4, 5}}, {{{60, 80}, 4, 29, 20}}},
                {"C",
                 300,
                 260,
                 {{5, 8}, {4, 7}, {6, 9}},
                 {{3, 6}, {4, 6}},
                 {{{40, 60}, 3, 17, 10}, {{50, 70}, 3, 17, 10}}}})};
}
[[nodiscard]] inline auto example_4() -> example {
  return {board(3, 2),
          table_of({{"A", 40, 40, {{2, 3}, {1, 2}}, {}, {{{10, 13}, 1, 9, 5}}},
                    {"B", 55, 50, {{6, 7}}, {}, {}},
                    {"C", 90, 90, {{3, 5}, {3, 4}, {2, 2}}, {}, {{{9, 17}, 2, 61, 50}, {{11, 19}, 2, 61, 50}}}})};
}
[[nodiscard]] inline auto example_5() -> example {
  return {board(1, 4, true), table_of({{"A", 90, 80, {{1, 2}, {1, 2}}, {{1, 2}, {1, 1}}, {{{8, 10}, 1, 3, 1}}},
                                       {"B", 120, 110, {{2, 3}, {2, 2}}, {{2, 2}, {0, 0}}, {{{12, 15}, 1, 3, 1}}},
                                       {"C", 200, 200, {{3, 4}, {4, 5}}, {{2, 4}, {2, 3}}, {{{20, 25}, 2, 3, 1}}}})};
}

/// One to four tasks on one to six SMs, of which about half can be given a plan.
[[nodiscard]] inline auto draw_example(std::mt19937& engine) -> example {
  const auto draw = [&engine](ticks low, ticks high) {
    return low + static_cast<ticks>(engine() % static_cast<unsigned long>(high - low + 1));
  };
  std::vector<task_of> tasks;
  const auto n = static_cast<std::size_t>(draw(1, 4));
  static constexpr std::string_view names[] = {"a", "b", "c", "d"};
  for (std::size_t i = 0; i < n; ++i) {
    const auto m = static_cast<std::size_t>(draw(1, 3));
    task_of t{names[i], draw(40, 160), 0, {}, {}, {}};
    t.deadline = t.period - draw(0, 10);
    const auto between = [&](ticks top) {
      const ticks upper = draw(1, top);
      return range{draw(1, upper), upper};
    };
    for (std::size_t j = 0; j < m; ++j) { t.cpu.push_back(between(6)); }
    for (std::size_t j = 0; j + 2 < 2 * m; ++j) { t.copies.push_back(between(4)); }
    for (std::size_t j = 0; j + 1 < m; ++j) { t.kernels.push_back({between(50), 0, 8, 5}); }
    tasks.push_back(t);
  }
  return {board(static_cast<std::int32_t>(draw(1, 6)), 2), table_of(tasks)};
}

}  // namespace takt_tests
