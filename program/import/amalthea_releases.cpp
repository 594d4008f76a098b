// SPDX-License-Identifier: Apache-2.0
#include "amalthea_releases.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../json_value.hpp"
#include "amalthea_values.hpp"

namespace takt::program {

namespace {

using item_kind = amalthea_item::kind;
using stimulus_kind = amalthea_stimulus::kind;

constexpr std::size_t most_releases = 64;
constexpr std::size_t max_call_depth = 500;
constexpr ticks longest_time = ticks{1} << 60;

}  // namespace

auto waits_for(const amalthea_task& caller, const amalthea_task& callee) -> bool {
  return any_item(caller.body, [&](const amalthea_item& w) {
    return w.what == item_kind::wait &&
           any_item(callee.body, [&](const amalthea_item& s) { return s.what == item_kind::set && s.name == w.name; });
  });
}

amalthea_releases::amalthea_releases(const amalthea_model& model) : model_{model} {}

template <class F>
auto amalthea_releases::count(const amalthea_body& body, const F& is_meant, counts& known, std::size_t depth) const
    -> std::size_t {
  std::size_t out = 0;
  if (depth > max_call_depth) { return out; }
  for (const amalthea_item& i : body) {
    if (is_meant(i)) { ++out; }
    if (i.what == item_kind::call) {
      const auto times = static_cast<std::size_t>(std::ceil(i.times));
      const auto [at, is_new] = known.emplace(i.name, 0);
      if (is_new) { at->second = count(model_.runnables.at(i.name).body, is_meant, known, depth + 1); }
      out += times * at->second;
    }
    std::size_t most = 0;
    for (const amalthea_body& branch : i.branches) { most = std::max(most, count(branch, is_meant, known, depth + 1)); }
    out = std::min(out + most, most_releases + 1);
  }
  return out;
}

auto amalthea_releases::sources_of(const amalthea_task& t, const std::string& stimulus) const -> std::vector<source> {
  const amalthea_stimulus& s = model_.stimuli.at(stimulus);
  const auto event_counts = [&](const amalthea_item& i, const amalthea_event& e) {
    switch (e.what) {
      case amalthea_event::kind::custom: return i.what == item_kind::event && i.name == e.entity;
      case amalthea_event::kind::runnable: return i.what == item_kind::call && i.name == e.entity;
      case amalthea_event::kind::label:
        return i.what == item_kind::access && i.name == e.entity && (e.type.empty() || (e.type == "write") == i.writes);
      case amalthea_event::kind::other: break;
    }
    return false;
  };
  std::vector<source> out;
  for (const amalthea_task& by : model_.tasks) {
    std::size_t times = 0;
    counts known;
    if (s.what == stimulus_kind::inter_process) {
      if (waits_for(by, t)) { continue; }
      times = count(
          by.body, [&](const amalthea_item& i) { return i.what == item_kind::trigger && i.name == stimulus; }, known);
    }
    for (const std::string& name : s.events) {
      const auto found = model_.events.find(name);
      if (found == model_.events.end()) { throw dangling(t.at, "triggeringEvents", name); }
      known.clear();
      times += count(by.body, [&](const amalthea_item& i) { return event_counts(i, found->second); }, known);
    }
    if (times > 0) { out.push_back({&by, times}); }
  }
  return out;
}

auto amalthea_releases::of(const amalthea_task& t) -> const std::vector<amalthea_release>& {
  const auto known = known_.find(t.name);
  if (known != known_.end()) { return known->second; }
  if (within_[t.name]) { throw t.at.error("releases itself through other tasks", "releases without a circle"); }
  within_[t.name] = true;
  std::vector<amalthea_release> out;
  const auto add = [&](amalthea_release r) {
    if (out.size() == most_releases) { throw t.at.error("is released in too many ways", "at most 64"); }
    out.push_back(std::move(r));
  };
  for (const std::string& name : t.stimuli) {
    const amalthea_stimulus& s = model_.stimuli.at(name);
    if (s.by_time() && s.period > 0) {
      for (const ticks offset : s.offsets) {
        add({.period = s.period,
             .jitter = s.jitter,
             .offset = offset,
             .sporadic = s.what == stimulus_kind::sporadic,
             .by = {}});
      }
      continue;
    }
    for (const source& by : sources_of(t, name)) {
      const auto rows = of(*by.task);
      for (const amalthea_release& r : rows) {
        const ticks until = deadline_of(*by.task, r);
        if (until > longest_time) { throw t.at.error("is released too late", "deadlines of some years at most"); }
        for (std::size_t k = 0; k < by.times; ++k) {
          add({.period = r.period, .jitter = until, .offset = r.offset, .sporadic = r.sporadic, .by = by.task->name});
        }
      }
    }
  }
  within_[t.name] = false;
  return known_.emplace(t.name, std::move(out)).first->second;
}

auto amalthea_releases::deadline_of(const amalthea_task& t, const amalthea_release& r) -> ticks {
  const ticks own = t.deadline > 0 ? t.deadline : r.period;
  return r.by.empty() ? own : r.jitter + own;
}

}  // namespace takt::program
