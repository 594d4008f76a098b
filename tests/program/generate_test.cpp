// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace {

using nlohmann::json;
using takt::test::contains;

struct generator {
  const char* name;
  std::size_t tasks;
  bool is_random;
  const char* in_each;  ///< that a set of it has
};
constexpr generator all[] = {{"rtgpu", 5, true, "\"interleave\""},       {"blocks", 4, true, "\"preemption_cost\""},
                             {"accelerator", 9, true, "\"core\""},       {"waves", 3, false, "\"preemption_cost\""},
                             {"block-kernels", 10, true, "\"blocks\""},  {"overlapping", 10, true, "\"g-edf\""},
                             {"gpusync", 0, true, "\"section\""},        {"video", 17, false, "\"section\""},
                             {"hog", 1, false, "\"threads_per_block\""}, {"applications", 5, true, "\"wcet_by_share\""},
                             {"airborne", 5, false, "\"contention\""}};

}  // namespace

TEST_CASE("every generator prints sets that the program reads again, the same ones for the same seed") {
  const std::string listed = takt::test::takt("generate --list").out;
  std::size_t lines = 0;
  for (const char c : listed) { lines += c == '\n' ? 1 : 0; }
  CHECK(lines == std::size(all) + 2);
  for (const generator& g : all) {
    CAPTURE(g.name);
    CHECK(contains(listed, std::string{g.name} + " "));
    const std::string call = std::string{"generate "} + g.name + " --seed 5 --count ";
    const auto two = takt::test::takt(call + "2");
    INFO(two.err);
    REQUIRE(two.code == 0);
    std::istringstream text{two.out};
    std::vector<json> sets;
    for (std::string line; std::getline(text, line);) {
      sets.push_back(json::parse(line));
      CHECK(contains(line, g.in_each));
      if (g.tasks > 0) {
        const auto count = sets.back().value("tasks", json::array()).size();
        CHECK(count + sets.back().value("graphs", json::array()).size() == g.tasks);
      }
      CHECK(takt::test::takt("analyze " + takt::test::write("set.json", line)).code <= 2);
    }
    REQUIRE(sets.size() == 2);
    CHECK((sets[0].dump() == sets[1].dump()) == false);  // names tell their numbers
    sets[0]["name"] = sets[1]["name"] = "";
    CHECK((sets[0] != sets[1]) == g.is_random);
    CHECK(takt::test::takt(call + "1").out == two.out.substr(0, two.out.find('\n') + 1));
    const auto other = takt::test::takt(std::string{"generate "} + g.name + " --seed 6");
    json drawn = json::parse(other.out);
    drawn["name"] = "";
    CHECK((drawn != sets[0]) == g.is_random);
    CHECK(contains(takt::test::takt(std::string{"generate "} + g.name + " --list").out, "--set NAME=VALUE"));
  }
}

TEST_CASE("what a generator does not know, or cannot do, is refused by its name and what is allowed") {
  for (const auto& [call, words] : std::vector<std::pair<std::string, std::string>>{
           {"", "no generator is named"},
           {"block", "the nearest is \"blocks\""},
           {"blocks --set sm=3", "the nearest is \"sms\""},
           {"blocks --subtasks 3", "--subtasks: is no parameter"},
           {"blocks --set sms", "gives no value"},
           {"blocks --sms 2000", "--sms: \"2000\" is out of range: expected an integer from 1 to 1024"},
           {"blocks --set switch=1ms,2ms", "one time such as"},
           {"blocks --set least-kernel=80", "an option is out of its range"},
           {"accelerator --set periods=0ms", "1 to 32 times above 0"},
           {"gpusync --set utilization=light,heavy", "has several values"},
           {"gpusync --set bytes=3MB", "256KB"},
           {"hog --set scales=5", "an integer from 1 to 4"},
           {"hog --utilization 2", "hog has one workload"},
           {"rtgpu --copies three", "some of two,one,none"},
           {"rtgpu --utilization 0", "0.001 to 100"},
           {"rtgpu --subtasks 1000", "a set has more tasks or segments"}}) {
    CAPTURE(call);
    const auto o = takt::test::takt("generate " + call);
    INFO(o.err);
    CHECK(o.code == 3);
    CHECK(o.out.empty());
    CHECK(contains(o.err, words));
  }
}
