// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace {

using nlohmann::json;
using takt::test::contains;
using takt::test::data;
using takt::test::object;
using takt::test::outcome;
using takt::test::with;
using takt::test::write;

auto sections_text() -> std::string { return takt::test::read(data("gpusync-board")); }

}  // namespace

TEST_CASE("program: bounds under tokens and engines are made of what jobs wait for") {
  const outcome o = takt::test::takt("analyze --json " + data("gpusync-board"));
  CHECK(o.code == 0);
  const json v = object(o);
  CHECK(v.at("analysis") == "locked-gpus-r2dglp");
  REQUIRE(v.at("tasks").size() == 4);
  for (const json& t : v.at("tasks")) {
    std::int64_t sum = 0;
    for (const json& part : t.at("terms")) { sum += part.at("time").get<std::int64_t>(); }
    CHECK(sum == t.at("response_bound"));
  }
  CHECK(contains(takt::test::takt("explain --task stereo " + data("gpusync-board")).out,
                 "waiting for engines that others use"));
}

TEST_CASE("program: token sections run within their bounds, whatever the engines, migration and scheduler") {
  const std::string plain = sections_text();
  for (const std::string& text : {plain, with(plain, "\"engine_order\": \"fifo\"", "\"engine_order\": \"priority\""),
                                  with(plain, "g-fl", "g-edf"), with(plain, "peer-to-peer", "system-memory"),
                                  with(plain, "\"r2dglp\"", "\"ck-omlp\"")}) {
    const std::string file = write("sections.json", text);
    const outcome o = takt::test::takt("simulate --json --horizon 2s --releases worst --seed 5 " + file);
    CHECK(o.code == 0);
    for (const json& t : object(o).at("tasks")) {
      CHECK(t.at("jobs") > 0);
      CHECK(t.at("within_bound") == true);
    }
  }
  const std::string trace = takt::test::scratch("sections-trace.json");
  CHECK(takt::test::takt("simulate --horizon 200ms --trace " + trace + " " + data("gpusync-board")).code == 0);
  CHECK(json::parse(takt::test::read(trace)).at("traceEvents").size() > 20);
  CHECK(
      contains(takt::test::takt("sensitivity " + data("gpusync-board")).out, "largest factor on all execution times"));
}

TEST_CASE("program: a deadline under fair lateness is proven only if the bound is below it") {
  const std::string text =
      with(sections_text(), "\"period\": \"20ms\"", "\"period\": \"20ms\", \"deadline\": \"20ms\"");
  const outcome o = takt::test::takt("analyze " + write("late.json", text));
  CHECK(o.code == 2);
  CHECK(contains(o.out, "control: the bound "));
  CHECK(contains(o.out, "every response is bounded"));
}

