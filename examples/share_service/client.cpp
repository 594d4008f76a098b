// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>
#include <string>

#include <takt/runtime/clock.hpp>
#include <takt/systems/shares/run/share_client.hpp>

#include "applications.hpp"
#include "commands.hpp"

namespace takt::shares_example {
namespace {

/// Kernels of a millisecond of the whole GPU each, stretched by what the client has when each starts: what a GPU does
/// that is divided in space. False when the service has dropped the job, or gives it nothing until the instant.
[[nodiscard]] auto compute(ticks work, const runtime::share_client& client, runtime::share_client::job& job,
                           ticks give_up) -> bool {
  constexpr ticks kernel = 1'000'000;
  ticks at = runtime::now();
  while (work > 0) {
    const std::int32_t percent = client.share().share();
    if (percent == 0) {
      if (job.aborted() || !client.page().is_open() || runtime::now() >= give_up) { return false; }
      runtime::sleep_until(at = runtime::now() + kernel);
      continue;
    }
    const ticks done = std::min(kernel, work);
    at += done * 100 / percent;
    runtime::sleep_until(at);
    work -= done;
  }
  return true;
}

}  // namespace

// excerpt: client
auto run_client(const client_options& options) -> int {
  const application_set applications{options.applications};
  const std::size_t i = applications.index_of(options.name);
  const ticks end = runtime::later(runtime::now(), static_cast<ticks>(options.seconds * 1e9));
  const auto patient = [&options] {
    return runtime::later(runtime::now(), static_cast<ticks>(options.patience * 1e9));
  };
  runtime::share_client client{runtime::socket_channel{options.socket, {}, patient()}, applications.registration(i),
                               patient()};
  if (client.status() == runtime::client_status::gone) { throw std::runtime_error(options.socket + ": no service"); }
  if (client.status() == runtime::client_status::timed_out) {
    throw std::runtime_error(options.socket + ": the service does not answer");
  }
  if (!client) { throw std::runtime_error(options.name + ": " + std::string{to_string(client.why())}); }
  for (ticks release = runtime::now(); release < end; release += applications.table().tasks[i].period) {
    runtime::sleep_until(release);
    const ticks give_up = runtime::later(patient(), 2 * applications.table().tasks[i].period);
    auto job = client.begin_job(give_up);
    if (job.status() == runtime::client_status::gone) { return 0; }
    if (job.status() == runtime::client_status::timed_out) {
      throw std::runtime_error(options.socket + ": the service does not answer any more");
    }
    if (job && !compute(applications.work(i), client, job, give_up) && !client.heartbeat()) { return 0; }
  }
  return 0;
}
// end of excerpt

}  // namespace takt::shares_example
