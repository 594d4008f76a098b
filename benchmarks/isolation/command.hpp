// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include <takt/runtime/clock.hpp>

#include "../command_line.hpp"
#include "session.hpp"
#include "table.hpp"

namespace takt_benchmarks {

/// The machine's clock, which a thread looks at without a pause.
struct spinning_host {
  [[nodiscard]] static auto now() -> takt::ticks { return takt::runtime::now(); }
  template <class Holds>
  [[nodiscard]] static auto until(Holds holds) -> bool {
    constexpr takt::ticks limit = 5'000'000'000;
    for (const takt::ticks last = now() + limit; now() < last;) {
      if (holds()) { return true; }
    }
    return false;
  }
};

/// `--samples n` and `--commit text`.
[[nodiscard]] inline auto isolation_options_of(command_line& given) -> isolation_options {
  isolation_options out;
  out.samples = given.number("--samples", out.samples, most_repeats);
  out.commit = given.text("--commit").value_or("");
  return out;
}

/// The whole program but for the choice of device: measures, judges, prints the table or why there is none, and gives
/// the exit code.
template <cuda::CudaDriver D, IsolationKernels K, BenchmarkHost H>
[[nodiscard]] auto run_isolation(D& driver, K& kernels, H& host, isolation_options options) -> int {
  options.say = [](const std::string& what) { std::fprintf(stderr, "isolation: %s\n", what.c_str()); };
  try {
    const auto report = report_of(isolation_session{driver, kernels, host, std::move(options)}.run());
    std::fputs(report.text.c_str(), stdout);
    return report.code;
  } catch (const std::exception& e) {
    std::printf("refused: the measurement ended early, %s.\n", e.what());
    return 1;
  }
}

}  // namespace takt_benchmarks
