// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sstream>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <takt/report/chrome_trace.hpp>

#include "support/chrome_trace_checker.hpp"

namespace takt_tests {

/// Checks a trace by the rules of its format.
inline void check_chrome_trace(std::string_view text) {
  for (const std::string& wrong : chrome_trace_checker::complaints_about(text)) {
    INFO(wrong);
    CHECK(wrong.empty());
  }
}

/// A trace as it is written, which keeps to the rules of its format. No test writes one in another way.
[[nodiscard]] inline auto written_trace(const takt::report::trace_view& trace) -> std::string {
  std::ostringstream out;
  takt::report::write_chrome_trace(out, trace);
  check_chrome_trace(out.str());
  return out.str();
}

}  // namespace takt_tests
