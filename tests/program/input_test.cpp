// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <takt/core/random.hpp>

#include "program.hpp"
#include "support/environment.hpp"

namespace {

using takt::test::data;
using takt::test::good_file;
using takt::test::outcome;
using takt::test::read;
using takt::test::with;
using takt::test::write;

/// Exit code 3, nothing on standard output, and one line on standard error.
auto refusal(const std::string& path) -> std::string {
  const outcome o = takt::test::takt("analyze " + path);
  INFO(o.err);
  CHECK(o.code == 3);
  CHECK(o.out.empty());
  CHECK(std::ranges::count(o.err, '\n') == 1);
  REQUIRE(o.err.starts_with(path + ": "));
  return o.err.substr(path.size() + 2, o.err.size() - path.size() - 3);
}

struct fault {
  std::string_view from;
  std::string_view to;
  std::string_view line;
};

void check_faults(std::initializer_list<fault> faults) {
  for (const fault& f : faults) {
    CAPTURE(f.to);
    CHECK(refusal(write("cars.json", with(good_file(), f.from, f.to))) == f.line);
  }
}

constexpr std::string_view time_forms =
    "expected an integer of nanoseconds, or text with a unit such as \"12.5ms\", below 2^63 ns";

}  // namespace

TEST_CASE("program: the file that the faults are put into has none") {
  CHECK(takt::test::takt("analyze " + write("cars.json", good_file())).code == 0);
}

TEST_CASE("program: faults of the model name the value and what is allowed") {
  check_faults({
      {"[\"1ms\", \"2ms\"]", "[\"3ms\", \"2ms\"]",
       "/tasks/0/segments/0/cpu: [3ms, 2ms] has a lower bound above its upper bound: expected [lower, upper] with lower <= upper"},
      {"[\"1ms\", \"2ms\"]", "[-1, 2]", "/tasks/0/segments/0/cpu/0: -1ns is negative: expected a time of at least 0ns"},
      {"[\"1ms\", \"2ms\"]", "\"-2ms\"", "/tasks/0/segments/0/cpu: -2ms is negative: expected a time of at least 0ns"},
      {"\"20us\"", "\"-20us\"",
       "/tasks/0/segments/2/kernel/overhead: -20us is negative: expected a time of at least 0ns"},
      {"[\"8ms\", \"12ms\"]", "[\"8ms\", \"-12ms\"]",
       "/tasks/0/segments/2/kernel/work/1: -12ms is negative: expected a time of at least 0ns"},
      {"\"9/5\"", "\"9/5\", \"wcet\": [\"2ms\", \"5ms\"]",
       "/tasks/0/segments/2/kernel/wcet: camera says [2ms, 5ms], and no rule reads a shortest \"wcet\" of a kernel: expected a single time, such as 5ms"},
      {"\"9/5\"", "\"9/5\", \"length\": [2000, 3000]",
       "/tasks/0/segments/2/kernel/length: camera says [2us, 3us], and no rule reads a shortest \"length\" of a kernel: expected a single time, such as 3us"},
      {"\"9/5\"", "\"9/5\", \"wcet\": [\"5ms\", \"2ms\"]",
       "/tasks/0/segments/2/kernel/wcet: [5ms, 2ms] has a lower bound above its upper bound: expected [lower, upper] with lower <= upper"},
      {"\"9/5\"", "\"9/5\", \"wcet\": [\"2ms\"]",
       "/tasks/0/segments/2/kernel/wcet: is an array: expected an integer of nanoseconds, or text with a unit such as \"12.5ms\", below 2^63 ns"},
      {"\"9/5\"", "\"9/5\", \"wcet\": 0",
       "/tasks/0/segments/2/kernel/wcet: 0ns is not positive: expected a time of at least 1ns"},
      {"\"33ms\"", "0", "/tasks/0/period: 0ns is not positive: expected a time of at least 1ns"},
      {"\"30ms\"", "\"-30ms\"", "/tasks/0/deadline: -30ms is not positive: expected a time of at least 1ns"},
      {"\"9/5\"", "\"4/5\"",
       "/tasks/0/segments/2/kernel/interleave: 4/5 is below 1: expected a ratio of at least 1, such as \"9/5\""},
      {"\"20us\"", "\"20s\"",
       "/tasks/0/segments/2/kernel/overhead: 20s exceeds the stretched work: expected overhead <= upper work x interleave"},
      {"\"lidar\"", "\"camera\"",
       "/tasks/1/name: \"camera\" names an earlier task too: expected a name of its own for each task"},
      {"\"priority\": 1", "\"priority\": 0",
       "/tasks/1/priority: 0 belongs to an earlier task too: expected a priority of its own for each task"},
      {"[ { \"cpu\": \"3ms\" } ]", "[]", "/tasks/1/segments: is empty: expected at least one segment"},
      {"\"copy_engines\": { \"count\": 1, \"policy\": \"nonpreemptive-fixed-priority\" },", "",
       "/tasks/0/segments/1/copy: needs a copy engine, and the platform has none: expected platform.copy_engines, or no copy "
       "segments"},
      {"\"2ms\"", "9223372036854775807",
       "/tasks/0/segments/0: overflows 64-bit nanoseconds: expected times whose sum over the task set stays below "
       "2^63 ns"},
      {"\"9/5\"", "9223372036854775807",
       "/tasks/0/segments/2/kernel/work: 12ms x interleave overflows 64-bit nanoseconds: expected times whose sum over the task "
       "set stays below 2^63 ns"},
      {"\"priority\": 1", "\"priority\": 1, \"core\": 1",
       "/tasks/1/core: 1 is out of range: expected an integer from 0 to 0"},
  });
}

