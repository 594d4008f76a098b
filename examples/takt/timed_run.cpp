// SPDX-License-Identifier: Apache-2.0
#include "timed_run.hpp"

#include <fmt/format.h>

#include <takt/report/format_duration.hpp>
#include <takt/runtime/machine_state.hpp>

#include "failure.hpp"

namespace takt::program {

namespace {
constexpr ticks longest_run = 3'600'000'000'000;
}

auto run_length(const run_command_options& o) -> duration {
  if (o.device == "cuda") {
    throw environment_error{"--device cuda: this program was built without CUDA: use --device emulated"};
  }
  const ticks length = option_time("--for", o.length);
  if (length > longest_run) {
    throw input_error{"--for", fmt::format("{} is too long", report::format_duration(length)), "at most 3600s"};
  }
  return duration{length};
}

auto machine_notes() -> std::vector<std::string> {
  return runtime::notes_on(runtime::check_machine(runtime::parts_used::cpus));
}

void require_surroundings(const runtime::run_result& seen) {
  if (seen.status == runtime::run_status::no_threads) {
    throw environment_error{"the system gives too few threads for this run: fewer tasks, or a higher limit"};
  }
  if (seen.status == runtime::run_status::device_failed) {
    throw environment_error{
        fmt::format("the device failed after {}: {}", report::format_duration(seen.lasted), seen.device_fault)};
  }
}

}  // namespace takt::program
