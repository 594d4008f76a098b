// SPDX-License-Identifier: Apache-2.0
// The checker of trace-event rules finds what breaks one, and nothing else.
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "support/chrome_trace_checker.hpp"

namespace {

const std::string names = R"({"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"CPU"}},)"
                          R"({"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"core 0"}},)"
                          R"({"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"core 1"}})";

auto trace_of(const std::string& events) -> std::string {
  return R"({"displayTimeUnit":"ns","traceEvents":[)" + names + (events.empty() ? "" : ",") + events + "]}";
}
auto slice(int tid, const std::string& ts, const std::string& dur) -> std::string {
  return R"({"ph":"X","name":"a","pid":1,"tid":)" + std::to_string(tid) + R"(,"ts":)" + ts + R"(,"dur":)" + dur + "}";
}
auto flow(const std::string& phase, int tid, const std::string& ts, const std::string& more = "") -> std::string {
  return R"({"ph":")" + phase + R"(","name":"job","cat":"job","id":7,"pid":1,"tid":)" + std::to_string(tid) +
         R"(,"ts":)" + ts + more + "}";
}
const std::string enclosing = R"(,"bp":"e")";

/// The first complaint, or nothing.
auto first(const std::string& text) -> std::string {
  const auto all = chrome_trace_checker::complaints_about(text);
  return all.empty() ? "" : all.front();
}
auto about(const std::string& events) -> std::string { return first(trace_of(events)); }
void finds(std::string_view what, const std::string& found) {
  CAPTURE(what);
  CAPTURE(found);
  CHECK(found.find(what) != std::string::npos);
}

}  // namespace

TEST_CASE("trace rules hold for slices side by side, in one another and on other tracks") {
  CHECK(about("").empty());
  CHECK(first("[" + names + "]").empty());
  CHECK(about(slice(1, "0", "5") + "," + slice(1, "5", "2.5")).empty());
  CHECK(about(slice(1, "0", "9") + "," + slice(1, "0", "5") + "," + slice(1, "2", "3")).empty());
  CHECK(about(slice(1, "0", "5") + "," + slice(2, "3", "5")).empty());
  CHECK(about(slice(1, "9007199254740.993", "0.001") + "," + slice(1, "9007199254740.994", "1")).empty());
}

TEST_CASE("trace rules are broken by slices that overlap without lying in one another") {
  finds("overlaps with", about(slice(1, "0", "5") + "," + slice(1, "4.999", "2")));
  finds("overlaps with", about(slice(1, "4", "2") + "," + slice(1, "0", "5")));
  finds("overlaps with", about(slice(1, "9007199254740.993", "0.002") + "," + slice(1, "9007199254740.994", "1")));
}

TEST_CASE("trace rules are broken by flows that do not begin, end, bind or go forward") {
  const std::string two = slice(1, "0", "5") + "," + slice(2, "6", "5") + ",";
  CHECK(about(two + flow("s", 1, "0") + "," + flow("f", 2, "6", enclosing)).empty());
  CHECK(about(two + flow("s", 1, "0") + "," + flow("t", 1, "1") + "," + flow("f", 2, "5", "")).empty());
  finds("without an end", about(two + flow("s", 1, "0")));
  finds("does not begin once", about(two + flow("f", 2, "6", enclosing)));
  finds("does not begin once",
        about(two + flow("s", 1, "0") + "," + flow("s", 1, "0") + "," + flow("f", 2, "6", enclosing)));
  finds("tied to no slice", about(two + flow("s", 1, "5") + "," + flow("f", 2, "6", enclosing)));
  finds("tied to no slice", about(two + flow("s", 1, "0") + "," + flow("f", 2, "5", enclosing)));
  finds("back in time", about(two + flow("s", 2, "6") + "," + flow("f", 1, "0", enclosing)));
}

TEST_CASE("trace rules are broken by fields that are missing or of the wrong kind") {
  finds("a phase that is not known", about(R"({"ph":"Q","name":"a","pid":1,"tid":1,"ts":0})"));
  finds("pid and tid", about(R"({"ph":"X","name":"a","pid":"1","tid":1,"ts":0,"dur":1})"));
  finds("process 0", about(R"({"ph":"X","name":"a","pid":0,"tid":1,"ts":0,"dur":1})"));
  finds("no name", about(R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":1})"));
  finds("ts must be", about(R"({"ph":"X","name":"a","pid":1,"tid":1,"dur":1})"));
  finds("ts must be", about(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":0.0001,"dur":1})"));
  finds("dur must be", about(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":0})"));
  finds("dur is negative", about(slice(1, "0", "-1")));
  finds("s of an instant", about(R"({"ph":"i","name":"a","pid":1,"tid":1,"ts":0})"));
  finds("no id or no cat", about(R"({"ph":"s","name":"a","pid":1,"tid":1,"ts":0})"));
  finds("numbers as args", about(R"({"ph":"C","name":"a","pid":1,"tid":1,"ts":0,"args":{"n":"x"}})"));
  finds("args.name", about(R"({"ph":"M","name":"thread_name","pid":1,"tid":3,"args":{"name":5}})"));
  finds("not known", about(R"({"ph":"M","name":"thread_nmae","pid":1,"tid":3,"args":{"name":"a"}})"));
}

TEST_CASE("trace rules are broken by tracks without a name, or with two") {
  finds("without a name", about(slice(3, "0", "1")));
  finds("a second name", about(R"({"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"core 7"}})"));
}

TEST_CASE("trace rules are broken by begins without ends and by counters that go back in time") {
  const auto edge = [](const char* phase, const char* ts) {
    return std::string{R"({"ph":")"} + phase + R"(","name":"a","pid":1,"tid":1,"ts":)" + ts + "}";
  };
  const auto counter = [](const char* ts) {
    return std::string{R"({"ph":"C","name":"a","pid":1,"tid":1,"ts":)"} + ts + R"(,"args":{"n":1}})";
  };
  CHECK(about(edge("B", "0") + "," + edge("E", "2")).empty());
  finds("never ended", about(edge("B", "0")));
  finds("ends what has not begun", about(edge("E", "0")));
  finds("goes back", about(edge("B", "3") + "," + edge("E", "2")));
  CHECK(about(counter("1") + "," + counter("2")).empty());
  finds("goes back", about(counter("2") + "," + counter("1")));
}

TEST_CASE("trace rules are broken by text that is no JSON: bad escapes, control characters, bad UTF-8, keys twice") {
  const auto named = [](const std::string& name) {
    return about(R"({"ph":"X","name":")" + name + R"(","pid":1,"tid":1,"ts":0,"dur":1})");
  };
  CHECK(named("\\u0001 \\n \xC3\xA9").empty());
  finds("no JSON", named("\x01"));
  finds("no JSON", named("\n"));
  finds("no JSON", named("\\x"));
  finds("no JSON", named("\xFF"));
  finds("no JSON", named("\xC3"));
  finds("no JSON", first(trace_of("") + "}"));
  finds("no JSON", first("{\"traceEvents\":["));
  finds("no list", first("{}"));
  finds("no object", about("5"));
  finds("twice", about(R"({"ph":"X","name":"a","name":"b","pid":1,"tid":1,"ts":0,"dur":1})"));
  finds("displayTimeUnit", first(R"({"displayTimeUnit":"us","traceEvents":[]})"));
}
