// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <takt/report/comparison_json.hpp>
#include <takt/report/comparison_order.hpp>
#include <takt/report/comparison_summary.hpp>
#include <takt/report/comparison_svg.hpp>
#include <takt/report/comparison_table.hpp>
#include <takt/report/comparison_words.hpp>
#include <takt/report/miss_words.hpp>
#include <takt/report/utf8.hpp>
#include <takt/report/wrap.hpp>

#include "support/xml.hpp"

namespace {

using nlohmann::json;
using takt::ticks;
using takt::verdict_status;
using takt::report::compared_task;
using takt::report::comparison_rank;
using takt::report::comparison_row;
using takt::report::comparison_summary;
using takt::report::missing_words;
using takt_tests::well_formed;

constexpr ticks ms = 1'000'000;
constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

auto task(std::string name, ticks deadline, ticks bound) -> compared_task {
  return {.name = std::move(name), .deadline = deadline, .bound = {bound, true}, .meets = bound <= deadline};
}

auto judged(std::string policy, verdict_status status, std::optional<std::int64_t> slack,
            std::optional<std::int64_t> factor) -> comparison_row {
  comparison_row out;
  out.policy = std::move(policy);
  out.cpus = "fixed-priority";
  out.status = status;
  out.method = "holistic";
  out.slack_permille = slack;
  out.factor_permille = factor;
  return out;
}

auto unjudged(std::string policy, std::vector<missing_words> missing) -> comparison_row {
  comparison_row out;
  out.policy = std::move(policy);
  out.cpus = "fixed-priority";
  out.missing = std::move(missing);
  return out;
}

/// Two that are proven, the time slices that are not, and two that lack the same facts.
auto mixed() -> comparison_summary {
  comparison_summary c;
  c.title = "camera & lidar";
  c.platform_words = {"1 CPU", "10 SMs"};
  c.rows.push_back(judged("time-sliced:1024us", verdict_status::unschedulable, -1500, std::nullopt));
  c.rows.back().tasks = {task("camera", 30 * ms, 75 * ms), task("lidar", 50 * ms, 20 * ms)};
  takt::proven_misses<takt::ticks, 2> misses;
  REQUIRE(misses.try_push_back({.reason = takt::miss_reason::own_time, .task = 0, .value = 75 * ms, .limit = 30 * ms}));
  c.rows.back().misses = takt::report::compared_misses(misses, c.rows.back().tasks);
  c.rows.push_back(unjudged("levels", {{"/platform", "preemption_levels"}, {"/tasks/1/segments/1", "blocks"}}));
  c.rows.push_back(judged("tokens-k-fmlp:2", verdict_status::schedulable, 100, 1400));
  c.rows.back().tasks = {task("camera", 30 * ms, 27 * ms), task("lidar", 50 * ms, 10 * ms)};
  c.rows.back().plan_words = "2 tokens of 5 SMs";
  c.rows.back().plan.add("tokens", 2);
  c.rows.push_back(unjudged("slots", c.rows[1].missing));
  c.rows.push_back(judged("federated", verdict_status::schedulable, 240, 1310));
  c.rows.back().tasks = {task("camera", 30 * ms, 22'800'000), task("lidar", 50 * ms, 30 * ms)};
  c.rows.back().plan_words = "camera 6 SMs, lidar 4 SMs";
  c.rows.push_back(judged("gang", verdict_status::not_proven, std::nullopt, std::nullopt));
  c.rows.back().tasks = {{.name = "camera", .deadline = 30 * ms, .bound = {}},
                         {.name = "lidar", .deadline = 50 * ms, .bound = {}, .meets = true}};
  return c;
}

auto text_of(const comparison_summary& c, std::size_t width = 120, comparison_rank by = comparison_rank::slack)
    -> std::string {
  return takt::report::comparison_text(c, {.by = by, .width = width});
}

auto drawn(const comparison_summary& c) -> std::string {
  std::ostringstream out;
  takt::report::write_comparison_svg(out, c);
  return out.str();
}

auto written(const comparison_summary& c) -> std::string {
  std::ostringstream out;
  takt::report::write_comparison_json(out, c);
  return out.str();
}

auto lines_of(const std::string& text) -> std::vector<std::string> {
  std::vector<std::string> out;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) { out.push_back(line); }
  return out;
}

