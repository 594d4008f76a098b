// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdio>

namespace {

/// Says which test cases their own conditions leave out; `scripts/left_out` looks for these lines. A case with a
/// description is none: other cases run it.
struct left_out final : doctest::IReporter {
  explicit left_out(const doctest::ContextOptions& /*options*/) {}

  void test_case_skipped(const doctest::TestCaseData& what) override {
    if (what.m_skip && what.m_description == nullptr) { std::printf("takt: left out: %s\n", what.m_name); }
  }
  void report_query(const doctest::QueryData& /*query*/) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& /*stats*/) override {}
  void test_case_start(const doctest::TestCaseData& /*what*/) override {}
  void test_case_reenter(const doctest::TestCaseData& /*what*/) override {}
  void test_case_end(const doctest::CurrentTestCaseStats& /*stats*/) override {}
  void test_case_exception(const doctest::TestCaseException& /*thrown*/) override {}
  void subcase_start(const doctest::SubcaseSignature& /*name*/) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData& /*data*/) override {}
  void log_message(const doctest::MessageData& /*data*/) override {}
};

DOCTEST_REGISTER_LISTENER("left_out", 1, left_out);

}  // namespace
