// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include <takt/runtime/clock.hpp>

#include "applications.hpp"
#include "commands.hpp"
#include "summary.hpp"

namespace takt::shares_example {
namespace {

/// Until the user interrupts, or so long; 0 seconds: without end.
void wait_for_the_end(double seconds) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  const auto length = static_cast<ticks>(seconds * 1e9);
  const timespec t{static_cast<time_t>(length / 1'000'000'000), static_cast<long>(length % 1'000'000'000)};
  while (sigtimedwait(&signals, nullptr, length > 0 ? &t : nullptr) < 0 && errno == EINTR) {}
}

}  // namespace

auto serve(const serve_options& options) -> int {
  const application_set applications{options.applications};
  try_records(options.csv, options.trace);
  // Before any thread, so that all of them leave the signals to `wait_for_the_end`.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  (void)pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  runtime::share_service_options settings{
      .path = options.socket, .users = {options.users.begin(), options.users.end()}, .manager = {.records = 1 << 18}};
  service_type service{applications.table(), applications.scheduler(), settings};
  if (service.status() != runtime::service_status::ready) {
    throw std::runtime_error(options.socket + ": cannot serve: " + std::strerror(errno));
  }
  const ticks start = runtime::now();
  fmt::print("serving {} applications on {}\n", applications.size(), options.socket);
  std::fflush(stdout);
  wait_for_the_end(options.seconds);
  service.stop();
  print_summary(applications, service);
  write_records(applications, service, start, options.csv, options.trace);
  return 0;
}

}  // namespace takt::shares_example
