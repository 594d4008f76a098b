// SPDX-License-Identifier: Apache-2.0
// Holds the library to rules that are types or values, so that a user's own can stand beside them: no enumeration
// counts the orders, policies or protocols that there are, and no concept counts the types of a rule.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// Enumerations whose name speaks of a rule, and why none of them stops a user's own rule.
const std::map<std::string, std::string, std::less<>> closed_for_a_reason{
    {"decrease_rule", "which workload changes make an operation of one scheduler of shares"},
    {"gpu_choice", "who advises the locks of one simulator; the advice of a lock is a type"},
    {"leftover_rule", "how one step of one published algorithm rounds"},
    {"length_choice", "how long jobs of a measurement work, which is no order of theirs"},
    {"refusal_rule", "how one step of one published algorithm is read"},
};

/// The rules that a concept may name, and why.
const std::map<std::string, std::string, std::less<>> named_for_a_reason{
    {"detail::absent_rule", "no pool at all"},
};

/// Concepts that are nothing but several others, and why none of them lists rules or systems.
const std::map<std::string, std::string, std::less<>> either_for_a_reason{
    {"KernelOrder", "the two orders that tests of whole kernels are about; task-level ones of one's own included"},
    {"NarrowNumber", "numbers"},
    {"CopiesInArrivalOrder", "no engines, or a queue"},
    {"MindsMisses", "what may come of a miss: the end of the run, or that of the job"},
    {"RunsOnThreads", "boards of pools, and chains that a method reads as a whole, whose plans it checks"},
    {"ServesBoards", "the two ways to do kernels: on streams, or launched where the host says; devices model either"},
    {"MakesServer", "no rule, or one with a server"},
    {"NamedServer",
     "a server with its body, or one of takt's that is declared only, which a static test holds to be one"},
    {"ServesTheMostUrgent", "the four servers that the proof beside it is about; another one would need it anew"},
    {"TimedOnGpu", "facts that a view derives times from"},
    {"TimedOnSms", "facts that a view derives times from"},
};

auto read(const fs::path& file) -> std::string {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

auto enumerations_in(const std::string& text) -> std::vector<std::string> {
  std::vector<std::string> out;
  const std::regex named{R"(\benum\s+(?:class\s+|struct\s+)?(\w+))"};
  for (std::sregex_iterator m{text.begin(), text.end(), named}, none; m != none; ++m) { out.push_back((*m)[1].str()); }
  return out;
}
auto enumerations_of_rules(const std::string& text) -> std::vector<std::string> {
  auto out = enumerations_in(text);
  const std::regex speaks_of_rules{
      R"(\w*(?:order|policy|policies|protocol|scheduler|discipline|mechanism|choice|rule))"};
  std::erase_if(out, [&](const std::string& name) { return !std::regex_match(name, speaks_of_rules); });
  return out;
}

/// Rules that concepts compare with by name.
auto named_rules(const std::string& text) -> std::vector<std::string> {
  std::vector<std::string> out;
  const std::regex concept_of{R"(concept\s+\w+\s*=([^;]*);)"};
  const std::regex rule{
      R"(same_as<\s*\w+\s*,\s*((?:\w+::)*\w+_rules?\b)|derived_from<\s*\w+\s*,\s*((?:\w+::)*\w+_rules?\b))"};
  for (std::sregex_iterator c{text.begin(), text.end(), concept_of}, none; c != none; ++c) {
    const std::string body = (*c)[1].str();
    for (std::sregex_iterator m{body.begin(), body.end(), rule}; m != none; ++m) {
      out.push_back((*m)[1].matched ? (*m)[1].str() : (*m)[2].str());
    }
  }
  return out;
}

/// Traits that are specialised type by type, as far as concepts ask them.
auto asked_traits(const std::string& text) -> std::vector<std::string> {
  std::vector<std::string> out;
  const std::regex concept_of{R"(concept\s+\w+\s*=([^;]*);)"};
  const std::regex trait{R"(\bis_(\w+)<\w)"};
  for (std::sregex_iterator c{text.begin(), text.end(), concept_of}, none; c != none; ++c) {
    const std::string body = (*c)[1].str();
    for (std::sregex_iterator m{body.begin(), body.end(), trait}; m != none; ++m) {
      const std::string name = "is_" + (*m)[1].str();
      const std::regex listed{R"(constexpr\s+bool\s+)" + name + R"(<)"};
      if (std::regex_search(text, listed)) { out.push_back(name); }
    }
  }
  return out;
}

/// Concepts whose body is `A<...> || B<...>`, with as many alternatives as there are.
auto alternatives(const std::string& text) -> std::vector<std::string> {
  std::vector<std::string> out;
  const std::regex concept_of{R"(concept\s+(\w+)\s*=([^;]*);)"};
  const std::regex named{R"(^\s*(?:\w+::)*\w+<[^|&]*>(?:\s*\|\|\s*(?:\w+::)*\w+<[^|&]*>)+\s*$)"};
  for (std::sregex_iterator c{text.begin(), text.end(), concept_of}, none; c != none; ++c) {
    if (std::regex_match((*c)[2].str(), named)) { out.push_back((*c)[1].str()); }
  }
  return out;
}

/// Branches after the first of chains that ask one rule, order or platform what it is. Members and values may be asked.
auto chained_rules(const std::string& text) -> std::vector<std::string> {
  std::vector<std::string> out;
  const std::regex branch{
      R"(else\s+if\s+constexpr\s*\(\s*!?\s*((?:\w+::)*[A-Z]\w*)<\s*(?:typename\s+)?(?:\w+::)*(\w*[Rr]ule\w*|Order|order|P|Platform)\s*>)"};
  for (std::sregex_iterator m{text.begin(), text.end(), branch}, none; m != none; ++m) { out.push_back((*m)[1].str()); }
  return out;
}

template <class F>
void each_header(const std::vector<std::string>& layers, const F& f) {
  const fs::path root = fs::path{TAKT_SOURCE_DIR} / "include/takt";
  for (const auto& layer : layers) {
    for (const auto& entry : fs::recursive_directory_iterator{root / layer}) {
      if (entry.is_regular_file()) { f(fs::relative(entry.path(), root).generic_string(), read(entry.path())); }
    }
  }
}

}  // namespace

