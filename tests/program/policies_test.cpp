// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace {

using nlohmann::json;
using takt::test::contains;
using takt::test::data;
using takt::test::object;
using takt::test::outcome;
using takt::test::read;
using takt::test::refusal;
using takt::test::scratch;
using takt::test::with;
using takt::test::write;

auto compared(const std::string& arguments) -> json {
  const json c = object(takt::test::takt("compare --json " + arguments));
  CHECK(c.at("format") == "takt-compare/1");
  return c.at("rows");
}

/// Chains, a graph and a resource of one's own, which no published method reads.
constexpr const char* mixed = R"({"format": "takt/1", "name": "mixed", "platform": {
  "cpus": {"count": 2, "policy": "edf"}, "copy_engines": {"count": 1},
  "gpus": [{"sms": 8, "virtual_per_sm": 2, "threads_per_sm": 2048, "blocks_per_sm": 16, "preemption_levels": 2, "context_switch": "200us",
            "sharing": "whole", "copy_model": {"setup": "10us", "bytes_per_us": 10000}}],
  "resources": [{"name": "npu"}]}, "tasks": [
  {"name": "camera", "period": "40ms", "segments": [{"cpu": "2ms"}, {"copy": {"bytes": 1000000}}, {"kernel": {
     "work": ["8ms", "16ms"], "interleave": 1, "wcet": "3ms", "preemption_cost": "500us", "blocks": 32, "threads_per_block": 256,
     "length": "1ms", "wcet_by_share": {"c100": "3ms", "fixed_permille": 100}}}, {"cpu": "1ms"}]},
  {"name": "fusion", "period": "100ms", "nodes": [{"name": "a", "cpu": "3ms"}, {"name": "b", "npu": "6ms"},
     {"name": "c", "cpu": "4ms"}, {"name": "d", "cpu": "1ms"}], "edges": [["a", "b"], ["a", "c"], ["b", "d"], ["c", "d"]]}
]})";

}  // namespace

TEST_CASE("program: every policy is judged, or says what it lacks, on every data file") {
  for (const auto& entry : std::filesystem::directory_iterator{TAKT_SOURCE_DIR "/examples/data"}) {
    if (entry.path().extension() != ".json") { continue; }
    CAPTURE(entry.path().string());
    const outcome o = takt::test::takt("compare --json " + entry.path().string());
    CHECK(o.code <= 2);
    const json rows = object(o).at("rows");
    CHECK(rows.size() == 13);
    bool proven = false;
    bool missed = true;
    for (const json& row : rows) {
      CAPTURE(row.at("policy").get<std::string>());
      if (row.at("status").is_null()) {
        CHECK((!row.at("missing").empty() || !row.at("because").get<std::string>().empty()));
      }
      proven = proven || row.at("status") == "schedulable";
      missed = missed && row.at("status") == "unschedulable";
      CHECK(row.at("factor_permille").is_number() == (row.at("status") == "schedulable"));
    }
    CHECK(o.code == (proven ? 0 : missed ? 1 : 2));
  }
}

TEST_CASE("program: rows of a comparison are what analyze says, and what is proven is seen in virtual time") {
  std::vector<std::string> asked{"--cpus edf,fixed-priority " + write("mixed.json", mixed),
                                 "--cpus edf " + data("gcaps-xavier")};
  for (const auto& entry : std::filesystem::directory_iterator{TAKT_SOURCE_DIR "/examples/data"}) {
    if (entry.path().extension() == ".json") { asked.push_back(entry.path().string()); }
  }
  for (const std::string& question : asked) {
    const std::string file = question.substr(question.rfind(' ') + 1);
    for (const json& row : compared(question)) {
      const auto policy = row.at("policy").get<std::string>();
      const std::string wish = "--policy " + policy + " --cpus " + row.at("cpus").get<std::string>() + " " + file;
      CAPTURE(wish);
      const outcome o = takt::test::takt("analyze --json " + wish);
      if (row.at("status").is_null()) {
        CHECK(o.code == 3);
        continue;
      }
      const json v = object(o);
      CHECK(v.at("status") == row.at("status"));
      CHECK(v.at("analysis") == (row.at("analysis").is_null() ? json("") : row.at("analysis")));
      for (std::size_t i = 0; i < v.at("tasks").size(); ++i) {
        CHECK(v.at("tasks").at(i).at("response_bound") == row.at("tasks").at(i).at("response_bound"));
      }
      if (o.code != 0) { continue; }
      const outcome seen = takt::test::takt("simulate --horizon 2s --releases worst --execution random " + wish);
      INFO(seen.err);
      CHECK(seen.code == 0);
    }
  }
}

