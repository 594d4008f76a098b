// SPDX-License-Identifier: Apache-2.0
// docs/waters2019.md, and the files that it is about, say what the program says.
#include <cstddef>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace {

using nlohmann::json;
using takt::test::contains;
using takt::test::object;
using takt::test::read;
using takt::test::scratch;

auto in_source(const std::string& path) -> std::string { return std::string{TAKT_SOURCE_DIR} + "/" + path; }
auto file(const std::string& name) -> std::string { return in_source("examples/data/waters2019/" + name + ".json"); }

/// What the page says below a mark, up to its end.
struct block {
  std::string mark;
  std::string text;
};
auto blocks() -> std::vector<block> {
  constexpr std::string_view head = "<!-- ";
  constexpr std::string_view foot = "<!-- end -->";
  const std::string page = read(in_source("docs/waters2019.md"));
  std::vector<block> out;
  for (std::size_t at = page.find(head); at != std::string::npos; at = page.find(head, at)) {
    const std::size_t line = page.find('\n', at) + 1;
    const std::size_t end = page.find(foot, line);
    REQUIRE(end != std::string::npos);
    const std::size_t mark = at + head.size();
    out.push_back({page.substr(mark, page.find(" -->", mark) - mark), page.substr(line, end - line)});
    at = end + foot.size();
  }
  return out;
}
auto blocks_of(const std::string& kind) -> std::vector<block> {
  std::vector<block> out;
  for (block& b : blocks()) {
    if (!b.mark.starts_with(kind + " ")) { continue; }
    b.mark.erase(0, kind.size() + 1);
    out.push_back(b);
  }
  return out;
}

/// Cells of the rows of a table, without its head.
auto rows_of(const std::string& table) -> std::vector<std::vector<std::string>> {
  std::vector<std::vector<std::string>> out;
  std::istringstream lines{table};
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    for (std::size_t at = 2; at < line.size();) {
      const std::size_t end = line.find(" |", at);
      cells.push_back(line.substr(at, end - at));
      at = end + 3;
    }
    out.push_back(cells);
  }
  REQUIRE(out.size() > 2);
  out.erase(out.begin(), out.begin() + 2);
  return out;
}

auto in_milliseconds(std::int64_t time) -> std::string {
  const std::string parts = std::to_string(time % 1'000'000);
  return std::to_string(time / 1'000'000) + "." + std::string(6 - parts.size(), '0') + parts;
}
auto bounds_of(const std::string& name) -> std::map<std::string, std::string> {
  std::map<std::string, std::string> out;
  const json verdict = object(takt::test::takt("analyze --json " + in_source("examples/data/waters2019/" + name)));
  for (const json& t : verdict["tasks"]) {
    const json& bound = t["response_bound"];
    out[t["name"]] = bound.is_null() ? "-" : in_milliseconds(bound.get<std::int64_t>());
  }
  return out;
}

}  // namespace

TEST_CASE("program: what the WATERS page shows of the program is what it says") {
  INFO("`scripts/figures waters2019` makes the page anew");
  const auto shown = blocks_of("says");
  CHECK(shown.size() == 5);
  for (const block& b : shown) {
    CAPTURE(b.mark);
    std::string asked = b.mark;
    asked.replace(asked.find("examples/"), 0, in_source(""));
    CHECK("```text\n" + takt::test::takt(asked).out + "```\n" == b.text);
  }
}

TEST_CASE("program: bounds beside published responses on the WATERS page are those of its files") {
  INFO("`scripts/figures waters2019` makes the page anew");
  std::size_t rows = 0;
  for (const std::string kind : {"responses", "plan-responses"}) {
    for (const block& b : blocks_of(kind)) {
      CAPTURE(b.mark);
      const auto proven = bounds_of(b.mark);
      const std::size_t column = kind == "responses" ? 3 : 4;
      for (const auto& row : rows_of(b.text)) {
        CAPTURE(row[0]);
        CHECK(row.at(column) == proven.at(row[0]));
        ++rows;
      }
    }
  }
  CHECK(rows == 40);
}

TEST_CASE("program: the mapping of the WATERS model and the published one leave the same five tasks bounded") {
  for (const std::string name : {"original", "mapped"}) {
    CAPTURE(name);
    CHECK(takt::test::takt("analyze " + file(name)).code == 1);
    for (const auto& [task, bound] : bounds_of(name + ".json")) {
      CAPTURE(task);
      const bool is_reached = task == "Planner" || task == "SFM" || task == "Lane_detection" || task == "Detection" ||
                              task == "Localization";
      CHECK((bound == "-") == is_reached);
    }
    const auto words = takt::test::takt("explain " + file(name));
    CHECK(contains(words.out, "Bounded all the same, since nothing that is not proven can delay them: "));
    CHECK(takt::test::takt("simulate --releases worst --horizon 2s " + file(name)).code <= 1);
  }
}

TEST_CASE("program: the WATERS plans are proven, with their chains, and name what they assume") {
  CHECK(takt::test::takt("analyze " + file("pair")).code == 0);
  for (const std::string name : {"plan", "plan-mean", "plan-gpu"}) {
    CAPTURE(name);
    CHECK(takt::test::takt("analyze " + file(name)).code == 0);
    const json v = json::parse(read(file(name)));
    CHECK(v["notes"][0].get<std::string>().starts_with("Assumption: "));
    if (name == "plan-gpu") { continue; }
    CHECK(takt::test::takt("chains --horizon 1s " + file(name)).code == 0);
  }
}

TEST_CASE("program: pictures of the WATERS page are what the program draws") {
  INFO("`scripts/figures waters2019` makes them anew");
  const std::string gantt = scratch("waters-plan.svg");
  CHECK(takt::test::takt("simulate " + file("plan") + " --releases worst --horizon 200ms --svg " + gantt).code == 0);
  CHECK(read(gantt) == read(in_source("docs/pictures/waters2019-plan.svg")));
  const std::string chain = scratch("waters-chain.svg");
  CHECK(takt::test::takt("chains " + file("plan") + " --svg " + chain).code == 0);
  CHECK(read(chain) == read(in_source("docs/pictures/waters2019-chain.svg")));
}
