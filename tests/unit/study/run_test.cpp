// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include <takt/core/random.hpp>

#include "small_study.hpp"
#include "support/asleep.hpp"
#include "support/limited_wait.hpp"
#include "support/traces.hpp"

namespace {

using namespace std::chrono_literals;
using namespace takt::studies;
using takt::test::bytes_of;
using takt::test::csv_of;
using takt::test::scratch_folder;
using takt::test::small_study;

[[nodiscard]] auto run_small(const run_options& o = {}) -> result {
  const study what = small_study();
  return run(what, settings{what.parameters}, o);
}

[[nodiscard]] auto refused(const study& what) -> std::string {
  try {
    static_cast<void>(run(what, settings{what.parameters}));
  } catch (const refusal& e) { return e.problem; }
  return "";
}

}  // namespace

TEST_CASE("a study has the same bytes on any number of threads, and other ones for another seed" *
          takt_tests::traces("RTGPU-50")) {
  const std::string one = csv_of(run_small({.jobs = 1}));
  CHECK(one == csv_of(run_small({.jobs = 3})));
  const study what = small_study();
  settings other{what.parameters};
  other.set("seed", "2");
  CHECK(one != csv_of(run(what, other)));
}

TEST_CASE("a result says what it takes to repeat it, and JSON has the numbers of the table" *
          takt_tests::traces("RTGPU-50")) {
  const result r = run_small();
  std::istringstream lines{csv_of(r)};
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) { all.push_back(line); }
  REQUIRE(all.size() == 2 + 3 + 1 + 6 + 1);
  CHECK(all[0].starts_with("# takt "));
  CHECK(all[0].ends_with(" sweep small"));
  CHECK(all[1] == "# Numbers");
  CHECK(all[2] == "# seed = 1 (of everything)");
  CHECK(all[5] == "rule,load,sets,low,drawn");
  CHECK(all.back() == "# units: 18");

  std::ostringstream text;
  write_json(text, r);
  const auto v = nlohmann::json::parse(text.str());
  CHECK(v.at("format") == "takt-sweep/1");
  CHECK(v.at("study") == "small");
  CHECK(v.at("parameters").at("levels") == "0.5,1,1.5");
  CHECK(v.at("remarks").at(0) == "units: 18");
  REQUIRE(v.at("rows").size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const auto& row = v.at("rows").at(i);
    CHECK(row.at("sets") == 25);
    CHECK(row.at("drawn") == 25);
    CHECK(all[6 + i].starts_with(row.at("rule").get<std::string>() + ","));
    CHECK(all[6 + i].ends_with(",25," + std::to_string(row.at("low").get<int>()) + ",25"));
  }
}

TEST_CASE("times and ratios are one unit per point, and written with their fractions") {
  study what = small_study();
  what.shown.measured = measure::thousandths;
  const result r = run(what, settings{what.parameters});
  CHECK(r.counts.units() == 6);
  CHECK(csv_of(r).find(",25,0.") != std::string::npos);
}

TEST_CASE("two shards put together are the whole, and units that are kept are not counted again" *
          takt_tests::traces("RTGPU-50")) {
  const std::string whole = csv_of(run_small());
  const scratch_folder folder{"shards"};
  const result half = run_small({.part = {1, 2}, .folder = folder.name()});
  CHECK_FALSE(half.counts.complete());
  CHECK(half.counts.known_units() == 9);
  const result both = run_small({.part = {2, 2}, .folder = folder.name()});
  CHECK(both.counts.complete());
  CHECK(csv_of(both) == whole);

  study idle = small_study();
  idle.fill = [fill = idle.fill](const settings& s, experiment& e) {
    fill(s, e);
    e.count = [](const unit&, row) { FAIL("a unit that is known was counted again"); };
  };
  CHECK(csv_of(run(idle, settings{idle.parameters}, {.folder = folder.name()})) == whole);
}

TEST_CASE("a journal may be torn anywhere: what is behind is done again" * takt_tests::traces("RTGPU-50")) {
  const std::string whole = csv_of(run_small());
  const scratch_folder folder{"torn"};
  CHECK(csv_of(run_small({.folder = folder.name()})) == whole);
  const auto path = folder.file("small.1-of-1.journal");
  const std::string bytes = bytes_of(path);
  const auto units_in = [](const std::string& journal) {
    std::istringstream lines{journal};
    int out = -1;
    for (std::string line; std::getline(lines, line);) { out += line.starts_with('@') ? 0 : 1; }
    return out;
  };
  CHECK(units_in(bytes) == 18);
  CHECK(bytes.starts_with("takt-sweep/1 small seed=1 sets=25 levels=0.5,1,1.5 #"));
  takt::random_stream random{5};
  for (int round = 0; round < 20; ++round) {
    const auto length = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(bytes.size())));
    std::ofstream{path, std::ios::binary} << bytes.substr(0, length) << (round % 2 == 0 ? "" : "7 1 2");
    CAPTURE(length);
    CHECK(csv_of(run_small({.jobs = 1, .folder = folder.name()})) == whole);
    CHECK(units_in(bytes_of(path)) == 18);
  }
}

TEST_CASE("a line of a journal that was changed anywhere is not believed, nor what is behind it" *
          takt_tests::traces("RTGPU-50")) {
  const std::string whole = csv_of(run_small());
  const scratch_folder folder{"changed"};
  static_cast<void>(run_small({.folder = folder.name()}));
  const auto path = folder.file("small.1-of-1.journal");
  const std::string bytes = bytes_of(path);
  takt::random_stream random{6};
  const auto first = static_cast<takt::ticks>(bytes.find('\n')) + 1;
  for (int round = 0; round < 40; ++round) {
    std::string changed = bytes;
    char& c = changed[static_cast<std::size_t>(random.between(first, static_cast<takt::ticks>(bytes.size()) - 1))];
    c = c == '3' ? '4' : '3';
    std::ofstream{path, std::ios::binary} << changed;
    CHECK(csv_of(run_small({.jobs = 1, .folder = folder.name()})) == whole);
  }
}

