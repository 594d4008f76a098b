// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "program.hpp"
#include "study.hpp"
#include "support/traces.hpp"

namespace {

using takt::test::row;
using takt::test::rows_with;
using takt::test::run_study;
using takt::test::sets;

const std::vector<std::string> policies{"literal", "text",  "robust", "share", "ts",
                                        "prop",    "fp_np", "fp_p",   "edf_p", "static"};

}  // namespace

TEST_CASE("Fig. 1: lavaMD takes longer with every co-runner, whether the GPU is shared or sliced" *
          takt_tests::traces("WAMP-36")) {
  const auto rows = run_study("wamp2s-fig1");
  REQUIRE(rows.size() == 10);
  CHECK(rows.front().value("equal_shares") == 0.448);
  CHECK(rows.back().value("equal_shares") == 4.107);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    CHECK(rows[i - 1].value("equal_shares") < rows[i].value("equal_shares"));
    CHECK(rows[i - 1].value("time_slices") < rows[i].value("time_slices"));
  }
}

TEST_CASE("Fig. 6: no benchmark takes longer with a greater share" * takt_tests::traces("WAMP-37")) {
  const auto rows = run_study("wamp2s-fig6 --levels 1..100/1");
  REQUIRE(rows.size() == 100);
  for (const char* name : {"GS", "HW", "CFD", "KM", "LM", "LC", "LUD", "MC", "SRD", "ST"}) {
    CAPTURE(name);
    CHECK(rows.front().value(name) > rows.back().value(name));
    for (std::size_t i = 1; i < rows.size(); ++i) { CHECK(rows[i - 1].value(name) >= rows[i].value(name)); }
  }
  CHECK(rows.back().value("CFD") == 2.081);
}

TEST_CASE("Fig. 10: the fuzzy network errs less than both layered ones after few epochs, at a cost between" *
          takt_tests::traces("WAMP-39")) {
  const auto rows = run_study("wamp2s-fig10 --levels 1,5");
  REQUIRE(rows.size() == 2);
  for (const row& r : rows) {
    CHECK(r.value("products_bpnn") == 12 * 8 + 8 * 8 + 8);
    CHECK(r.value("products_dnn") == 12 * 14 + 9 * 14 * 14 + 14);
    CHECK(r.value("products_fuzzy") > r.value("products_bpnn"));
    CHECK(r.value("products_fuzzy") < r.value("products_dnn"));
    CHECK(r.value("rmse_fuzzy") * 2 < r.value("rmse_bpnn"));
    CHECK(r.value("rmse_fuzzy") * 2 < r.value("rmse_dnn"));
  }
  // The fuzzy network is fitted once; the others learn, the deep one faster once it has begun.
  CHECK(rows[0].value("rmse_fuzzy") == rows[1].value("rmse_fuzzy"));
  CHECK(rows[1].value("rmse_bpnn") < rows[0].value("rmse_bpnn"));
  CHECK(rows[0].value("rmse_dnn") > rows[0].value("rmse_bpnn"));
  CHECK(rows[1].value("rmse_dnn") < rows[1].value("rmse_bpnn"));
}

TEST_CASE("Fig. 12: the first estimate of MC's remaining time is the worst, the last one is right" *
          takt_tests::traces("WAMP-41")) {
  const auto rows = run_study("wamp2s-fig12 --sets 20");
  REQUIRE(rows.size() == 5);
  CHECK(rows.front().value("estimates") > 50);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    CHECK(rows[i - 1].value("error_percent") > rows[i].value("error_percent"));
  }
  CHECK(rows.front().value("error_percent") > 2);
  CHECK(rows.back().value("error_percent") < 0.01);
}

TEST_CASE("Fig. 13: estimates get better as jobs proceed, but below 1 % only at the very end" *
          takt_tests::traces("WAMP-42")) {
  const auto rows = run_study("wamp2s-fig13 --sets 20");
  REQUIRE(rows.size() == 20);
  CHECK(rows[1].value("error_percent") > rows[9].value("error_percent"));
  CHECK(rows[9].value("error_percent") > rows[15].value("error_percent"));
  CHECK(rows[14].value("error_percent") > 1);
  CHECK(rows[19].value("error_percent") < 1);
}