TEST_CASE("program: where no policy is proven the comparison is printed, and nothing is written") {
  const std::string best = scratch("none.json");
  const outcome o = takt::test::takt("compare --write " + best + " " + data("waters2019"));
  CHECK(o.code == 1);  // the Planner misses whatever the policy is
  CHECK(contains(o.out, "whole-gpu"));
  CHECK(contains(o.out, "written: nothing, since no policy is proven"));
  CHECK_FALSE(std::filesystem::exists(best));
}

TEST_CASE("program: the best policy is written as a file that is proven as it stands") {
  const std::vector<std::string> files{
      write("mixed.json", mixed), data("gcaps-xavier"),       data("gcaps-xavier-tokens"), data("reef-dnn-mi50"),
      data("waters2019-camera"),  data("accelerator-levels"), data("shares-trio")};
  for (const std::string& file : files) {
    CAPTURE(file);
    const std::string best = scratch("best.json");
    const outcome o = takt::test::takt("compare --write " + best + " " + file);
    INFO(o.err);
    REQUIRE(o.code == 0);
    const outcome again = takt::test::takt("analyze " + best);
    INFO(again.err);
    INFO(read(best));
    CHECK(again.code == 0);
  }
}

TEST_CASE("program: a comparison is drawn, sorted and limited as asked") {
  const std::string picture = scratch("compare.svg");
  const outcome o = takt::test::takt("compare --policies gang,tokens-k-fmlp:2,time-sliced:2ms --sort factor --svg " +
                                     picture + " " + write("mixed.json", mixed));
  CHECK(o.code == 0);
  CHECK(contains(o.out, "tokens-k-fmlp:2"));
  CHECK(contains(o.out, "time-sliced:2000000ns"));
  CHECK_FALSE(contains(o.out, "fifo-blocks"));
  CHECK(contains(read(picture), "<svg"));
}

TEST_CASE("program: words that are no policies or rules are refused with the nearest one") {
  CHECK(contains(refusal("compare --policies gnag", mixed),
                 "--policies: \"gnag\" is no policy, the nearest is \"gang\""));
  CHECK(
      contains(refusal("analyze --policy gang:2", mixed), "--policy: \"2\" stands behind a policy that takes nothing"));
  CHECK(
      contains(refusal("analyze --policy tokens-k-fmlp:x", mixed), "--policy: \"x\" is not what tokens-k-fmlp takes"));
  CHECK(contains(refusal("simulate --cpus g-efd", mixed), "--cpus: \"g-efd\" is no rule of processors here"));
  CHECK(contains(refusal("analyze --policy levels", with(mixed, "\"preemption_levels\": 2, ", "")),
                 "/platform: does not say preemption_levels, which levels needs"));
  CHECK(contains(refusal("analyze --policy fifo-blocks", with(mixed, "\"length\": \"1ms\", ", "")),
                 "/tasks/0/segments/2: does not say length, which fifo-blocks needs"));
  CHECK(contains(refusal("analyze --analysis rtgpu --policy gang", mixed), "--analysis: says nothing about gang"));
}

TEST_CASE("program: contention that a file states makes kernels longer where several run, and nowhere else") {
  const auto notes = [](const char* policy) {
    return takt::test::takt(std::string{"analyze --cpus fixed-priority --policy "} + policy + " " + data("shares-trio"))
        .out;
  };
  CHECK(contains(notes("shares"), "kernels of planner take 8.0000 % more beside those of other tasks"));
  CHECK_FALSE(contains(notes("whole-gpu"), "% more beside"));
}

TEST_CASE("program: kernels alone are simulated under the plan of their shares, which has no priorities") {
  const std::string file = write("kernels_on_shares.json", R"({"format": "takt/1", "name": "kernels", "platform": {
    "gpus": [{"sms": 4, "threads_per_sm": 64, "sharing": "whole"}]}, "tasks": [
    {"name": "a", "period": "15ms", "deadline": "6ms", "segments": [{"kernel": {"work": "5ms"}}]},
    {"name": "b", "period": "18ms", "segments": [{"kernel": {"work": "5ms"}}]},
    {"name": "c", "period": "56ms", "deadline": "7ms", "segments": [{"kernel": {"work": "12ms"}}]}]})");
  CHECK(takt::test::takt("analyze --policy shares " + file).code == 0);
  const outcome o = takt::test::takt("simulate --for 1s --policy shares " + file);
  CHECK(o.code == 0);
  CHECK(contains(o.out, "simulation: no miss"));
}

TEST_CASE(
    "program: tasks without kernels are simulated under policies whose facts a GPU that nobody uses does not say") {
  const std::string file = write("no_kernels.json", R"({"format": "takt/1", "name": "cpu", "platform": {
    "cpus": {"count": 1}, "gpus": [{"sms": 2, "threads_per_sm": 64, "sharing": "whole"}]}, "tasks": [
    {"name": "a", "period": "4ms", "segments": [{"cpu": "1ms"}]}]})");
  for (const std::string policy : {"levels", "fifo-blocks", "time-sliced", "gang", "tokens-r2dglp:2"}) {
    CAPTURE(policy);
    CHECK(takt::test::takt("analyze --policy " + policy + " " + file).code == 0);
    CHECK(takt::test::takt("simulate --for 1s --policy " + policy + " " + file).code == 0);
  }
}

