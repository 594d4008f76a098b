// SPDX-License-Identifier: Apache-2.0
// Holds the library to asking each of its choices in a switch that names them all, so that a further one is noticed
// everywhere and none is taken for the last one.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;
using names = std::set<std::string, std::less<>>;

/// Choices that nobody takes by a value from outside.
const names inner_choices{"chain_root",  "early_release",  "event_use",       "holder",
                          "inheritance", "issue_mode",     "kernel_location", "parts_used",
                          "slot_result", "state_location", "wait_method"};
/// What a thing is, which may be asked by itself.
const names kinds{"copy_direction", "interrupt_step_kind", "node_kind", "node_part", "stage", "resource_kind"};

auto is_word(char c) -> bool {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Enumerations whose numbers are checked where they come in.
auto checked_choices(const std::string& text) -> names {
  names out;
  const std::string_view start = "auto last_of(";
  for (auto at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    auto end = at + start.size();
    while (is_word(text[end])) { ++end; }
    out.insert(text.substr(at + start.size(), end - at - start.size()));
  }
  return out;
}

/// Places at which a choice is compared with one of its enumerators.
auto comparisons(const std::string& text, const names& choices) -> std::vector<std::string> {
  std::vector<std::string> out;
  const std::regex compared{R"((?:==|!=)\s*(?:\w+::)*(\w+)::\w+|\b(\w+)::\w+\s*(?:==|!=))"};
  for (std::sregex_iterator m{text.begin(), text.end(), compared}, none; m != none; ++m) {
    const std::string name = (*m)[1].matched ? (*m)[1].str() : (*m)[2].str();
    if (choices.contains(name)) { out.push_back(m->str()); }
  }
  return out;
}

auto read(const fs::path& file) -> std::string {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

TEST_CASE("no header takes all other choices for one") {
  const fs::path root = fs::path{TAKT_SOURCE_DIR} / "include";
  names choices = inner_choices;
  for (const auto& entry : fs::recursive_directory_iterator{root}) {
    if (entry.is_regular_file()) { choices.merge(checked_choices(read(entry.path()))); }
  }
  for (const auto& kind : kinds) { choices.erase(kind); }
  CHECK(choices.size() > 30);
  for (const auto& entry : fs::recursive_directory_iterator{root}) {
    if (!entry.is_regular_file()) { continue; }
    for (const auto& found : comparisons(read(entry.path()), choices)) {
      FAIL_CHECK(fs::relative(entry.path(), root).generic_string() << " compares: " << found);
    }
  }
}

TEST_CASE("the check of comparisons finds planted ones") {
  const names choices = checked_choices("constexpr auto last_of(colour) -> colour;");
  CHECK(choices == names{"colour"});
  const auto count = [&](const std::string& text) { return comparisons(text, choices).size(); };
  CHECK(count("return c == colour::red ? 1 : 2;") == 1);
  CHECK(count("if (c != takt::model::colour::red) {}") == 1);
  CHECK(count("if (colour::red == c) {}") == 1);
  CHECK(count("if constexpr (C\n== colour::red) {}") == 1);
  CHECK(count("case colour::red: return 1;") == 0);
  CHECK(count("colour c = colour::red;") == 0);
  CHECK(count("f == flavour::sweet") == 0);
}
