// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "program.hpp"
#include "study.hpp"
#include "support/traces.hpp"

namespace {

using takt::test::row;
using takt::test::rows_with;
using takt::test::run_study;

auto shares_of(const row& r) -> std::vector<double> {
  std::vector<double> out;
  for (const char* thread : {"thread_1", "thread_2", "thread_3", "thread_4", "thread_5"}) {
    out.push_back(r.value(thread));
  }
  return out;
}

}  // namespace

TEST_CASE("five equal threads share an unmanaged GPU unfairly and differently each time, and FIFO locks equally" *
          takt_tests::traces("GSD-93")) {
  const auto rows = run_study("gpusync-fairness --set loops=300 --set loop=200 --set stay=150");
  REQUIRE(rows.size() == 2 * 3);
  std::vector<std::vector<double>> unmanaged;
  for (const row& r : rows_with(rows, "locks", "none")) {
    const auto shares = shares_of(r);
    unmanaged.push_back(shares);
    CHECK(r.value("least_over_most") < 0.1);
    CHECK(*std::ranges::max_element(shares) > 0.35);
    CHECK(*std::ranges::min_element(shares) < 0.05);
  }
  CHECK(unmanaged[0] != unmanaged[1]);
  CHECK(unmanaged[1] != unmanaged[2]);
  for (const row& r : rows_with(rows, "locks", "fifo")) {
    CHECK(r.value("least_over_most") > 0.7);
    for (const double share : shares_of(r)) {
      CHECK(share > 0.15);
      CHECK(share < 0.25);
    }
  }
}

TEST_CASE("program: the study of fairness refuses what is out of range") {
  takt::test::check_refused({{"gpusync-fairness --set loops=9", "an integer from 10 to 1000000"},
                             {"gpusync-fairness --set stay=0", "an integer from 1 to 1000000"},
                             {"gpusync-fairness --set loop=1", "an integer from 100 to 1000000"}});
}
