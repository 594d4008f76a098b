// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "support/traces.hpp"

namespace {

using nlohmann::json;
using takt::test::contains;
using takt::test::data;
using takt::test::read;
using takt::test::scratch;

void check_run(const json& v) {
  CHECK(v.at("format") == "takt-run/1");
  for (const json& t : v.at("tasks")) {
    for (const char* key :
         {"name", "jobs", "misses", "worst_response", "mean_response", "response_bound", "within_bound"}) {
      CAPTURE(key);
      CHECK(t.contains(key));
    }
  }
}

}  // namespace

TEST_CASE("program: simulate stays within the bounds of every proven data file, whatever the releases") {
  for (const char* name :
       {"waters2019-denver", "waters2019-camera", "gcaps-xavier", "reef-dnn-mi50", "waters2019-a57-can-ekf"}) {
    for (const char* releases : {"periodic", "sporadic", "worst"}) {
      CAPTURE(name);
      CAPTURE(releases);
      const auto o =
          takt::test::takt(std::string{"simulate --json --seed 3 --releases "} + releases + " " + data(name));
      CHECK(o.code == 0);
      const json v = json::parse(o.out);
      check_run(v);
      CHECK(v.at("status") == "no-miss");
      for (const json& t : v.at("tasks")) { CHECK(t.at("within_bound") == true); }
    }
  }
}

TEST_CASE("program: simulate shows Detection missing its deadline") {
  const auto o = takt::test::takt("simulate --json " + data("waters2019-detection-localization"));
  CHECK(o.code == 1);
  const json v = json::parse(o.out);
  CHECK(v.at("status") == "missed");
  CHECK(v.at("tasks").at(0).at("name") == "Detection");
  CHECK(v.at("tasks").at(0).at("misses") > 0);
}

