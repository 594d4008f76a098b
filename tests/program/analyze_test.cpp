// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <utility>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace {

using nlohmann::json;
using takt::test::contains;
using takt::test::data;
using takt::test::good_file;
using takt::test::outcome;
using takt::test::with;
using takt::test::write;

/// The whole of standard output as one JSON value.
auto verdict(const outcome& o) -> json {
  INFO(o.err);
  const json v = json::parse(o.out);
  CHECK(v.at("format") == "takt-verdict/1");
  return v;
}

auto bound_of(const json& v, const std::string& task) -> json {
  for (const json& t : v.at("tasks")) {
    if (t.at("name") == task) { return t.at("response_bound"); }
  }
  return {};
}

}  // namespace

TEST_CASE("program: analyze gives every data file the answer that is known about it") {
  const std::pair<const char*, int> known[] = {
      {"gcaps-xavier", 0},           {"gcaps-xavier-cpu1", 0},
      {"gcaps-xavier-cpu2", 0},      {"gcaps-xavier-tokens", 0},
      {"reef-dnn-mi50", 0},          {"reef-kernels-mi50", 2},
      {"camera-graph", 0},           {"shares-trio", 0},
      {"gpusync-board", 0},          {"waters2019", 1},
      {"waters2019-a57-can-ekf", 0}, {"waters2019-a57-dasm-os", 0},
      {"waters2019-camera", 0},      {"waters2019-denver", 0},
      {"waters2019-planner", 1},     {"waters2019-detection-localization", 1},
  };
  for (const auto& [name, code] : known) {
    CAPTURE(name);
    CHECK(takt::test::takt("analyze " + data(name)).code == code);
    const char* statuses[] = {"schedulable", "unschedulable", "not-proven", "invalid-model"};
    const outcome o = takt::test::takt("analyze --json " + data(name));
    CHECK(o.code == code);
    CHECK(verdict(o).at("status") == statuses[code]);
  }
}

TEST_CASE("program: the published test proves the Denver set with one SM each") {
  const json v = verdict(takt::test::takt("analyze --json --analysis rtgpu " + data("waters2019-denver")));
  CHECK(v.at("analysis") == "rtgpu");
  CHECK(v.at("status") == "schedulable");
  CHECK(v.at("allocation").at("sms") == json{{"SFM", 1}, {"Localization", 1}});
  CHECK(bound_of(v, "SFM") == 23796409);
  CHECK(bound_of(v, "Lidar_Grabber") == 22553599);
  CHECK(bound_of(v, "Localization") == 357316878);
}

TEST_CASE("program: Planner misses by its own time") {
  const outcome o = takt::test::takt("analyze " + data("waters2019-planner"));
  CHECK(contains(o.out, "12.597077ms"));
  CHECK(contains(o.out, "12ms"));
}

TEST_CASE("program: the camera set needs the sharper analysis") {
  CHECK(takt::test::takt("analyze --analysis rtgpu " + data("waters2019-camera")).code == 2);
  CHECK(takt::test::takt("analyze --analysis rtgpu-sharper " + data("waters2019-camera")).code == 0);
}

TEST_CASE(
    "program: the whole WATERS application on SMs of its tasks' own is refused for all three reasons, in text and in JSON") {
  const std::string file = takt::test::with_own_sms("waters2019");
  const outcome text = takt::test::takt("analyze " + file);
  const json v = verdict(takt::test::takt("analyze --json " + file));
  std::string notes;
  for (const json& note : v.at("notes")) { notes += note.get<std::string>() + "\n"; }
  for (const char* reason : {"13.642691ms", "4 tasks have kernels", "154.2473%"}) {
    CAPTURE(reason);
    CHECK(contains(text.out, reason));
    CHECK(contains(notes, reason));
  }
}