TEST_CASE("program: unknown keys name the nearest known one, and keys of other systems are called what they are") {
  check_faults({
      {"\"period\": \"33ms\"", "\"perod\": \"33ms\"",
       "/tasks/0/perod: is not a key of this object, the nearest is \"period\": expected name, period, deadline, jitter, offset, strict, priority, "
       "core, cluster, gpu_cluster, memory, requests, share, preemption, variant, variants, segments, nodes, edges, history, cpu, gpu"},
      {"\"name\": \"cars\"", "\"na/m~e\": 3",
       "/na~1m~0e: is not a key of this object, the nearest is \"name\": expected $schema, format, name, notes, incomplete, acknowledged, platform, on_late, tasks, graphs, plan, chains"},
      {"\"isolated\"", "\"isolatd\"",
       "/platform/gpus/0/sharing: \"isolatd\" is unknown, the nearest is \"isolated\": expected \"isolated\", \"shared\", \"whole\", "
       "\"busy-waiting\", \"time-sliced\", \"fifo-blocks\", \"levels\", \"slots\", \"gang\", \"single-stream\", \"tokens\", "
       "\"shares\""},
      {"{ \"work\": [\"8ms\", \"12ms\"], \"overhead\": \"20us\", \"interleave\": \"9/5\" }", "{ \"blocks\": 9 }",
       "/tasks/0/segments/2/kernel/threads_per_block: is missing: expected threads of one block"},
      {"\"tasks\": [", "\"graphs\": [], \"tasks\": [", "/graphs: is empty: expected at least one graph"},
      {"\"isolated\"", "\"isolated\", \"slots\": 2",
       "/platform/gpus/0/slots: says nothing about \"isolated\" sharing: expected \"slots\" sharing, or no such key"},
      {"\"name\": \"cars\"", "\"name\": \"cars\", \"name\": \"vans\"",
       "/name: this key is already there: expected each key once per object"},
      {"\"period\": \"50ms\"", "\"period\": \"50ms\", \"period\": \"51ms\"",
       "/tasks/1/period: this key is already there: expected each key once per object"},
      {"\"takt/1\"", "\"takt/2\"", "/format: \"takt/2\" is unknown: expected \"takt/1\""},
      {"\"sms\": 10, ", "", "/platform/gpus/0/sms: is missing: expected the number of SMs"},
  });
}

