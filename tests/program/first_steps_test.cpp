// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace {

using nlohmann::json;
using takt::test::contains;
using takt::test::data;
using takt::test::good_file;
using takt::test::outcome;
using takt::test::read;
using takt::test::scratch;
using takt::test::with;
using takt::test::write;

/// What a script of a shell prints; `$takt` is the program.
auto printed_by(const std::string& shell, const std::string& script) -> std::string {
  const std::string file = write("script", script);
  const std::string out = scratch("script.out");
  const int status = std::system(("takt=\"" TAKT_PROGRAM "\" " + shell + " " + file + " >" + out + " 2>&1").c_str());
  CAPTURE(read(out));
  CHECK(status == 0);
  return read(out);
}

auto is_installed(const std::string& program) -> bool {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

auto lines_of(const std::string& text) -> std::vector<std::string> {
  std::vector<std::string> out;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) { out.push_back(line); }
  return out;
}

/// What bash offers for the last word of a call.
auto offered(const std::string& words) -> std::vector<std::string> {
  return lines_of(printed_by("bash", "source <(\"$takt\" completion bash)\nCOMP_WORDS=(" + words +
                                         ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\ncompopt() { :; }\n_takt\n"
                                         "[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\\n' \"${COMPREPLY[@]}\"\n"));
}

/// What a person sees on a terminal of 60 columns.
auto on_terminal(const std::string& before, const std::string& arguments) -> std::string {
  return printed_by("bash", "script -qec 'stty cols 60; " + before + " TERM=xterm \"$takt\" " + arguments +
                                "' /dev/null </dev/null || [ $? -le 2 ]\n");
}

/// Every command and every long option, as --help lists them.
auto all_words() -> std::vector<std::string> {
  std::vector<std::string> out;
  const std::string help = takt::test::takt("--help").out;
  bool commands = false;
  for (const std::string& line : lines_of(help)) {
    commands = (commands || line == "Subcommands:") && !line.empty();
    if (commands && line.starts_with("  ")) { out.push_back(line.substr(2, line.find(' ', 2) - 2)); }
  }
  CHECK(out.size() >= 16);
  for (const std::string& command : std::vector<std::string>{out}) {
    const std::string text = takt::test::takt("help " + command).out;
    for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at + 2)) {
      const std::string word = text.substr(at, text.find_first_not_of("-abcdefghijklmnopqrstuvwxyz", at) - at);
      if (word.size() > 2 && text[at - 1] != '=' && (text[at - 1] == ' ' || text[at - 1] == ',')) {
        out.push_back(word);
      }
    }
  }
  return out;
}

/// Names with everything that acts on a terminal or breaks a line.
constexpr std::string_view hostile = R"({"format": "takt/1", "name": "board \u001b[31m\nred",
  "notes": ["\u001b[2J"], "platform": {"cpus": {"cores": [{"name": "c\u001b", "type": "b\u0007"}, {"type": "b\u0007"}]},
    "copy_engines": {"count": 1}, "gpus": [{"sms": 10, "threads_per_sm": 2048}], "resources": [{"name": "n\u001bpu"}]},
  "tasks": [
    {"name": "cam\u001b[2J\u0000\n\u009b\u007f\u2028era", "period": "33ms", "segments": [{"cpu": ["1ms", "2ms"]},
      {"copy": "300us"}, {"kernel": {"work": "8ms", "overhead": "20us"}}, {"copy": "100us"}, {"cpu": {"b\u0007": "1ms"}}]},
    {"name": "gr\u001baph", "period": "66ms", "nodes": [{"name": "a\u001b", "cpu": "2ms"}, {"name": "b\n", "n\u001bpu": "1ms"}],
      "edges": [["a\u001b", "b\n"]]}],
  "chains": [{"name": "ch\u001b]0;x\u0007ain", "tasks": ["cam\u001b[2J\u0000\n\u009b\u007f\u2028era", "gr\u001baph"]}]})";

auto acts_on_a_terminal(const std::string& text) -> bool {
  return std::ranges::any_of(text, [](char c) { return (c >= 0 && c < 0x20 && c != '\n') || c == 0x7F; }) ||
         contains(text, "\xC2\x9B") || contains(text, "\xE2\x80\xA8");
}

}  // namespace

TEST_CASE("program: new prints a file with comments that is proven as it stands") {
  const outcome o = takt::test::takt("new");
  CHECK(o.code == 0);
  CHECK(contains(o.out, "// "));
  CHECK(takt::test::takt("analyze " + write("new.json", o.out)).code == 0);
  for (const char* command : {"explain", "simulate --horizon 100ms", "compare", "sensitivity"}) {
    CAPTURE(command);
    CHECK(takt::test::takt(std::string{command} + " " + write("new.json", o.out)).code == 0);
  }
}

