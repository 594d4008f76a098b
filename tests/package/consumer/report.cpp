// SPDX-License-Identifier: Apache-2.0
// Includes what needs range-v3.
#include <sstream>

#include <takt/report/chrome_trace.hpp>

auto main() -> int {
  std::ostringstream out;
  takt::report::write_chrome_trace(out, takt::report::trace_view{});
  return out.str().empty() ? 1 : 0;
}
