// SPDX-License-Identifier: Apache-2.0
#include <takt/report/svg_plan.hpp>

#include <cstddef>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "support/xml.hpp"

namespace {

using takt::report::plan_view;

[[nodiscard]] auto view() -> plan_view {
  plan_view out;
  out.title = "a & b";
  out.answer = "optimal";
  out.gpu = "levels:2";
  out.on_gpu = {{.task = 0, .words = "see"}};
  out.cores = {{"big", {{0, "see, priority 0, 50 %", 0.5}, {1, "act, priority 1, 70 %", 0.7}}}, {"little", {}}};
  out.limits = {{"see", 5'000'000, 10'000'000, 0}, {"act", {}, 9'000'000, 1}, {"way", 30'000'000}};
  out.growth = {{3, 1100, "1.100"}, {9, 2500, "2.500"}};
  out.evaluations = 20;
  out.notes = {"gang under edf is left out: wcet is not said"};
  return out;
}
[[nodiscard]] auto drawn(const plan_view& v) -> std::string {
  std::ostringstream out;
  takt::report::write_svg_plan(out, v);
  return out.str();
}
[[nodiscard]] auto count(const std::string& text, const std::string& part) -> std::size_t {
  std::size_t out = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) { ++out; }
  return out;
}

}  // namespace

TEST_CASE("a picture of a plan has its cores, GPU, slack, search and refused ways") {
  const std::string svg = drawn(view());
  CHECK(takt_tests::well_formed(svg));
  for (const std::string part :
       {"a &amp; b", "optimal", ">big<", ">little<", ">nothing<", "act, priority 1, 70 %", "GPU: levels:2",
        "5ms of 10ms", "proven without a bound of 9ms", "30ms, without a limit", "2.500 after 9",
        "gang under edf is left out: wcet is not said"}) {
    CAPTURE(part);
    CHECK(svg.find(part) != std::string::npos);
  }
}

TEST_CASE("a picture of a plan keeps bars inside its width and puts words that have no room into further lines") {
  plan_view v = view();
  const std::string narrow = drawn(v);
  CHECK(narrow.find("width=\"480.00\"") == std::string::npos);
  v.cores[0].tasks.clear();
  for (std::uint32_t t = 0; t < 12; ++t) {
    v.cores[0].tasks.push_back({t, "a task with a very long name of number " + std::to_string(t), 0.2});
  }
  const std::string svg = drawn(v);
  CHECK(count(svg, "<text x=\"236\"") >= 5);
  CHECK(count(svg, "a task with a very long name") == 24);
}

TEST_CASE("a picture of a plan without GPU, steps or notes has no such parts") {
  plan_view v = view();
  v.gpu.clear();
  v.growth.clear();
  v.notes.clear();
  const std::string svg = drawn(v);
  for (const std::string part : {"GPU", "Search", "Refused"}) { CHECK(svg.find(part) == std::string::npos); }
}
