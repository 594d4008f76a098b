// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <filesystem>
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

/// A file of every kind, and what its tables call a row.
constexpr struct {
  const char* name;
  const char* subject;
  const char* decided;  ///< a part of its plan
} kinds[] = {{"gcaps-xavier", "task", "sms"},           {"gcaps-xavier-tokens", "task", "tokens_per_gpu"},
             {"accelerator-example1", "task", "slots"}, {"camera-graph", "graph", "offsets"},
             {"gpusync-board", "task", "gpu"},          {"shares-trio", "task", "percents"}};

}  // namespace

TEST_CASE("program: every kind of file has one verdict, with its plan, its terms and its assumptions") {
  for (const auto& [name, subject, decided] : kinds) {
    CAPTURE(name);
    const json v = object(takt::test::takt("analyze --json " + data(name)));
    CHECK(v.at("format") == "takt-verdict/1");
    CHECK(v.at("plan").contains(decided));
    CHECK_FALSE(v.at("assumptions").empty());
    for (const json& t : v.at("tasks")) {
      std::int64_t sum = 0;
      for (const json& part : t.at("terms")) { sum += part.at("time").get<std::int64_t>(); }
      CHECK(sum == (t.at("response_bound").is_null() ? 0 : t.at("response_bound").get<std::int64_t>()));
    }
    const outcome text = takt::test::takt("analyze " + data(name));
    CHECK(contains(text.out, "\n  " + std::string{subject} + "  "));
    CHECK(contains(text.out,
                   "verdict: " + v.at("status").get<std::string>() + " (" + v.at("analysis").get<std::string>()));
    const outcome words = takt::test::takt("explain " + data(name));
    CHECK(words.code == text.code);
    CHECK(contains(words.out, " (" + v.at("analysis").get<std::string>() + ").\n"));
    CHECK(
        contains(takt::test::takt("simulate --horizon 100ms " + data(name)).out, "\n  " + std::string{subject} + "  "));
  }
}

TEST_CASE("program: a valid file whose tasks cannot all have SMs is no wrong input, but there is nothing to run") {
  const std::string file = takt::test::with_own_sms("waters2019");
  for (const char* command : {"simulate ", "run --for 10ms "}) {
    CAPTURE(command);
    const outcome text = takt::test::takt(command + file);
    CHECK(text.code == 2);
    CHECK(text.out.empty());
    CHECK(contains(text.err,
                   "there is nothing to run: 4 tasks have kernels, and only 2 of them can have SMs of their "
                   "own. Give the GPU more SMs, or share it"));
    const outcome o = takt::test::takt(command + std::string{"--json "} + file);
    CHECK(o.code == 2);
    const json run = object(o);
    CHECK(run.at("format") == "takt-run/1");
    CHECK(run.at("status") == "not-run");
    CHECK(run.at("notes").at(0).get<std::string>() + "\n" == o.err);
  }
}

TEST_CASE(
    "program: what is proven to miss under a policy that lacks facts is neither simulated nor run, and says which") {
  const std::string file = data("waters2019");
  CHECK(takt::test::takt("analyze --policy time-sliced " + file).code == 1);
  for (const char* command : {"simulate --policy time-sliced ", "run --for 10ms --policy time-sliced "}) {
    CAPTURE(command);
    const outcome o = takt::test::takt(command + file);
    CHECK(o.code == 3);
    CHECK(contains(o.err, "/platform: does not say context_switch, which time-sliced needs: expected the fact"));
  }
}

TEST_CASE("program: an option that a kind of file does not use is refused, also with its default") {
  for (const char* name : {"accelerator-levels", "camera-graph", "gpusync-board", "shares-trio"}) {
    for (const char* option : {"--analysis rtgpu-best ", "--search exact "}) {
      CAPTURE(name);
      const outcome o = takt::test::takt(std::string{"analyze "} + option + data(name));
      CHECK(o.code == 3);
      CHECK(contains(o.err, "says nothing about "));
    }
  }
  const outcome o = takt::test::takt("analyze --analysis enhanced-mpcp --search greedy " + data("gcaps-xavier"));
  CHECK(o.code == 3);
  CHECK(contains(o.err, "--search: says nothing about kernels that all have the same SMs"));
}

TEST_CASE("program: a baseline is simulated under its own rules, and not run under others") {
  for (const char* method : {"enhanced-mpcp", "busy-waiting", "self-suspension"}) {
    CAPTURE(method);
    const std::string asked = std::string{" --analysis "} + method + " " + data("gcaps-xavier-cpu1");
    const outcome o = takt::test::takt("simulate --json --horizon 2s --releases worst" + asked);
    CHECK(o.code <= 1);
    for (const json& t : object(o).at("tasks")) { CHECK(t.at("within_bound") != false); }
    const outcome run = takt::test::takt("run --for 10ms" + asked);
    CHECK(run.code == 3);
    CHECK(contains(run.err, "--analysis: is about other rules than those of a run"));
  }
}

TEST_CASE("program: every file of examples/data runs, with what was observed beside simulated and proven") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator{TAKT_SOURCE_DIR "/examples/data"}) {
    if (entry.path().extension() != ".json") { continue; }
    ++files;
    CAPTURE(entry.path().string());
    const outcome o = takt::test::takt("run --json --for 60ms " + entry.path().string());
    INFO(o.err);
    CHECK(o.code <= 1);
    const json run = object(o);
    CHECK(run.at("format") == "takt-run/1");
    std::uint64_t jobs = 0;
    for (const json& t : run.at("tasks")) {
      jobs += t.at("jobs").get<std::uint64_t>();
      CHECK(t.at("simulated_worst_response") > 0);
      CHECK(t.contains("response_bound"));
    }
    CHECK(jobs > 0);
  }
  CHECK(files >= 18);
}
