// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using takt::test::by_shell;
using takt::test::contains;
using takt::test::data;
using takt::test::outcome;
using takt::test::read;
using takt::test::scratch;
using takt::test::write;

/// An empty folder, and what is in it.
auto folder(const std::string& name) -> std::string {
  const std::string path = scratch(name);
  fs::remove_all(path);
  fs::create_directories(path);
  return path;
}
auto names_in(const std::string& path) -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator{path}) { out.push_back(entry.path().filename().string()); }
  std::ranges::sort(out);
  return out;
}

auto camera() -> std::string { return read(data("waters2019-camera")); }

/// A call under a limit of so many blocks of 1,024 bytes for each file; what it prints goes through a pipe.
auto limited(const std::string& arguments, int blocks = 1) -> outcome {
  return by_shell("set -o pipefail\n(ulimit -f " + std::to_string(blocks) + "; exec \"$takt\" " + arguments +
                  ") 2> >(cat >&2) | cat\n");
}

}  // namespace

TEST_CASE("program: a limit on files leaves the only copy of a task set as it was, and the answer is printed") {
  const std::string in = folder("limit") + "/in.json";
  write("limit/in.json", camera());
  for (const char* command : {"compare --policies federated,whole-gpu", "plan --policies federated --evaluations 1"}) {
    CAPTURE(command);
    const outcome o = limited(std::string{command} + " --json " + in + " --write " + in);
    CHECK(o.code == 4);
    CHECK(read(in) == camera());
    CHECK(names_in(scratch("limit")) == std::vector<std::string>{"in.json"});
    const json answer = json::parse(o.out);
    CHECK(answer.contains("format"));
    CHECK(contains(answer.at("notes").dump(), "in.json: cannot be written (File too large)"));
  }
}

TEST_CASE("program: an old trace stays where a new one does not fit, and the status is in the answer") {
  folder("traces");
  const std::string trace = write("traces/t.json", "old");
  const std::string call = "simulate --horizon 1s " + data("waters2019-camera");
  const outcome o = limited(call + " --json --trace " + trace);
  CHECK(o.code == 4);
  CHECK(json::parse(o.out).at("status") == "no-miss");
  CHECK(contains(json::parse(o.out).at("notes").dump(), "t.json: cannot be written (File too large)"));
  CHECK(read(trace) == "old");
  const outcome text = limited(call + " --trace " + trace);
  CHECK(text.code == 4);
  CHECK(contains(text.out, "simulation: no miss"));
  CHECK_FALSE(contains(text.out, "\ntrace:"));
  CHECK(names_in(scratch("traces")) == std::vector<std::string>{"t.json"});
}

TEST_CASE("program: a file that is replaced keeps its mode, and a link leads to it as before") {
  const std::string own = folder("kept");
  const std::string real = write("kept/real.json", camera());
  fs::create_symlink("real.json", own + "/link.json");
  REQUIRE(chmod(real.c_str(), 0640) == 0);
  const bool is_root = geteuid() == 0;
  if (is_root) { REQUIRE(chown(real.c_str(), 65534, 65534) == 0); }
  CHECK(takt::test::takt("compare --policies federated-shared " + own + "/link.json --write " + own + "/link.json")
            .code <= 2);
  CHECK(fs::is_symlink(own + "/link.json"));
  struct stat about{};
  REQUIRE(stat(real.c_str(), &about) == 0);
  CHECK((about.st_mode & 07777U) == 0640);
  if (is_root) {
    CHECK(about.st_uid == 65534);
    CHECK(about.st_gid == 65534);
  }
  CHECK(json::parse(read(real)).at("platform").at("gpus").at(0).at("sharing") == "shared");
  CHECK(names_in(own) == std::vector<std::string>{"link.json", "real.json"});

  fs::create_symlink("new.svg", own + "/to_new.svg");
  CHECK(takt::test::takt("compare --policies whole-gpu " + real + " --svg " + own + "/to_new.svg").code <= 2);
  CHECK(fs::is_symlink(own + "/to_new.svg"));
  CHECK(read(own + "/new.svg").starts_with("<svg"));
}

TEST_CASE("program: pipes and devices are written as they are") {
  const std::string call = "\"$takt\" simulate --horizon 100ms " + data("waters2019-camera") + " --trace ";
  const outcome piped = by_shell("set -e\n" + call + ">(cat >&2) >/dev/null; wait $!\n");
  CHECK(piped.code == 0);
  CHECK(json::accept(piped.err));
  CHECK(by_shell(call + "/dev/null >/dev/null\n").code == 0);
  CHECK(fs::is_character_file("/dev/null"));
  const outcome full = by_shell(call + "/dev/full\n");
  CHECK(full.code == 4);
  CHECK(contains(full.out, "simulation: no miss"));
  // What the shell has opened is not replaced by another file.
  const outcome out = by_shell(call + "/dev/stdout >/dev/null; echo end\n");
  CHECK(out.code == 0);
  CHECK(out.out == "end\n");
}

