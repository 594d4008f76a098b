// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace {

using nlohmann::json;
using takt::test::contains;
using takt::test::data;
using takt::test::scratch;

/// Two tasks of 2 ms and 3 ms on one processor, and a chain over them.
[[nodiscard]] auto with_chain(const std::string& chain) -> std::string {
  return R"({"format": "takt/1", "platform": {"cpus": {"count": 1}, "resources": [{"name": "npu", "count": 1}]},
  "tasks": [{"name": "sense", "period": "10ms", "segments": [{"cpu": ["1ms", "2ms"]}]},
            {"name": "act", "period": "20ms", "segments": [{"cpu": ["1ms", "3ms"]}]}],
  "chains": [{"name": "loop", "tasks": ["sense", "act"], )" +
         chain + "}]}";
}
/// The path of a file with this text.
[[nodiscard]] auto written(const std::string& name, const std::string& text) -> std::string {
  const std::string path = scratch(name);
  std::ofstream{path} << text;
  return path;
}
[[nodiscard]] auto chains(const std::string& text, const std::string& options = "") -> takt::test::outcome {
  return takt::test::takt("chains --json " + options + " " + written("chains.json", text));
}

}  // namespace

TEST_CASE("program: chains gives the exact latencies of the WATERS 2019 chains under LET, and no proof of them") {
  const auto o = takt::test::takt("chains --json " + data("waters2019"));
  CHECK(o.code == 1);
  const json v = json::parse(o.out);
  CHECK(v.at("format") == "takt-chains/1");
  REQUIRE(v.at("chains").size() == 5);
  const json& lidar = v.at("chains")[0];
  CHECK(lidar.at("first_read_to_output").at("bound") == 875'000'000);
  CHECK(lidar.at("reaction").at("bound") == 908'000'000);
  CHECK(lidar.at("age_at_output").at("bound") == 903'000'000);
  CHECK(lidar.at("limit").at("reaction") == 800'000'000);
  CHECK(lidar.at("meets") == false);
  CHECK(contains(lidar.at("condition"), "ends within its period, which is not proven"));
  for (const json& c : v.at("chains")) {
    for (const char* figure : {"first_read_to_output", "reaction", "age_at_output", "age"}) {
      CHECK_FALSE(c.at(figure).at("definition").get<std::string>().empty());
    }
  }
}

TEST_CASE("program: chains judges limits by what is proven and shows what a run has seen") {
  const auto implicit = chains(with_chain(R"("semantics": "implicit", "reaction": "40ms", "age": "45ms")"));
  CHECK(implicit.code == 0);
  const json loop = json::parse(implicit.out).at("chains")[0];
  CHECK(loop.at("meets") == true);
  CHECK(loop.at("exact") == false);
  for (const char* figure : {"first_read_to_output", "reaction", "age_at_output", "age"}) {
    CAPTURE(figure);
    CHECK(loop.at(figure).at("seen") > 0);
    CHECK(loop.at(figure).at("seen") <= loop.at(figure).at("bound"));
  }
  // Were "sense" released late, "act" might start before it, which a run need not show.
  CHECK(chains(takt::test::with(with_chain(R"("semantics": "implicit", "reaction": "30ms")"), R"("sense", )",
                                R"("sense", "jitter": "1us", )"))
            .code == 2);
  CHECK(chains(with_chain(R"("semantics": "implicit", "reaction": "1ms")")).code == 1);

  const json let = json::parse(chains(with_chain(R"("semantics": "let")")).out).at("chains")[0];
  CHECK(let.at("exact") == true);
  // Read at 0, given at 10 ms, read at 20 ms, given at 40 ms; a change just after 0 waits for the read at 10 ms.
  CHECK(let.at("first_read_to_output").at("bound") == 40'000'000);
  CHECK(let.at("first_read_to_output").at("seen") == 40'000'000);
  CHECK(let.at("reaction").at("bound") == 50'000'000);
  const json own = json::parse(chains(with_chain(R"("semantics": "let")"), "--clocks own").out).at("chains")[0];
  CHECK(own.at("exact") == false);
  CHECK(own.at("reaction").at("bound") == 60'000'000);
}