TEST_CASE("Fig. 14: WAMP2S keeps all sets where shares without it lose half, and every policy is in its place" *
          takt_tests::traces("WAMP-44")) {
  const auto rows = run_study("wamp2s-fig14 --levels 0.2,0.4,0.8,1,1.2,1.5,2 --sets " + sets());
  REQUIRE(rows.size() == 7);
  for (const row& r : rows) {
    const double load = r.value("utilization");
    CAPTURE(load);
    const int all = r.count("sets");
    CHECK(r.count("accepted_but_missed") == 0);
    CHECK(r.count("t1") <= r.count("robust"));
    CHECK(r.count("share") >= r.count("ts"));
    for (const auto& p : policies) {
      CAPTURE(p);
      CHECK(r.count(p) * 10 <= r.count("applications_" + p));
      if (p != "fp_np" && p != "edf_p" && p != "static") { CHECK(r.count(p) <= r.count("robust")); }
    }
    for (const char* p : {"literal", "text", "robust"}) { CHECK(r.count(p) >= r.count("share")); }
    if (load <= 1.2) {
      for (const char* p : {"literal", "text", "robust", "static", "t1"}) { CHECK(r.count(p) == all); }
    }
    // One job at a time cannot use that part of a job does not scale.
    CHECK((load <= 1 ? r.count("edf_p") == all : r.count("edf_p") == 0));
    if (load >= 0.8) { CHECK(r.count("ts") * 5 <= all); }
    // Priorities do not follow periods.
    if (load >= 0.4) { CHECK(r.count("fp_p") * 5 <= all); }
    if (load >= 1.5) { CHECK(r.count("share") * 2 <= all); }
  }
}

TEST_CASE("Fig. 15: effort grows with the applications, each cut saves some of it, and both most" *
          takt_tests::traces("WAMP-45")) {
  const auto rows = run_study("wamp2s-fig15 --sets 20");
  REQUIRE(rows.size() == 32);
  const auto all = rows_with(rows, "cuts", "std");
  const auto wdc = rows_with(rows, "cuts", "wdc");
  const auto aetc = rows_with(rows, "cuts", "aetc");
  const auto both = rows_with(rows, "cuts", "both");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto calls = [i](const std::vector<row>& r) { return r[i].value("predictions"); };
    CHECK(calls(all) > calls(aetc));
    CHECK(calls(all) > calls(wdc));
    CHECK(calls(both) < std::min(calls(aetc), calls(wdc)));
    CHECK(wdc[i].value("operations") < all[i].value("operations"));
  }
  CHECK(all.back().value("operations_per_job") > 2 * all.front().value("operations_per_job"));
  const double saved = 1 - wdc.back().value("operations") / all.back().value("operations");
  CHECK(saved > 0.3);
  CHECK(saved < 0.5);
}

TEST_CASE("Fig. 15: from six applications on WDC leaves out 30 to 45 % of all operations" *
          takt_tests::traces("WAMP-33")) {
  const auto rows = run_study("wamp2s-fig15 --levels 6..10/1 --seed 1 --sets 100");
  const auto all = rows_with(rows, "cuts", "std");
  const auto wdc = rows_with(rows, "cuts", "wdc");
  REQUIRE(all.size() == 5);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double applications = all[i].value("applications");
    CAPTURE(applications);
    const double saved = 1 - wdc[i].value("operations") / all[i].value("operations");
    CHECK(saved >= 0.30);
    CHECK(saved <= 0.45);
    CHECK(wdc[i].value("jobs") == doctest::Approx(all[i].value("jobs")).epsilon(0.02));
  }
}

TEST_CASE("Fig. 15: both cuts leave out the operations that WDC does, and predict less than either" *
          takt_tests::traces("WAMP-35")) {
  const auto rows = run_study("wamp2s-fig15 --levels 4,7,10 --seed 1 --sets 30");
  const auto all = rows_with(rows, "cuts", "std");
  const auto wdc = rows_with(rows, "cuts", "wdc");
  const auto aetc = rows_with(rows, "cuts", "aetc");
  const auto both = rows_with(rows, "cuts", "both");
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(both[i].value("operations") == doctest::Approx(wdc[i].value("operations")).epsilon(0.02));
    for (const char* measure : {"predictions", "predictions_per_job"}) {
      CAPTURE(measure);
      CHECK(both[i].value(measure) < wdc[i].value(measure));
      CHECK(both[i].value(measure) < aetc[i].value(measure));
      CHECK(both[i].value(measure) < 0.9 * all[i].value(measure));
    }
  }
}

