// SPDX-License-Identifier: Apache-2.0
#include "amalthea_body.hpp"

#include <algorithm>
#include <string_view>

#include "amalthea_values.hpp"

namespace takt::program {

namespace {

using std::string_view;
using kind = amalthea_item::kind;

constexpr double most_times = 1e6;

/// The most that a statistic says of how often something happens; 1 where it says nothing.
[[nodiscard]] auto times_of(const xml_element& statistic, const char* values) -> double {
  if (!statistic) { return 1; }
  const xml_element value = statistic.child(values);
  if (!value) { return 1; }
  for (const char* key : {"max", "value"}) {
    if (value.has(key)) { return std::max(1.0, real(value, key, 0, most_times)); }
  }
  return 1;
}

void read_items(const xml_element& in, const char* list, amalthea_body& to);

[[nodiscard]] auto read_choice(const xml_element& item) -> amalthea_item {
  amalthea_item out{.what = kind::choice, .at = item};
  for (const xml_element& entry : item.children("entries")) { read_items(entry, "items", out.branches.emplace_back()); }
  const xml_element other = item.child("defaultEntry");
  if (other) { read_items(other, "items", out.branches.emplace_back()); }
  out.skipped = !other && item.type() != "ProbabilitySwitch";
  return out;
}

void read_item(const xml_element& item, amalthea_body& to) {
  const string_view type = item.type();
  const auto add = [&](kind what, std::string name) -> amalthea_item& {
    return to.emplace_back(amalthea_item{.what = what, .name = std::move(name), .at = item});
  };
  const auto add_call = [&](kind what, std::string name, string_view os_call) -> amalthea_item& {
    amalthea_item& out = add(what, std::move(name));
    out.os_call = os_call;
    return out;
  };
  const auto add_event = [&](kind what, string_view os_call) {
    const auto mask = item.child("eventMask");
    const auto events = mask ? all_references(mask, "events") : std::vector<std::string>{};
    if (events.empty()) { add_call(kind::other, "", os_call); }
    // An AND of several is a wait for each, and each is set; it is one call.
    for (const std::string& e : events) {
      add_call(what, e, &e == events.data() ? os_call : "").busy = item.attribute("waitingBehaviour") == "active";
    }
  };
  if (type == "Ticks" || type == "RunnableInstructions" || type == "ExecutionNeed") {
    add(kind::ticks, "").ticks = read_ticks(item);
  } else if (type == "LabelAccess" || type == "ModeLabelAccess") {
    amalthea_item& access = add(kind::access, reference(item, "data"));
    access.writes = !item.attribute("access").empty() && item.attribute("access") != "read";
    access.times = times_of(item.child("statistic"), "value");
  } else if (type == "SenderReceiverRead" || type == "SenderReceiverWrite") {
    const bool writes = type == "SenderReceiverWrite";
    const string_view os_call = writes ? "apiSenderReceiverWrite" : "apiSenderReceiverRead";
    add_call(kind::access, reference(item, "label"), os_call).writes = writes;
  } else if (type == "RunnableCall" || type == "TaskRunnableCall") {
    add(kind::call, reference(item, "runnable")).times = times_of(item.child("statistic"), "statistic");
  } else if (type == "SynchronousServerCall") {
    add_call(kind::call, reference(item, "serverRunnable"), "apiSynchronousServerCallPoint");
  } else if (type == "Group") {
    read_items(item, "items", to);
  } else if (type == "CallSequence") {
    read_items(item, "calls", to);
  } else if (type == "ModeSwitch" || type == "ProbabilitySwitch" || type == "Switch") {
    to.push_back(read_choice(item));
  } else if (type == "InterProcessTrigger" || type == "InterProcessActivation") {
    add_call(kind::trigger, reference(item, "stimulus"), "apiActivateTask");
  } else if (type == "CustomEventTrigger") {
    add_call(kind::event, reference(item, "event"), "apiActivateTask");
  } else if (type == "WaitEvent") {
    add_event(kind::wait, "apiWaitEvent");
  } else if (type == "SetEvent") {
    add_event(kind::set, "apiSetEvent");
  } else if (type == "ClearEvent") {
    add_call(kind::other, "", "apiClearEvent");
  } else if (type == "SchedulePoint") {
    add_call(kind::other, "", "apiSchedule");
  } else if (type == "TerminateProcess") {
    add_call(kind::other, "", "apiTerminateTask");
  } else if (type == "EnforcedMigration") {
    add_call(kind::other, "", "apiEnforcedMigration");
  } else if (type == "SemaphoreAccess") {
    const bool gives = item.attribute("access") == "release";
    add_call(gives ? kind::unlock : kind::lock, reference(item, "semaphore"),
             gives ? "apiReleaseResource" : "apiRequestResource");
  }
}

void read_items(const xml_element& in, const char* list, amalthea_body& to) {
  for (const xml_element& item : in.children(list)) { read_item(item, to); }
}

}  // namespace

auto read_ticks(const xml_element& of) -> amalthea_ticks {
  amalthea_ticks out;
  // Some schemas have the cycles themselves where others have cycles by kinds of units.
  if (of.type().starts_with("Instructions")) { out.on_any = cycles_of(of); }
  if (const xml_element e = of.child("default")) { out.on_any = cycles_of(e); }
  for (const xml_element& e : of.children("extended")) {
    out.by_kind.emplace(reference(e, "key"), cycles_of(e.required_child("value", "cycles")));
  }
  for (const xml_element& e : of.children("needs")) {
    out.needs.emplace_back(e.required("key", "a category"), cycles_of(e.required_child("value", "a need")));
  }
  return out;
}

auto read_body(const xml_element& of) -> amalthea_body {
  amalthea_body out;
  for (const char* name : {"activityGraph", "callGraph"}) {
    const xml_element graph = of.child(name);
    if (!graph) { continue; }
    read_items(graph, "items", out);
    for (const xml_element& sequence : graph.children("graphEntries")) { read_items(sequence, "calls", out); }
  }
  read_items(of, "runnableItems", out);
  return out;
}

}  // namespace takt::program
