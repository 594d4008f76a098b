// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>
#include "support/traces.hpp"

namespace {

[[nodiscard]] auto text_of(const std::string& path) -> std::string {
  std::ifstream in{std::string{TAKT_SOURCE_DIR "/"} + path};
  REQUIRE(in);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The row of the survey that begins with a name; empty if there is none.
[[nodiscard]] auto row_of(const std::string& survey, std::string_view name) -> std::string {
  const auto start = survey.find("\n| " + std::string{name});
  if (start == std::string::npos) { return {}; }
  return survey.substr(start + 1, survey.find('\n', start + 1) - start - 1);
}

/// The words between backquotes.
[[nodiscard]] auto names_in(std::string_view row) -> std::vector<std::string> {
  std::vector<std::string> out;
  for (auto open = row.find('`'); open != std::string_view::npos;) {
    const auto close = row.find('`', open + 1);
    out.emplace_back(row.substr(open + 1, close - open - 1));
    open = row.find('`', close + 1);
  }
  return out;
}

[[nodiscard]] auto survey_text() -> std::string { return text_of("docs/locking.md"); }

}  // namespace

TEST_CASE("the survey gives each protocol its class, and names the relatives outside the library" *
          takt_tests::traces("GSD-31")) {
  const std::string survey = survey_text();
  const auto check_class = [&survey](std::string_view name, std::string_view order) {
    CAPTURE(name);
    CHECK(row_of(survey, name).find(order) != std::string::npos);
  };
  check_class("FMLP, FMLP-Long", "O(n)");
  check_class("k-FMLP", "O(n/k)");
  check_class("OMLP", "O(m)");
  check_class("C-OMLP", "O(m)");
  check_class("O-KGLP", "O(m/k)");
  check_class("R2DGLP", "O(m/k)");
  check_class("CK-OMLP", "O(m/k)");
  for (const std::string_view outside : {"DPCP", "PPCP", "O-KGLP"}) {
    const std::string row = row_of(survey, outside);
    CAPTURE(outside);
    CHECK(row.find("| no") != std::string::npos);
  }
  CHECK(!row_of(survey, "MPCP").empty());
}

TEST_CASE("the survey relates PCP and SRP to the protocols for several processors and devices" *
          takt_tests::traces("GSD-27")) {
  const std::string survey = survey_text();
  CHECK(row_of(survey, "PCP, SRP").find("one processor") != std::string::npos);
}

TEST_CASE("what the survey says takt has is in the headers") {
  const std::string survey = survey_text();
  const std::string headers =
      text_of("include/takt/rules/tags.hpp") + text_of("include/takt/rules/locking/token_orders.hpp") +
      text_of("include/takt/analysis/methods/locking/k_exclusion.hpp") +
      text_of("include/takt/analysis/methods/locking/ck_omlp_blocking.hpp") +
      text_of("include/takt/analysis/methods/locking/priority_mutex.hpp") +
      text_of("include/takt/analysis/methods/locking/group_lock.hpp") +
      text_of("include/takt/rules/locking/k_fmlp.hpp") + text_of("include/takt/rules/locking/r2dglp.hpp") +
      text_of("include/takt/rules/locking/ck_omlp.hpp") + text_of("include/takt/rules/locking/priority_donation.hpp") +
      text_of("include/takt/rules/locking/priority_mutex.hpp") + text_of("include/takt/rules/locking/group_lock.hpp") +
      text_of("include/takt/rules/locking/priority_ceiling.hpp");
  std::size_t named = 0;
  for (const std::string_view name : {"PCP, SRP", "MPCP", "k-FMLP", "R2DGLP", "CK-OMLP", "dynamic group locks"}) {
    for (const std::string& word : names_in(row_of(survey, name))) {
      CAPTURE(word);
      CHECK(headers.find(word.substr(0, word.find('('))) != std::string::npos);
      ++named;
    }
  }
  CHECK(named >= 12);
}
