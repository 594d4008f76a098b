// SPDX-License-Identifier: Apache-2.0
// What `takt export cpp` writes. That it compiles and says what `takt analyze` says: export_cpp_test.py.
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "program.hpp"

namespace {

using takt::test::contains;
using takt::test::data;
using takt::test::good_file;
using takt::test::outcome;
using takt::test::read;
using takt::test::scratch;
using takt::test::with;
using takt::test::write;

auto exported(const std::string& file, const std::string& options = {}) -> std::string {
  const outcome o = takt::test::takt("export cpp " + file + " " + options);
  REQUIRE_MESSAGE(o.code == 0, o.err);
  return o.out;
}

/// The line that refuses a call.
auto refused(const std::string& arguments) -> std::string {
  const outcome o = takt::test::takt("export " + arguments);
  CHECK(o.code == 3);
  CHECK(o.out.empty());
  return o.err;
}

const std::string strange = R"({"format": "takt/1", "name": "ends with \\", "notes": ["two\nlines"],
  "platform": {"cpus": {"count": 1}, "resources": [{"name": "2 dsp", "count": 2}]},
  "tasks": [{"name": "a \"b\" \\ \u0007", "period": "1500us", "deadline": "7ns", "offset": "1ms",
             "segments": [{"cpu": [1, 2]}, {"2 dsp": "1s"}]},
            {"name": "int", "period": "2s", "deadline": null, "nodes": [{"name": "n", "cpu": "1ms"}]}]})";

}  // namespace

TEST_CASE("program: export cpp writes the board, the tasks and the rules as C++") {
  const std::string text = exported(data("gpusync-board"), "--policy time-sliced:2ms --cpus nonpreemptive-edf");
  CHECK(text.starts_with(
      "// four tasks on four CPUs, and two GPUs with two tokens each: what takt says of these tasks on "));
  CHECK(contains(exported(data("waters2019/plan")), "// Variants that are chosen: "));
  CHECK(contains(text, "constexpr auto tasks = takt::task_set("));
  CHECK(contains(text, "out.slice = (2_ms).count();"));
  CHECK(contains(text, "constexpr auto rule = takt::nonpreemptive(takt::edf);"));
  CHECK(contains(text, "takt::judge_at_run_time<takt::published_judges>(policy, rule, charged, board)"));
  CHECK(contains(exported(data("waters2019-camera"), "--policy tokens-k-fmlp:2 --cpus g-rate-monotonic"),
                 "takt::clustered(takt::rate_monotonic, "));
}

TEST_CASE("program: export cpp keeps times exact, and any text in a literal or a comment of its own") {
  const std::string text = exported(write("strange.json", strange));
  CHECK(contains(text, R"(takt::task("a \"b\" \\ \\u0007", takt::period(1500_us), takt::deadline(7_ns))"));
  CHECK(contains(text, "takt::cpu(1_ns, 2_ns)"));
  CHECK(contains(text, "struct resource_2_dsp {};"));
  CHECK(contains(text, "takt::visit<resource_2_dsp>(takt::takes(1_s))"));
  CHECK(contains(text, "out.tasks[1].limited = false;"));
  CHECK(contains(text, "// Left out: offsets of first releases."));
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 120);
    CHECK(!line.ends_with(' '));
    CHECK(!line.ends_with('\\'));
  }
}

TEST_CASE("program: export cpp writes the same each time, and into a file") {
  const std::string file = write("good.json", good_file());
  const std::string to = scratch("good.cpp");
  const outcome o = takt::test::takt("export cpp " + file + " --write " + to);
  CHECK(o.code == 0);
  CHECK(contains(o.out, "tasks written to " + to));
  CHECK(read(to) == exported(file));
  CHECK(exported(file) == exported(file));
}

TEST_CASE("program: export cpp refuses what analyze refuses, in the same words") {
  const std::string file = write("strange.json", with(strange, R"("deadline": "7ns")", R"("deadline": "-7ns")"));
  CHECK(refused("cpp " + file) == takt::test::takt("analyze " + file).err);
  const std::string example = data("waters2019-camera");
  CHECK(refused("cpp " + example + " --policy time-sliced") ==
        takt::test::takt("analyze " + example + " --policy time-sliced").err);
}

TEST_CASE("program: options of the one export are refused by the other") {
  const std::string file = write("good.json", good_file());
  CHECK(contains(refused("cpp " + file + " --into model.amxmi"), "--into: says nothing about a C++ program"));
  CHECK(contains(refused("amalthea " + file), "--into: is missing"));
  CHECK(contains(refused("amalthea " + file + " --into model.amxmi --policy gang"),
                 "--policy: says nothing about a model"));
  CHECK(contains(refused("amalthea " + file + " --into model.amxmi --cpus edf"), "--cpus: says nothing about a model"));
  CHECK(contains(refused("c++ " + file), "cpp"));
}