TEST_CASE("program: a stop is simulated on every kind of board: all jobs are done, and bounds are void for a while") {
  for (const char* name : {"waters2019-camera", "gcaps-xavier", "gcaps-xavier-tokens", "accelerator-levels",
                           "reef-dnn-mi50", "gpusync-board", "camera-graph"}) {
    CAPTURE(name);
    const std::string asked = "simulate --json --horizon 20s " + data(name);
    const json usual = json::parse(takt::test::takt(asked).out);
    const json v = json::parse(takt::test::takt(asked + " --stopped 3s..3.5s").out);
    CHECK_FALSE(usual.contains("bounds_void"));
    REQUIRE(v.contains("bounds_void"));
    CHECK(v.at("bounds_void").at(0).at(0) == 3'000'000'000);
    CHECK(v.at("bounds_void").back().at(1) < 20'000'000'000);
    for (std::size_t i = 0; i < v.at("tasks").size(); ++i) {
      const json& t = v.at("tasks").at(i);
      const json& u = usual.at("tasks").at(i);
      CHECK(t.at("worst_response") >= u.at("worst_response"));
      CHECK(t.at("jobs").get<int>() + t.at("unfinished").get<int>() ==
            u.at("jobs").get<int>() + u.at("unfinished").get<int>());
    }
  }
  const auto shares = takt::test::takt("simulate --stopped 3s..3.5s " + data("shares-trio"));
  CHECK(shares.code == 3);
  CHECK(contains(shares.err, "dropped at their deadlines"));
}

TEST_CASE("program: the picture of a stopped simulation shows when bounds were void") {
  const std::string picture = scratch("stopped.svg");
  const auto o =
      takt::test::takt("simulate --horizon 10s --stopped 3s..3.05s --svg " + picture + " " + data("gcaps-xavier"));
  CHECK(contains(o.out, "bounds were void from 3s to "));
  const std::string svg = read(picture);
  CHECK(contains(svg, ">bounds are void<"));
  CHECK(contains(svg, "bounds are void\n3s to "));
}

TEST_CASE("program: simulate gives the same result for the same seed, and writes a trace and a picture") {
  const std::string trace = scratch("trace.json");
  const std::string svg = scratch("gantt.svg");
  const std::string call = "simulate --horizon 500ms --execution random --releases sporadic --seed 5 " +
                           data("waters2019-camera") + " --json";
  const auto o = takt::test::takt(call + " --trace " + trace + " --svg " + svg);
  CHECK(o.code == 0);
  CHECK(o.out == takt::test::takt(call).out);
  CHECK(json::parse(read(trace)).at("traceEvents").size() > 20);
  CHECK(read(svg).starts_with("<svg"));
}

TEST_CASE("program: simulate refuses horizons that nobody would wait for, and unwritable files") {
  const auto o = takt::test::takt("simulate --horizon 100000000s " + data("waters2019-denver"));
  CHECK(o.code == 3);
  CHECK(contains(o.err, ": --horizon: 100000000s holds too many segments: expected at most about "));
  CHECK(takt::test::takt("simulate --horizon 0s " + data("waters2019-denver")).code == 0);
  CHECK(takt::test::takt("simulate --trace /nonexistent/t.json " + data("waters2019-denver")).code == 4);
}

TEST_CASE("program: a full disk is an error of the surroundings") {
  const auto o = takt::test::takt("analyze " + data("waters2019-denver"), "/dev/full");
  CHECK(o.code == 4);
  CHECK(contains(o.err, "standard output cannot be written"));
}

TEST_CASE("program: run observes on threads what was simulated and proven") {
  const auto text = takt::test::takt("run --for 300ms " + data("waters2019-camera"));
  CHECK(text.code <= 1);
  for (const char* word :
       {"observed ms", "simulated ms", "proven ms", "scheduling:", "clock:", "SFM", "Lane_detection"}) {
    CAPTURE(word);
    CHECK(contains(text.out, word));
  }
  const auto o = takt::test::takt("run --json --for 300ms " + data("waters2019-camera"));
  check_run(json::parse(o.out));
}

TEST_CASE("program: run tells what it sees while nobody waits for JSON") {
  const auto text = takt::test::takt("run --for 2500ms " + data("waters2019-camera"));
  CHECK(contains(text.err, "jobs, "));
  const auto o = takt::test::takt("run --json --for 2500ms " + data("waters2019-camera"));
  CHECK(o.err.empty());
}

TEST_CASE("program: a signal ends a run with the result of what was seen until then") {
  const std::string out = takt::test::scratch("ended.out");
  const std::string err = takt::test::scratch("ended.err");
  std::filesystem::remove(err);
  // Once it tells what it sees, it runs.
  const auto o = takt::test::takt("run --for 90s " + data("waters2019-camera") + " >" + out + " 2>" + err +
                                  " & for i in $(seq 600); do grep -qs jobs " + err +
                                  " && break; sleep 0.1; done; kill -TERM $!; wait $!");
  CHECK(o.code <= 1);
  for (const char* word : {" of 90s on the emulated device", "stopped: by a signal", "proven ms", "Lane_detection"}) {
    CAPTURE(word);
    CHECK(contains(takt::test::read(out), word));
  }
}

TEST_CASE("program: run takes each way to handle a violation, and no other") {
  for (const char* how : {"report", "drop", "stop"}) {
    CHECK(
        takt::test::takt("run --for 100ms --on-violation " + std::string{how} + " " + data("waters2019-camera")).code <=
        1);
  }
  const auto o = takt::test::takt("run --on-violation ignore " + data("waters2019-camera"));
  CHECK(o.code == 3);
  CHECK(
      contains(o.err, "--on-violation: \"ignore\" is unknown, the nearest is \"report\": expected report, drop, stop"));
}

TEST_CASE("program: run says that there is no CUDA in this build") {
  const auto o = takt::test::takt("run --device cuda " + data("waters2019-camera"));
  CHECK(o.code == 4);
  CHECK(contains(o.err, "built without CUDA"));
}

TEST_CASE("program: explain puts a verdict into words") {
  const auto all = takt::test::takt("explain " + data("waters2019-camera"));
  CHECK(all.code == 0);
  CHECK(contains(all.out, "Lane_detection meets its deadline of 66ms: a job takes at most 65.531094ms"));
  const auto one = takt::test::takt("explain --task Detection " + data("waters2019-detection-localization"));
  CHECK(one.code == 1);
  CHECK(contains(one.out, "Detection"));
  CHECK_FALSE(contains(one.out, "Lidar_Grabber meets"));
  const auto wrong = takt::test::takt("explain --task Detektion " + data("waters2019-detection-localization"));
  CHECK(wrong.code == 3);
  CHECK(contains(wrong.err, "--task: \"Detektion\" is no task of this file, the nearest is \"Detection\""));
}

TEST_CASE("generate prints task sets that the program reads, the same ones for the same seed" *
          takt_tests::traces("RTGPU-38")) {
  const std::string call =
      "generate rtgpu --utilization 0.4 --tasks 3 --subtasks 3 --copies one --sms 6 --seed 9 --count ";
  const auto three = takt::test::takt(call + "3");
  CHECK(three.code == 0);
  std::istringstream lines{three.out};
  std::string line;
  int sets = 0;
  for (; std::getline(lines, line); ++sets) {
    const json set = json::parse(line);
    CHECK(set.at("tasks").size() == 3);
    CHECK(set.at("platform").at("gpus").at(0).at("sms") == 6);
    CHECK(takt::test::takt("analyze " + takt::test::write("set.json", line)).code <= 2);
  }
  CHECK(sets == 3);
  CHECK(takt::test::takt(call + "1").out == three.out.substr(0, three.out.find('\n') + 1));
}

TEST_CASE("program: sensitivity says how far it can be trusted") {
  const auto scanned = takt::test::takt("sensitivity " + data("waters2019-camera"));
  CHECK(scanned.code == 0);
  CHECK(contains(scanned.out, "is proven: 1.000 (rtgpu-best)"));
  CHECK(contains(scanned.out, "not monotone"));
  CHECK(contains(scanned.out, "scanned in steps of 0.010 (1 %)"));
  const auto bisected = takt::test::takt("sensitivity " + data("waters2019-a57-dasm-os"));
  // 20 jobs of DASM and one of OS_Overhead fit into 100 ms: 100 / (20 x 1.861275 + 50) = 1.1464.
  CHECK(contains(bisected.out, "is proven: 1.146 (rtgpu-best, binary search in steps of 0.001)"));
}

TEST_CASE("program: options that do not hold a number are refused, and none becomes another") {
  struct fault {
    const char* call;
    const char* line;
  };
  const std::string none = ": expected an integer from 0 to 18446744073709551615";
  for (const auto& [call, line] :
       {fault{"generate rtgpu --seed -1", "--seed: \"-1\" is out of range"},
        fault{"generate rtgpu --count -1", "--count: \"-1\" is out of range"},
        fault{"generate rtgpu --seed 18446744073709551616", "\"18446744073709551616\" is out of range"},
        fault{"simulate x.json --seed 0x10", "--seed: \"0x10\" is no integer"},
        fault{"run x.json --seed ' 1'", "--seed: \" 1\" is no integer"}}) {
    CAPTURE(call);
    const auto o = takt::test::takt(call);
    CHECK(o.code == 3);
    CHECK(contains(o.err, line + none));
  }
  for (const auto& [call, line] :
       {fault{"--sms 4097", "--sms: \"4097\" is out of range: expected an integer from 1 to 4096"},
        fault{"--virtual-per-sm 65", "--virtual-per-sm: \"65\" is out of range: expected an integer from 1 to 64"},
        fault{"--utilization -1", "--utilization: \"-1\" is negative: expected a ratio such as"},
        fault{"--utilization 1/9223372036854775807", "is out of range: expected 0.001 to 100 in steps of 0.001"}}) {
    CAPTURE(call);
    const auto o = takt::test::takt(std::string{"generate rtgpu "} + call);
    CHECK(o.code == 3);
    CHECK(contains(o.err, line));
  }
}

TEST_CASE("program: help is there for every command") {
  CHECK(takt::test::takt("--help").code == 0);
  for (const char* command : {"analyze", "explain", "simulate", "run", "generate", "sensitivity"}) {
    const auto o = takt::test::takt(std::string{command} + " --help");
    CAPTURE(command);
    CHECK(o.code == 0);
    CHECK(contains(o.out, "Usage:"));
    CHECK(o.err.empty());
  }
  CHECK(takt::test::takt("--version").out.starts_with("takt 0."));
}
