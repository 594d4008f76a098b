// SPDX-License-Identifier: Apache-2.0
// Holds the documentation to what it has to admit.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

/// The part of a text under a heading of the second level; empty if there is none.
auto section(const std::string& text, std::string_view title) -> std::string {
  const std::string heading = "\n## " + std::string{title} + "\n";
  const auto begin = text.find(heading);
  if (begin == std::string::npos) { return {}; }
  const auto end = text.find("\n## ", begin + heading.size());
  return text.substr(begin + heading.size(), end - begin - heading.size());
}

auto document(const std::string& path) -> std::string {
  std::ifstream in{std::string{TAKT_SOURCE_DIR} + "/" + path};
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// In running text, where lines end anywhere, also within a comment.
auto says(std::string_view text, std::string_view words) -> bool {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\n') {
      plain += text[at];
      continue;
    }
    at = std::min(text.find_first_not_of(" /", at + 1), text.size()) - 1;
    plain += ' ';
  }
  return plain.find(words) != std::string::npos;
}

auto contains(std::string_view text, std::string_view words) -> bool {
  return text.find(words) != std::string_view::npos;
}

}  // namespace

TEST_CASE("a section ends at the next heading, and one that is not there is empty") {
  const std::string text = "# Title\n\n## Limits\n\nfew\n\n### Part\n\nmore\n\n## Cost\n\nmuch\n";
  CHECK(contains(section(text, "Limits"), "few"));
  CHECK(contains(section(text, "Limits"), "more"));
  CHECK_FALSE(contains(section(text, "Limits"), "much"));
  CHECK(contains(section(text, "Cost"), "much"));
  CHECK(section(text, "Limit").empty());
}

TEST_CASE("WAMP-49 the documentation states the limits of predicted shares: fixed sets, one type of GPU per model") {
  const std::string limits = section(document("docs/reproduction/wamp2s.md"), "Limits");
  CHECK(contains(limits, "Fixed sets of applications"));
  CHECK(contains(limits, "One type of GPU per trained model"));
}

TEST_CASE("WAMP-39 the report of the three networks says what holds after any training and what does not") {
  const std::string networks = section(document("docs/reproduction/wamp2s.md"), "Networks, Fig. 9 to 11 and 16");
  CHECK(says(networks, "the fuzzy network beats the small one after any training tried here"));
  CHECK(says(networks, "The order of the two errors says how long somebody trained"));
}

TEST_CASE("words are found across the ends of lines and of comments") {
  CHECK(says("one\n  /// two\nthree", "one two three"));
  CHECK(says("one\ntwo\n", "one two"));
  CHECK_FALSE(says("one\ntwo", "onetwo"));
}

TEST_CASE("GSD-54 the documentation names the ways of data that cannot be scheduled") {
  const std::string host = section(document("docs/cuda.md"), "The host half");
  for (const auto* way : {"Pageable memory", "managed memory", "accesses by the CPU cores to device memory",
                          "kernels' remote reads and writes (IORW)"}) {
    CAPTURE(way);
    CHECK(says(host, way));
  }
  CHECK(says(host, "cannot be scheduled: no engine serves them, so no lock covers them"));
}

TEST_CASE("GSA-23 the documentation says that token sections are not inflated for interrupts of others") {
  CHECK(says(document("include/takt/systems/locked_gpus/analysis/analysis.hpp"),
             "token sections are not inflated for other tasks' interrupts"));
  const std::string limits = section(document("docs/reproduction/gpusync.md"), "Limits");
  CHECK(says(limits, "top halves"));
  CHECK(says(limits, "critical sections"));
}

TEST_CASE("OVX-37 the documentation lists what the paper leaves open, and what became of it") {
  const std::string open = section(document("docs/reproduction/openvx.md"), "Extensions that the paper leaves open");
  for (const auto* what : {"cycles in graphs", "shared memory and registers", "fewer threads per SM",
                           "periods and clusters", "schedulability study", "implementation of OpenVX"}) {
    CAPTURE(what);
    CHECK(says(open, what));
  }
}

