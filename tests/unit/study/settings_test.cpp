// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <takt/study/settings.hpp>

namespace {

using namespace takt::studies;
using levels = std::vector<std::int64_t>;

[[nodiscard]] auto given(std::string_view name, std::string_view value) -> settings {
  settings out{with({{"seed", "1", "of everything"},
                     {"sets", "100", "per level", 1, 1000},
                     {"levels", "0.2..1.0/0.4", "utilization", 200, 3000, 100},
                     {"ratio", "17/10", "stretch"},
                     {"rules", "fifo", "which"}},
                    {{"sets", "7", "", 0, 0}, {"sms", "3,5", "sizes", 1, 64}})};
  out.set(name, value);
  return out;
}

/// What is said of a value when it is read.
template <class Read>
[[nodiscard]] auto refused(std::string_view name, std::string_view value, Read read) -> std::string {
  try {
    static_cast<void>(read(given(name, value)));
  } catch (const refusal& e) { return e.what(); }
  return "";
}

constexpr std::string_view rules[] = {"fifo", "edf"};

}  // namespace

TEST_CASE("a parameter keeps its default, its range and its text until it is set") {
  const settings s = given("seed", "9");
  CHECK(s.seed() == 9);
  CHECK(s.number<int>("sets") == 7);
  CHECK(s.all()[1].most == 1000);
  CHECK(s.all()[1].about == "per level");
  CHECK(s.numbers("sms") == std::vector<std::int64_t>{3, 5});
  CHECK(s.choice("rules", rules) == 0);
  CHECK(s.fingerprint() == "seed=9 sets=7 levels=0.2..1.0/0.4 ratio=17/10 rules=fifo sms=3,5");
}

TEST_CASE("lists are read in rising order, each value once") {
  CHECK(given("sms", "8,3,8").numbers("sms") == std::vector<std::int64_t>{3, 8});
  CHECK(given("rules", "edf,fifo").choices("rules", rules) == std::vector<std::size_t>{0, 1});
}

TEST_CASE("levels are thousandths, from a list or a range with a step") {
  const auto read = [](std::string_view text) { return given("levels", text).levels("levels"); };
  CHECK(read("0.2..1.0/0.4") == levels{200, 600, 1000});
  CHECK(read("1/2,0.3") == levels{300, 500});
  const auto say = [](std::string_view text) {
    return refused("levels", text, [](const settings& s) { return s.levels("levels"); });
  };
  CHECK(say("0.2..3.0") == "levels: \"0.2..3.0\" is not a ratio: a ratio such as \"9/5\", 2 or 1.8");
  CHECK(say("0.3,0.15") == "levels: 0.15 is out of range: 0.2 to 3 in steps of 0.1");
  CHECK(say("1/3") == "levels: \"1/3\" is no level: 0.001 to 100 in steps of 0.001");
  CHECK(say("1.0..0.2/0.1").starts_with("levels: \"1.0..0.2/0.1\" holds 0 levels: 1 to 1000 levels"));
}

TEST_CASE("a ratio is exact, and as a number what is nearest to it") {
  CHECK(given("ratio", "1.70").ratio("ratio") == std::pair<std::int64_t, std::int64_t>{17, 10});
  CHECK(given("ratio", "3/4").real("ratio") == 0.75);
}

TEST_CASE("a value that cannot be is refused with the name, the value and what is allowed") {
  const auto number = [](const settings& s) { return s.number("sets"); };
  CHECK(refused("sets", "0", number) == "sets: \"0\" is out of range: an integer from 1 to 1000");
  CHECK(refused("sets", "7x", number) == "sets: \"7x\" is no integer: an integer from 1 to 1000");
  const auto chosen = [](const settings& s) { return s.choice("rules", rules); };
  CHECK(refused("rules", "lifo", chosen) == "rules: \"lifo\" is no value of it: some of fifo,edf");
  CHECK(refused("rules", "fifo,edf", chosen) == "rules: has several values: one of fifo,edf");
}

TEST_CASE("a name that no parameter has is refused with the nearest one, when it is set and when it is read") {
  const std::string_view words =
      "sats: is no parameter of this study, the nearest is \"sets\": seed, sets, levels, ratio, rules, sms";
  CHECK(refused("sats", "3", [](const settings& s) { return s.seed(); }) == words);
  CHECK(refused("sets", "3", [](const settings& s) { return s.number("sats"); }) == words);
  CHECK_THROWS_AS(static_cast<void>(settings{{}}.seed()), refusal);
}

TEST_CASE("thousandths are rounded down and written with a digit behind the point at least") {
  CHECK(thousandths(2, 3) == 666);
  CHECK(thousandths(2, 0) == 0);
  CHECK(thousandths_text(1200) == "1.2");
  CHECK(thousandths_text(1000) == "1.0");
  CHECK(thousandths_text(7) == "0.007");
  CHECK(thousandths_text(0) == "0.0");
}