TEST_CASE("the airborne set: errors of its networks, the threshold they allow, and what the cuts then save" *
          takt_tests::traces("WAMP-46")) {
  const auto errors = run_study("wamp2s-fig16-error");
  REQUIRE(errors.size() == 5);
  for (const row& r : errors) {
    CHECK(r.value("percent_of_estimate") > 0);
    CHECK(r.value("percent_of_estimate") <= 5.17);
    CHECK(r.value("percent_of_measurement") <= 5.17);
  }
  const auto bins = rows_with(run_study("wamp2s-fig13-networks --set jobs=100"), "set", "airborne");
  const double threshold = bins.front().value("threshold_percent") / 100;
  REQUIRE(threshold > 0.5);
  REQUIRE(threshold < 1);
  const std::string thousandths = "0." + std::to_string(std::lround(1000 * threshold));
  CHECK(bins.front().value("error_percent") > 1);
  CHECK(bins.back().value("error_percent") < 1);
  const auto effort = run_study("wamp2s-fig16 --sets 1 --set seconds=200 --levels " + thousandths);
  const auto all = rows_with(effort, "cuts", "std");
  const auto both = rows_with(effort, "cuts", "both");
  CHECK(both[0].value("predictions") < 0.7 * all[0].value("predictions"));
  CHECK(both[0].value("predictions_per_job") < all[0].value("predictions_per_job"));
}

TEST_CASE("Fig. 9 and 11: descent betters the fit of lavaMD's network, which errs less than published" *
          takt_tests::traces("WAMP-21 WAMP-40")) {
  const auto fits = run_study("wamp2s-fig9 --levels 1,3");
  REQUIRE(fits.size() == 2);
  CHECK(fits[1].value("rmse_ms") < fits[0].value("rmse_ms"));
  const auto lone = run_study("wamp2s-fig11 --levels 5");
  REQUIRE(lone.size() == 1);
  CHECK(lone[0].value("rules") == fits[0].value("rules"));
  CHECK(lone[0].value("percent_of_estimate") <= 2.58);
}

TEST_CASE("Fig. 16: the cuts save effort on the airborne set too, AETC the more the lower its threshold" *
          takt_tests::traces("WAMP-46")) {
  const auto rows = run_study("wamp2s-fig16 --sets 1 --set seconds=200");
  const auto all = rows_with(rows, "cuts", "std");
  const auto aetc = rows_with(rows, "cuts", "aetc");
  const auto both = rows_with(rows, "cuts", "both");
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(aetc[i].value("predictions") < all[i].value("predictions"));
    CHECK(both[i].value("predictions") < aetc[i].value("predictions"));
    if (i > 0) { CHECK(aetc[i - 1].value("predictions") <= aetc[i].value("predictions")); }
  }
}

TEST_CASE("Fig. 17: every run of the airborne set is without a miss under WAMP2S, none with equal shares" *
          takt_tests::traces("WAMP-47")) {
  const auto rows = run_study("wamp2s-fig17 --sets 2");
  REQUIRE(rows.size() == policies.size());
  for (const char* p : {"literal", "text", "robust", "static"}) {
    const auto own = rows_with(rows, "policy", p);
    CHECK(own[0].count("without_miss") == 2);
    CHECK(own[0].count("misses") == 0);
    CHECK(own[0].count("jobs") > 4000);
  }
  for (const char* p : {"share", "ts", "prop", "fp_np", "fp_p", "edf_p"}) {
    CHECK(rows_with(rows, "policy", p)[0].count("without_miss") == 0);
  }
}

TEST_CASE("program: WAMP2S studies have the same bytes for any number of threads and refuse what is out of range") {
  takt::test::check_repeatable("wamp2s-fig14 --sets 3 --levels 0.8,1.6");
  takt::test::check_refused({{"wamp2s-fig14 --levels 11", "0.001 to 10"},
                             {"wamp2s-fig1 --levels 11", "1 to 10"},
                             {"wamp2s-fig6 --levels 0.5", "1 to 100"},
                             {"wamp2s-fig12 --levels 6", "1 to 5"},
                             {"wamp2s-fig13 --levels 0.03", "steps of 0.05"},
                             {"wamp2s-fig15 --levels 2.5", "1 to 10"},
                             {"wamp2s-fig15 --set threshold=3/2", "0 to 1"},
                             {"wamp2s-fig16 --levels 1.2", "0 to 1"}});
}
