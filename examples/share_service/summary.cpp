// SPDX-License-Identifier: Apache-2.0
#include "summary.hpp"

#include <algorithm>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <takt/report/chrome_trace.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/shares/run/share_monitor.hpp>

#include "../../program/failure.hpp"
#include "../../program/text_file.hpp"

namespace takt::shares_example {
namespace {

using runtime::share_event;

struct line {
  std::uint64_t jobs = 0;
  std::uint64_t misses = 0;
  std::uint64_t deaths = 0;
  ticks released = 0;
  ticks worst = 0;
  ticks since = 0;
  std::int32_t share = 0;
  ticks held_for = 0;
  ticks percent_time = 0;
};

[[nodiscard]] auto lines_of(const std::vector<runtime::share_record>& records, std::size_t count) -> std::vector<line> {
  std::vector<line> out(count);
  for (const auto& r : records) {
    if (r.application >= count) { continue; }
    line& l = out[r.application];
    switch (r.what) {
      case share_event::release: l.released = r.time; break;
      case share_event::finish:
        ++l.jobs;
        l.worst = std::max(l.worst, r.time - l.released);
        break;
      case share_event::miss: ++l.misses; break;
      case share_event::death: ++l.deaths; break;
      case share_event::share:
        if (l.share > 0) {
          l.held_for += r.time - l.since;
          l.percent_time += (r.time - l.since) / 1'000 * l.share;
        }
        l.share = r.value;
        l.since = r.time;
        break;
      default: break;
    }
  }
  return out;
}

/// As the program takt does, with what ends this one.
template <class F>
void with_file(const std::string& name, const F& use) {
  if (name.empty()) { return; }
  try {
    use();
  } catch (const program::environment_error& e) { throw std::runtime_error(e.what); }
}
void write_file(const std::string& name, const std::function<void(std::ostream&)>& write) {
  with_file(name, [&] { program::write_file(name, write); });
}

}  // namespace

void print_summary(const application_set& applications, const service_type& service) {
  const auto lines = lines_of(service.monitor().records(), applications.size());
  constexpr std::string_view row = "{:<14} {:>6} {:>7} {:>12} {:>12} {:>11}\n";
  fmt::print(row, "application", "jobs", "missed", "deadline ms", "worst ms", "mean share");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const line& l = lines[i];
    const ticks mean = l.held_for < 1'000 ? 0 : l.percent_time / (l.held_for / 1'000);
    fmt::print(row, applications.name(i), l.jobs, l.misses, applications.table().tasks[i].deadline / 1'000'000,
               fmt::format("{:.1f}", static_cast<double>(l.worst) / 1e6), mean);
  }
  const auto counts = service.monitor().counts();
  fmt::print("{} operations, {} denials, {} clients that died, {} events not kept\n", counts.operations, counts.denials,
             counts.deaths, service.monitor().lost());
}

void try_records(const std::string& csv, const std::string& trace) {
  for (const std::string& name : {csv, trace}) {
    with_file(name, [&] { program::try_file(name); });
  }
}

void write_records(const application_set& applications, const service_type& service, ticks origin,
                   const std::string& csv, const std::string& trace) {
  const auto records = service.monitor().records();
  write_file(csv, [&](std::ostream& out) { runtime::write_csv(out, records, origin); });
  takt::trace recorded;
  runtime::replay(records, recorded, origin, runtime::now());
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < applications.size(); ++i) { names.push_back(applications.name(i)); }
  write_file(trace,
             [&](std::ostream& out) { report::write_chrome_trace(out, {recorded.slices(), recorded.marks(), names}); });
}

}  // namespace takt::shares_example
