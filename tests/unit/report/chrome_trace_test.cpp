// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <takt/report/chrome_trace.hpp>

namespace {

using nlohmann::json;
using takt::mark;
using takt::mark_kind;
using takt::slice;
using takt::stage;
using takt::track;

constexpr track core{stage::cpu, 0, 0, 1};
constexpr track engine{stage::copy, 0, 0, 1};
constexpr track two_sms{stage::kernel, 0, 4, 2};

struct recorded {
  std::vector<slice> slices;
  std::vector<mark> marks;
  std::vector<std::string_view> names;

  [[nodiscard]] auto text() const -> std::string {
    std::ostringstream out;
    takt::report::write_chrome_trace(out, {slices, marks, names});
    return out.str();
  }
  [[nodiscard]] auto events() const -> std::vector<json> {
    return json::parse(text()).at("traceEvents").get<std::vector<json>>();
  }
};

auto one_job() -> recorded {
  return {{{0, 0, 7, core, 1'000, 3'001},
           {0, 1, 7, engine, 3'001, 4'000},
           {0, 2, 7, two_sms, 4'000, 9'007'199'254'740'993},
           {1, 0, 0, core, 3'001, 3'500}},
          {{mark_kind::release, 0, 7, 1'000}, {mark_kind::deadline, 0, 7, 50'000}, {mark_kind::miss, 0, 7, 50'000}},
          {"camera", "lidar"}};
}

auto of_phase(const std::vector<json>& events, std::string_view phase) -> std::vector<json> {
  std::vector<json> out;
  for (const json& e : events) {
    if (e.at("ph") == phase) { out.push_back(e); }
  }
  return out;
}

TEST_CASE("trace slices keep nanoseconds, job, segment and kind") {
  const recorded r = one_job();
  const auto slices = of_phase(r.events(), "X");
  REQUIRE(slices.size() == 4);
  CHECK(slices[0].at("name") == "camera");
  CHECK(slices[0].at("args") == json{{"job", 7}, {"segment", 0}, {"kind", "cpu"}});
  CHECK(r.text().find("\"ts\":1.000,\"dur\":2.001,") != std::string::npos);
  CHECK(r.text().find("\"ts\":4.000,\"dur\":9007199254736.993,") != std::string::npos);
}

TEST_CASE("trace tracks are named, one per unit and one per task, and none is shared") {
  const auto events = one_job().events();
  std::map<std::pair<int, int>, std::string> threads;
  std::map<int, std::string> processes;
  for (const json& e : of_phase(events, "M")) {
    const int process = e.at("pid");
    CHECK(process > 0);
    if (e.at("name") == "process_name") { processes[process] = e.at("args").at("name"); }
    if (e.at("name") == "thread_name") { threads[{process, e.at("tid")}] = e.at("args").at("name"); }
  }
  std::set<std::string> names;
  for (const auto& [process, name] : processes) { names.insert(name); }
  CHECK(names == std::set<std::string>{"tasks", "CPU", "copy engines", "GPU 0"});
  std::set<std::string> units;
  for (const auto& [place, name] : threads) { units.insert(name); }
  CHECK(units == std::set<std::string>{"camera", "lidar", "core 0", "engine 0", "SMs 4-5"});
  for (const json& e : events) {
    if (e.at("ph") != "M") { CHECK(threads.count({e.at("pid"), e.at("tid")}) == 1); }
  }
}

TEST_CASE("trace arrows run through the slices of a job in time order") {
  const auto events = one_job().events();
  std::vector<std::string> phases;
  std::set<int> ids;
  for (const json& e : events) {
    const std::string phase = e.at("ph");
    if (phase != "s" && phase != "t" && phase != "f") { continue; }
    phases.push_back(phase);
    ids.insert(e.at("id").get<int>());
    bool bound = false;
    for (const json& s : of_phase(events, "X")) {
      bound = bound || (s.at("pid") == e.at("pid") && s.at("tid") == e.at("tid") && s.at("ts") == e.at("ts") &&
                        s.at("dur") > 0.0);
    }
    CHECK(bound);
  }
  CHECK(phases == std::vector<std::string>{"s", "t", "f"});
  CHECK(ids.size() == 1);
}

TEST_CASE("trace marks are instants on the track of their task, misses by name") {
  const auto instants = of_phase(one_job().events(), "i");
  REQUIRE(instants.size() == 3);
  CHECK(instants[0].at("name") == "release");
  CHECK(instants[1].at("name") == "deadline");
  CHECK(instants[2].at("name") == "DEADLINE MISSED");
  CHECK(instants[2].at("ts") == 50.0);
  CHECK(instants[2].at("args").at("job") == 7);
}

TEST_CASE("trace text is valid JSON for empty traces, nameless tasks and any name") {
  CHECK(recorded{}.events().empty());
  recorded r = one_job();
  r.names = {"a\"b\\c\n\x01\xFF\xF0\x9F\x9A\x97"};
  const auto slices = of_phase(r.events(), "X");
  CHECK(slices[0].at("name") == "a\"b\\c\n\x01\xEF\xBF\xBD\xF0\x9F\x9A\x97");
  CHECK(slices[2].at("name") == "task 1");
}

}  // namespace
