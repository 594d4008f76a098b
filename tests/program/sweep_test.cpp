// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <takt/core/random.hpp>

#include "program.hpp"
#include "study.hpp"
#include "support/traces.hpp"

namespace {

using nlohmann::json;
using takt::test::contains;
using takt::test::outcome;
using takt::test::read;
using takt::test::row;
using takt::test::run_study;
using takt::test::scratch;
using takt::test::sets;
using takt::test::sum;

const std::vector<std::string> methods{"rtgpu", "takt", "self_suspension", "busy_waiting", "enhanced_mpcp"};

/// The copies hardly matter to a method that waits busily: with fewer sets, chance decides.
constexpr int sets_to_tell_methods_apart = 100;

/// What has to hold in every figure, whatever is drawn: takt accepts what RTGPU accepts, and one copy per kernel is
/// easier than two.
void check_figure(const std::string& name, const std::string& key, const std::vector<std::string>& values,
                  std::size_t levels) {
  const auto rows = run_study(name + " --sets " + sets());
  CHECK(rows.size() == values.size() * 2 * levels);
  for (const row& r : rows) { CHECK(r.count("takt") >= r.count("rtgpu")); }
  int one_copy = 0;
  int two_copies = 0;
  for (const auto& m : methods) {
    CAPTURE(m);
    for (const auto& value : values) { CHECK(sum(rows, m, {{key, value}, {"copies", "two"}}) > 0); }
    const int one = sum(rows, m, {{"copies", "one"}});
    const int two = sum(rows, m, {{"copies", "two"}});
    CHECK((one >= two || std::stoi(sets()) < sets_to_tell_methods_apart));
    one_copy += one;
    two_copies += two;
    CHECK(sum(rows, m + "_undecided") == 0);
  }
  CHECK(one_copy > two_copies);
}

const std::string small = "rtgpu-fig7 --sets 30 --levels 0.4,0.8,1.2 ";

}  // namespace

TEST_CASE("Fig. 7 as a table: three length ranges, one and two copies" * takt_tests::traces("RTGPU-39")) {
  check_figure("rtgpu-fig7", "cpu_to_gpu", {"2:1", "1:2", "1:8"}, 15);
  CHECK(contains(takt::test::takt("sweep rtgpu-fig7 --list").out, "  sets             100 "));
}

TEST_CASE("one command gives Fig. 7 as a table and a picture: three length ranges, one and two copies" *
          takt_tests::traces("RTGPU-39")) {
  const std::string csv = scratch("fig7.csv");
  const std::string svg = scratch("fig7.svg");
  const outcome o = takt::test::takt("sweep rtgpu-fig7 --sets 2 --csv " + csv + " --svg " + svg);
  CHECK(o.out.empty());
  CHECK(read(csv).starts_with("# takt"));
  CHECK(o.code == 0);
  const std::string picture = read(svg);
  for (const char* text :
       {"CPU to GPU 2:1", "CPU to GPU 1:2", "CPU to GPU 1:8", "RTGPU as published, 2 copies", "enhanced MPCP, 1 copy",
        "accepted task sets (%)", "utilization of one core", "interleave 1.7"}) {
    CAPTURE(text);
    CHECK(contains(picture, text));
  }
}

TEST_CASE("Fig. 8 for 3, 5 and 7 subtasks" * takt_tests::traces("RTGPU-40")) {
  check_figure("rtgpu-fig8", "subtasks", {"3", "5", "7"}, 15);
}

TEST_CASE("Fig. 9 for 3, 5 and 7 tasks" * takt_tests::traces("RTGPU-41")) {
  check_figure("rtgpu-fig9", "tasks", {"3", "5", "7"}, 15);
}

TEST_CASE("Fig. 10 over SM counts, which are an option: more SMs never cost acceptance" *
          takt_tests::traces("RTGPU-42")) {
  check_figure("rtgpu-fig10", "sms", {"5", "8", "10"}, 15);
  const auto rows = run_study("rtgpu-fig10 --set sms=5,6,7,12 --sets " + sets());
  for (const char* m : {"rtgpu", "takt", "busy_waiting", "enhanced_mpcp"}) {
    CAPTURE(m);
    int before = 0;
    for (const char* sms : {"5", "6", "7", "12"}) {
      const int now = sum(rows, m, {{"sms", sms}});
      CHECK(now >= before);
      before = now;
    }
  }
}