TEST_CASE("program: files that cannot be written are refused before the work begins") {
  const std::string file = data("waters2019-camera");
  const std::string study =
      write("study.json", R"({"format": "takt-study/1", "study": "rtgpu-fig9", "sets": 1000000})");
  for (const std::string& call :
       {"run --for 3600s " + file + " --trace /nonexistent/x.json",
        "run --for 3600s " + file + " --svg /nonexistent/x.svg",
        "plan --search local --for 3600s " + file + " --resume /nonexistent/x",
        "plan --search local --for 3600s " + file + " --write /nonexistent/x",
        "sweep " + study + " --csv /nonexistent/x.csv", "sweep " + study + " --html /nonexistent/x.html",
        "compare " + file + " --svg /nonexistent/x.svg", "chains " + data("waters2019") + " --svg /nonexistent/x.svg",
        "export cpp " + file + " --write /nonexistent/x.cpp"}) {
    CAPTURE(call);
    const outcome o = takt::test::takt(call);
    CHECK(o.code == 4);
    CHECK(o.out.empty());
    CHECK(contains(o.err, ": cannot be written (No such file or directory)"));
  }
  CHECK(
      contains(takt::test::takt("compare " + file + " --write /tmp").err, "/tmp: cannot be written (Is a directory)"));
}

TEST_CASE("program: no output takes the place of what is read, and no two are one") {
  const std::string own = folder("inputs");
  const std::string in = write("inputs/in.svg", camera());
  fs::create_symlink("in.svg", own + "/other.svg");
  const std::string study =
      write("inputs/study.json", R"({"format": "takt-study/1", "study": "rtgpu-fig9", "sets": 2})");
  const std::string words = " names the file that is read, which would be lost: expected another name";
  const auto check_refused = [&](const std::string& call, const std::string& line) {
    CAPTURE(call);
    const outcome o = by_shell("exec \"$takt\" " + call + "\n");
    CHECK(o.code == 3);
    CHECK(o.out.empty());
    CHECK(contains(o.err, line));
  };
  check_refused("compare " + in + " --svg " + in, "--svg:" + words);
  check_refused("compare " + in + " --svg " + own + "/other.svg", "--svg:" + words);
  check_refused("plan " + in + " --svg " + own + "/../inputs/in.svg", "--svg:" + words);
  check_refused("plan " + in + " --resume " + in, "--resume:" + words);
  check_refused("simulate --horizon 1ms " + in + " --trace " + in, "--trace:" + words);
  check_refused("run --for 1ms " + in + " --trace " + in, "--trace:" + words);
  check_refused("export cpp " + in + " --write " + in, "--write:" + words);
  check_refused("sweep " + study + " --csv " + study, "--csv:" + words);
  check_refused("simulate --horizon 1ms " + in + " --trace " + own + "/two.svg --svg " + own + "/two.svg",
                "--svg: names the file of --trace, too: expected another name");
  const std::string model = write("inputs/model.amxmi", read(TAKT_SOURCE_DIR "/examples/models/lane-assist.amxmi"));
  check_refused("import amalthea " + model + " --write " + model, "--write:" + words);
  CHECK(read(model) == read(TAKT_SOURCE_DIR "/examples/models/lane-assist.amxmi"));
  CHECK(read(in) == camera());
  CHECK(names_in(own) == std::vector<std::string>{"in.svg", "model.amxmi", "other.svg", "study.json"});
}

TEST_CASE("program: a picture may have any name") {
  const std::string own = folder("names");
  if (std::system("command -v rsvg-convert >/dev/null 2>&1") != 0) {
    MESSAGE("skipped: there is no rsvg-convert; scripts/setup --test installs it");
    return;
  }
  const outcome o =
      by_shell("cd " + own + "\n\"$takt\" simulate --horizon 100ms " + data("waters2019-camera") + " --svg=-x.png\n");
  CHECK(o.code == 0);
  CHECK(names_in(own) == std::vector<std::string>{"-x.png"});
  CHECK(read(own + "/-x.png").starts_with("\x89PNG"));
}

TEST_CASE("program: lines of progress that cannot be written are left out of a run") {
  const outcome o = by_shell("exec \"$takt\" run --for 2100ms " + data("waters2019-camera") + " 2>/dev/full\n");
  CHECK(o.code <= 1);  // what it sees depends on the machine
  CHECK(contains(o.out, "; verdict of the analysis: schedulable"));
}

TEST_CASE("program: a run that was started without a standard error prints what it saw") {
  const outcome o = by_shell("exec \"$takt\" run --for 2100ms " + data("waters2019-camera") + " 2>&-\n");
  CHECK(o.code <= 1);  // what it sees depends on the machine
  CHECK(contains(o.out, "; verdict of the analysis: schedulable"));
}

TEST_CASE("program: what ends a call is its exit code, also where standard error takes nothing") {
  CHECK(by_shell("exec \"$takt\" analyze nofile 2>/dev/full\n").code == 3);
  CHECK(by_shell("exec \"$takt\" nocommand 2>/dev/full\n").code == 3);
  CHECK(by_shell("exec \"$takt\" import amalthea " TAKT_SOURCE_DIR
                 "/examples/models/lane-assist.amxmi --report >/dev/null 2>/dev/full\n")
            .code == 0);
}

TEST_CASE("program: help and versions that do not arrive are no success") {
  for (const char* option : {"--help", "--version", "help", "analyze --help"}) {
    CAPTURE(option);
    CHECK(takt::test::takt(option, "/dev/full").code == 4);
  }
}