TEST_CASE("journals of other parameters, other files and a folder that cannot be are refused" *
          takt_tests::traces("RTGPU-50")) {
  const scratch_folder folder{"other"};
  const study what = small_study();
  settings other{what.parameters};
  other.set("seed", "2");
  static_cast<void>(run(what, other, {.folder = folder.name()}));
  CHECK_THROWS_WITH_AS(static_cast<void>(run_small({.folder = folder.name()})),
                       doctest::Contains("was made with other parameters"), refusal);
  std::ofstream{folder.file("small.1-of-1.journal")} << "letters\n";
  CHECK_THROWS_WITH_AS(static_cast<void>(run_small({.folder = folder.name()})),
                       doctest::Contains("is no journal of a sweep"), refusal);
  CHECK_THROWS_WITH_AS(static_cast<void>(run_small({.folder = "/dev/null/x"})), doctest::Contains("cannot be made"),
                       failure);
  const scratch_folder busy{"busy"};
  const journal held{busy.name(), "small", {}, "", 1, [](auto&&...) {}};
  CHECK_THROWS_AS(static_cast<void>(run_small({.folder = busy.name(), .lock_wait = 50ms})), failure);
  const std::atomic<bool> stop{true};
  CHECK_THROWS_AS(static_cast<void>(run_small({.folder = busy.name(), .stop = &stop})), failure);
}

TEST_CASE("a run waits for a journal that a process holds that is about to end") {
  const std::string whole = csv_of(run_small());
  const scratch_folder folder{"ending"};
  std::optional<journal> held;
  held.emplace(folder.name(), "small", shard{}, settings{small_study().parameters}.fingerprint(), 1, [](auto&&...) {});
  const std::jthread ends{[&held, run = takt_tests::own_thread()] {
    takt_tests::await([run] { return takt_tests::is_asleep(run); });  // it waits for the journal
    held.reset();
  }};
  CHECK(csv_of(run_small({.folder = folder.name()})) == whole);
}

TEST_CASE("a stop leaves the rest undone, and the same call goes on from what is kept") {
  const std::string whole = csv_of(run_small());
  const scratch_folder folder{"stopped"};
  std::atomic<bool> stop{false};
  study what = small_study();
  what.fill = [&stop, fill = what.fill](const settings& s, experiment& e) {
    fill(s, e);
    e.count = [&stop, count = e.count, done = 0](const unit& u, row counts) mutable {
      count(u, counts);
      stop = ++done == 4;
    };
  };
  const result some = run(what, settings{what.parameters}, {.jobs = 1, .folder = folder.name(), .stop = &stop});
  CHECK(some.counts.known_units() == 4);
  CHECK(csv_of(run_small({.folder = folder.name()})) == whole);
}

TEST_CASE("SIGINT asks for a stop while an interruption lives, and has its old handler again afterwards") {
  const auto mine = +[](int) {};
  const auto before = std::signal(SIGINT, mine);
  {
    const interruption signals;
    CHECK_FALSE(signals.asked());
    CHECK(std::raise(SIGINT) == 0);
    CHECK(signals.asked());
    // What comes at once is the first one again.
    CHECK(std::raise(SIGTERM) == 0);
    CHECK(signals.asked());
    const result none = run_small({.stop = &signals.asked()});
    CHECK(none.counts.known_units() == 0);
  }
  { CHECK_FALSE(interruption{}.asked()); }
  const bool mine_again = std::signal(SIGINT, before) == mine;
  CHECK(mine_again);
}

TEST_CASE("a part is read as I/N, and anything else is refused") {
  const shard part = read_shard("2/8");
  CHECK(part.index == 2);
  CHECK(part.count == 8);
  for (const char* wrong : {"", "3", "0/2", "3/2", "1/2x", "x/2", "1-2"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(static_cast<void>(read_shard(wrong)), refusal);
  }
}

TEST_CASE("all shards together have every unit once, for any number of them") {
  const tally counts{{.series = 3, .levels = {1, 2, 3}, .sets = 25, .columns = 1, .sets_per_unit = 3}};
  for (std::size_t n = 1; n <= counts.units() + 2; ++n) {
    std::size_t next = 0;
    for (std::size_t i = 1; i <= n; ++i) {
      for (const std::size_t u : units_to_do(counts, {i, n})) { CHECK(u == next++); }
    }
    CHECK(next == counts.units());
  }
}

TEST_CASE("a study that leaves something open is refused before anything is counted") {
  const auto spoilt = [](auto change) {
    study what = small_study();
    what.fill = [fill = what.fill, change](const settings& s, experiment& e) {
      fill(s, e);
      change(e);
    };
    return refused(what);
  };
  const std::string words = "leaves something open";
  CHECK(spoilt([](experiment&) {}).empty());
  CHECK(spoilt([](experiment& e) { e.count = {}; }) == words);
  CHECK(spoilt([](experiment& e) { e.series.clear(); }) == words);
  CHECK(spoilt([](experiment& e) { e.series[0].emplace_back("more"); }) == words);
  CHECK(spoilt([](experiment& e) { e.levels.clear(); }) == words);
  CHECK(spoilt([](experiment& e) { e.sets = 0; }) == words);
  CHECK(spoilt([](experiment& e) { e.columns.pop_back(), e.draw(1, "gone", 0); }) == words);
}