TEST_CASE("no enumeration counts the orders, policies or protocols that there are") {
  std::set<std::string> used;
  std::size_t headers = 0;
  each_header({""}, [&](const std::string& file, const std::string& text) {
    ++headers;
    for (const auto& name : enumerations_of_rules(text)) {
      CAPTURE(file);
      CHECK_MESSAGE(closed_for_a_reason.contains(name), name << " counts rules, which a user cannot add to");
      used.insert(name);
    }
  });
  CHECK(headers > 100);
  for (const auto& [name, why] : closed_for_a_reason) {
    CHECK_MESSAGE(used.contains(name), name << " is there no more");
  }
}

TEST_CASE("no concept asks a rule for its name") {
  std::set<std::string> used;
  each_header({"rules", "analysis", "systems"}, [&](const std::string& file, const std::string& text) {
    for (const auto& name : named_rules(text)) {
      CAPTURE(file);
      CHECK_MESSAGE(named_for_a_reason.contains(name), "a concept asks for " << name);
      used.insert(name);
    }
  });
  for (const auto& [name, why] : named_for_a_reason) {
    CHECK_MESSAGE(used.contains(name), name << " is there no more");
  }
}

TEST_CASE("no concept asks a trait that lists rules") {
  each_header({"rules", "analysis", "systems"}, [&](const std::string& file, const std::string& text) {
    for (const auto& name : asked_traits(text)) {
      CAPTURE(file);
      FAIL_CHECK(file << ": " << name << " lists the types of a concept");
    }
  });
}

TEST_CASE("no concept is a list of others that name rules or systems") {
  std::set<std::string> used;
  each_header({"rules", "analysis", "host", "simulation", "report", "runtime", "systems"},
              [&](const std::string& file, const std::string& text) {
                for (const auto& name : alternatives(text)) {
                  CAPTURE(file);
                  CHECK_MESSAGE(either_for_a_reason.contains(name),
                                name << " lists concepts; let each register itself");
                  used.insert(name);
                }
              });
  for (const auto& [name, why] : either_for_a_reason) {
    CHECK_MESSAGE(used.contains(name), name << " is there no more");
  }
}

TEST_CASE("no host asks one rule after another whether it is this one or that one") {
  each_header({"analysis", "allocation", "host", "simulation", "report", "runtime", "rules", "systems"},
              [&](const std::string& file, const std::string& text) {
                for (const auto& name : chained_rules(text)) {
                  CAPTURE(file);
                  CHECK_MESSAGE(false, "an if-chain asks for " << name << "; let the rule say it by a member");
                }
              });
}

TEST_CASE("analyze asks what is registered and names no rule") {
  const std::string doors = read(fs::path{TAKT_SOURCE_DIR} / "include/takt/analysis/analyze.hpp") +
                            read(fs::path{TAKT_SOURCE_DIR} / "include/takt/analysis/judge_known.hpp");
  for (const std::string_view system : {"HasAccelerator", "HasGpuShares", "GraphSet", "Gpusync", "FixedPriority<",
                                        "EarliestDeadlineFirst<", "TokenGpuPlatform", "LockedGpuPlatform"}) {
    CHECK_MESSAGE(doors.find(system) == std::string::npos, "analyze names " << system);
  }
  CHECK(doors.find("method_of") != std::string::npos);
}

TEST_CASE("the checks of open rules find planted lists") {
  using names = std::vector<std::string>;
  CHECK(enumerations_of_rules("enum class service_order : std::uint8_t {") == names{"service_order"});
  CHECK(enumerations_of_rules("enum class cpu_scheduler {};\nenum lock_protocol {};") ==
        names{"cpu_scheduler", "lock_protocol"});
  CHECK(enumerations_of_rules("enum class colour {};\nenum struct job_choice : int {};") == names{"job_choice"});
  CHECK(enumerations_of_rules("enum class orderly : int {}; struct lock_policy {};").empty());
  CHECK(named_rules("template <class R>\nconcept Fifo = std::same_as<R, fifo_rule>;") == names{"fifo_rule"});
  CHECK(named_rules("concept Either =\n    Known<R> || std::same_as<R,\n takt::edf_rule>;") == names{"takt::edf_rule"});
  CHECK(named_rules("concept Whole = std::same_as<typename R::number, ticks>;").empty());
  const std::string list = "template <class R>\ninline constexpr bool is_turns<turns_rule<R>> = true;\n";
  CHECK(asked_traits(list + "concept Turns = detail::is_turns<R>;") == names{"is_turns"});
  CHECK(asked_traits("concept Turns = detail::is_turns<R>;").empty());
  CHECK(alternatives("concept Known = Dedicated<P> || detail::Locked<typename P::gpu_rule> ||\n Token<P>;") ==
        names{"Known"});
  CHECK(alternatives("concept Fits = Known<P> && (Absent<R> || Fifo<R>);\nconcept One = Known<P>;").empty());
  CHECK(chained_rules(
            "} else if constexpr (StreamLevels<Rule>) {\n} else if constexpr (Slots<typename P::gpu_rule>) {") ==
        names{"StreamLevels", "Slots"});
  CHECK(chained_rules("if constexpr (A<Rule>) {} else if constexpr (requires { rule.cost; }) {}").empty());
}