TEST_CASE("program: the terms of a bound add up to it") {
  for (const char* name : {"waters2019-denver", "waters2019-camera", "gcaps-xavier", "reef-dnn-mi50"}) {
    for (const char* method :
         {"rtgpu", "rtgpu-sharper", "rtgpu-best", "busy-waiting", "enhanced-mpcp", "self-suspension"}) {
      const json v = verdict(takt::test::takt(std::string{"analyze --json --analysis "} + method + " " + data(name)));
      for (const json& t : v.at("tasks")) {
        if (t.at("response_bound").is_null()) { continue; }
        std::int64_t sum = 0;
        for (const json& part : t.at("terms")) { sum += part.at("time").get<std::int64_t>(); }
        CAPTURE(name);
        CAPTURE(method);
        CHECK(sum == t.at("response_bound"));
      }
    }
  }
}

TEST_CASE("program: a verdict has the bounds of each variant beside the one that was asked for") {
  const json v = verdict(takt::test::takt("analyze --json " + data("waters2019-camera")));
  const json& bounds = v.at("tasks").at(1).at("bounds");
  CHECK(bounds.at("rtgpu") == 72886236);
  CHECK(bounds.at("rtgpu-sharper") == 65531094);
  CHECK(bounds.at("rtgpu-best") == 65531094);
}

TEST_CASE("program: a miss in a simulated run proves one when no other plan is possible") {
  const std::string file = R"({"format": "takt/1", "platform": {"cpus": {"count": 1},
    "gpus": [{"sms": SMS, "virtual_per_sm": 2}]}, "tasks": [
    {"name": "high", "period": "10ms", "segments": [{"cpu": ["2ms", "2ms"]}, {"kernel": {"work": ["1us", "1us"], "interleave": 1}}, {"cpu": ["2ms", "2ms"]}]},
    {"name": "low", "period": "10ms", "deadline": "6ms", "priority": 9, "segments": [{"cpu": ["5ms", "5ms"]}]}]})";
  const auto prioritized = with(file, "\"high\"", "\"high\", \"priority\": 0");
  const auto one = takt::test::takt("analyze " + write("one.json", with(prioritized, "SMS", "1")));
  CHECK(one.code == 1);
  CHECK(contains(one.out, "A simulated run misses a deadline: low"));
  const auto three = takt::test::takt("analyze " + write("three.json", with(prioritized, "SMS", "3")));
  CHECK(three.code == 1);
  CHECK(contains(three.out, "Each of the 3 possible plans"));
  const auto many = takt::test::takt("analyze " + write("many.json", with(prioritized, "SMS", "100")));
  CHECK(many.code == 2);
  CHECK(contains(many.out, "another plan may do better"));
}

TEST_CASE("program: tasks with kernels beyond the SMs are a wrong model when nothing else is wrong") {
  const auto text = with(with(good_file(), "\"sms\": 10", "\"sms\": 1"), "[ { \"cpu\": \"3ms\" } ]",
                         "[ { \"cpu\": \"1ms\" }, { \"kernel\": { \"work\": \"1ms\" } }, { \"cpu\": \"1ms\" } ]");
  const auto o = takt::test::takt("analyze " + write("crowd.json", text));
  CHECK(o.code == 3);
  CHECK(contains(
      o.err,
      "/platform/gpus/0/sms: 1 cannot be dedicated to 2 tasks with kernels: expected at least one SM per such task"));
}

