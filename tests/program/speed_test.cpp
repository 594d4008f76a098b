// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "support/traces.hpp"

namespace {

/// Two tasks that each need a GPU of two SMs for themselves, the second GPU at the given speed.
auto two_gpus(std::string_view speed) -> std::string {
  const auto task = [](std::string_view name, std::string_view deadline) {
    return R"({"name":")" + std::string{name} + R"(","period":"100ms","deadline":")" + std::string{deadline} +
           R"(","segments":[{"cpu":"1ms"},{"kernel":{"work":"80ms"}},{"cpu":"1ms"}]})";
  };
  return R"({"format":"takt/1","name":"two","platform":{"cpus":{"count":1,"policy":"deadline-monotonic"},)"
         R"("gpus":[{"sms":2,"virtual_per_sm":1},{"sms":2,"virtual_per_sm":1,"speed":)" +
         std::string{speed} + R"(}]},"tasks":[)" + task("urgent", "34ms") + "," + task("patient", "60ms") + "]}";
}

auto analyzed(std::string_view speed) -> takt::test::outcome {
  return takt::test::takt("analyze --json " + takt::test::write("two.json", two_gpus(speed)));
}

}  // namespace

TEST_CASE("a file gives a GPU a speed, and the verdict shows it" * takt_tests::traces("RTGPU-25")) {
  const auto o = analyzed("\"3/2\"");
  CHECK(o.code == 0);
  const auto verdict = nlohmann::json::parse(o.out);
  CHECK(verdict["platform"]["gpus"][1]["speed"] == "3/2");
  CHECK_FALSE(verdict["platform"]["gpus"][0].contains("speed"));
  CHECK(verdict["allocation"]["gpu"]["urgent"] == 1);
  // 1 ms, 80 ms on two SMs at 3/2, 1 ms.
  CHECK(verdict["tasks"][0]["response_bound"] == 28'666'667);
  CHECK(nlohmann::json::parse(analyzed("1.25").out)["platform"]["gpus"][1]["speed"] == "5/4");
  CHECK(analyzed("1").code != 0);
}

TEST_CASE("a file's speed that is zero, negative, without a denominator or too large is refused" *
          takt_tests::traces("RTGPU-25")) {
  for (const std::string_view wrong : {"0", "\"0/1\"", "-1", "\"1/0\"", "10001", "\"1/10001\"", "\"fast\""}) {
    CAPTURE(wrong);
    const auto o = takt::test::takt("analyze " + takt::test::write("two.json", two_gpus(wrong)));
    CHECK(o.code == 3);
    CHECK(o.err.find("/platform/gpus/1/speed: ") != std::string::npos);
  }
}
