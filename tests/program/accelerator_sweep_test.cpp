// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "program.hpp"
#include "study.hpp"
#include "support/traces.hpp"

namespace {

using takt::test::contains;
using takt::test::outcome;
using takt::test::read;
using takt::test::row;
using takt::test::rows_with;
using takt::test::run_study;
using takt::test::scratch;
using takt::test::sets;
using takt::test::sum;

/// What has to hold at every point, whatever is drawn: no sound test accepts what misses, and the line lies below the
/// supply that it stands for.
void check_orderings(const std::vector<row>& rows) {
  for (const row& r : rows) {
    CHECK(r.count("sbf_linear") <= r.count("sbf"));
    CHECK(r.count("our") <= r.count("our_plus"));
    for (const char* sound : {"sbf", "sbf_linear", "our", "our_plus", "l3prop", "harm"}) {
      CAPTURE(sound);
      CHECK(r.count(sound) <= r.count("exact"));
    }
    CHECK(r.count("accepted_but_missed") == 0);
    CHECK(r.count("our_printed") <= r.count("exact") + r.count("printed_but_missed"));
  }
}

/// Whether the printed test accepts more sets than there are to accept, somewhere.
auto printed_above_exact(const std::vector<row>& rows) -> bool {
  return std::ranges::any_of(rows, [](const row& r) { return r.count("our_printed") > r.count("exact"); });
}

void check_picture(const std::string& study, const std::vector<std::string>& texts) {
  const std::string svg = scratch("picture.svg");
  const outcome o = takt::test::takt("sweep " + study + " --svg " + svg);
  CHECK(o.code == 0);
  const std::string picture = read(svg);
  for (const std::string& words : texts) {
    CAPTURE(words);
    CHECK(contains(picture, words));
  }
}

}  // namespace

TEST_CASE("Fig. 6 and 7 compare the tests for two slots beside the exact one, and the printed one is above it" *
          takt_tests::traces("AP-29")) {
  for (const auto& [name, gang, levels] :
       {std::tuple{"accelerator-fig6", "0.2", 7U}, {"accelerator-fig7", "0.5", 5U}}) {
    CAPTURE(name);
    const auto rows = run_study(std::string{name} + " --sets " + sets());
    CHECK(rows.size() == 3 * levels);
    CHECK(rows.front().cells.at("gang_utilization") == gang);
    check_orderings(rows);
    for (const char* m : {"sbf", "sbf_linear", "our", "l3prop", "exact"}) {
      CAPTURE(m);
      CHECK((sum(rows, m) > 0 || std::string{m} == "our"));
    }
    CHECK(sum(rows, "printed_but_missed", {{"configuration", "slot as tasks"}}) > 0);
    CHECK(printed_above_exact(rows));
    CHECK(sum(rows, "sbf", {{"configuration", "slot shorter"}}) >
          sum(rows, "our", {{"configuration", "slot shorter"}}));
    check_picture(std::string{name} + " --sets 2",
                  {"gang " + std::string{gang}, "SBF (Theorem 3)", "SBF*, linear (Eq. 10)",
                   "OUR (Theorem 4, corrected)", "OUR+ (exact distances)", "L3PROP (Lemma 3)",
                   "HARM (Theorem 6, corrected)", "exact", "OUR as printed: unsound", "accepted task sets (%)"});
  }
}

TEST_CASE(
    "Fig. 8: the abstraction wins only where tasks and slot have one period, and the harmonic test is exact "
    "for D = T" *
    takt_tests::traces("AP-30")) {
  const auto rows = run_study("accelerator-fig8 --sets " + sets());
  CHECK(rows.size() == 80);
  check_orderings(rows);
  CHECK(printed_above_exact(rows));
  for (const row& r : rows_with(rows, "configuration", "T=20/40/80 slot=20 D=T")) {
    for (const char* m : {"sbf", "harm", "l3prop"}) { CHECK(r.count(m) == r.count("exact")); }
  }
  for (const row& r : rows_with(rows, "configuration", "T=20 slot=20")) { CHECK(r.count("our") == r.count("exact")); }
  const auto total = [&rows](const char* column, const char* configuration) {
    return sum(rows, column, {{"configuration", configuration}, {"gang_utilization", "0.5"}});
  };
  CHECK(total("our", "T=20 slot=20") > 2 * total("sbf", "T=20 slot=20"));
  CHECK(total("our", "T=20/40/80 slot=20") < total("sbf", "T=20/40/80 slot=20"));
  CHECK(total("our_printed", "T=20/40 slot=40") > 10 * total("exact", "T=20/40 slot=40"));
}

