// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace {

using nlohmann::json;
using takt::test::by_shell;
using takt::test::contains;
using takt::test::data;
using takt::test::outcome;
using takt::test::read;
using takt::test::refusal;
using takt::test::scratch;
using takt::test::write;

// Sanitizers take far more than limits of the surroundings leave.
constexpr bool has_room =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
    false;
#else
    true;
#endif
#else
    true;
#endif

auto repeated(std::string_view text, int times) -> std::string {
  std::string out;
  for (int i = 0; i < times; ++i) { out += text; }
  return out;
}

/// An object with so many keys.
auto with_keys(int count) -> std::string {
  std::string out = "{\"a\": {";
  for (int i = 0; i < count; ++i) { out += (i == 0 ? "\"k" : ", \"k") + std::to_string(i) + "\": 0"; }
  return out + "}}";
}

/// Characters that turn text round, or that nobody sees, with their numbers.
struct hidden {
  const char* bytes;
  const char* number;
};
constexpr std::array<hidden, 12> hidden_characters{{{"\xD8\x9C", "\\u061c"},
                                                    {"\xE2\x80\x8B", "\\u200b"},
                                                    {"\xE2\x80\x8F", "\\u200f"},
                                                    {"\xE2\x80\xAA", "\\u202a"},
                                                    {"\xE2\x80\xAE", "\\u202e"},
                                                    {"\xE2\x81\xA0", "\\u2060"},
                                                    {"\xE2\x81\xA6", "\\u2066"},
                                                    {"\xE2\x81\xA9", "\\u2069"},
                                                    {"\xEF\xBB\xBF", "\\ufeff"},
                                                    {"\xC2\xAD", "\\u00ad"},
                                                    {"\xE2\x80\xA9", "\\u2029"},
                                                    {"\xF3\xA0\x81\x81", "\\udb40\\udc41"}}};

auto is_hidden_in(const std::string& text) -> bool {
  for (const hidden& h : hidden_characters) {
    if (contains(text, h.bytes)) { return true; }
  }
  return false;
}

}  // namespace