TEST_CASE(
    "program: platforms of several cores, two engines, several GPUs, virtual SMs and other policies are understood") {
  const std::pair<const char*, const char*> changes[] = {
      {"\"sharing\": \"isolated\" }", "\"sharing\": \"isolated\" }, { \"sms\": 4, \"granularity\": 2 }"},
      {"\"isolated\"", "\"shared\""},
      {"\"virtual_per_sm\": 2, ", ""},
      {"\"count\": 1, \"policy\": \"fixed-priority\"", "\"count\": 2, \"policy\": \"rate-monotonic\""},
      {"\"count\": 1, \"policy\": \"fixed-priority\"",
       "\"cores\": [{\"name\": \"c0\", \"type\": \"A57\"}, {\"name\": \"c1\"}], \"clusters\": 2"},
      {"\"count\": 1, \"policy\": \"nonpreemptive", "\"count\": 2, \"policy\": \"nonpreemptive"},
      {"\"9/5\"", "1.8"},
      {"\"9/5\"", "2"},
      {"[\"1ms\", \"2ms\"]", "\"1.999999ms\""},
      {"\"overhead\": \"20us\"", "\"blocks\": 40, \"threads_per_block\": 64, \"overhead\": 20000"},
      {"\"priority\": 1, ", ""},
  };
  for (const auto& [from, to] : changes) {
    CAPTURE(to);
    const auto o = takt::test::takt("analyze --json " + write("variant.json", with(good_file(), from, to)));
    CHECK(o.code == 0);
    CHECK(verdict(o).at("status") == "schedulable");
  }
}

TEST_CASE("program: tasks without a core are placed on one, and the verdict says where") {
  const auto text = with(good_file(), "\"count\": 1, \"policy\": \"fixed", "\"count\": 2, \"policy\": \"fixed");
  const auto o = takt::test::takt("analyze " + write("placed.json", text));
  CHECK(contains(o.out, "cores chosen by this program, the file names none: camera on 0, lidar on 1"));
  const auto pinned = with(with(text, "\"priority\": 0", "\"priority\": 0, \"core\": 1"), "\"priority\": 1",
                           "\"priority\": 1, \"core\": 1");
  CHECK_FALSE(contains(takt::test::takt("analyze " + write("pinned.json", pinned)).out, "chosen"));
}

TEST_CASE("program: every search finds a plan for the Denver set") {
  for (const char* search : {"branch-and-bound", "exhaustive", "exact", "greedy"}) {
    CHECK(takt::test::takt(std::string{"analyze --search "} + search + " " + data("waters2019-denver")).code == 0);
  }
}

namespace {

/// A set of the published experiment: 5 tasks of 3 CPU segments on 20 SMs.
auto drawn_set(const std::string& utilization) -> std::string {
  return write("drawn-" + utilization + ".json",
               takt::test::takt("generate rtgpu --subtasks 3 --sms 20 --utilization " + utilization).out);
}

}  // namespace

TEST_CASE("program: sensitivity proves factor 1 exactly where the verdict is schedulable, with every search and test") {
  int proven = 0;
  int open = 0;
  for (const char* utilization : {"0.4", "0.8", "1.2"}) {
    const std::string file = drawn_set(utilization);
    for (const char* search : {"branch-and-bound", "greedy"}) {
      for (const char* test : {"rtgpu-best", "rtgpu", "self-suspension", "busy-waiting"}) {
        CAPTURE(utilization);
        CAPTURE(search);
        CAPTURE(test);
        const std::string ask = std::string{" --search "} + search + " --analysis " + test + " " + file;
        const bool schedulable = takt::test::takt("analyze" + ask).code == 0;
        const std::string out = takt::test::takt("sensitivity" + ask).out;
        const std::string line = "execution times that is proven: ";
        const auto at = out.find(line);
        REQUIRE(at != std::string::npos);
        const bool below_one = out[at + line.size()] == '0' || out.compare(at + line.size(), 4, "none") == 0;
        CHECK(below_one != schedulable);
        ++(schedulable ? proven : open);
      }
    }
  }
  CHECK(proven > 0);
  CHECK(open > 0);
}

TEST_CASE("program: a search that may have missed a plan says so") {
  const std::string file = drawn_set("1.2");
  const auto greedy = takt::test::takt("analyze --analysis self-suspension --search greedy " + file);
  CHECK(greedy.code == 2);
  CHECK(contains(greedy.out, "search not complete, some plan may pass (greedy search, "));
  const auto whole = takt::test::takt("analyze --analysis self-suspension " + file);
  CHECK(contains(whole.out, "no plan passes (branch-and-bound search)"));
}