TEST_CASE("GSD-40 adherence to the policy and predictable overheads are stated as preconditions of every guarantee") {
  const std::string needs = section(document("docs/architectures.md"), "What the operating system must give");
  CHECK(says(needs, "Every guarantee of takt"));
  CHECK(says(needs, "two preconditions"));
  CHECK(says(needs, "**The system schedules as the analysis says.**"));
  CHECK(says(needs, "**Overheads and lengths are predictable.**"));
  for (const auto* row : {"| fixed priorities, kept |", "| short, known kernel delays |",
                          "| interrupts where they are accounted for |", "| no page faults |", "| constant clocks |"}) {
    CAPTURE(row);
    CHECK(contains(needs, row));
  }
  CHECK(says(document("README.md"), "what the operating system has to give for any bound to hold"));
}

TEST_CASE("GSD-59 the documentation relates takt to the earlier classes of accelerator scheduling") {
  const std::string earlier = section(document("docs/architectures.md"), "Earlier ways");
  for (const auto* way : {"persistent kernels", "execution-time estimation", "anytime kernels",
                          "interception in the driver (TimeGraph)", "chunking (RGEM)", "splitting of kernels",
                          "batches in a pipeline", "priorities for parts of jobs", "non-preemptive devices"}) {
    CAPTURE(way);
    const auto begin = earlier.find(way);
    REQUIRE(begin != std::string::npos);
    const std::string row = earlier.substr(begin, earlier.find('\n', begin) - begin);
    CHECK(std::count(row.begin(), row.end(), '|') == 3);  // the class, the idea, and what takt has of it
    CHECK_FALSE(contains(row, "|  |"));
  }
}

TEST_CASE("GSD-60 the documentation gives reasons for scheduling at calls, and the price") {
  const std::string calls = section(document("docs/architectures.md"), "Calls, not command streams");
  CHECK(says(calls, "takt decides at calls"));
  CHECK(says(calls, "each engine is a resource of its own"));
  CHECK(says(calls, "somebody has to decode it, again and again"));
  CHECK(says(calls, "It works with closed libraries"));
  CHECK(says(calls, "The price: a program that calls the library past takt is not seen"));
}

TEST_CASE(
    "GSD-61 eight architectures are compared, and takt is the cooperative one in user space with an optional daemon") {
  const std::string all = section(document("docs/architectures.md"), "Eight architectures");
  const auto row_of = [&](const std::string& name) {
    const auto begin = all.find("\n| " + name + " |");
    return begin == std::string::npos ? std::string{} : all.substr(begin + 1, all.find('\n', begin + 1) - begin - 1);
  };
  for (const char* where : {"U", "K"}) {
    for (int n = 1; n <= 4; ++n) {
      const std::string name = where + std::to_string(n);
      CAPTURE(name);
      const bool ours = name == "U4";
      const std::string row = row_of(ours ? "**" + name + "**" : name);
      REQUIRE_FALSE(row.empty());
      CHECK(std::count(row.begin(), row.end(), '|') == 8);  // who, where, enforced, way of data, good, bad
      CHECK(says(row, n <= 2 ? "a daemon" : "every caller"));
      CHECK(says(row, std::string_view{where} == "U" ? "user space" : "kernel"));
    }
  }
  CHECK(says(all, "takt is **U4: cooperative, in user space**"));
  CHECK(says(all, "An **optional daemon** exists"));
}

TEST_CASE("GSD-85 interception of bottom halves is documented as outside a library in user space") {
  const std::string interrupts = section(document("docs/devices.md"), "Interrupts and helper threads");
  CHECK(says(interrupts, "takt has none of this"));
  CHECK(says(interrupts, "A library in user space sees neither the calls nor the data"));
  CHECK(says(interrupts, "What remains from outside the kernel"));
}