TEST_CASE("Fig. 11: at each level simulated runs accept at least what the analyses accept, without a miss" *
          takt_tests::traces("RTGPU-43")) {
  const auto rows = run_study("rtgpu-fig11 --levels 0.2..2.0/0.3 --set periods=5 --sets " + sets());
  CHECK(rows.size() == 42);
  for (const row& r : rows) {
    CHECK(r.count("accepted_but_missed") == 0);
    CHECK(r.count("takt") >= r.count("rtgpu"));
    CHECK(r.count("simulated") >= r.count("takt"));
  }
  CHECK(sum(rows, "simulated") > sum(rows, "takt"));
}

TEST_CASE("Fig. 12 runs on shared virtual SMs over both, the number of SMs and of tasks" *
          takt_tests::traces("RTGPU-44")) {
  const auto rows = run_study("rtgpu-fig12 --levels 0.3,0.8,1.1 --set effort=200 --set periods=2 --sets " + sets());
  CHECK(rows.size() == 54);
  for (const row& r : rows) {
    CHECK(r.count("accepted_but_missed") == 0);
    CHECK(r.count("simulated") >= r.count("takt"));
  }
  CHECK(sum(rows, "rtgpu", {{"tasks", "12"}, {"sms", "3"}}) > 0);
  CHECK(sum(rows, "rtgpu", {{"tasks", "12"}, {"sms", "3"}}) <= sum(rows, "rtgpu", {{"tasks", "12"}, {"sms", "8"}}));
}

TEST_CASE("a sweep has the same bytes for any number of threads, and as JSON the same numbers" *
          takt_tests::traces("RTGPU-50")) {
  const outcome one = takt::test::takt("sweep " + small + "--jobs 1");
  CHECK(one.code == 0);
  CHECK(one.out == takt::test::takt("sweep " + small + "--jobs 3").out);
  CHECK(one.out != takt::test::takt("sweep " + small + "--seed 2").out);
  const auto rows = run_study(small);
  const json v = json::parse(takt::test::takt("sweep " + small + "--json").out);
  CHECK(v.at("format") == "takt-sweep/1");
  CHECK(v.at("parameters").at("interleave") == "1.7");
  REQUIRE(v.at("rows").size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& m : methods) { CHECK(v.at("rows").at(i).at(m) == rows[i].count(m)); }
  }
}

TEST_CASE("a level has the same counts whatever other levels are swept" * takt_tests::traces("RTGPU-50")) {
  const auto all = run_study("rtgpu-fig7 --sets 20 --levels 0.4,0.8,1.2");
  const auto one = run_study("rtgpu-fig7 --sets 20 --levels 0.8");
  for (const auto& m : methods) { CHECK(sum(one, m) == sum(all, m, {{"utilization", "0.8"}})); }
}

TEST_CASE("a sweep that is killed at random moments and resumed has the bytes of an uninterrupted one" *
          takt_tests::traces("RTGPU-50")) {
  const std::string whole = takt::test::takt("sweep " + small).out;
  takt::random_stream random{11};
  for (int round = 0; round < 3; ++round) {
    const std::string folder = scratch("killed-" + std::to_string(round));
    for (int kill = 0; kill < 4; ++kill) {
      const std::string after = "0.0" + std::to_string(random.between(11, 60));
      const std::string call = "timeout --foreground -s KILL " + after + " \"" TAKT_PROGRAM "\" sweep " + small +
                               "--jobs 2 --resume " + folder + " >/dev/null 2>&1";
      (void)std::system(("{ " + call + "; } 2>/dev/null").c_str());
    }
    const outcome o = takt::test::takt("sweep " + small + "--resume " + folder);
    CHECK(o.code == 0);
    CHECK(o.out == whole);
  }
}