auto contains(const std::string& text, std::string_view part) -> bool { return text.find(part) != std::string::npos; }

auto policies_of(const comparison_summary& c, comparison_rank by) -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const std::size_t i : takt::report::ranked(c, by)) { out.push_back(c.rows[i].policy); }
  return out;
}

struct rectangle {
  double x = 0, y = 0, width = 0, height = 0;
};

/// The number behind an attribute that stands after `from`.
auto number_of(const std::string& svg, std::string_view attribute, std::size_t from) -> double {
  return std::stod(svg.substr(svg.find(attribute, from) + attribute.size()));
}

/// All rectangles of a class, in order.
auto rectangles(const std::string& svg, std::string_view style) -> std::vector<rectangle> {
  std::vector<rectangle> out;
  const std::string wanted = "class=\"" + std::string{style} + '"';
  for (std::size_t at = svg.find(wanted); at != std::string::npos; at = svg.find(wanted, at + 1)) {
    const std::size_t start = svg.rfind("<rect", at);
    out.push_back({number_of(svg, " x=\"", start), number_of(svg, " y=\"", start), number_of(svg, " width=\"", start),
                   number_of(svg, " height=\"", start)});
  }
  return out;
}

}  // namespace

TEST_CASE("comparisons rank proven rows by slack or factor, and put what has no verdict last") {
  using strings = std::vector<std::string>;
  CHECK(policies_of(mixed(), comparison_rank::slack) ==
        strings{"federated", "tokens-k-fmlp:2", "gang", "time-sliced:1024us", "levels", "slots"});
  CHECK(policies_of(mixed(), comparison_rank::factor) ==
        strings{"tokens-k-fmlp:2", "federated", "gang", "time-sliced:1024us", "levels", "slots"});
  CHECK(takt::report::best_of(mixed(), comparison_rank::slack) == std::size_t{4});
  CHECK(takt::report::best_of(mixed(), comparison_rank::factor) == std::size_t{2});

  comparison_summary c;
  CHECK_FALSE(takt::report::best_of(c).has_value());
  c.rows = {judged("late", verdict_status::not_proven, 900, 2000), judged("plain", verdict_status::schedulable, {}, {}),
            judged("tight", verdict_status::schedulable, 0, {}), judged("same", verdict_status::schedulable, 0, {})};
  CHECK(policies_of(c, comparison_rank::slack) == strings{"tight", "same", "plain", "late"});
  c.rows.resize(1);
  CHECK_FALSE(takt::report::best_of(c).has_value());
}

TEST_CASE("the table of a comparison has a line per row with its best row and today's marked") {
  const std::string text = text_of(mixed());
  const auto lines = lines_of(text);
  REQUIRE(lines.size() > 11);
  CHECK(lines[0] == "camera & lidar");
  CHECK(lines[1] == "1 CPU, 10 SMs");
  CHECK(lines[2] == "CPU rule of all rows: fixed-priority");
  CHECK(lines[4].find("chosen") != std::string::npos);
  CHECK(lines[6] ==
        "  federated (best)              schedulable  holistic      +24.0 %   1.310  camera 6 SMs, lidar 4 SMs");
  CHECK(lines[7] == "  tokens-k-fmlp:2               schedulable  holistic      +10.0 %   1.400  2 tokens of 5 SMs");
  CHECK(lines[9] == "  time-sliced:1024us (today)  unschedulable  holistic     -150.0 %       -  -");
  CHECK(lines[10] == "  levels                         not judged         -            -       -  -");
  CHECK(contains(text, "\nlevels and slots cannot be judged: the platform does not say preemption_levels;"));
  CHECK(contains(text, " has no blocks.\n"));
  CHECK(contains(text, "\ntime-sliced:1024us must miss a deadline: a job of camera that has the board to itself can "));
  CHECK(contains(text, "\ntoday: time slices are what a board does"));
  CHECK(contains(text, "\ngang is not proven: no bound is known for camera.\n"));
  CHECK_FALSE(contains(text, "No policy is proven"));
  CHECK(contains(text_of(mixed(), 120, comparison_rank::factor), "tokens-k-fmlp:2 (best) "));
}