TEST_CASE(
    "Fig. 9: with the scheduler the top task's maximum, 99th percentile and spread stay small, within the "
    "bound" *
    takt_tests::traces("AP-31")) {
  const auto rows = run_study("accelerator-fig9 --sets 500");
  CHECK(rows.size() == 45);
  for (const row& r : rows) {
    CHECK(r.value("percentile_99") <= r.value("max"));
    CHECK(r.value("spread") < r.value("max"));
    CHECK(r.value("median") >= 1);
  }
  for (const char* scheduler : {"takt_1", "takt_2", "takt_3"}) {
    for (const row& r : rows_with(rows, "scheduler", scheduler)) {
      CHECK(r.value("bound") > 0);
      CHECK(r.value("max") <= r.value("bound"));
    }
  }
  for (const char* without : {"streams", "queue"}) {
    const auto uncontrolled = rows_with(rows, "scheduler", without);
    for (const char* scheduler : {"takt_1", "takt_2", "takt_3"}) {
      const auto controlled = rows_with(rows, "scheduler", scheduler);
      for (std::size_t i = 3; i < controlled.size(); ++i) {
        for (const char* c : {"max", "spread", "percentile_99"}) {
          CAPTURE(c);
          CHECK(controlled[i].value(c) <= uncontrolled[i].value(c));
        }
      }
    }
  }
  for (const row& r : rows_with(rows, "scheduler", "takt_3")) { CHECK(r.value("spread") < 0.07); }
  for (const row& r : rows_with(rows, "scheduler", "streams")) { CHECK(r.value("spread") > 1); }
  check_picture("accelerator-fig9 --sets 50", {"99th percentile", "spread", "takt, 2 levels", "a stream per task"});
}

TEST_CASE("Fig. 10: a low task of one wave of blocks is not preempted, a longer one is prolonged by the high task" *
          takt_tests::traces("AP-32")) {
  const auto rows = run_study("accelerator-fig10");
  CHECK(rows.size() == 24);
  for (const char* cost : {"ideal", "race"}) {
    for (const row& r : rows_with(rows, "cost", cost)) {
      const double waves = r.value("waves");
      CHECK(r.value("low_alone") == 8 * waves);
      CHECK(r.value("low_with_high") == (waves == 1 ? 8 : 8 * waves + 8));
      CHECK(r.value("high") == 15);
    }
  }
  // Where a kernel could be stopped at once at the price of a wave, one wave of blocks would not protect it.
  CHECK(rows_with(rows, "cost", "overhead").front().value("low_with_high") == 24);
  check_picture("accelerator-fig10", {"low task alone", "high task", "waves of the low task"});
}

TEST_CASE(
    "program: accelerator-levels: more levels help where preemption is free, and not where it costs a long wave") {
  const auto rows = run_study("accelerator-levels --sets " + sets());
  CHECK(rows.size() == 60);
  for (const row& r : rows) {
    CHECK(r.count("accepted_but_missed") == 0);
    const bool ideal = r.cells.at("cost") == "ideal";
    for (const char* l : {"levels_1", "levels_2", "levels_3", "levels_4"}) { CHECK(r.count(l) <= r.count("any")); }
    if (ideal && r.cells.at("wave_percent") == "5") { CHECK(r.count("levels_1") <= r.count("levels_4")); }
  }
  const std::map<std::string, std::string> costly{{"cost", "race"}, {"wave_percent", "25"}};
  CHECK(sum(rows, "levels_1", costly) > sum(rows, "levels_2", costly));
  CHECK(sum(rows, "printed_but_missed") > 0);
}

TEST_CASE(
    "program: accelerator studies have the same bytes for any number of threads and refuse what is out of range") {
  takt::test::check_repeatable("accelerator-fig7 --sets 20");
  takt::test::check_refused({{"accelerator-fig6 --set gang=1.5", "at least 0.001 per task"},
                             {"accelerator-fig6 --levels 0.002", "at least 0.001 per task"},
                             {"accelerator-fig6 --set tasks=11", "an integer from 1 to 10"},
                             {"accelerator-fig10 --levels 1.5", "in steps of 1"},
                             {"accelerator-fig9 --set periods=1,2,3,4,5", "at most 4"},
                             {"accelerator-fig9 --set periods=999983,999979,999961,999959", "common multiple"},
                             {"accelerator-fig9 --levels 1.1", "to 1"}});
}
