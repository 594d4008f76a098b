// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

namespace takt_tests {

/// Says which rows of docs/requirements.md a test case checks: `TEST_CASE("it does" * traces("AP-01 AP-02"))`.
/// The IDs are the suite of the test case, so that `-ts="*AP-01*"` runs what checks one row.
[[nodiscard]] inline auto traces(const char* ids) -> doctest::test_suite { return doctest::test_suite{ids}; }

}  // namespace takt_tests
