// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "program.hpp"
#include "study.hpp"
#include "support/traces.hpp"

namespace {

using takt::test::contains;
using takt::test::outcome;
using takt::test::row;
using takt::test::run_study;

const std::string brief = " --set seconds=2 --set warm-up=0";

TEST_CASE("the study reports drops and delays of fourteen configurations by period, and Table 5.14 beside them" *
          takt_tests::traces("GSA-49")) {
  const auto rows = run_study("gpusync-video" + brief);
  REQUIRE(rows.size() == 14 * 6);
  for (const row& r : rows) {
    CAPTURE(r.cells.at("configuration"));
    CHECK(r.value("dropped_percent") >= 0);
    CHECK(r.value("dropped_percent") <= 100);
    CHECK(r.value("median") <= r.value("longest_of_990"));
    CHECK(r.value("longest_of_990") <= r.value("longest_of_999"));
    CHECK(r.value("longest_of_999") <= r.value("longest"));
  }
  const outcome o = takt::test::takt("sweep gpusync-video" + brief);
  CHECK(contains(o.out, "[37.83 | 9.65 7.64 3.70 1.69 1.74 0.47]"));
  CHECK(contains(o.out, "# claim: one token drops frames (observation 42): yes"));
  CHECK(contains(o.out, "# claim: (3 2 FIFO) has the least deviation"));
}

TEST_CASE("the study reports end-to-end latencies as a distribution that rises and a tail that falls with it" *
          takt_tests::traces("GSA-50")) {
  const auto rows = run_study("gpusync-video-latency" + brief + " --levels 0.1,1,4,100");
  REQUIRE(rows.size() == 14 * 4);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const row& r = rows[i];
    CAPTURE(r.cells.at("configuration"));
    CHECK(r.value("up_to_percent") + r.value("above_percent") == doctest::Approx(100).epsilon(0.0001));
    if (i % 4 == 0) { CHECK(r.value("above_percent") == 100); }
    if (i % 4 == 3) { CHECK(r.value("up_to_percent") == 100); }
    if (i % 4 == 0) { continue; }
    CHECK(r.value("up_to_percent") >= rows[i - 1].value("up_to_percent"));
    CHECK(r.value("above_power_of_ten") >= rows[i - 1].value("above_power_of_ten"));
  }
}

TEST_CASE("program: studies of video graphs refuse what is out of range") {
  takt::test::check_refused({{"gpusync-video --set warm-up=60", "less than seconds"},
                             {"gpusync-video --set spread=100", "an integer from 0 to 99"},
                             {"gpusync-video-latency --set seconds=0", "an integer from 1 to 3600"}});
}

}  // namespace