TEST_CASE("CPU rules have a column where they differ, and reasons name them where a policy has several outcomes") {
  auto c = mixed();
  for (const std::size_t i : {1U, 4U}) {
    c.rows.push_back(c.rows[i]);
    c.rows.back().cpus = "edf";
  }
  c.rows[6].missing.pop_back();
  const std::string text = text_of(c);
  CHECK(contains(text, "  policy                                CPUs        verdict"));
  CHECK_FALSE(contains(text, "CPU rule of all rows"));
  CHECK(contains(text, "\nlevels with fixed-priority and slots cannot be judged: the platform"));
  CHECK(contains(text, "\nlevels with edf cannot be judged: the platform does not say preemption_levels.\n"));
}

TEST_CASE("facts that are missing in the same places read as one clause, and many places are counted") {
  std::vector<missing_words> missing;
  for (int i = 0; i < 10; ++i) {
    missing.push_back({"/tasks/" + std::to_string(i) + "/segments/1", "blocks"});
    missing.push_back({"/tasks/" + std::to_string(i) + "/segments/1", "block_length"});
    missing.push_back({"/platform", "preemption_levels"});
  }
  missing.push_back({"/tasks/3", "state"});
  missing.push_back({"", "context_switch"});
  missing.push_back({"/platform/gpus/1", "memory"});
  using strings = std::vector<std::string>;
  CHECK(takt::report::missing_clauses(missing) ==
        strings{"the platform does not say preemption_levels or context_switch",
                "/tasks/0/segments/1, /tasks/1/segments/1, /tasks/2/segments/1 and 7 other places have no blocks or "
                "block_length",
                "/tasks/3 has no state", "/platform/gpus/1 has no memory"});
  CHECK(takt::report::missing_clauses({}).empty());
  const std::vector<missing_words> four{{"/a", "f"}, {"/b", "f"}, {"/c", "f"}, {"/d", "f"}};
  CHECK(takt::report::missing_clauses(four) == strings{"/a, /b, /c and /d have no f"});
}

TEST_CASE("what bounds leave open is told where a row gives no other reason") {
  auto row = judged("federated", verdict_status::not_proven, -500, {});
  CHECK(takt::report::detail::reason_of(row).empty());
  row.tasks = {task("a", 10 * ms, 15 * ms), task("b", 10 * ms, 5 * ms)};
  CHECK(takt::report::detail::reason_of(row) == "the bound of a exceeds its deadline");
  for (const char* name : {"c", "d", "e", "f", "g"}) {
    row.tasks.push_back(task(name, 10 * ms, 11 * ms));
    row.tasks.push_back({.name = name, .deadline = 10 * ms, .bound = {}});
  }
  row.tasks.back().meets = true;
  CHECK(takt::report::detail::reason_of(row) ==
        "the bounds of a, c, d and 3 other tasks exceed their deadlines; no bound is known for c, d, e and f");
  row.because = "There is a reason.";
  CHECK(takt::report::detail::reason_of(row) == "There is a reason");
}

TEST_CASE("nothing judged, nothing to judge and no policy are said in words") {
  comparison_summary none;
  CHECK(text_of(none) == "No policy was compared.\n");
  CHECK(well_formed(drawn(none)));
  CHECK(contains(drawn(none), ">No policy was compared.<"));
  CHECK(json::parse(written(none)).at("rows") == json::array());

  comparison_summary c;
  c.rows = {unjudged("levels", {{"/platform", "preemption_levels"}}), unjudged("slots", {})};
  c.rows[1].because = "Slots need periods that divide one another.";
  CHECK(contains(text_of(c), "\nNo policy is proven to meet all deadlines.\n"));
  CHECK(contains(text_of(c), "\nslots cannot be judged: Slots need periods that divide one another.\n"));
  CHECK_FALSE(contains(text_of(c), "chosen"));
  CHECK_FALSE(contains(text_of(c), "today"));
  CHECK(well_formed(drawn(c)));
  CHECK(contains(drawn(c), ">not judged: the platform does not say preemption_levels<"));
  CHECK_FALSE(contains(drawn(c), "Axis"));

  c.rows = {judged("federated", verdict_status::schedulable, {}, {})};
  CHECK(contains(text_of(c), "  federated (best)  schedulable  holistic            -       -\n"));
  CHECK(well_formed(drawn(c)));
}

