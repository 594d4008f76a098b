// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "study.hpp"

namespace {

using nlohmann::json;
using takt::test::contains;
using takt::test::run_study;
using takt::test::sum;
using takt::test::write;

[[nodiscard]] auto small_boards() -> json {
  return json::parse(R"({
    "format": "takt-study/1", "name": "small-boards", "title": "Small boards", "generator": "blocks",
    "parameters": {"tasks": 3, "period": "10ms..50ms"},
    "levels": [0.3, 0.6], "sets": 8, "seed": 4,
    "methods": ["federated@edf", {"policy": "time-sliced:2ms", "cpus": "edf"}],
    "vary": {"sms": [4, 8]}
  })");
}

/// Each a file of its own.
[[nodiscard]] auto written(const json& document) -> std::string {
  static int number = 0;
  return write("study-" + std::to_string(number++) + ".json", document.dump());
}
[[nodiscard]] auto with(std::string_view pointer, const json& value) -> std::string {
  json out = small_boards();
  out[json::json_pointer{std::string{pointer}}] = value;
  return written(out);
}
[[nodiscard]] auto without(const char* key) -> std::string {
  json out = small_boards();
  out.erase(key);
  return written(out);
}

}  // namespace

TEST_CASE("a file describes a study of one's own: every method judges the sets that the generator prints") {
  const std::string file = write("boards.json", small_boards().dump());
  const auto rows = run_study(file);
  REQUIRE(rows.size() == 4);
  const auto first = rows[0].cells;
  CHECK(first.at("sms") == "4");
  CHECK(first.at("sets") == "8");
  // By hand: what takt analyze says of each set under each policy.
  for (const auto& r : rows) {
    int federated = 0;
    int sliced = 0;
    for (int i = 0; i < 8; ++i) {
      const std::int64_t level = r.cells.at("utilization") == "0.3" ? 300 : 600;
      const std::string number = std::to_string(level * 1'000'000 + i);
      const auto set =
          takt::test::takt("generate blocks --tasks 3 --set period=10ms..50ms --seed 4 --sms " + r.cells.at("sms") +
                           " --utilization " + r.cells.at("utilization") + " --number " + number);
      REQUIRE(set.code == 0);
      const std::string path = write("one.json", set.out);
      federated += takt::test::takt("analyze " + path + " --policy federated --cpus edf").code == 0 ? 1 : 0;
      sliced += takt::test::takt("analyze " + path + " --policy time-sliced:2ms --cpus edf").code == 0 ? 1 : 0;
    }
    CHECK(r.count("federated@edf") == federated);
    CHECK(r.count("time-sliced:2ms@edf") == sliced);
  }
  CHECK(sum(rows, "federated@edf") > 0);
}

TEST_CASE("a file names a published study with parameters, and options go before both") {
  const std::string file = write("fig7.json", R"({"format": "takt-study/1", "study": "rtgpu-fig7", "sets": 20,
      "levels": "0.4..1.2/0.4", "seed": 2, "parameters": {"interleave": "1.5"}})");
  CHECK(takt::test::takt("sweep " + file).out ==
        takt::test::takt("sweep rtgpu-fig7 --sets 20 --levels 0.4..1.2/0.4 --seed 2 --set interleave=1.5").out);
  CHECK(run_study(file + " --levels 0.4 --sets 10")[0].cells.at("sets") == "10");
  CHECK(contains(takt::test::takt("sweep " + file + " --list").out, "interleave       1.5"));
}

TEST_CASE("a stopping rule ends flat points early, and the intervals of all are as narrow as was asked for") {
  const std::string file = with("/stop", {{"interval", 0.2}, {"least_sets", 30}});
  const auto rows = run_study(file + " --sets 1000 --set vary= --levels 0.2,0.6,3");
  REQUIRE(rows.size() == 3);
  CHECK(rows[2].count("sets") < rows[1].count("sets"));
  CHECK(rows[1].count("sets") < 200);
  CHECK(rows[0].count("sets") >= 30);
}

TEST_CASE("what is wrong with a study file is named by a JSON pointer, with what is allowed") {
  for (const auto& [file, words] : std::vector<std::pair<std::string, std::string>>{
           {with("/format", "takt-study/2"), "/format: \"takt-study/2\" is no format of a study"},
           {without("generator"), "generator"},
           {without("methods"), "methods"},
           {with("/generator", "block"),
            "/generator: \"block\" is no generator of this program, the nearest is \"blocks\""},
           {with("/generator", "hog"), "/generator: sets of hog have no level"},
           {with("/generater", "x"), "/generater"},
           {with("/name", "a b"), "/name: \"a b\" is no name of a study"},
           {with("/parameters/task", 3), "/parameters/task: is no parameter of this study, the nearest is \"tasks\""},
           {with("/parameters/tasks", 0), "/parameters/tasks: \"0\" is out of range"},
           {with("/parameters/tasks", true), "/parameters/tasks"},
           {with("/levels", "0.3..0.6"), "/levels"},
           {with("/sets", 0), "/sets: \"0\" is out of range"},
           {with("/stop", {{"interval", 2}}), "/stop/interval: 2 is no width of an interval"},
           {with("/stop", {{"least_sets", 2}}), "interval"},
           {with("/vary", {{"sm", {1}}}), "/vary: \"sm:1\" names no parameter"},
           {with("/methods/0", "federated"), "/methods: \"federated\" names no rule of processors"},
           {with("/methods/0", "federatet@edf"), "the nearest is \"federated\""},
           {with("/methods/0", "federated@edg"), "the nearest is \"edf\""},
           {with("/methods/0", "time-sliced:2ms@edf"), "/methods: time-sliced:2ms@edf is there twice"},
           {with("/methods/0", "gang@edf/rtgpu"), "gang has no analysis to choose"},
           {with("/methods/1/policies", "x"), "/methods/1/policies"},
           {with("/study", "rtgpu-fig7"), "is no key of a study of this program"}}) {
    CAPTURE(words);
    const auto o = takt::test::takt("sweep " + file);
    INFO(o.err);
    CHECK(o.code == 3);
    CHECK(o.out.empty());
    CHECK(contains(o.err, words));
  }
  json shares = small_boards();
  shares["generator"] = "accelerator";
  shares["parameters"] = json::object();
  shares.erase("vary");
  const auto o = takt::test::takt("sweep " + written(shares));
  CHECK(o.code == 3);
  CHECK(contains(o.err, "cannot judge these sets"));
}

TEST_CASE("the page of a study has its curves, its ranking and what its methods accept unlike one another") {
  const std::string page = takt::test::scratch("page.html");
  const std::string file = write("boards.json", small_boards().dump());
  REQUIRE(takt::test::takt("sweep " + file + " --html " + page).code == 0);
  const std::string html = takt::test::read(page);
  for (const char* words : {"<svg", "Small boards", "<td>period</td><td>10ms..50ms</td>", "only it, not the next",
                            "accepts, unlike", "Wilson", "sms 8"}) {
    CAPTURE(words);
    CHECK(contains(html, words));
  }
}

TEST_CASE("the example of a study is read as one") {
  const auto all = takt::test::takt("sweep " TAKT_SOURCE_DIR "/examples/studies/small-boards.json --list");
  CHECK(all.code == 0);
  CHECK(contains(all.out, "vary"));
}
