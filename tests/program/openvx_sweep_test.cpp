// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <doctest/doctest.h>

#include "program.hpp"
#include "study.hpp"
#include "support/traces.hpp"

namespace {

using takt::test::contains;
using takt::test::outcome;
using takt::test::row;
using takt::test::rows_with;
using takt::test::run_study;

const std::string brief = "openvx-cameras --levels 1,2 --set invocations=2";

}  // namespace

TEST_CASE("the study of cameras: no bound for one task per graph, one coarse camera on 16 CPUs, fine ones always" *
          takt_tests::traces("OVX-35")) {
  const auto rows = run_study(brief);
  REQUIRE(rows.size() == 2 * 4 * 2);
  for (const row& r : rows_with(rows, "mode", "monolithic")) { CHECK(r.value("bound_best") == 0); }
  for (const row& r : rows_with(rows, "mode", "coarse")) {
    CHECK((r.value("bound_best") > 0) == (r.cells.at("cpus") == "16" && r.value("cameras") == 1));
  }
  for (const char* mode : {"fine-edf", "fine-fl"}) {
    for (const row& r : rows_with(rows, "mode", mode)) {
      CHECK(r.value("bound_best") > 0);
      CHECK(r.value("bound_best") <= r.value("bound_published"));
      CHECK(r.value("simulated_longest") <= r.value("bound_best"));
      CHECK(r.value("by_offsets_longest") <= r.value("bound_best"));
    }
  }
}

TEST_CASE("the study of cameras reports what launches and waits add when nodes are refined" *
          takt_tests::traces("OVX-36")) {
  const outcome o = takt::test::takt("sweep " + brief);
  REQUIRE(o.code == 0);
  CHECK(contains(o.out, "# conversion to fine nodes adds 24.90 % to the times of all nodes (observation 7)"));
}
