// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
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
using takt::test::scratch;

/// A study of all 57 configurations that takes seconds.
const std::string tiny =
    "gpusync-small --set every=97 --set utilization=medium,heavy --sets 8 --set least=4 --levels 2..6/2 "
    "--set overheads=AC/L ";

using key = std::vector<std::string>;

/// Accepted sets per configuration over everything, with the path named: ("C", "C2P2P", "2").
[[nodiscard]] auto totals(const std::vector<row>& rows) -> std::map<key, double> {
  std::map<key, double> out;
  for (const row& r : rows) {
    const auto& c = r.cells;
    out[{c.at("cpus"), c.at("gpus"), c.at("tokens")}] += r.value("percent");
    if (c.at("gpus") == "C2" || c.at("gpus") == "C4") {
      out[{c.at("cpus"), c.at("gpus") + "P2P", c.at("tokens")}] += r.value("percent_p2p");
    }
  }
  return out;
}

/// How often `better` has at least as much as `worse`, the only difference of two configurations, and of how many.
[[nodiscard]] auto pairs(const std::map<key, double>& all, std::size_t part, const std::string& better,
                         const std::string& worse) -> std::pair<int, int> {
  int holds = 0;
  int cases = 0;
  for (const auto& [name, value] : all) {
    if (name[part] != better) { continue; }
    key other = name;
    other[part] = worse;
    const auto found = all.find(other);
    if (found == all.end()) { continue; }
    ++cases;
    holds += value >= found->second ? 1 : 0;
  }
  return {holds, cases};
}

[[nodiscard]] auto lines_with(const std::string& text, const std::string& start) -> int {
  std::istringstream in{text};
  int count = 0;
  for (std::string line; std::getline(in, line);) { count += line.starts_with(start) ? 1 : 0; }
  return count;
}

}  // namespace

TEST_CASE("the study has 75816 scenarios of 48 utilizations each, and a part of them can be asked for alone" *
          takt_tests::traces("GSA-27")) {
  const outcome o = takt::test::takt("sweep gpusync --shard 1/4000000 --resume " + scratch("full"));
  CHECK(o.code == 0);
  CHECK(contains(o.err, "3639168 units are left"));  // 75816 * 48
  const auto rows = run_study(
      "gpusync-small --set cpus=C --set gpus=C2 --set tokens=2 --set every=243 --sets 8 --set least=4 --levels 2,4");
  CHECK(rows.size() == 2 * 2 * 2);
  for (const row& r : rows) {
    CHECK(r.cells.at("gpus") == "C2");
    const double drawn = r.value("drawn");
    CHECK((drawn == 4 || drawn == 8));
    CHECK(r.value("accepted") <= drawn);
    CHECK(r.value("accepted_p2p") <= drawn);
  }
}

TEST_CASE("points are worked on until their shares are known well enough, or at most so long" *
          takt_tests::traces("GSA-27")) {
  const std::string call =
      "gpusync-small --set cpus=C --set gpus=P --set tokens=1 --set utilization=heavy --set every=60 --set least=4 "
      "--set overheads=AC/L --levels 4 --sets 40 --set interval=";
  int early = 0;
  for (const row& r : run_study(call + "500")) {
    const double n = r.value("drawn");
    const double p = r.value("accepted") / n;
    CHECK((n == 4 || n == 5 || n == 8 || n == 10 || n == 20 || n == 40));
    if (n < 40) { CHECK(2 * 1.96 * 1.96 * 2 * p * (1 - p) / n <= 0.25 + 1e-9); }
    early += n < 40 ? 1 : 0;
  }
  CHECK(early > 0);
}

TEST_CASE("parts of the study, interrupted or not, give the bytes of one run with any number of threads" *
          takt_tests::traces("GSA-27")) {
  const std::string call =
      "sweep gpusync-small --set cpus=C,G --set gpus=P,C2 --set tokens=1,2 --set every=200 --sets 6 --set least=3 "
      "--levels 2,5 ";
  const outcome whole = takt::test::takt(call + "--jobs 1");
  CHECK(whole.code == 0);
  CHECK(whole.out == takt::test::takt(call + "--jobs 3").out);
  CHECK(whole.out != takt::test::takt(call + "--seed 2").out);
  const std::string folder = scratch("parts");
  for (const char* part : {"1/3", "3/3", "2/3"}) {
    CHECK(takt::test::takt(call + "--resume " + folder + " --shard " + part).code == 0);
  }
  CHECK(takt::test::takt(call + "--resume " + folder).out == whole.out);
}

