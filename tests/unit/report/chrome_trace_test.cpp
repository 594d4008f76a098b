// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <takt/report/chrome_trace.hpp>

#include "support/written_trace.hpp"

namespace {

using nlohmann::json;
using takt::mark;
using takt::mark_kind;
using takt::slice;
using takt::stage;
using takt::token_hold;
using takt::track;
using takt::unit_kind;

constexpr track core{stage::cpu, 0, 0, 1};
constexpr track engine{stage::copy, 0, 0, 1};
constexpr track two_sms{stage::kernel, 0, 4, 2};

struct recorded {
  std::vector<slice> slices;
  std::vector<mark> marks;
  std::vector<std::string_view> names;
  std::vector<token_hold> holds{};

  [[nodiscard]] auto text() const -> std::string { return takt_tests::written_trace({slices, marks, names, holds}); }
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

/// Events of a phase, of one category where that is given.
auto of_phase(const std::vector<json>& events, std::string_view phase, std::string_view category = {})
    -> std::vector<json> {
  std::vector<json> out;
  for (const json& e : events) {
    const bool is_it = e.at("ph") == phase && (category.empty() || e.value("cat", "") == category);
    if (is_it) { out.push_back(e); }
  }
  return out;
}

/// The name of each track, by process and thread.
auto tracks_of(const std::vector<json>& events) -> std::map<std::pair<int, int>, std::string> {
  std::map<std::pair<int, int>, std::string> out;
  for (const json& e : of_phase(events, "M")) {
    if (e.at("name") == "thread_name") { out[{e.at("pid"), e.at("tid")}] = e.at("args").at("name"); }
  }
  return out;
}
auto names_of(const std::vector<json>& events) -> std::set<std::string> {
  std::set<std::string> out;
  for (const auto& [place, name] : tracks_of(events)) { out.insert(name); }
  return out;
}
/// Slices on the track of this name, by name.
auto on_track(const std::vector<json>& events, std::string_view track) -> std::vector<std::string> {
  const auto tracks = tracks_of(events);
  std::vector<std::string> out;
  for (const json& e : of_phase(events, "X")) {
    if (tracks.at({e.at("pid"), e.at("tid")}) == track) { out.push_back(e.at("name")); }
  }
  return out;
}
using texts = std::vector<std::string>;

TEST_CASE("trace slices keep nanoseconds, job, segment and kind, and have the number of the job in their names") {
  const recorded r = one_job();
  const auto slices = of_phase(r.events(), "X", "cpu");
  REQUIRE(slices.size() == 2);
  CHECK(slices[0].at("name") == "camera 7");
  CHECK(slices[0].at("args") == json{{"job", 7}, {"segment", 0}, {"kind", "cpu"}});
  CHECK(r.text().find("\"ts\":1.000,\"dur\":2.001,") != std::string::npos);
  CHECK(r.text().find("\"ts\":4.000,\"dur\":9007199254736.993,") != std::string::npos);
}

TEST_CASE("trace tracks are named, one per unit and one per task, and none is shared") {
  const auto events = one_job().events();
  std::map<int, std::string> processes;
  for (const json& e : of_phase(events, "M")) {
    const int process = e.at("pid");
    CHECK(process > 0);
    if (e.at("name") == "process_name") { processes[process] = e.at("args").at("name"); }
  }
  std::set<std::string> names;
  for (const auto& [process, name] : processes) { names.insert(name); }
  CHECK(names == std::set<std::string>{"tasks", "CPU", "copy engines", "GPU 0"});
  CHECK(names_of(events) == std::set<std::string>{"camera", "lidar", "core 0", "engine 0", "SMs 4-5"});
  const auto tracks = tracks_of(events);
  for (const json& e : events) {
    if (e.at("ph") != "M") { CHECK(tracks.count({e.at("pid"), e.at("tid")}) == 1); }
  }
}

TEST_CASE("trace arrows run through the slices of a job in time order") {
  std::vector<std::string> phases;
  std::set<int> ids;
  for (const json& e : one_job().events()) {
    const std::string phase = e.at("ph");
    if (phase != "s" && phase != "t" && phase != "f") { continue; }
    phases.push_back(phase);
    ids.insert(e.at("id").get<int>());
  }
  CHECK(phases == texts{"s", "t", "f"});
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
  const auto slices = of_phase(r.events(), "X", "cpu");
  CHECK(slices[0].at("name") == "a\"b\\c\n\x01\xEF\xBF\xBD\xF0\x9F\x9A\x97 7");
  CHECK(slices[1].at("name") == "task 1 0");
}

TEST_CASE("trace jobs are slices on the track of their task, with what they wait for in them") {
  recorded r{{{0, 0, 3, core, 10, 20}, {0, 1, 3, two_sms, 30, 40}},
             {{mark_kind::release, 0, 3, 5}, {mark_kind::completion, 0, 3, 45}, {mark_kind::deadline, 0, 3, 60}},
             {"camera"}};
  r.holds = {{.task = 0, .job = 3, .pool = 0, .token = 1, .asked = 22, .start = 28, .end = 41}};
  const auto events = r.events();
  CHECK(on_track(events, "camera") == texts{"camera 3", "waits", "waits", "waits for a token", "waits", "waits"});
  CHECK(on_track(events, "token 1 of pool 0") == texts{"camera 3"});
  const auto job = of_phase(events, "X", "job").at(0);
  CHECK(job.at("args") ==
        json{{"job", 3}, {"release us", 0.005}, {"deadline us", 0.06}, {"response us", 0.04}, {"completed", true}});
}

TEST_CASE("trace jobs of a task that queue follow each other, those that overlap have tracks of their own") {
  recorded r{{{0, 0, 0, core, 0, 30}, {0, 0, 1, core, 30, 50}, {1, 0, 0, two_sms, 0, 30}, {1, 0, 1, engine, 20, 50}},
             {{mark_kind::release, 0, 0, 0},
              {mark_kind::release, 0, 1, 10},
              {mark_kind::release, 0, 2, 20},
              {mark_kind::completion, 0, 0, 30},
              {mark_kind::completion, 0, 1, 50},
              {mark_kind::release, 1, 0, 0},
              {mark_kind::release, 1, 1, 20},
              {mark_kind::completion, 1, 0, 30},
              {mark_kind::completion, 1, 1, 50}},
             {"queue", "pipeline"}};
  const auto events = r.events();
  CHECK(on_track(events, "queue") == texts{"queue 0", "queue 1"});
  CHECK(on_track(events, "pipeline") == texts{"pipeline 0"});
  CHECK(on_track(events, "pipeline (2)") == texts{"pipeline 1"});
}

TEST_CASE("trace of work before the release that is nominal has the job from its first work on") {
  const recorded r{
      {{0, 0, 0, core, 10, 20}}, {{mark_kind::release, 0, 0, 40}, {mark_kind::completion, 0, 0, 20}}, {"node"}};
  const auto job = of_phase(r.events(), "X", "job").at(0);
  CHECK(job.at("ts") == 0.01);
  CHECK(job.at("dur") == 0.01);
  CHECK_FALSE(job.at("args").contains("response us"));
}

TEST_CASE("trace blocks that share an SM are one slice per kernel, which counts them") {
  recorded r;
  for (std::int32_t b = 0; b < 1000; ++b) {
    r.slices.push_back({0, 2, 4, {stage::kernel, 0, b % 5, 1}, 10 * (b / 100), 10 * (b / 100) + 20});
  }
  r.slices.push_back({1, 0, 0, {stage::kernel, 0, 0, 1}, 50, 60});
  const auto events = r.events();
  CHECK(on_track(events, "kernels") == texts{"task 0 4"});
  CHECK(on_track(events, "kernels (2)") == texts{"task 1 0"});
  const auto kernel = of_phase(events, "X", "kernel").at(0);
  CHECK(kernel.at("args").at("blocks") == 1000);
  CHECK(kernel.at("args").at("at once") == 181.82);
  CHECK(r.text().size() < 5'000);
}

TEST_CASE("trace shares are counters whose height is the share") {
  const auto share = [](std::uint8_t percent) {
    return track{.where = stage::kernel, .kind = unit_kind::share, .percent = percent};
  };
  const recorded r{
      {{0, 0, 0, share(40), 0, 10}, {0, 0, 0, share(70), 10, 20}, {0, 0, 1, share(100), 30, 40}}, {}, {"dnn"}};
  std::vector<std::pair<double, int>> seen;
  for (const json& e : of_phase(r.events(), "C")) {
    CHECK(e.at("name") == "share of dnn");
    seen.emplace_back(e.at("ts").get<double>() * 1000, e.at("args").at("percent").get<int>());
  }
  CHECK(seen == std::vector<std::pair<double, int>>{{0, 40}, {10, 70}, {20, 0}, {30, 100}, {40, 0}});
  CHECK(on_track(r.events(), "dnn").size() >= 3);
}

TEST_CASE("trace slices that were recorded on one unit at once lie on tracks beside each other") {
  const recorded r{{{0, 0, 0, core, 0, 10}, {1, 0, 0, core, 5, 15}}, {}, {}};
  CHECK(on_track(r.events(), "core 0") == texts{"task 0 0"});
  CHECK(on_track(r.events(), "core 0 (2)") == texts{"task 1 0"});
}

}  // namespace