TEST_CASE("program: tasks of a chain may each communicate in their own way") {
  const auto bound = [](const std::string& semantics) {
    const json chain = json::parse(chains(with_chain("\"semantics\": " + semantics)).out).at("chains")[0];
    for (const char* figure : {"first_read_to_output", "reaction", "age_at_output", "age"}) {
      CHECK(chain.at(figure).at("seen") <= chain.at(figure).at("bound"));
    }
    return chain.at("reaction").at("bound").get<std::int64_t>();
  };
  const std::int64_t implicit = bound(R"("implicit")");
  const std::int64_t let = bound(R"("let")");
  CHECK(bound(R"(["implicit", "implicit"])") == implicit);
  CHECK(bound(R"(["let", "let"])") == let);
  const std::int64_t fixed_first = bound(R"(["let", "implicit"])");
  const std::int64_t fixed_last = bound(R"(["implicit", "let"])");
  CHECK(implicit <= fixed_first);
  CHECK(fixed_first < fixed_last);
  CHECK(fixed_last <= let);

  const auto o = chains(with_chain(R"("semantics": ["let"])"));
  CHECK(o.code == 3);
  CHECK(contains(o.err + o.out, "/chains/0/semantics: has 1 words for 2 tasks"));
}

TEST_CASE("program: chains says what is missing, and draws the slowest reaction") {
  const auto none = takt::test::takt("chains " + data("waters2019-camera"));
  CHECK(none.code == 3);
  CHECK(contains(none.err, "/chains: is missing"));

  const std::string picture = scratch("chain.svg");
  const auto o = takt::test::takt("chains --svg " + picture + " " +
                                  written("drawn.json", with_chain(R"("semantics": "implicit")")));
  CHECK(o.code == 0);
  CHECK(contains(o.out, "age at output: from the read of the data"));
  const std::string drawn = takt::test::read(picture);
  CHECK(contains(drawn, "loop: a reaction of"));
  CHECK(contains(drawn, "sense, job "));

  const auto short_run = takt::test::takt("chains --horizon 1ms --svg " + picture + " " +
                                          written("short.json", with_chain(R"("semantics": "implicit")")));
  CHECK(short_run.code == 2);
  CHECK(contains(short_run.err, "no chain has reacted"));
}

TEST_CASE("program: chains counts on consumers that wait for their producers, says so, and says why others do not") {
  const json waits = json::parse(chains(with_chain(R"("semantics": "implicit")")).out).at("chains")[0];
  REQUIRE(waits.at("waits").size() == 1);
  CHECK(waits.at("waits")[0] == json{{"consumer", "act"}, {"producer", "sense"}, {"used", true}});
  const auto because = [](const std::string& from, const std::string& to) {
    const std::string text = takt::test::with(with_chain(R"("semantics": "implicit")"), from, to);
    const json chain = json::parse(chains(text).out).at("chains")[0];
    CHECK(chain.at("reaction").at("seen") <= chain.at("reaction").at("bound"));
    CHECK(chain.at("waits")[0].at("used") == false);
    return chain.at("waits")[0].at("because").get<std::string>();
  };
  CHECK(because(R"("cpu": ["1ms", "3ms"])", R"("cpu": "3ms")") == "consumer-takes-no-time");
  CHECK(because(R"("name": "sense", "period": "10ms")", R"("name": "sense", "period": "10ms", "jitter": "1ms")") ==
        "producer-late");
  CHECK(because(R"("act", "period": "20ms")", R"("act", "period": "20ms", "deadline": "9ms")") ==
        "consumer-more-urgent");
  CHECK(because(R"({"cpu": ["1ms", "2ms"]})", R"({"cpu": "1ms"}, {"npu": "1ms"}, {"cpu": "1ms"})") ==
        "producer-leaves");
  const auto text = takt::test::takt("chains " + written("waits.json", with_chain(R"("semantics": "implicit")")));
  CHECK(contains(text.out, "loop: counts on it that act starts when sense has ended"));
}

TEST_CASE("program: chains start at the offsets of their tasks, and clocks of their own leave no room for these") {
  const std::string plain = with_chain(R"("semantics": "let")");
  const std::string shifted = takt::test::with(plain, R"("name": "act", )", R"("name": "act", "offset": "5ms", )");
  const auto reaction = [](const std::string& text) {
    const json loop = json::parse(chains(text).out).at("chains")[0];
    CHECK(loop.at("reaction").at("seen") == loop.at("reaction").at("bound"));
    return loop.at("reaction").at("bound").get<std::int64_t>();
  };
  CHECK(reaction(shifted) == reaction(plain) + 5'000'000);
  const auto own = chains(shifted, "--clocks own");
  CHECK(own.code == 3);
  CHECK(contains(own.err, "/tasks/1/offset: says nothing where each task has a clock of its own"));
  const std::string file = written("offset.json", shifted);
  CHECK(takt::test::takt("simulate " + file + " --for 100ms --releases sporadic").code == 0);
  CHECK(takt::test::takt("simulate " + file + " --for 100ms").code == 0);
  CHECK(contains(takt::test::takt("analyze " + file).out, "offsets of first releases count in chains"));
}
