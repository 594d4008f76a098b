// SPDX-License-Identifier: Apache-2.0
#include "amalthea_times.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../files/limits.hpp"
#include "../json_value.hpp"
#include "amalthea_overheads.hpp"

namespace takt::program {

namespace {

constexpr std::size_t longest_name = 60;
constexpr double ns_per_s = 1e9;

[[nodiscard]] auto is_as_fast(const amalthea_unit& a, const amalthea_unit& b) -> bool {
  return a.hertz == b.hertz && a.read_cycles == b.read_cycles && a.write_cycles == b.write_cycles;
}

[[nodiscard]] auto in_ns(const cycle_range& c, const amalthea_unit& u) -> time_range {
  return {c.lower / u.hertz * ns_per_s, c.upper / u.hertz * ns_per_s};
}

[[nodiscard]] auto time_of(const amalthea_ticks& t, const amalthea_unit& u) -> std::optional<time_range> {
  time_range out;
  for (const auto& [category, need] : t.needs) {
    const auto feature = u.features.find(category);
    if (feature == u.features.end() || feature->second <= 0) { return std::nullopt; }
    out += in_ns({need.lower / feature->second, need.upper / feature->second}, u);
  }
  if (!t.needs.empty()) { return out; }
  const auto own = t.by_kind.find(u.kind);
  if (own != t.by_kind.end()) { return in_ns(own->second, u); }
  if (t.on_any) { return in_ns(*t.on_any, u); }
  // An item without any ticks takes none; one with those of other units cannot run here.
  if (t.by_kind.empty()) { return out; }
  return std::nullopt;
}

[[nodiscard]] auto words_of(const amalthea_item& item) -> std::string {
  if (!item.os_call.empty()) { return fmt::format("asks the operating system for {}, which", item.os_call); }
  return item.name.empty() ? "does what" : fmt::format("calls {}, which", one_line(item.name, longest_name));
}

}  // namespace

amalthea_times::amalthea_times(const amalthea_model& model, std::int64_t line_bytes)
    : model_{model}, line_bytes_{line_bytes} {}

auto amalthea_times::type_of(const amalthea_unit& u) const -> std::string {
  const auto first = std::ranges::find(model_.units, u.kind, &amalthea_unit::kind);
  return is_as_fast(*first, u) ? u.kind : fmt::format("{}, {}", u.kind, u.name);
}

void amalthea_times::add(const amalthea_item& item, times_by_type& to) {
  times_by_type sum;
  for (const amalthea_unit& u : model_.units) {
    if (u.is_gpu || sum.contains(type_of(u))) { continue; }
    if (const auto time = times(item, u)) { sum[type_of(u)] = *time; }
  }
  const std::string what = words_of(item);
  if (sum.empty()) { throw item.at.error(fmt::format("{} has ticks for no core", what), "ticks for a core"); }
  if (to.empty()) {
    to = std::move(sum);
    return;
  }
  // A segment stays on one type of core.
  std::erase_if(to, [&](const auto& one) { return !sum.contains(one.first); });
  if (to.empty()) {
    throw item.at.error(fmt::format("{} has ticks for no core of those before", what), "ticks for one kind of core");
  }
  for (auto& [type, time] : to) { time += sum.at(type); }
}

auto amalthea_times::on(const amalthea_unit& u, const amalthea_item& item) -> time_range {
  if (const auto time = times(item, u)) { return *time; }
  throw item.at.error(fmt::format("{} has no ticks for {}", words_of(item), one_line(u.kind, longest_name)),
                      "ticks for that kind of unit");
}

auto amalthea_times::longest_call(const amalthea_body& body) -> times_by_type {
  times_by_type out;
  each_item(body, [&](const amalthea_item& item) {
    if (item.what != amalthea_item::kind::call && item.what != amalthea_item::kind::ticks) { return; }
    for (const amalthea_unit& u : model_.units) {
      if (u.is_gpu) { continue; }
      const auto time = times(item, u);
      if (!time) { continue; }
      time_range& longest = out[type_of(u)];
      longest.upper = std::max(longest.upper, time->upper);
    }
  });
  return out;
}

auto amalthea_times::longest_section(const amalthea_body& body, const std::string& semaphore, const amalthea_unit& u)
    -> std::optional<double> {
  using kind = amalthea_item::kind;
  double longest = 0;
  double held = 0;
  bool holds = false;
  for (const amalthea_item& item : body) {
    if (item.what == kind::lock && item.name == semaphore) {
      const auto time = times(item, u);
      if (holds || !time) { return std::nullopt; }
      holds = true;
      held = time->upper;
      continue;
    }
    if (item.what == kind::unlock && item.name == semaphore) {
      const auto time = times(item, u);
      if (!holds || !time) { return std::nullopt; }
      holds = false;
      longest = std::max(longest, held + time->upper);
      continue;
    }
    // Who waits for something else while it holds the semaphore holds it for no time that is known.
    if (holds && (item.what == kind::wait || item.what == kind::lock)) { return std::nullopt; }
    if (holds) {
      const auto time = times(item, u);
      if (!time) { return std::nullopt; }
      held += time->upper;
    }
    for (const amalthea_body& branch : item.branches) {
      const auto inner = longest_section(branch, semaphore, u);
      if (!inner) { return std::nullopt; }
      longest = std::max(longest, *inner);
    }
    if (item.what == kind::call && !times(item, u)) { return std::nullopt; }
    if (item.what == kind::call) {
      const std::pair key{system_, item.name + '\n' + semaphore + '\n' + u.name};
      auto known = sections_.find(key);
      if (known == sections_.end()) {
        const auto one = longest_section(model_.runnables.at(item.name).body, semaphore, u);
        known = sections_.emplace(key, one).first;
      }
      const auto& inner = known->second;
      if (!inner || (holds && *inner > 0)) { return std::nullopt; }
      longest = std::max(longest, *inner);
    }
  }
  return holds ? std::nullopt : std::optional{longest};
}

auto amalthea_times::ticks_of_call(const amalthea_item& item) const -> const ticks_of_calls* {
  if (system_ == nullptr || item.os_call.empty()) { return nullptr; }
  const auto found = system_->calls.find(call_of(item, model_));
  return found == system_->calls.end() ? nullptr : &found->second;
}

/// With what its call of the operating system takes at its longest; at its shortest that takes nothing.
auto amalthea_times::times(const amalthea_item& item, const amalthea_unit& u) -> std::optional<time_range> {
  auto out = own_times(item, u);
  const auto* const call = ticks_of_call(item);
  if (call == nullptr) { return out; }
  double longest = 0;
  for (const amalthea_ticks& t : *call) {
    const auto time = time_of(t, u);
    if (!time) { return std::nullopt; }
    longest = std::max(longest, time->upper);
  }
  if (out) { out->upper += longest; }
  return out;
}

auto amalthea_times::own_times(const amalthea_item& item, const amalthea_unit& u) -> std::optional<time_range> {
  switch (item.what) {
    case amalthea_item::kind::ticks: return time_of(item.ticks, u);
    case amalthea_item::kind::access: {
      if (u.is_gpu) { return time_range{}; }
      const double one = lines_of(item) * (item.writes ? u.write_cycles : u.read_cycles) / u.hertz * ns_per_s;
      return time_range{item.times > 1 ? 0 : one, one * item.times};
    }
    case amalthea_item::kind::call: {
      auto out = times(item.name, u, item.at);
      if (out && item.times > 1) { out->upper *= item.times; }
      return out;
    }
    case amalthea_item::kind::choice: {
      std::optional<time_range> out;
      if (item.skipped) { out = time_range{}; }
      for (const amalthea_body& branch : item.branches) {
        const auto one = times(branch, u);
        if (!one) { return std::nullopt; }
        if (!out) { out = *one; }
        out->lower = std::min(out->lower, one->lower);
        out->upper = std::max(out->upper, one->upper);
      }
      return out ? out : time_range{};
    }
    case amalthea_item::kind::trigger:
    case amalthea_item::kind::wait:
    case amalthea_item::kind::set:
    case amalthea_item::kind::lock:
    case amalthea_item::kind::unlock:
    case amalthea_item::kind::event:
    case amalthea_item::kind::other: break;
  }
  return time_range{};
}

auto amalthea_times::times(const amalthea_body& body, const amalthea_unit& u) -> std::optional<time_range> {
  std::optional<time_range> out = time_range{};
  for (const amalthea_item& item : body) {
    // All of them are looked at, so that circles and missing labels are found on each unit.
    const auto one = times(item, u);
    if (out && one) { *out += *one; }
    if (!one) { out.reset(); }
  }
  return out;
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
  if (const auto known = known_.find({system_, runnable, u.name}); known != known_.end()) { return known->second; }
  if (within_.size() == max_call_depth) {
    throw at.error(fmt::format("is the {}th call inside of another", max_call_depth), "calls that nest less");
  }
  within_.insert(runnable);
  const auto out = times(found->second.body, u);
  within_.erase(runnable);
  known_.emplace(std::tuple{system_, runnable, u.name}, out);
  return out;
}

auto amalthea_times::is_for_cores(const std::string& runnable) const -> bool {
  const amalthea_body& body = model_.runnables.at(runnable).body;
  return std::ranges::any_of(model_.units, [&](const amalthea_unit& u) {
    const auto own = [&](const amalthea_item& i) {
      return i.what == amalthea_item::kind::ticks && i.ticks.by_kind.contains(u.kind);
    };
    const auto lacks = [&](const amalthea_item& i) {
      return i.what == amalthea_item::kind::ticks && !i.ticks.on_any && !i.ticks.by_kind.contains(u.kind);
    };
    return !u.is_gpu && any_item(body, own) && !any_item(body, lacks);
  });
}

auto amalthea_times::only_copies(const std::string& runnable) const -> bool {
  const amalthea_body& body = model_.runnables.at(runnable).body;
  using kind = amalthea_item::kind;
  const auto is_access = [](const amalthea_item& i) { return i.what == kind::access; };
  return std::ranges::any_of(body, is_access) &&
         std::ranges::all_of(body, [&](const amalthea_item& i) { return is_access(i) || i.what == kind::other; });
}

auto amalthea_times::copy(const std::string& runnable, const amalthea_unit& gpu) -> label_copy {
  const amalthea_runnable& r = model_.runnables.at(runnable);
  label_copy out;
  double lines = 0;
  double calls = 0;
  for (const amalthea_item& a : r.body) {
    if (is_charged(a)) { calls += on(gpu, a).upper; }
    if (!a.writes) { continue; }
    const std::int64_t bytes = bytes_of(a);
    if (bytes > most_bytes - out.bytes) {
      throw r.at.error("writes labels that are too large together", fmt::format("at most {} bytes", most_bytes));
    }
    out.bytes += bytes;
    lines += lines_of(a) * a.times;
  }
  out.time.upper = lines * (gpu.read_cycles + gpu.write_cycles) / gpu.hertz * ns_per_s;
  out.time.lower = out.time.upper;
  if (gpu.bytes_per_second > 0) {
    out.time.lower = std::min(out.time.upper, static_cast<double>(out.bytes) / gpu.bytes_per_second * ns_per_s);
  }
  out.time.upper += calls;
  return out;
}

auto amalthea_times::bytes_of(const amalthea_item& access) const -> std::int64_t {
  const auto found = model_.label_bytes.find(access.name);
  if (found != model_.label_bytes.end()) { return std::max<std::int64_t>(found->second, 0); }
  throw access.at.error(fmt::format("uses the label \"{}\", which is not there", one_line(access.name, longest_name)),
                        "a label of the model");
}

auto amalthea_times::lines_of(const amalthea_item& access) const -> double {
  return std::ceil(static_cast<double>(bytes_of(access)) / static_cast<double>(line_bytes_));
}

}  // namespace takt::program