TEST_CASE("the study prints its ranking beside the published one, and the claims with both" *
          takt_tests::traces("GSA-28 GSA-30")) {
  const outcome o = takt::test::takt("sweep " + tiny);
  REQUIRE(o.code == 0);
  CHECK(contains(o.out, "# ranking under AC/L"));
  CHECK(contains(o.out, "rank correlation with the published one"));
  CHECK(lines_with(o.out, "# claim: ") == 7);
  CHECK(lines_with(o.out, "#   ") >= 57);
  // The published tables fulfil what the paper says of them.
  CHECK(contains(o.out, "(observation 16): here"));
  CHECK(contains(o.out, "published 18 of 18"));
  // Without all configurations there is nothing to rank.
  CHECK_FALSE(contains(takt::test::takt("sweep " + tiny + "--set tokens=1,2").out, "# ranking"));
}

TEST_CASE(
    "partitioned GPUs are best, then pairs, mostly from GPU to GPU, with 2 tokens rather than 1 or 3, and global "
    "GPUs under the CK-OMLP are worst" *
    takt_tests::traces("GSA-30")) {
  const auto all = totals(run_study(tiny));
  CHECK(all.size() == 57);
  const auto of = [&all](const char* cpus, const char* gpus, const char* tokens) {
    return all.at({cpus, gpus, tokens});
  };
  for (const auto& [name, value] : all) {
    CAPTURE(name[0]);
    CAPTURE(name[1]);
    CAPTURE(name[2]);
    CHECK(of("C", "P", "inf") + 1e-9 >= (name[1] == "P" ? 0 : value));
  }
  for (const auto& [better, worse] : {std::pair{"C2", "C4"}, {"C2P2P", "C4P2P"}}) {
    const auto [holds, cases] = pairs(all, 1, better, worse);
    CHECK(cases == 9);
    CHECK(holds >= 8);
  }
  int from_gpu_to_gpu = 0;
  for (const char* cpus : {"C", "G"}) {
    for (const char* tokens : {"1", "2", "3"}) {
      from_gpu_to_gpu += of(cpus, "C2P2P", tokens) >= of(cpus, "C2", tokens) ? 1 : 0;
    }
    for (const char* gpus : {"C2", "C2P2P", "C4", "C4P2P", "G"}) {
      CAPTURE(gpus);
      CHECK(of(cpus, gpus, "2") >= of(cpus, gpus, "1"));
      CHECK(of(cpus, gpus, "2") >= of(cpus, gpus, "3"));
    }
  }
  CHECK(from_gpu_to_gpu >= 4);
  for (const char* tokens : {"2", "3"}) {
    CHECK(of("C", "G", tokens) < of("C", "C4", tokens));
    CHECK(of("C", "G", tokens) <= of("G", "G", tokens));
  }
}

TEST_CASE("GPUs lift the effective utilization of what is schedulable far above the 12 CPUs" *
          takt_tests::traces("GSA-29")) {
  const auto rows = run_study("gpusync-fig4.17 --sets 6 --levels 12,24,36 --set width=4000");
  CHECK(rows.size() == 18);
  double above = 0;
  for (const row& r : rows) {
    CHECK(r.value("accepted") <= r.value("drawn"));
    if (r.value("effective_utilization") > 12 && r.cells.at("configuration") == "(C P inf)") {
      above += r.value("accepted");
    }
  }
  CHECK(above > 0);
}

TEST_CASE("program: gpusync studies refuse what is out of range") {
  takt::test::check_refused({{"gpusync --set gpus=C3", "some of P,C2,C4,G"},
                             {"gpusync --set gpus=C2 --set tokens=inf", "leave no configuration"},
                             {"gpusync --set rules=sound,printed", "one of sound,printed"},
                             {"gpusync --levels 13", "to 12"},
                             {"gpusync --set interval=0", "an integer from 1 to 1000"},
                             {"gpusync --set state=", "some of 0,25,100"}});
}