TEST_CASE("program: a plan keeps the priorities under which a published method proves it, and is simulated by them") {
  // Deadline monotonic misses; the other order does not.
  const std::string file = write("chosen_order.json", R"({"format": "takt/1", "name": "order", "platform": {
    "cpus": {"count": 1, "policy": "fixed-priority"}, "gpus": [{"sms": 1, "threads_per_sm": 64}]}, "tasks": [
    {"name": "cpu", "period": "35ms", "deadline": "15ms", "priority": 0, "segments": [{"cpu": "6ms"}]},
    {"name": "gpu", "period": "17ms", "deadline": "16ms", "segments": [{"cpu": ["1ms", "5ms"]},
      {"kernel": {"work": ["4ms", "4ms"]}}, {"cpu": "2ms"}]}]})");
  const outcome judged = takt::test::takt("analyze --policy federated --json " + file);
  CHECK(judged.code == 0);
  CHECK(object(judged).at("plan").at("priorities") == json{{"cpu", 1}, {"gpu", 0}});
  CHECK(contains(takt::test::takt("analyze --policy federated " + file).out, "priorities: chosen, gpu before cpu"));
  const outcome seen = takt::test::takt("simulate --for 1s --releases worst --policy federated " + file);
  CHECK(seen.code == 0);
  CHECK(contains(seen.out, "no miss"));
}

TEST_CASE("program: files that no published method reads are judged by the rules of their pools") {
  const std::string file = write("mixed.json", mixed);
  CHECK(takt::test::takt("analyze " + file).code == 0);
  CHECK(contains(takt::test::takt("explain --task fusion " + file).out, "fusion meets its deadline"));
  const std::string trace = scratch("policy-trace.json");
  const std::string picture = scratch("policy.svg");
  CHECK(
      takt::test::takt("simulate --horizon 200ms --releases worst --trace " + trace + " --svg " + picture + " " + file)
          .code == 0);
  CHECK(json::parse(read(trace)).at("traceEvents").size() > 20);
  CHECK(contains(read(picture), "fusion"));
  CHECK(
      contains(takt::test::takt("sensitivity " + file).out, "largest factor on all execution times that is proven: "));
  CHECK(contains(takt::test::takt("run --for 10ms " + file).out, "ran for 10ms on the emulated device"));
  CHECK(contains(refusal("analyze", with(mixed, "\"copy_engines\": {\"count\": 1}",
                                         "\"copy_engines\": {\"count\": 1, \"policy\": \"fifo\"}")),
                 "/platform/copy_engines/policy: \"fifo\" is not how engines serve under whole-gpu"));
}

TEST_CASE("policies: busy-waiting beside processors that do not preempt is refused by every command alike") {
  const std::string text = R"({"format": "takt/1", "platform": {"cpus": {"count": 1, "policy": "fixed-priority"},
      "gpus": [{"sms": 4, "virtual_per_sm": 1}]}, "tasks": [{"name": "a", "period": "20ms", "segments":
      [{"cpu": "1ms"}, {"kernel": {"work": "4ms", "interleave": 1, "preemption_cost": 0}}, {"cpu": "1ms"}]}]})";
  const std::string path = takt::test::write("waits.json", text);
  for (const char* rule : {"fixed-priority", "edf", "g-edf"}) {
    CAPTURE(rule);
    const std::string options = std::string{" --policy busy-waiting --cpus "} + rule;
    CHECK(takt::test::takt("analyze " + path + options).code == 0);
    CHECK(takt::test::takt("simulate " + path + options).code == 0);
  }
  for (const char* rule : {"nonpreemptive-fixed-priority", "nonpreemptive-edf", "nonpreemptive-rate-monotonic"}) {
    CAPTURE(rule);
    const std::string options = std::string{" --policy busy-waiting --cpus "} + rule;
    for (const char* command : {"analyze ", "explain ", "simulate ", "run --for 10ms "}) {
      CAPTURE(command);
      const auto o = takt::test::takt(command + path + options);
      CHECK(o.code == 3);
      CHECK(o.out.empty());
    }
    const auto beside =
        takt::test::takt("compare --json --policies busy-waiting,federated " + path + " --cpus " + rule);
    CHECK(beside.code == 0);
    const auto rows = nlohmann::json::parse(beside.out).at("rows");
    CHECK(rows.at(0).at("status").is_null());
    CHECK(rows.at(0).at("missing").empty());
    CHECK(rows.at(1).at("status") == "schedulable");
  }
}