TEST_CASE("program: values of the wrong type, out of range or not exact are refused") {
  const std::string forms{time_forms};
  check_faults({
      {"\"2ms\"", "true", "/tasks/0/segments/0/cpu/1: true is a boolean: " + forms},
      {"\"2ms\"", "1.5", "/tasks/0/segments/0/cpu/1: 1.5 is a decimal number: " + forms},
      {"\"2ms\"", "\"two\"", "/tasks/0/segments/0/cpu/1: \"two\" is not a time: " + forms},
      {"\"2ms\"", "\"2\"", "/tasks/0/segments/0/cpu/1: \"2\" has no unit: expected ns, us, ms or s behind the number"},
      {"\"2ms\"", "\"2min\"", "/tasks/0/segments/0/cpu/1: \"2min\" has an unknown unit: expected ns, us, ms or s"},
      {"\"2ms\"", "\"2.0000001ms\"",
       "/tasks/0/segments/0/cpu/1: \"2.0000001ms\" is not a whole number of nanoseconds: expected a multiple of 1ns"},
      {"\"2ms\"", "9223372036854775808",
       "/tasks/0/segments/0/cpu/1: 9223372036854775808 does not fit: expected a time below 2^63 ns"},
      {"\"2ms\"", "\"9999999999999s\"",
       "/tasks/0/segments/0/cpu/1: \"9999999999999s\" does not fit: expected a time below 2^63 ns"},
      {"\"9/5\"", "\"9/0\"",
       "/tasks/0/segments/2/kernel/interleave: \"9/0\" has a denominator below 1: expected a ratio such as \"9/5\", 2 or 1.8"},
      {"\"sms\": 10", "\"sms\": 0", "/platform/gpus/0/sms: 0 is out of range: expected an integer from 1 to 4096"},
      {"\"sms\": 10", "\"sms\": \"10\"",
       "/platform/gpus/0/sms: \"10\" is a string: expected an integer from 1 to 4096"},
      {"\"priority\": 1", "\"priority\": -1",
       "/tasks/1/priority: -1 is out of range: expected an integer from 0 to 2147483647"},
      {"\"lidar\"", "7", "/tasks/1/name: 7 is an integer: expected the task's name"},
  });
}

TEST_CASE("program: text that is no JSON is refused with line and column") {
  check_faults({
      {"\"name\": \"cars\",", "\"name\": \"cars\"",
       "line 3, column 12: unexpected string literal: expected ',' or '}'"},
      {"cars", "c\xFFrs",
       "line 2, column 33: invalid string: ill-formed UTF-8 byte: expected one whole JSON value in UTF-8"},
      {"} ]\n}\n", "} ]\n} x", "line 15, column 3: invalid literal: expected end of input"},
  });
  CHECK(refusal(write("empty.json", "")) ==
        "line 1, column 1: unexpected end of input: expected '[', '{', or a literal");
  CHECK(refusal(write("nul.json", std::string(100, '\0'))).starts_with("line 1, column 1: "));
  for (const char* behind : {"", " ", "{", "\n\n"}) {
    CAPTURE(behind);
    CHECK(refusal(write("nul.json", good_file() + '\0' + behind)).starts_with("line 16, column 1: "));
  }
  CHECK(refusal(write("deep.json", std::string(1'000'000, '[')))
            .ends_with("nested more than 64 deep: expected fewer levels"));
}

TEST_CASE("program: a truncated file is refused wherever it ends") {
  const std::string whole = read(data("waters2019-denver"));
  const std::size_t last = whole.rfind('}');
  for (std::size_t n = 0; n <= last; n += 61) {
    CAPTURE(n);
    (void)refusal(write("short.json", whole.substr(0, n)));
  }
}

