// SPDX-License-Identifier: Apache-2.0
#include "amalthea_stimuli.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "amalthea_values.hpp"

namespace takt::program {

namespace {

using std::string_view;
using kind = amalthea_stimulus::kind;

constexpr std::size_t most_releases = 64;

[[nodiscard]] auto longest_time(const xml_element& e) -> ticks {
  if (const xml_element upper = e.child("upperBound")) { return time_of(upper); }
  if (const xml_element value = e.child("value")) { return time_of(value); }
  ticks longest = 0;
  const auto entries = e.children("entries");
  for (const xml_element& entry : entries) { longest = std::max(longest, longest_time(entry)); }
  if (entries.empty()) { throw e.error("has no longest value", "upperBound, or a value"); }
  return longest;
}
[[nodiscard]] auto shortest_time(const xml_element& e) -> ticks {
  if (const xml_element value = e.child("value")) { return time_of(value); }
  if (const xml_element lower = e.child("lowerBound")) { return time_of(lower); }
  const auto entries = e.children("entries");
  if (entries.empty()) { throw e.error("has no shortest value", "lowerBound, or a value"); }
  ticks shortest = shortest_time(entries.front());
  for (const xml_element& entry : entries) { shortest = std::min(shortest, shortest_time(entry)); }
  return shortest;
}

/// Several releases of a period, which are tasks of their own in the file.
void add_offsets(const xml_element& s, std::vector<ticks> more, amalthea_stimulus& out) {
  if (more.empty() || more.size() > most_releases) {
    throw s.error("releases too often, or never, in a period", "1 to 64 releases");
  }
  const ticks first = out.offsets.front();
  out.offsets.clear();
  for (const ticks t : more) { out.offsets.push_back(first + t); }
}

/// The shortest time between two releases that a curve of arrivals allows.
[[nodiscard]] auto shortest_gap(const xml_element& s) -> ticks {
  ticks out = 0;
  for (const xml_element& entry : s.children("entries")) {
    if (!entry.has("numberOfOccurrences") || real(entry, "numberOfOccurrences", 0, 1e9) != 2) { continue; }
    if (const xml_element lower = entry.child("lowerTimeBorder")) { out = time_of(lower); }
  }
  return out;
}

[[nodiscard]] auto stimulus_of(const xml_element& s) -> amalthea_stimulus {
  amalthea_stimulus out;
  const string_view type = s.type();
  if (type == "InterProcessStimulus" || type == "InterProcess") {
    out.what = kind::inter_process;
    return out;
  }
  if (type == "EventStimulus") {
    out.what = kind::event;
    out.events = all_references(s, "triggeringEvents");
    return out;
  }
  const bool burst = type == "PeriodicBurstStimulus";
  const bool synthetic = type == "PeriodicSyntheticStimulus";
  if (type == "PeriodicStimulus" || type == "Periodic" || burst || synthetic) {
    out.period = time_of(s.required_child("recurrence", "a period"));
    if (const xml_element e = s.child("offset")) { out.offsets = {time_of(e)}; }
    if (const xml_element e = s.child("jitter")) { out.jitter = longest_time(e); }
    if (synthetic) {
      std::vector<ticks> times;
      for (const xml_element& e : s.children("occurrenceTimes")) { times.push_back(time_of(e)); }
      add_offsets(s, std::move(times), out);
    }
    if (burst) {
      const double n = s.has("occurrenceCount") ? real(s, "occurrenceCount", 0, 1e6) : 0;
      const ticks length = time_of(s.required_child("burstLength", "a time"));
      // They may come anywhere in the burst, which is what jitter of its length says.
      add_offsets(s, std::vector<ticks>(static_cast<std::size_t>(n), 0), out);
      out.jitter = length;
    }
  } else if (type == "RelativePeriodicStimulus") {
    out.what = kind::sporadic;
    out.period = shortest_time(s.required_child("nextOccurrence", "times between two"));
  } else if (type == "SporadicStimulus" || type == "Sporadic") {
    out.what = kind::sporadic;
    const xml_element e = s.required_child("stimulusDeviation", "times between two");
    out.period = time_of(e.required_child("lowerBound", "a shortest time"));
  } else if (type == "ArrivalCurveStimulus") {
    out.what = kind::sporadic;
    out.period = shortest_gap(s);
    if (out.period < 1) { out.what = kind::unknown; }
    return out;
  } else {
    out.what = kind::unknown;
    return out;
  }
  if (out.period < 1) { throw s.error("has no time above 0 between two releases", "a time above 0"); }
  return out;
}

}  // namespace

void read_stimuli(const xml_element& stimuli, amalthea_model& to) {
  for (const xml_element& s : stimuli.children("stimuli")) { add_named(to.stimuli, s, stimulus_of(s)); }
}

void read_events(const xml_element& events, amalthea_model& to) {
  using event = amalthea_event::kind;
  for (const xml_element& e : events.children("events")) {
    amalthea_event out{.what = event::other, .type = std::string{e.attribute("eventType")}};
    const string_view type = e.type();
    if (type == "CustomEvent") {
      out.what = event::custom;
      out.entity = name_of(e);
    } else if ((type == "RunnableEvent" || type == "LabelEvent") && !all_references(e, "entity").empty()) {
      out.what = type == "LabelEvent" ? event::label : event::runnable;
      out.entity = reference(e, "entity");
    }
    to.events.emplace(name_of(e), std::move(out));
  }
}

}  // namespace takt::program