TEST_CASE("program: wrong token sections are refused with the place of the fault and what is allowed") {
  const std::string text = sections_text();
  takt::test::check_mutations(
      text,
      {{R"("tokens_per_gpu": 2)", R"("tokens_per_gpu": 65)", "/platform/gpus/0/tokens_per_gpu: 65 is out of range"},
       {R"("copy_engines": 2)", R"("copy_engines": 0)", "/tasks/0: needs a copy engine, and the platform has none"},
       {R"("peer-to-peer")", R"("peer")", "/platform/gpus/0/migration: \"peer\" is unknown, the nearest is"},
       {R"("bytes_per_us": 8000)", R"("bytes_per_us": 0)", "/platform/gpus/0/dma/peer/bytes_per_us: 0 is out of range"},
       {R"("lock": "5us")", R"("lok": "5us")", "the nearest is \"lock\""},
       {R"("lock": "5us")", R"("lock": "-5us")",
        "/platform/overheads/lock: -5us is negative: expected a time of at least 0ns"},
       {R"("kernels": ["6ms"])", R"("kernels": [])", "/tasks/1/gpu/kernels: is empty"},
       {R"("cpu": "3ms")", R"("segments": [])", "/tasks/3/segments: is empty: expected at least one segment"},
       {R"("cpu": "3ms")", R"("cpu": 0)", "/tasks/3/cpu: is 0, and so is all other time"},
       {R"("period": "20ms")", R"("period": 0)",
        "/tasks/3/period: 0ns is not positive: expected a time of at least 1ns"},
       {R"("cpu": "3ms")", R"("cpu": ["3ms", "2ms"])",
        "/tasks/3/cpu: [3ms, 2ms] has a lower bound above its upper bound: expected [lower, upper] with lower <= upper"},
       {R"("cpu": "3ms")", R"("cpu": "3ms", "deadline": 0)", "/tasks/3/deadline: 0ns is not positive"},
       {R"("name": "lanes")", R"("name": "signs")", "/tasks/2/name: \"signs\" names an earlier task too"}});
  std::string across = with(text, "\"count\": 4", "\"count\": 4, \"clusters\": 2");
  for (const char* period : {"\"50ms\"", "\"80ms\"", "\"100ms\"", "\"20ms\""}) {
    across = with(across, period, std::string{period} + ", \"cluster\": 0");
  }
  across = with(across, "\"count\": 2", "\"count\": 1");
  CHECK(contains(takt::test::refusal("analyze", across),
                 "/platform/gpus/0/protocol: tokens are shared by several CPU clusters: expected CK-OMLP"));
  const std::string clusters = with(with(text, "r2dglp", "ck-omlp"), "\"count\": 4", "\"count\": 4, \"clusters\": 2");
  CHECK(contains(takt::test::refusal("analyze", clusters),
                 "/tasks/0/cluster: is missing: expected an integer from 0 to 1"));
}

TEST_CASE("program: token sections run on locked GPUs under each rule of clusters, beside what was simulated") {
  const std::string text = sections_text();
  const std::string trace = takt::test::scratch("sections-run.json");
  for (const std::string& file :
       {text, with(text, "g-fl", "g-edf"), with(text, "g-fl", "g-deadline-monotonic"),
        with(text, "peer-to-peer", "none"), with(text, "\"tokens_per_gpu\": 2", "\"tokens_per_gpu\": 0")}) {
    CAPTURE(file);
    const outcome o = takt::test::takt("run --json --for 200ms --trace " + trace + " " + write("ran.json", file));
    INFO(o.err);
    CHECK(o.code <= 1);
    const json run = object(o);
    CHECK(run.at("tasks").size() == 4);
    for (const json& t : run.at("tasks")) {
      CHECK(t.at("jobs") > 0);
      CHECK(t.at("simulated_worst_response") <= t.at("response_bound"));
    }
    CHECK(contains(takt::test::read(trace), "\"ph\":\"X\""));
  }
  CHECK(contains(takt::test::takt("run --for 200ms " + write("ran.json", text)).out, "token sections: "));
}

TEST_CASE("program: a run of locked GPUs takes each way to handle a violation") {
  for (const char* how : {"report", "drop", "stop"}) {
    const outcome o =
        takt::test::takt("run --for 100ms --on-violation " + std::string{how} + " " + data("gpusync-board"));
    CHECK(o.code <= 1);
  }
}

TEST_CASE("program: tasks on locked GPUs that state no deadline miss none, however late they are") {
  const std::string late = write("late.json", with(sections_text(), "\"period\": \"50ms\"", "\"period\": \"12ms\""));
  const outcome simulated = takt::test::takt("simulate --json --horizon 1s " + late);
  CHECK(simulated.code == 0);
  const json stereo = object(simulated).at("tasks").at(0);
  CHECK(stereo.at("worst_response") > 12'000'000);
  CHECK(stereo.at("misses") == 0);
  CHECK(object(takt::test::takt("run --json --for 100ms " + late)).at("tasks").at(0).at("misses") == 0);
}