TEST_CASE("program: a key has at most 256 bytes, and an object at most 1024 keys") {
  CHECK(contains(refusal("analyze", "{\"" + std::string(257, 'k') + "\": 0}"),
                 ": this key has 257 bytes: expected at most 256 bytes"));
  CHECK(contains(refusal("analyze", "{\"" + std::string(256, 'k') + "\": 0}"), "is not a key of this object"));
  CHECK(contains(refusal("analyze", with_keys(1025)), "/a: has more than 1024 keys: expected fewer keys"));
  CHECK(contains(refusal("analyze", with_keys(1024)), "/a: is not a key of this object"));
  CHECK(contains(refusal("analyze", with_keys(199'990)), "/a: has more than 1024 keys: expected fewer keys"));
  const std::string schema = takt::test::takt("schema").out;
  CHECK(contains(schema, "keys of at most 256 bytes"));
  CHECK(contains(schema, "at most 1024 keys"));
}

TEST_CASE("program: many values at long places take little memory") {
  const std::string key = "{\"" + std::string(256, 'k') + "\":";
  const std::string file =
      write("deep.json", repeated(key, 60) + "[0" + repeated(",0", 190'000) + "]" + repeated("}", 60));
  const outcome o =
      by_shell(std::string{has_room ? "ulimit -v 1000000\n" : ""} + "exec \"$takt\" analyze " + file + "\n");
  CHECK(o.code == 3);
  CHECK(contains(o.err, "is not a key of this object"));
}

TEST_CASE("program: faults of a study in a file name the file") {
  const std::string study =
      write("wrong-study.json", R"({"format": "takt-study/1", "study": "rtgpu-fig9", "stop": {"interval": 3}})");
  CHECK(contains(takt::test::takt("sweep " + study).err, study + ": /stop/interval: 3 is no width of an interval"));
  CHECK(contains(takt::test::takt("sweep /dev/zero").err, "/dev/zero: is larger than any study file"));
  CHECK(contains(takt::test::takt("sweep " + scratch("none.json")).err, scratch("none.json") + ": cannot be read"));
}

TEST_CASE("program: a script has a limit of parts") {
  const std::string call = "sweep rtgpu-fig9 --emit parallel --resume " + scratch("parts") + " --parts ";
  const outcome o = takt::test::takt(call + "1000000000");
  CHECK(o.code == 3);
  CHECK(contains(o.err, "--parts: 1000000000 are more than a script has room for: expected at most 100000"));
  CHECK(takt::test::takt(call + "100000").code == 0);
}

TEST_CASE("program: a person who waits for a pipe is told so, and the line goes when somebody writes") {
  const std::string pipe = scratch("pipe");
  // What the script has shown until now is where `by_shell` keeps it.
  const std::string told = "until grep -qs \"waiting for somebody\" " + scratch("script.out") + "; do sleep 0.02; done";
  const std::string seen =
      by_shell("rm -f " + pipe + "\nmkfifo " + pipe + "\ntimeout 60 bash -c '" + told + "; exec cat " +
               data("waters2019-camera") + " >" + pipe + "' &\nscript -qec \"$takt analyze " + pipe +
               "\" /dev/null </dev/null\nkill $! 2>/dev/null || true\n")
          .out;
  CHECK(contains(seen, "waiting for somebody who writes to " + pipe + "\r\x1b[K"));
  CHECK(contains(seen, "schedulable"));
}

TEST_CASE("program: a limit of 64 KB on stacks changes no answer") {
  const std::string file = data("waters2019-camera");
  const std::string limit = has_room ? "ulimit -s 64\n" : "";
  const outcome o = by_shell(limit + "exec \"$takt\" analyze --json " + file + "\n");
  CHECK(o.code == 0);
  CHECK(o.out == takt::test::takt("analyze --json " + file).out);
  CHECK(by_shell(limit + "exec \"$takt\" run --for 200ms " + file + "\n").code <= 1);
  CHECK(by_shell(limit + "exec \"$takt\" plan --evaluations 1 --policies federated " + file + "\n").code == 0);
}

TEST_CASE("program: characters that turn text round, or are not seen, are spelled wherever names are shown") {
  std::string all;
  std::string numbers;
  for (const hidden& h : hidden_characters) {
    all += h.bytes;
    numbers += h.number;
  }
  std::string text = takt::test::good_file();
  text = takt::test::with(text, "\"camera\"", "\"cam" + all + "era\"");
  text = takt::test::with(text, "\"name\": \"cars\"", "\"name\": \"c" + all + "ars\", \"notes\": [\"n" + all + "\"]");
  const std::string file = write("hidden.json", text);
  const std::string trace = scratch("hidden-trace.json");
  const std::string picture = scratch("hidden.svg");
  const std::string best = scratch("hidden-best.json");
  for (const std::string& call :
       {"analyze " + file, "analyze --json " + file, "explain " + file, "explain --json " + file,
        "compare --policies federated,whole-gpu " + file + " --write " + best, "sensitivity " + file,
        "export cpp " + file, "simulate --horizon 100ms " + file + " --trace " + trace + " --svg " + picture,
        "run --json --for 50ms " + file, "plan --evaluations 1 --policies federated --json " + file,
        "new \"c" + all + "ars\"", "analyze \"no" + all + "file\""}) {
    CAPTURE(call);
    const outcome o = takt::test::takt(call);
    CHECK_FALSE(is_hidden_in(o.out));
    CHECK_FALSE(is_hidden_in(o.err));
  }
  for (const std::string& path : {trace, picture, best}) {
    CAPTURE(path);
    CHECK_FALSE(is_hidden_in(read(path)));
    CHECK(contains(read(path), "era"));
  }
  CHECK(contains(takt::test::takt("analyze " + file).out, "cam" + numbers + "era"));
  CHECK(contains(takt::test::takt("export cpp " + file).out, "cam\\" + numbers.substr(0, 6)));
  CHECK(json::parse(read(best)).at("notes").at(0) == "n" + all);
  // Two names that look alike are one.
  const std::string twice = takt::test::with(text, "\"lidar\"", "\"cam" + all + "era\"");
  CHECK(contains(refusal("analyze", twice), "names an earlier task too"));
}

TEST_CASE("plan: a search that is ended within a mapping says so, and goes on as if it had not been") {
  std::string tasks;
  for (int i = 0; i < 12; ++i) {
    tasks += (i == 0 ? "" : ", ") +
             (R"({"name": "t)" + std::to_string(i) + R"(", "period": ")" + std::to_string(10 * (1 + i)) +
              R"(ms", "segments": [{"cpu": "200us"}, {"kernel": {"work": "200us"}}, {"cpu": "200us"}]})");
  }
  const std::string file = write(
      "twelve.json",
      R"({"format": "takt/1", "platform": {"cpus": {"count": 2, "policy": "edf"}, "gpus": [{"sms": 16, "sharing": "isolated"}]}, "tasks": [)" +
          tasks + "]}");
  const std::string call = "plan " + file + " --search local --policies federated --json --evaluations 1 --for ";
  const std::string state = scratch("ended");
  const outcome cut = takt::test::takt(call + "1ms --resume " + state);
  CHECK(cut.code % 2 == 0);
  if (cut.code == 0) { CHECK(contains(cut.out, "the search was ended within its best mapping")); }
  CHECK(json::parse(read(state)).at("evaluations") == 0);
  const outcome whole = takt::test::takt(call + "60s --resume " + scratch("whole"));
  CHECK(whole.code == 0);
  CHECK_FALSE(contains(whole.out, "was ended within"));
  CHECK(takt::test::takt(call + "60s --resume " + state).out == whole.out);
  CHECK(read(state) == read(scratch("whole")));
}
