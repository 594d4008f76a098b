// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <vector>

#include <takt/systems/locked_gpus/figures/studied_sets.hpp>
#include "support/environment.hpp"
#include "support/traces.hpp"

namespace {

using namespace takt;
using namespace takt::generation;
using table = task_rows<gpusync_task<ticks, 1>, 320>;

[[nodiscard]] auto sets(int otherwise) -> int {
  return takt_tests::from_environment<int>("TAKT_GPUSYNC_SETS", otherwise);
}

/// Utilisation of a task before its kernel was taken out, in millionths, rounded down.
[[nodiscard]] auto millionths_of(const gpusync_task<ticks, 1>& t) -> std::int64_t {
  return (t.wcet + t.gpu_time()) * 1'000'000 / t.period;
}

[[nodiscard]] constexpr auto same(const table& a, const table& b) -> bool {
  bool equal = a.size() == b.size();
  for (std::size_t i = 0; equal && i < a.size(); ++i) {
    const auto& x = a.tasks[i];
    const auto& y = b.tasks[i];
    equal = x.name == y.name && x.wcet == y.wcet && x.period == y.period && x.deadline == y.deadline &&
            x.kernels == y.kernels && x.bytes_in == y.bytes_in && x.bytes_out == y.bytes_out &&
            x.bytes_state == y.bytes_state && x.cpu_in_gpu_section == y.cpu_in_gpu_section && x.gpu == y.gpu;
  }
  return equal;
}

[[nodiscard]] constexpr auto drawn(const gpusync_set_options& o, std::uint64_t seed, std::uint64_t index) -> table {
  table out;
  static_cast<void>(generate(o, seed, index, out));
  return out;
}

static_assert(same(drawn({}, 1, 7), drawn({}, 1, 7)), "a set is a constant of its arguments");
static_assert(!same(drawn({}, 1, 7), drawn({}, 2, 7)) && !same(drawn({}, 1, 7), drawn({}, 1, 8)));

void check_task(const gpusync_task<ticks, 1>& t, const studied_group& g, bool last) {
  namespace v = studied_values;
  const auto u = millionths_of(t);
  CHECK(u <= v::utilizations[g.utilization].most * 1000);
  // Times are whole, and the part that is rounded off is below a millionth.
  if (!last) { CHECK(u + 1 >= v::utilizations[g.utilization].least * 1000); }
  CHECK(t.period >= v::periods[g.period].least);
  CHECK(t.period <= v::periods[g.period].most);
  CHECK(t.deadline == t.period);
  CHECK(t.gpu_cluster == no_cluster);
  if (!t.gpu) {
    CHECK(t.kernels.empty());
    CHECK(t.bytes_in + t.bytes_out + t.bytes_state + t.cpu_in_gpu_section == 0);
    return;
  }
  const ticks all = t.wcet + t.gpu_time();
  CHECK(t.kernels.size() == 1);
  CHECK(t.kernels[0] * 100 >= all / 1000 * 1000 * v::kernels[g.kernels].least - 100'000);
  CHECK(t.kernels[0] * 100 <= all * v::kernels[g.kernels].most);
  CHECK(t.cpu_in_gpu_section <= t.wcet * 5 / 100);
  CHECK(t.cpu_in_gpu_section + 6 >= t.wcet * 5 / 100);
  CHECK(t.bytes_in == t.bytes_out);
  CHECK(t.bytes_in + t.bytes_out == v::bytes[g.bytes]);
  CHECK(t.bytes_state == v::bytes[g.bytes] * v::states[g.state] / 100);
}

}  // namespace

TEST_CASE("the study has 486 groups of task sets, all different" * takt_tests::traces("GSA-25")) {
  static_assert(studied_groups == 486);
  std::set<std::array<std::size_t, 6>> seen;
  for (std::size_t i = 0; i < studied_groups; ++i) {
    const auto g = studied_group_at(i);
    CHECK(g.utilization < 3);
    CHECK(g.period < 2);
    seen.insert({g.utilization, g.period, g.gpu_share, g.kernels, g.bytes, g.state});
  }
  CHECK(seen.size() == 486);
  // Figure 4.16: medium, moderate, 66 %, 25 to 75 %, 8 MB, 25 % state.
  const auto o =
      options_of({.utilization = 1, .period = 0, .gpu_share = 1, .kernels = 1, .bytes = 2, .state = 1}, 5000);
  CHECK(o.task_utilization_permille == uniform_range{100, 400});
  CHECK(o.period == uniform_range{33'000'000, 100'000'000});
  CHECK(o.gpu_percent == 66);
  CHECK(o.kernel_percent == uniform_range{25, 75});
  CHECK(o.bytes == 8 * 1024 * 1024);
  CHECK(o.state_percent == 25);
}

TEST_CASE("every task of every group is within the published ranges, and sets meet their utilization" *
          takt_tests::traces("GSA-25")) {
  table t;
  for (std::size_t i = 0; i < studied_groups; i += 5) {
    const auto g = studied_group_at(i);
    CAPTURE(i);
    for (int k = 0; k < sets(2); ++k) {
      const std::int64_t utilization =
          250 + static_cast<std::int64_t>((i * 7 + static_cast<std::size_t>(k) * 13) % 48) * 250;
      REQUIRE(generate(options_of(g, utilization), 11, static_cast<std::uint64_t>(k), t) == model_fault::none);
      std::int64_t sum = 0;
      std::int64_t users = 0;
      for (std::size_t j = 0; j < t.size(); ++j) {
        check_task(t.tasks[j], g, j + 1 == t.size());
        sum += millionths_of(t.tasks[j]);
        users += t.tasks[j].gpu ? 1 : 0;
      }
      CHECK(sum <= utilization * 1000);
      CHECK(sum + static_cast<std::int64_t>(t.size()) >= utilization * 1000);
      const auto n = static_cast<std::int64_t>(t.size());
      CHECK(users == (n * studied_values::gpu_shares[g.gpu_share] + 50) / 100);
    }
  }
}

TEST_CASE("which tasks use GPUs is random, and utilizations and periods fill their ranges evenly" *
          takt_tests::traces("GSA-25")) {
  gpusync_set_options o;
  o.task_utilization_permille = {100, 400};
  o.gpu_percent = 33;
  std::int64_t first_is_user = 0;
  std::int64_t utilization = 0;
  std::int64_t period = 0;
  std::int64_t tasks = 0;
  constexpr int draws = 2000;
  for (int k = 0; k < draws; ++k) {
    o.utilization_permille = 3000;
    const table t = drawn(o, 5, static_cast<std::uint64_t>(k));
    first_is_user += t.tasks[0].gpu ? 1 : 0;
    // Of the first task only: later ones may be cut, and sets of small tasks have more of them.
    utilization += millionths_of(t.tasks[0]);
    period += t.tasks[0].period / 1000;
    ++tasks;
  }
  CHECK(first_is_user > draws * 28 / 100);
  CHECK(first_is_user < draws * 38 / 100);
  CHECK(utilization / tasks > 244'000);  // 250 000 with a standard deviation of 1 900
  CHECK(utilization / tasks < 256'000);
  CHECK(period / tasks > 65'100);  // 66 500 with one of 430
  CHECK(period / tasks < 67'900);
}

TEST_CASE("sets that cannot be drawn are refused: options out of range, and tables that are too small" *
          takt_tests::traces("GSA-25")) {
  table t;
  const auto fault_with = [&t](const auto& change) {
    gpusync_set_options o;
    change(o);
    return generate(o, 1, 0, t);
  };
  CHECK(fault_with([](auto&) {}) == model_fault::none);
  CHECK(fault_with([](auto& o) { o.utilization_permille = 0; }) == model_fault::options_out_of_range);
  CHECK(t.size() == 0);
  CHECK(fault_with([](auto& o) { o.task_utilization_permille = {0, 10}; }) == model_fault::options_out_of_range);
  CHECK(fault_with([](auto& o) { o.task_utilization_permille = {20, 10}; }) == model_fault::options_out_of_range);
  CHECK(fault_with([](auto& o) { o.task_utilization_permille = {10, 1001}; }) == model_fault::options_out_of_range);
  CHECK(fault_with([](auto& o) { o.period = {999'999, 1'000'000}; }) == model_fault::options_out_of_range);
  CHECK(fault_with([](auto& o) { o.kernel_percent = {50, 101}; }) == model_fault::options_out_of_range);
  CHECK(fault_with([](auto& o) { o.gpu_percent = 101; }) == model_fault::options_out_of_range);
  CHECK(fault_with([](auto& o) { o.bytes = -1; }) == model_fault::options_out_of_range);
  CHECK(fault_with([](auto& o) { o.state_percent = -1; }) == model_fault::options_out_of_range);
  task_rows<gpusync_task<ticks, 1>, 4> small;
  gpusync_set_options o;
  CHECK(generate(o, 1, 0, small) == model_fault::set_does_not_fit);
  o.utilization_permille = 30;
  CHECK(generate(o, 1, 0, small) == model_fault::none);
}

TEST_CASE("groups and their numbers lead to each other, and axes name where a group keeps its values" *
          takt_tests::traces("GSA-25")) {
  for (std::size_t i = 0; i < studied_groups; ++i) { CHECK(number_of(studied_group_at(i)) == i); }
  CHECK(number_of(figure_4_16_group) < studied_groups);
  for (const auto& axis : studied_axes) { CHECK(figure_4_16_group.*axis.position < axis.names.size()); }
  CHECK(studied_axes[4].names[figure_4_16_group.*studied_axes[4].position] == "8MB");
}

TEST_CASE("sets of a group are those of its options, and another group, utilization or number gives others" *
          takt_tests::traces("GSA-25")) {
  using long_table = task_rows<gpusync_task<ticks, 1>, 320>;
  const auto periods = [](std::size_t group, std::int64_t utilization, std::int64_t index) {
    long_table t;
    REQUIRE(generate(group, utilization, 5, index, t) == model_fault::none);
    std::vector<ticks> out;
    for (const auto& task : t.tasks) { out.push_back(task.period); }
    return out;
  };
  const std::size_t group = number_of(figure_4_16_group);
  CHECK(periods(group, 2000, 3) == periods(group, 2000, 3));
  CHECK(periods(group, 2000, 3) != periods(group, 2000, 4));
  CHECK(periods(group, 2000, 3) != periods(group, 2001, 3));
  CHECK(periods(group, 2000, 3) != periods(group + 1, 2000, 3));
}

TEST_CASE("a point has enough sets when its interval is narrow at a divisor of the most, and at the most" *
          takt_tests::traces("GSA-27")) {
  constexpr studied_precision wanted{.least = 4, .most = 40, .interval_permille = 500};
  static_assert(!wanted.enough(2, 0) && wanted.enough(4, 0) && wanted.enough(4, 4));
  static_assert(!wanted.enough(6, 0) && !wanted.enough(8, 4) && wanted.enough(40, 20));
  for (std::int64_t n = 4; n < 40; ++n) {
    for (std::int64_t a = 0; a <= n; ++a) {
      const double share = static_cast<double>(a) / static_cast<double>(n);
      const double width = 2 * 1.96 * std::sqrt(share * (1 - share) / static_cast<double>(n));
      if (std::abs(width - 0.5) > 1e-9) { CHECK(wanted.enough(n, a) == (40 % n == 0 && width < 0.5)); }
    }
  }
}