TEST_CASE("long plans stand below the table, once for all rows that have them, and every line fits") {
  auto c = mixed();
  std::string words;
  for (int i = 0; i < 40; ++i) { words += (i == 0 ? "" : ", ") + ("task_" + std::to_string(i)) + " " + "2 SMs"; }
  c.rows[2].plan_words = words;
  c.rows[4].plan_words = words;
  for (const std::size_t width : {100U, 120U}) {
    const std::string text = text_of(c, width);
    for (const std::string& line : lines_of(text)) { CHECK_MESSAGE(takt::report::columns(line) <= width, line); }
    CHECK(contains(text, "\nChosen for federated and tokens-k-fmlp:2: task_0 2 SMs"));
    CHECK(text.find("task_39 2 SMs") == text.rfind("task_39 2 SMs"));
  }
  for (const std::string& line : lines_of(text_of(mixed()))) { CHECK(takt::report::columns(line) <= 120); }
}

TEST_CASE("figures that are too large for a column are told as such") {
  using takt::report::factor_words;
  using takt::report::detail::signed_percent;
  CHECK(takt::report::detail::signed_percent(240) == "+24.0 %");
  CHECK(takt::report::detail::signed_percent(0) == "0.0 %");
  CHECK(takt::report::detail::signed_percent(-1) == "-0.1 %");
  CHECK(takt::report::detail::signed_percent(-99'999) == "-9999.9 %");
  CHECK(takt::report::detail::signed_percent(-100'000) == "< -9999.9 %");
  CHECK(takt::report::detail::signed_percent(smallest) == "< -9999.9 %");
  CHECK(takt::report::detail::signed_percent(greatest) == "> +9999.9 %");
  CHECK(takt::report::detail::signed_percent({}) == "-");
  CHECK(factor_words(999) == "0.999");
  CHECK(factor_words(greatest) == "> 9999.999");
  CHECK(factor_words({}) == "-");
}

TEST_CASE("lines are wrapped at spaces, and a word that is wider than a line is broken") {
  using strings = std::vector<std::string>;
  using takt::report::wrapped;
  CHECK(wrapped("one two  three", 7) == strings{"one two", "three"});
  CHECK(wrapped("a /tasks/12/segments/1 b", 8) == strings{"a", "/tasks/1", "2/segmen", "ts/1 b"});
  CHECK(wrapped("", 8).empty());
  CHECK(wrapped("   ", 8).empty());
  CHECK(wrapped("\xE3\x82\xAB\xE3\x83\xA1\xE3\x83\xA9", 4) == strings{"\xE3\x82\xAB\xE3\x83\xA1", "\xE3\x83\xA9"});
}

TEST_CASE("comparison JSON is one object with every row in the given order and nulls for what is unknown") {
  const std::string text = written(mixed());
  CHECK(text.find('\n') == text.size() - 1);
  const json j = json::parse(text);
  CHECK(j.at("format") == "takt-compare/1");
  REQUIRE(j.at("rows").size() == 6);
  CHECK(j.at("rows")[2] ==
        json{{"policy", "tokens-k-fmlp:2"},
             {"cpus", "fixed-priority"},
             {"status", "schedulable"},
             {"analysis", "holistic"},
             {"slack_permille", 100},
             {"factor_permille", 1400},
             {"plan", {{"tokens", 2}}},
             {"missing", json::array()},
             {"why", json::array()},
             {"tasks",
              {{{"name", "camera"}, {"deadline", 30 * ms}, {"response_bound", 27 * ms}, {"meets", true}},
               {{"name", "lidar"}, {"deadline", 50 * ms}, {"response_bound", 10 * ms}, {"meets", true}}}}});
  CHECK(j.at("rows")[1] == json{{"policy", "levels"},
                                {"cpus", "fixed-priority"},
                                {"status", nullptr},
                                {"analysis", nullptr},
                                {"slack_permille", nullptr},
                                {"factor_permille", nullptr},
                                {"plan", nullptr},
                                {"missing",
                                 {{{"at", "/platform"}, {"fact", "preemption_levels"}},
                                  {{"at", "/tasks/1/segments/1"}, {"fact", "blocks"}}}},
                                {"why", json::array()},
                                {"tasks", json::array()}});
  CHECK(j.at("rows")[0].at("slack_permille") == -1500);
  CHECK(j.at("rows")[0].at("why") ==
        json::array({{{"reason", "own-time"},
                      {"task", "camera"},
                      {"value", 75 * ms},
                      {"limit", 30 * ms},
                      {"words",
                       "a job of camera that has the board to itself can take 75ms, 45ms more than its deadline of "
                       "30ms"}}}));
  CHECK(j.at("rows")[0].at("tasks")[0].at("meets") == false);
  CHECK(j.at("rows")[5].at("status") == "not-proven");
  CHECK(j.at("rows")[5].at("tasks")[0].at("response_bound").is_null());
  CHECK(j.at("rows")[5].at("tasks")[1].at("meets") == true);
}

TEST_CASE("comparison JSON holds extreme figures and any text") {
  comparison_summary c;
  c.rows = {judged("a\"\\\n\x01\xFF", verdict_status::overflow, smallest, greatest)};
  c.rows[0].tasks = {task("x", greatest, smallest), task("y", smallest, greatest)};
  c.rows[0].tasks[0].limited = false;
  const json row = json::parse(written(c)).at("rows")[0];
  CHECK(row.at("policy") == "a\"\\\n\x01\xEF\xBF\xBD");
  CHECK(row.at("status") == "overflow");
  CHECK(row.at("slack_permille") == smallest);
  CHECK(row.at("factor_permille") == greatest);
  CHECK(row.at("tasks")[0].at("deadline").is_null());
  CHECK(row.at("tasks")[1].at("deadline") == smallest);
}

TEST_CASE("the picture of a comparison has title, legend, axis, marks and reasons") {
  const std::string svg = drawn(mixed());
  CHECK(well_formed(svg));
  for (const std::string_view text : {">camera &amp; lidar<",
                                      ">1 CPU, 10 SMs<",
                                      ">proven: what is left of the deadline<",
                                      ">the bound exceeds the deadline<",
                                      ">proven without a bound<",
                                      ">no bound is known<",
                                      ">Axis: (deadline",
                                      ">100 %<",
                                      ">0 %<",
                                      ">-100 %<",
                                      ">best<",
                                      ">today<",
                                      ">worst +24.0 %<",
                                      ">factor 1.310<",
                                      ">not proven<",
                                      ">a job of camera that has the board to itself ",
                                      ">+24.0<",
                                      ">-150.0<",
                                      "<title>camera\nbound 75ms, deadline 30ms, not proven</title>",
                                      "not judged: the platform does not say preemption_levels; /tasks/1/segments/1"}) {
    CHECK_MESSAGE(contains(svg, text), text);
  }
  CHECK_FALSE(contains(svg, "but not proven"));
  CHECK(svg.find(">best<") == svg.rfind(">best<"));
  CHECK(drawn(mixed()) == svg);
}

TEST_CASE("bars are as long as the slack, to either side of the zero line and within their row") {
  const std::string svg = drawn(mixed());
  const auto slack = rectangles(svg, "slack");
  const auto late = rectangles(svg, "late");
  REQUIRE(slack.size() == 6);  // the legend's first, then row by row
  REQUIRE(late.size() == 2);
  // federated 24 and 40 %, tokens 10 and 80 %, time slices 60 %
  CHECK(slack[1].height * 40 == doctest::Approx(slack[2].height * 24).epsilon(0.01));
  CHECK(slack[3].height * 80 == doctest::Approx(slack[4].height * 10).epsilon(0.01));
  CHECK(slack[1].y + slack[1].height == doctest::Approx(slack[2].y + slack[2].height));
  CHECK(slack[5].y + slack[5].height == doctest::Approx(late[1].y));
  CHECK(late[1].height == doctest::Approx(slack[5].height * 100 / 60).epsilon(0.01));
  CHECK(slack[1].x < slack[2].x);
  CHECK(late[1].x == doctest::Approx(slack[1].x));
}

TEST_CASE("a bound within the deadline without a proof and a task without a deadline have marks of their own") {
  comparison_summary c;
  c.rows = {judged("federated", verdict_status::not_proven, 500, {})};
  c.rows[0].tasks = {task("a", 10 * ms, 5 * ms), task("b", 10 * ms, 5 * ms)};
  c.rows[0].tasks[0].meets = false;
  c.rows[0].tasks[1].limited = false;
  const std::string svg = drawn(c);
  CHECK(well_formed(svg));
  CHECK(contains(svg, ">the bound is within the deadline, but not proven<"));
  CHECK(contains(svg, ">bounded, without a deadline<"));
  CHECK(rectangles(svg, "hollow").size() == 2);
  CHECK(rectangles(svg, "slack").empty());
  CHECK(rectangles(svg, "late").empty());
}

TEST_CASE("the picture escapes all texts, and rows find their tasks by name") {
  comparison_summary c;
  c.title = "</svg>\n]]>\x02 & co";
  c.rows = {judged("<p>&'\"", verdict_status::schedulable, 100, {}), judged("b", verdict_status::schedulable, 50, {})};
  c.rows[0].cpus = "<cpus>";
  c.rows[0].method = "<by>";
  c.rows[0].because = "<why>";
  c.rows[0].tasks = {task("<a>", 10 * ms, 9 * ms), task("same", 10 * ms, 9 * ms), task("same", 10 * ms, 9 * ms)};
  c.rows[1].tasks = {task("same", 10 * ms, 9 * ms), task("<a>", 10 * ms, 9 * ms)};
  const std::string svg = drawn(c);
  CHECK(well_formed(svg));
  CHECK(contains(svg, "&lt;p&gt;&amp;&#39;&quot;"));
  const auto bars = rectangles(svg, "slack");
  REQUIRE(bars.size() == 6);
  CHECK(bars[1].x == bars[5].x);
  CHECK(bars[2].x == bars[4].x);
  CHECK(bars[3].x > bars[2].x);
}

TEST_CASE("pictures of many tasks and rows and of extreme times stay well-formed and inside their frame") {
  comparison_summary c;
  c.title = std::string(300, 'x');
  for (int i = 0; i < 30; ++i) {
    c.rows.push_back(judged("policy " + std::to_string(i), verdict_status::not_proven, smallest, greatest));
    c.rows.back().because = std::string(2000, 'y');
    for (int t = 0; t < 60; ++t) {
      const ticks deadline = t % 3 == 0 ? greatest : t % 3 == 1 ? 1 : 10 * ms;
      const ticks bound = t % 4 == 0 ? greatest : t % 4 == 1 ? 0 : t % 4 == 2 ? smallest : 15 * ms;
      c.rows.back().tasks.push_back(task("a task with a long name " + std::to_string(t), deadline, bound));
    }
  }
  const std::string svg = drawn(c);
  CHECK(well_formed(svg));
  const double width = number_of(svg, " width=\"", 0);
  const double height = number_of(svg, " height=\"", 0);
  CHECK(width >= 960);
  for (const std::string_view style : {"slack", "late"}) {
    const auto bars = rectangles(svg, style);
    CHECK(bars.size() > 300);
    CHECK(std::ranges::all_of(bars, [&](const rectangle& r) {
      return r.x > 0 && r.x + r.width < width && r.y > 0 && r.y + r.height < height && r.height > 1 && r.height <= 101;
    }));
  }
}