TEST_CASE("program: new writes a named file once, and leaves one alone that is there") {
  const std::string file = scratch("named.json");
  const outcome o = takt::test::takt("new 'a \"good\" \\ name' --write " + file);
  CHECK(o.code == 0);
  CHECK(contains(o.out, "next: takt analyze " + file));
  CHECK(contains(takt::test::takt("analyze " + file).out, "a \"good\" \\ name\n"));
  const std::string before = read(file);
  const outcome again = takt::test::takt("new --write " + file);
  CHECK(again.code == 4);
  CHECK(contains(again.err, "is there already, and is left alone"));
  CHECK(read(file) == before);
}

TEST_CASE("program: files may have comments, and one that does not end is refused with its place") {
  const std::string text = good_file();
  const std::string commented = "// first\n" + with(text, "\"tasks\": [", "/* \"tasks\": [] */ \"tasks\": [ // all\n");
  CHECK(takt::test::takt("analyze " + write("commented.json", commented)).out ==
        takt::test::takt("analyze " + write("plain.json", text)).out);
  CHECK(contains(takt::test::refusal("analyze", text + "/* no end"), ": line "));
  CHECK(contains(takt::test::refusal("analyze", text + "# no comment"), ": line 16, column 1: "));
  CHECK(takt::test::takt("analyze " + write("names.json", with(text, "{", "{ \"$schema\": \"takt-1.schema.json\", ")))
            .code == 0);
}

TEST_CASE("program: help tells of the program and of each command, and knows the nearest one") {
  CHECK(contains(takt::test::takt("help").out, "Usage: takt [OPTIONS] [SUBCOMMAND]"));
  for (const char* command : {"analyze", "plan", "completion"}) {
    const outcome o = takt::test::takt(std::string{"help "} + command);
    CHECK(o.code == 0);
    CHECK(contains(o.out, std::string{"Usage: takt "} + command));
  }
  CHECK(contains(takt::test::takt("help analyse").err,
                 "takt: COMMAND: \"analyse\" is unknown, the nearest is \"analyze\": expected new, analyze, "));
}

TEST_CASE("program: what is wrong with a call names option, nearest word and what is expected") {
  struct fault {
    const char* call;
    const char* line;
  };
  for (const auto& [call, line] :
       {fault{"analyse x.json", "takt: there is no command \"analyse\", the nearest is \"analyze\": expected new, "},
        fault{"--color never analyse", "takt: there is no command \"analyse\", the nearest is \"analyze\": expected "},
        fault{"analyze --polcy edf x.json",
              "takt: --polcy: is no option of takt analyze, the nearest is --policy: expected --analysis, "},
        fault{"analyze --jsn=1 x.json", "takt: --jsn: is no option of takt analyze, the nearest is --json: expected "},
        fault{"--versoin", "takt: --versoin: is no option of takt, the nearest is --version: expected --color, "},
        fault{"analyze", "takt: FILE: is missing: expected a task-set file in the format takt/1"},
        fault{"analyze a.json b.json",
              "takt: \"b.json\" is one argument too many: expected what takt help analyze says"},
        fault{"simulate x.json --seed", "takt: --seed: has no value: expected N, of everything random"},
        fault{"simulate x.json --seed -1",
              "takt: --seed: \"-1\" is out of range: expected an integer from 0 to 18446744073709551615"},
        fault{"simulate x.json --releases worse",
              "takt: --releases: \"worse\" is unknown, the nearest is \"worst\": expected periodic, sporadic, worst"},
        fault{"run x.json --device cpu",
              "takt: --device: \"cpu\" is unknown, the nearest is \"cuda\": expected emulated, cuda"},
        fault{"generate rtgpu --tasks 65", "takt: --tasks: \"65\" is out of range: expected an integer from 1 to 64"},
        fault{"generate rtgpu --lower many",
              "takt: --lower: \"many\" is no integer: expected an integer from 0 to 100"},
        fault{"generate rtgpu --cpu 5ms..1ms",
              "--cpu: \"5ms..1ms\" is out of range: expected two times from 1ns to 1000s"},
        fault{"compare x.json --svg x.jpg",
              "takt: --svg: \"x.jpg\" is no name of a picture: expected a name that ends in .svg or .png"},
        fault{"completion fis", "takt: SHELL: \"fis\" is unknown, the nearest is \"fish\": expected bash, zsh, fish"},
        fault{"", "takt: no command is given: expected new, analyze, "}}) {
    CAPTURE(call);
    const outcome o = takt::test::takt(call);
    CAPTURE(o.err);
    CHECK(o.code == 3);
    CHECK(o.out.empty());
    CHECK(contains(o.err, line));
    CHECK(std::ranges::count(o.err, '\n') == 1);
  }
  CHECK(contains(takt::test::takt("simulate --horizon 5 " + data("waters2019-denver")).err,
                 ": --horizon: \"5\" has no unit: expected ns, us, ms or s behind the number"));
}

