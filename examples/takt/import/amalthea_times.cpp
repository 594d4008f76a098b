// SPDX-License-Identifier: Apache-2.0
#include "amalthea_times.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../files/limits.hpp"
#include "../json_value.hpp"

namespace takt::program {

namespace {

constexpr std::size_t longest_name = 60;
constexpr double ns_per_s = 1e9;

[[nodiscard]] auto is_as_fast(const amalthea_unit& a, const amalthea_unit& b) -> bool {
  return a.hertz == b.hertz && a.read_cycles == b.read_cycles && a.write_cycles == b.write_cycles;
}

}  // namespace

amalthea_times::amalthea_times(const amalthea_model& model, std::int64_t line_bytes)
    : model_{model}, line_bytes_{line_bytes} {}

auto amalthea_times::type_of(const amalthea_unit& u) const -> std::string {
  const auto first = std::ranges::find(model_.units, u.kind, &amalthea_unit::kind);
  return is_as_fast(*first, u) ? u.kind : fmt::format("{}, {}", u.kind, u.name);
}

void amalthea_times::add(const std::string& runnable, const xml_element& at, times_by_type& to) {
  times_by_type sum;
  for (const amalthea_unit& u : model_.units) {
    if (u.is_gpu || sum.contains(type_of(u))) { continue; }
    if (const auto time = times(runnable, u, at)) { sum[type_of(u)] = *time; }
  }
  if (sum.empty()) {
    throw at.error(fmt::format("calls {}, which has ticks for no core", one_line(runnable, longest_name)),
                   "ticks for a core");
  }
  if (to.empty()) {
    to = std::move(sum);
    return;
  }
  // A segment stays on one type of core.
  std::erase_if(to, [&](const auto& one) { return !sum.contains(one.first); });
  if (to.empty()) {
    throw at.error(
        fmt::format("calls {}, which has ticks for no core of those before", one_line(runnable, longest_name)),
        "ticks for one kind of core");
  }
  for (auto& [type, time] : to) { time += sum.at(type); }
}

auto amalthea_times::on(const amalthea_unit& u, const std::string& runnable, const xml_element& at) -> time_range {
  if (const auto time = times(runnable, u, at)) { return *time; }
  throw at.error(fmt::format("calls {}, which has no ticks for {}", one_line(runnable, longest_name),
                             one_line(u.kind, longest_name)),
                 "ticks for that kind of unit");
}

auto amalthea_times::times(const std::string& runnable, const amalthea_unit& u, const xml_element& at)
    -> std::optional<time_range> {
  const auto found = model_.runnables.find(runnable);
  if (found == model_.runnables.end()) {
    throw at.error(fmt::format("calls \"{}\", which is not there", one_line(runnable, longest_name)),
                   "a runnable of the model");
  }
  if (within_.contains(runnable)) {
    throw at.error(fmt::format("calls \"{}\" in a circle", one_line(runnable, longest_name)), "calls without a circle");
  }
  if (const auto known = known_.find({runnable, u.name}); known != known_.end()) { return known->second; }
  if (within_.size() == max_call_depth) {
    throw at.error(fmt::format("is the {}th call inside of another", max_call_depth), "calls that nest less");
  }
  const amalthea_runnable& r = found->second;
  std::optional<time_range> out = time_range{};
  for (const amalthea_ticks& item : r.ticks) {
    const cycle_range* const c = item.on(u.kind);
    if (c == nullptr) {
      out.reset();
      break;
    }
    *out += {c->lower / u.hertz * ns_per_s, c->upper / u.hertz * ns_per_s};
  }
  if (out && !u.is_gpu) {
    for (const label_access& a : r.accesses) {
      const double time = lines_of(a, r.at) * (a.writes ? u.write_cycles : u.read_cycles) / u.hertz * ns_per_s;
      *out += {time, time};
    }
  }
  within_.insert(runnable);
  for (const std::string& called : r.calls) {
    const auto more = times(called, u, r.at);
    if (out && more) { *out += *more; }
    if (!more) { out.reset(); }
  }
  within_.erase(runnable);
  known_.emplace(std::pair{runnable, u.name}, out);
  return out;
}

auto amalthea_times::is_for_cores(const std::string& runnable) const -> bool {
  const auto& ticks = model_.runnables.at(runnable).ticks;
  return std::ranges::any_of(model_.units, [&](const amalthea_unit& u) {
    return !u.is_gpu && std::ranges::any_of(ticks, [&](const auto& t) { return t.by_kind.contains(u.kind); }) &&
           std::ranges::all_of(ticks, [&](const auto& t) { return t.on(u.kind) != nullptr; });
  });
}

auto amalthea_times::only_copies(const std::string& runnable) const -> bool {
  const amalthea_runnable& r = model_.runnables.at(runnable);
  return r.ticks.empty() && r.calls.empty() && !r.accesses.empty();
}

auto amalthea_times::copy(const std::string& runnable, const amalthea_unit& gpu) const -> label_copy {
  const amalthea_runnable& r = model_.runnables.at(runnable);
  label_copy out;
  double lines = 0;
  for (const label_access& a : r.accesses) {
    if (!a.writes) { continue; }
    const std::int64_t bytes = bytes_of(a, r.at);
    if (bytes > most_bytes - out.bytes) {
      throw r.at.error("writes labels that are too large together", fmt::format("at most {} bytes", most_bytes));
    }
    out.bytes += bytes;
    lines += lines_of(a, r.at);
  }
  out.time.upper = lines * (gpu.read_cycles + gpu.write_cycles) / gpu.hertz * ns_per_s;
  out.time.lower = out.time.upper;
  if (gpu.bytes_per_second > 0) {
    out.time.lower = std::min(out.time.upper, static_cast<double>(out.bytes) / gpu.bytes_per_second * ns_per_s);
  }
  return out;
}

auto amalthea_times::bytes_of(const label_access& a, const xml_element& at) const -> std::int64_t {
  const auto found = model_.label_bytes.find(a.label);
  if (found != model_.label_bytes.end()) { return found->second; }
  throw at.error(fmt::format("uses the label \"{}\", which is not there", one_line(a.label, longest_name)),
                 "a label of the model");
}

auto amalthea_times::lines_of(const label_access& a, const xml_element& at) const -> double {
  return std::ceil(static_cast<double>(bytes_of(a, at)) / static_cast<double>(line_bytes_));
}

}  // namespace takt::program
