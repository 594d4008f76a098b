// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include <takt/systems/rtgpu/analysis/rtgpu.hpp>
#include <takt/systems/rtgpu/analysis/workload.hpp>

#include "support/small_systems.hpp"
#include "support/traces.hpp"

using namespace takt_tests;
using takt::analysis::rtgpu;

namespace {

const std::vector<ticks> windows{0, 1, 7, 20, 50, 80, 120, 150, 250, 400};

void check_rows(const rtgpu<table>& a, std::size_t k, std::size_t resource,
                const std::vector<std::vector<ticks>>& rows) {
  REQUIRE(a.workload().segments(k, resource) == rows.size());
  for (std::size_t h = 0; h < rows.size(); ++h) {
    for (std::size_t i = 0; i < windows.size(); ++i) {
      CAPTURE(h);
      CAPTURE(windows[i]);
      CHECK(a.workload().window(k, resource, h, windows[i]).value == rows[h][i]);
    }
  }
}

/// The printed definition, term by term: lengths and gaps of one resource, window from segment h.
struct literal_workload {
  std::vector<ticks> length;
  std::vector<ticks> inner_gap;
  ticks first_wrap = 0;
  ticks later_wrap = 0;

  [[nodiscard]] auto gap(std::size_t j) const -> ticks {
    const std::size_t q = length.size();
    if (j % q != q - 1) { return inner_gap[j % q]; }
    return j == q - 1 ? first_wrap : later_wrap;
  }
  [[nodiscard]] auto operator()(std::size_t h, ticks t) const -> ticks {
    if (t <= 0) { return 0; }
    ticks work = 0;
    ticks used = 0;
    std::size_t j = h;
    while (used + length[j % length.size()] + gap(j) <= t) {
      work += length[j % length.size()];
      used += length[j % length.size()] + gap(j);
      ++j;
    }
    return work + std::min(length[j % length.size()], t - used);
  }
};

struct random_chain {
  std::vector<ticks> cpu_upper, cpu_lower, copy_upper, copy_lower, kernel_lower;
  ticks period = 0;
  ticks deadline = 0;
};

[[nodiscard]] auto draw_chain(std::mt19937& engine, std::size_t m) -> random_chain {
  const auto draw = [&engine](ticks low, ticks high) {
    return low + static_cast<ticks>(engine() % static_cast<unsigned long>(high - low + 1));
  };
  random_chain c;
  ticks total = 0;
  const auto add = [&](std::vector<ticks>& lower, std::vector<ticks>& upper) {
    upper.push_back(draw(1, 9));
    lower.push_back(draw(1, upper.back()));
    total += upper.back();
  };
  for (std::size_t j = 0; j < m; ++j) { add(c.cpu_lower, c.cpu_upper); }
  for (std::size_t j = 0; j + 2 < 2 * m; ++j) { add(c.copy_lower, c.copy_upper); }
  for (std::size_t j = 0; j + 1 < m; ++j) {
    c.kernel_lower.push_back(draw(0, 12));
    total += c.kernel_lower.back();
  }
  c.deadline = total + draw(0, 20);
  c.period = c.deadline + draw(0, 30);
  return c;
}

[[nodiscard]] auto sum(const std::vector<ticks>& v) -> ticks {
  ticks total = 0;
  for (const ticks x : v) { total += x; }
  return total;
}

/// Lemma 5.4 as printed and repaired, two copies per kernel.
[[nodiscard]] auto printed_cpu(const random_chain& c) -> literal_workload {
  literal_workload w{c.cpu_upper, {}, c.period - c.deadline, 0};
  for (std::size_t r = 0; r + 1 < c.cpu_upper.size(); ++r) {
    w.inner_gap.push_back(c.copy_lower[2 * r] + c.kernel_lower[r] + c.copy_lower[2 * r + 1]);
  }
  w.later_wrap = c.period - sum(c.cpu_upper) - sum(c.copy_lower) - sum(c.kernel_lower);
  return w;
}

/// Lemma 5.2 as printed and repaired.
[[nodiscard]] auto printed_bus(const random_chain& c) -> literal_workload {
  literal_workload w{c.copy_upper, {}, c.period - c.deadline + c.cpu_lower.back() + c.cpu_lower.front(), 0};
  ticks between = 0;
  for (std::size_t r = 0; r + 1 < c.copy_upper.size(); ++r) {
    w.inner_gap.push_back(r % 2 == 0 ? c.kernel_lower[r / 2] : c.cpu_lower[(r + 1) / 2]);
  }
  for (std::size_t j = 1; j + 1 < c.cpu_lower.size(); ++j) { between += c.cpu_lower[j]; }
  w.later_wrap = c.period - sum(c.copy_upper) - between - sum(c.kernel_lower);
  return w;
}

using model = takt::analysis::workload_model<ticks, 1, 32, 2>;

[[nodiscard]] auto generic(const random_chain& c) -> model {
  std::array<takt::analysis::element<ticks>, 32> elements{};
  std::size_t n = 0;
  for (std::size_t j = 0; j < c.cpu_upper.size(); ++j) {
    elements[n++] = {0, {c.cpu_lower[j], c.cpu_upper[j]}};
    if (j + 1 == c.cpu_upper.size()) { break; }
    elements[n++] = {1, {c.copy_lower[2 * j], c.copy_upper[2 * j]}};
    elements[n++] = {-1, {c.kernel_lower[j], c.kernel_lower[j]}};
    elements[n++] = {1, {c.copy_lower[2 * j + 1], c.copy_upper[2 * j + 1]}};
  }
  model w;
  w.pack(0, elements, 0, n, c.period, c.deadline);
  return w;
}

void check_against_print(std::size_t resource, literal_workload (*printed)(const random_chain&)) {
  std::mt19937 engine{7};
  for (int round = 0; round < 200; ++round) {
    const random_chain c = draw_chain(engine, 2 + static_cast<std::size_t>(round) % 4);
    const literal_workload expected = printed(c);
    const model w = generic(c);
    REQUIRE(w.segments(0, resource) == expected.length.size());
    for (std::size_t h = 0; h < expected.length.size(); ++h) {
      for (ticks t = 0; t <= 4 * c.period; ++t) {
        if (w.window(0, resource, h, t).value != expected(h, t)) {
          CAPTURE(round);
          CAPTURE(h);
          REQUIRE(w.window(0, resource, h, t).value == expected(h, t));
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("workload of a chain with suspensions over windows (worked example E6)" * takt_tests::traces("RTGPU-5")) {
  const example e1 = example_1();
  rtgpu a(e1.tasks, e1.platform);
  a.assign(0, {0, 1});
  a.assign(1, {0, 1});
  REQUIRE(a.evaluate(0));
  REQUIRE(a.evaluate(1));
  check_rows(a, 1, 0,
             {{0, 1, 5, 5, 11, 16, 22, 22, 33, 44},
              {0, 1, 4, 6, 11, 17, 17, 17, 28, 44},
              {0, 1, 2, 2, 11, 13, 13, 18, 24, 40}});
  check_rows(a, 1, 1,
             {{0, 1, 3, 5, 12, 18, 24, 24, 36, 48},
              {0, 1, 5, 9, 12, 21, 21, 21, 33, 45},
              {0, 1, 2, 6, 9, 18, 18, 18, 30, 45},
              {0, 1, 4, 4, 10, 16, 16, 18, 28, 43}});
  const example e3 = example_3();
  rtgpu b(e3.tasks, e3.platform);
  b.assign(0, {0, 1});
  REQUIRE(b.evaluate(0));
  check_rows(
      b, 0, 0,
      {{0, 1, 4, 5, 9, 16, 18, 18, 27, 45}, {0, 1, 3, 5, 9, 14, 14, 18, 27, 41}, {0, 1, 2, 2, 9, 11, 11, 18, 27, 38}});
  check_rows(b, 0, 1, {{0, 1, 4, 6, 7, 14, 14, 14, 21, 35}, {0, 1, 3, 3, 7, 10, 10, 14, 21, 31}});
}

TEST_CASE("the CPU workload equals the printed four-case definition on random chains" *
          takt_tests::traces("RTGPU-16")) {
  check_against_print(0, printed_cpu);
}

TEST_CASE("the bus workload equals the printed four-case definition on random chains" *
          takt_tests::traces("RTGPU-14")) {
  check_against_print(1, printed_bus);
}

TEST_CASE("workload never grows faster than its window and names how long a burst goes on") {
  std::mt19937 engine{11};
  for (int round = 0; round < 50; ++round) {
    const random_chain c = draw_chain(engine, 3);
    const model w = generic(c);
    ticks before = 0;
    for (ticks t = 0; t <= 3 * c.period; ++t) {
      const auto d = w.demand(0, 1, t);
      REQUIRE(d.value >= before);
      REQUIRE(d.value <= before + (t == 0 ? 0 : 1));
      REQUIRE(d.grows_until >= t);
      const ticks end = d.grows_until;
      REQUIRE(w.demand(0, 1, end).value == d.value + (end - t));
      REQUIRE(d.constant_until >= t);
      REQUIRE(w.demand(0, 1, d.constant_until).value == d.value);
      if (end == t) { REQUIRE(d.constant_until > t); }
      before = d.value;
    }
  }
}