TEST_CASE("two shards put together are the whole" * takt_tests::traces("RTGPU-50")) {
  const std::string whole = takt::test::takt("sweep " + small).out;
  const outcome first = takt::test::takt("sweep " + small + "--shard 1/2 --resume " + scratch("part-1"));
  CHECK(first.code == 0);
  CHECK(first.out.empty());
  CHECK(contains(first.err, "units are left to the others"));
  REQUIRE(takt::test::takt("sweep " + small + "--shard 2/2 --resume " + scratch("part-2")).code == 0);
  std::filesystem::copy(scratch("part-2"), scratch("part-1"), std::filesystem::copy_options::recursive);
  const outcome merged = takt::test::takt("sweep " + small + "--resume " + scratch("part-1"));
  CHECK(merged.out == whole);
  CHECK(contains(merged.err, "in 0:00"));
}

TEST_CASE("every method of a comparison is given the interleave ratio and the virtual SMs of the study" *
          takt_tests::traces("RTGPU-53")) {
  // Kernels that two virtual SMs stretch by exactly 2, with nothing serial and no least times, take as long as on one
  // virtual SM that stretches nothing. A method with its own idea of either number would tell the two apart.
  const std::string call = "rtgpu-fig7 --set overhead=0 --set lower=0 --sets 20 --levels 0.4..1.6/0.2 ";
  const auto doubled = run_study(call + "--set interleave=2 --set virtual-per-sm=2");
  const auto single = run_study(call + "--set interleave=1 --set virtual-per-sm=1");
  const auto slow = run_study(call + "--set interleave=4 --set virtual-per-sm=1");
  for (const auto& m : methods) {
    CAPTURE(m);
    for (std::size_t i = 0; i < doubled.size(); ++i) { CHECK(doubled[i].count(m) == single[i].count(m)); }
    CHECK(sum(slow, m) < sum(single, m));
  }
}

TEST_CASE("program: sweep refuses results of other parameters, unknown names and bad values with a sentence") {
  const std::string folder = scratch("other");
  REQUIRE(takt::test::takt("sweep rtgpu-fig7 --sets 2 --levels 0.4 --resume " + folder).code == 0);
  takt::test::check_refused({
      {"rtgpu-fig7 --sets 3 --levels 0.4 --resume " + folder, "was made with other parameters"},
      {"rtgpu-fig7 --sets 2 --levels 0.4 --set interleave=1.5 --resume " + folder, "was made with other parameters"},
      {"rtgpu-fig77", "the nearest is \"rtgpu-fig7\""},
      {"rtgpu-fig7 --set overhed=3", "the nearest is \"overhead\""},
      {"rtgpu-fig7 --set overhead", "gives no value"},
      {"rtgpu-fig7 --set interleave=0.5", "a ratio from 1 to 100"},
      {"rtgpu-fig7 --levels 0.2..3.0", "levels"},
      {"rtgpu-fig7 --sets 0", "an integer from 1 to"},
      {"rtgpu-fig7 --shard 3/2", "I/N with 1 <= I <= N"},
      {"rtgpu-fig7 --shard 1/2", "--resume DIR"},
      {"", "takt sweep --list"},
  });
  CHECK(takt::test::takt("sweep rtgpu-fig7 --sets 2 --levels 0.4 --resume /dev/null/x").code == 4);
}

TEST_CASE("program: sweep lists its studies and their parameters") {
  const outcome all = takt::test::takt("sweep --list");
  CHECK(all.code == 0);
  for (const char* name : {"rtgpu-fig7 ", "rtgpu-fig8 ", "rtgpu-fig9 ", "rtgpu-fig10 ", "rtgpu-fig11 ", "rtgpu-fig12 ",
                           "accelerator-fig6 ", "accelerator-fig10 ", "accelerator-levels "}) {
    CAPTURE(name);
    CHECK(contains(all.out, name));
  }
  const outcome one = takt::test::takt("sweep rtgpu-fig12 --list");
  CHECK(contains(one.out, "virtual-per-sm   4"));
}

TEST_CASE("program: a sweep that is interrupted ends cleanly and says how it goes on") {
  const std::string err = scratch("interrupted");
  const auto interrupted_after = [&](const std::string& more) {
    const std::string call = "timeout -s INT 0.5 \"" TAKT_PROGRAM "\" sweep rtgpu-fig11 --sets 10000 --jobs 2 " + more +
                             " >/dev/null 2>" + err;
    (void)std::system(call.c_str());
    return read(err);
  };
  CHECK(contains(interrupted_after(""), "nothing is kept without --resume DIR"));
  CHECK(contains(interrupted_after("--resume " + scratch("kept")), "the same command goes on"));
}