TEST_CASE("program: 10 MB of garbage, too many values and too many tasks are refused") {
  takt::random_stream random{1};
  std::string garbage;
  garbage.resize(10'000'000);
  for (char& c : garbage) { c = static_cast<char>(random.next()); }
  CHECK(refusal(write("garbage.json", garbage)) == "is larger than any task-set file: expected at most 4194304 bytes");
  CHECK(refusal(write("garbage.json", std::string_view{garbage}.substr(0, 4'000'000))).starts_with("line 1, column "));
  std::string zeros = "[0";
  for (int i = 0; i < 300'000; ++i) { zeros += ",0"; }
  CHECK(refusal(write("zeros.json", zeros + "]")) == "the file has more than 200000 values: expected fewer values");
  std::string tasks;
  for (int i = 0; i < 65; ++i) {
    tasks += R"({"name": "t)" + std::to_string(i) + R"(", "period": "1s", "segments": [{"cpu": 1}]}, )";
  }
  CHECK(refusal(write("tasks.json", with(good_file(), "\"tasks\": [", "\"tasks\": [" + tasks))) ==
        "/tasks: has 67 tasks, more than this program holds: expected at most 64");
}

TEST_CASE("program: what cannot be read is refused") {
  CHECK(refusal(takt::test::scratch("no-such-file")) ==
        "cannot be read (No such file or directory): expected a readable task-set file");
  CHECK(refusal("/tmp") == "is a directory: expected a task-set file");
}

TEST_CASE("program: wrong input is one JSON object with --json, and the line on standard error") {
  const auto o = takt::test::takt("analyze --json " + write("cars.json", with(good_file(), "\"30ms\"", "\"-30ms\"")));
  CHECK(o.code == 3);
  const auto v = nlohmann::json::parse(o.out);
  CHECK(v.at("status") == "invalid-model");
  CHECK(v.at("notes").at(0).get<std::string>() + "\n" == o.err);
  const auto large =
      takt::test::takt("analyze --json " + write("large.json", with(good_file(), "\"33ms\"", "\"9000000000s\"")));
  const auto refused = nlohmann::json::parse(large.out);
  CHECK(refused.at("status") == "overflow");
  CHECK(large.code == 3);
}

TEST_CASE("program: times that are too large are one status, exit code and set of keys to analyze and compare") {
  const std::string path = write("large.json", with(good_file(), "\"33ms\"", "\"9000000000s\""));
  const auto alone = takt::test::takt("analyze --json " + path);
  const auto beside = takt::test::takt("compare --json " + path);
  CHECK(alone.code == 3);
  CHECK(beside.code == 3);
  const auto verdict = nlohmann::json::parse(alone.out);
  for (const auto& row : nlohmann::json::parse(beside.out).at("rows")) {
    CAPTURE(row.dump());
    if (row.at("status").is_null()) {
      CHECK_FALSE(row.at("missing").empty());
      continue;
    }
    for (const char* key : {"status", "analysis", "plan", "tasks"}) {
      CAPTURE(key);
      CHECK(row.at(key) == verdict.at(key));
    }
  }
}

TEST_CASE("program: wrong commands and options are refused with one line and exit code 3") {
  for (const char* arguments :
       {"", "swoop fig7", "sweep fig7", "analyze", "analyze --nonsense", "analyze --analysis edf x.json",
        "simulate --horizon 5 x.json", "generate nonsense", "generate rtgpu --utilization -1",
        "generate rtgpu --utilization 1/3", "generate rtgpu --tasks 0", "generate rtgpu --cpu 5ms..1ms"}) {
    CAPTURE(arguments);
    const auto o = takt::test::takt(arguments);
    CHECK(o.code == 3);
    CHECK(o.out.empty());
    CHECK(std::ranges::count(o.err, '\n') == 1);
  }
  CHECK(takt::test::takt("swoop fig7").err.find("there is no command \"swoop\"") != std::string::npos);
  CHECK(takt::test::takt("sweep fig7").err.find("rtgpu-fig7") != std::string::npos);
}

TEST_CASE("program: files with random damage never crash or hang it") {
  const auto runs = takt_tests::from_environment<int>("TAKT_FUZZ_RUNS", 150);
  const char* const names[] = {"waters2019-denver", "waters2019-camera",    "gcaps-xavier",       "reef-dnn-mi50",
                               "waters2019",        "accelerator-example1", "accelerator-levels", "gcaps-xavier-tokens",
                               "camera-graph",      "shares-trio",          "gpusync-board"};
  takt::random_stream random{2026};
  for (int i = 0; i < runs; ++i) {
    std::string text = read(data(names[random.below(11)]));
    for (takt::ticks n = random.between(1, 6); n > 0; --n) {
      const auto at = static_cast<std::size_t>(random.below(static_cast<takt::ticks>(text.size())));
      switch (random.below(4)) {
        case 0: text[at] = static_cast<char>(random.next()); break;
        case 1: text.erase(at, static_cast<std::size_t>(random.between(1, 3))); break;
        case 2: text.insert(at, 1, "0123456789-.eE\"[]{},:"[random.below(21)]); break;
        default: text[at] = "0123456789"[random.below(10)]; break;
      }
    }
    const std::string path = write("fuzzed.json", text);
    const outcome o = takt::test::takt((random.chance(1, 4) ? "simulate --horizon 1s " : "analyze ") + path);
    CAPTURE(i);
    CAPTURE(text);
    CAPTURE(o.err);
    REQUIRE(o.code >= 0);
    REQUIRE(o.code <= 3);
  }
}
