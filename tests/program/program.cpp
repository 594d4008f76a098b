// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/written_trace.hpp"

namespace takt::test {

namespace {

class folder {
 public:
  folder() : path_{std::filesystem::temp_directory_path() / ("takt-test-" + std::to_string(getpid()))} {
    std::filesystem::create_directories(path_);
  }
  folder(const folder&) = delete;
  auto operator=(const folder&) -> folder& = delete;
  ~folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] auto path() const -> const std::filesystem::path& { return path_; }

 private:
  std::filesystem::path path_;
};

/// Every trace that a call writes keeps to the rules of the format.
void check_traces(const std::string& arguments) {
  const std::string option = "--trace ";
  for (auto at = arguments.find(option); at != std::string::npos; at = arguments.find(option, at + 1)) {
    const auto from = at + option.size();
    const std::string path = arguments.substr(from, arguments.find(' ', from) - from);
    if (std::filesystem::is_regular_file(path)) { takt_tests::check_chrome_trace(read(path)); }
  }
}

}  // namespace

auto scratch(std::string_view name) -> std::string {
  static const folder own;
  return (own.path() / name).string();
}

auto write(std::string_view name, std::string_view bytes) -> std::string {
  const std::string path = scratch(name);
  std::ofstream{path, std::ios::binary}.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}

auto read(const std::string& path) -> std::string {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

auto takt(const std::string& arguments, const std::string& standard_output) -> outcome {
  const std::string out = standard_output.empty() ? scratch("stdout") : standard_output;
  const std::string err = scratch("stderr");
  // Sanitizers would end the program with a code that is one of its own.
  const std::string options =
      "ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99:halt_on_error=1 TSAN_OPTIONS=exitcode=99 ";
  const int status =
      std::system((options + "timeout 120 \"" TAKT_PROGRAM "\" " + arguments + " >" + out + " 2>" + err).c_str());
  const std::string errors = read(err);
  CHECK(errors.find("Sanitizer") == std::string::npos);
  CHECK(errors.find("runtime error") == std::string::npos);
  check_traces(arguments);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), standard_output.empty() ? read(out) : "",
          errors};
}

auto by_shell(const std::string& script) -> outcome {
  const std::string file = write("script", script);
  const std::string out = scratch("script.out");
  const std::string err = scratch("script.err");
  const int status =
      std::system(("takt=\"" TAKT_PROGRAM "\" timeout 120 bash " + file + " >" + out + " 2>" + err).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(out), read(err)};
}

auto contains(const std::string& text, const std::string& part) -> bool { return text.find(part) != std::string::npos; }

auto object(const outcome& o) -> nlohmann::json {
  INFO(o.err);
  return nlohmann::json::parse(o.out);
}

auto refusal(const std::string& arguments, const std::string& text) -> std::string {
  const outcome o = takt(arguments + " " + write("wrong.json", text));
  CHECK(o.code == 3);
  CHECK(o.out.empty());
  return o.err;
}

void check_mutations(const std::string& text, std::initializer_list<mutation> faults) {
  for (const mutation& f : faults) {
    CAPTURE(std::string{f.to});
    const std::string line = refusal("analyze", with(text, f.from, f.to));
    CAPTURE(line);
    CHECK(contains(line, f.line));
  }
}

auto data(std::string_view name) -> std::string {
  return std::string{TAKT_SOURCE_DIR "/examples/data/"}.append(name).append(".json");
}

auto good_file() -> std::string {
  return R"({
  "format": "takt/1", "name": "cars",
  "platform": {
    "cpus": { "count": 1, "policy": "fixed-priority" },
    "copy_engines": { "count": 1, "policy": "nonpreemptive-fixed-priority" },
    "gpus": [ { "sms": 10, "threads_per_sm": 2048, "virtual_per_sm": 2, "sharing": "isolated" } ] },
  "tasks": [
    { "name": "camera", "period": "33ms", "deadline": "30ms", "priority": 0, "segments": [
        { "cpu": ["1ms", "2ms"] },
        { "copy": ["400us", "500us"], "direction": "to-device", "bytes": 2073600 },
        { "kernel": { "work": ["8ms", "12ms"], "overhead": "20us", "interleave": "9/5" } },
        { "copy": ["150us", "200us"], "direction": "to-host" },
        { "cpu": ["500us", "1ms"] } ] },
    { "name": "lidar", "period": "50ms", "priority": 1, "segments": [ { "cpu": "3ms" } ] } ]
}
)";
}

auto with(std::string text, std::string_view from, std::string_view to) -> std::string {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

auto with_own_sms(std::string_view name) -> std::string {
  return write("own-sms.json", with(read(data(name)), "\"sharing\": \"shared\"", "\"sharing\": \"isolated\""));
}

}  // namespace takt::test