TEST_CASE("program: names never act on a terminal, whatever a file calls its parts") {
  const std::string file = write("hostile.json", hostile);
  const std::string trace = scratch("hostile.trace.json");
  const std::string picture = scratch("hostile.svg");
  const std::string chain = scratch("hostile.chain.svg");
  const std::string bars = scratch("hostile.bars.svg");
  const std::string best = scratch("hostile.best.json");
  for (const std::string& call :
       {std::string{"analyze "}, std::string{"explain "}, "compare --svg " + bars + " --write " + best + " ",
        "simulate --horizon 200ms --trace " + trace + " --svg " + picture + " ", std::string{"run --for 100ms "},
        "chains --svg " + chain + " ", std::string{"sensitivity "}, std::string{"analyze --json "},
        std::string{"explain --json "}, std::string{"sensitivity --json "}, std::string{"compare --json "}}) {
    CAPTURE(call);
    const outcome o = takt::test::takt(call + file);
    CHECK(o.code == 0);
    CHECK_FALSE(acts_on_a_terminal(o.out));
    CHECK_FALSE(acts_on_a_terminal(o.err));
  }
  for (const std::string& path : {trace, picture, chain, bars, best}) {
    CAPTURE(path);
    const std::string text = read(path);
    CHECK(contains(text, path == bars || path == best || path == picture || path == trace ? "era" : "ain"));
    CHECK_FALSE(acts_on_a_terminal(text));
  }
  CHECK(contains(takt::test::takt("analyze " + file).out, R"(cam\u001b[2J\u0000\u000a\u009b\u007f\u2028era)"));
  CHECK(takt::test::takt("analyze " + best).code == 0);
  CHECK(json::parse(read(best)).at("notes").at(0) == "\x1b[2J");
  CHECK_FALSE(acts_on_a_terminal(takt::test::takt("analyze $'no\\e[2Jfile'").err));
  CHECK_FALSE(acts_on_a_terminal(takt::test::takt("\"$(printf 'no\\033[2Jcommand')\"").err));
}

TEST_CASE("program: a picture whose name ends in .png is one, and needs its converter only then") {
  const std::string call = "simulate --horizon 100ms " + data("waters2019-camera") + " --svg ";
  const std::string png = scratch("gantt.png");
  if (is_installed("rsvg-convert")) {
    CHECK(takt::test::takt(call + png).code == 0);
    CHECK(read(png).starts_with("\x89PNG"));
    const std::string bars = scratch("bars.png");
    CHECK(takt::test::takt("compare --policies whole-gpu,gang " + data("waters2019-camera") + " --svg " + bars).code <=
          2);
    CHECK(read(bars).starts_with("\x89PNG"));
  } else {
    MESSAGE("skipped: there is no rsvg-convert; scripts/setup --test installs it");
  }
  const std::string folder = scratch("few-programs");
  std::filesystem::create_directories(folder);
  REQUIRE(std::system(("ln -sf \"$(command -v timeout)\" " + folder).c_str()) == 0);
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder.c_str(), 1);
  const outcome without = takt::test::takt(call + scratch("other.png"));
  const outcome svg = takt::test::takt(call + scratch("other.svg"));
  setenv("PATH", path.c_str(), 1);
  CHECK(without.code == 4);
  CHECK(contains(without.err, "a PNG is made by rsvg-convert, which is not installed (Debian: librsvg2-bin)"));
  CHECK_FALSE(std::filesystem::exists(scratch("other.png")));
  CHECK(svg.code == 0);
}

TEST_CASE("program: explain and sensitivity say the same as JSON") {
  const outcome text = takt::test::takt("explain " + data("waters2019-detection-localization"));
  const outcome o = takt::test::takt("explain --json " + data("waters2019-detection-localization"));
  CHECK(o.code == text.code);
  const json v = takt::test::object(o);
  CHECK(v.at("format") == "takt-explanation/1");
  CHECK(contains(text.out, v.at("headline").get<std::string>()));
  for (const json& t : v.at("tasks")) {
    REQUIRE_FALSE(t.at("sentences").empty());
    for (const json& s : t.at("sentences")) { CHECK(contains(text.out, s.get<std::string>())); }
  }
  const json one = takt::test::object(
      takt::test::takt("explain --json --task Detection " + data("waters2019-detection-localization")));
  REQUIRE(one.at("tasks").size() == 1);
  CHECK(one.at("tasks").at(0).at("name") == "Detection");

  const json scanned = takt::test::object(takt::test::takt("sensitivity --json " + data("waters2019-camera")));
  CHECK(scanned.at("format") == "takt-sensitivity/1");
  CHECK(scanned.at("factor_permille") == 1000);
  CHECK(scanned.at("search") == "scan");
  CHECK(scanned.contains("not_monotone_because"));
  const json found = takt::test::object(takt::test::takt("sensitivity --json " + data("waters2019-a57-dasm-os")));
  CHECK(found.at("factor_permille") == 1146);
  CHECK(found.at("search") == "binary");
  for (const json& t : found.at("tasks")) {
    CHECK(t.at("slack").get<std::int64_t>() ==
          t.at("deadline").get<std::int64_t>() - t.at("response_bound").get<std::int64_t>());
  }
  const json wrong = takt::test::object(takt::test::takt("sensitivity --json " + write("empty.json", "{}")));
  CHECK(wrong.at("status") == "invalid-model");
}

TEST_CASE("program: colours and width are for terminals, and for nobody who does not want them") {
  const std::string file = data("waters2019-camera");
  const std::string plain = takt::test::takt("analyze " + file).out;
  CHECK_FALSE(contains(plain, "\x1b"));
  const std::string coloured = takt::test::takt("analyze --color always " + file).out;
  CHECK(contains(coloured, "verdict: \x1b[32mschedulable\x1b[0m (rtgpu-best)"));
  CHECK(takt::test::takt("analyze --color never " + file).out == plain);
  CHECK(takt::test::takt("--color never analyze " + file).out == plain);
  CHECK_FALSE(contains(takt::test::takt("analyze --json --color always " + file).out, "\x1b"));
  if (!is_installed("script")) {
    MESSAGE("skipped: there is no script (bsdutils), which makes a terminal");
    return;
  }
  CHECK(contains(on_terminal("env -u NO_COLOR", "analyze " + file), "\x1b[32mschedulable"));
  CHECK_FALSE(contains(on_terminal("NO_COLOR=1", "analyze " + file), "\x1b"));
  CHECK_FALSE(contains(on_terminal("env -u NO_COLOR", "analyze --color never " + file), "\x1b"));
  bool wrapped = false;
  for (const std::string& line : lines_of(on_terminal("NO_COLOR=1", "explain " + file))) {
    CAPTURE(line);
    const std::string words = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    if (!contains(words, "  ")) { CHECK(line.size() <= 61); }
    wrapped = wrapped || line.starts_with("  ");
  }
  CHECK(wrapped);
}

TEST_CASE("program: completion in bash offers commands, options, their words and files") {
  if (!is_installed("bash")) {
    MESSAGE("skipped: there is no bash");
    return;
  }
  using list = std::vector<std::string>;
  CHECK(offered("takt ana") == list{"analyze"});
  CHECK(offered("takt analyze --po") == list{"--policy"});
  CHECK(offered("takt analyze --policy ga") == list{"gang"});
  CHECK(offered("takt --color al") == list{"always"});
  CHECK(offered("takt analyze --color ne") == list{"never"});
  CHECK(offered("takt simulate x.json --releases ''") == list{"periodic", "sporadic", "worst"});
  CHECK(offered("takt compare --policies gang,sl") == list{"gang,slots"});
  CHECK(offered("takt simulate --seed ''").empty());
  CHECK(offered("takt completion ''") == list{"bash", "zsh", "fish"});
  CHECK(offered("takt help sen") == list{"sensitivity"});
  const std::string file = write("complete-me.json", "{}");
  const std::string start = file.substr(0, file.size() - 7);
  CHECK(offered("takt analyze --json " + start) == list{file});
  CHECK(offered("takt import amalthea " + start) == list{file});
  CHECK(offered("takt import am") == list{"amalthea"});
  CHECK(offered("takt analyze --analysis rtgpu-best " + start) == list{file});
}

TEST_CASE("program: completion and manual page know every command and option") {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    CAPTURE(shell);
    const outcome o = takt::test::takt("completion " + shell);
    CHECK(o.code == 0);
    for (const std::string& word : all_words()) {
      CAPTURE(word);
      CHECK(contains(o.out, shell == "fish" && word.starts_with("--") ? "-l " + word.substr(2) : word));
    }
    if (is_installed(shell)) {
      CHECK(printed_by(shell + " -n", o.out).empty());
    } else {
      MESSAGE("skipped: there is no " << shell);
    }
  }
  const outcome page = takt::test::takt("help --man");
  CHECK(page.code == 0);
  CHECK(page.out.starts_with(".TH TAKT 1 "));
  for (const std::string& word : all_words()) {
    CAPTURE(word);
    std::string escaped;
    for (const char c : word) { escaped += c == '-' ? std::string{"\\-"} : std::string(1, c); }
    CHECK(contains(page.out, word.starts_with("--") ? escaped : "takt " + word));
  }
  if (is_installed("groff")) {
    CHECK(printed_by("groff -man -ww -z", page.out).empty());
  } else {
    MESSAGE("skipped: there is no groff");
  }
}
