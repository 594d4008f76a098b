// SPDX-License-Identifier: Apache-2.0
#include "amalthea_overheads.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "../json_value.hpp"
#include "amalthea_metamodel.hpp"
#include "amalthea_values.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::size_t longest_word = 60;
constexpr string_view calls_class = "OsAPIOverhead";

/// Of a semaphore whose kind is not said, and of an interrupt whose category is not said, the longest.
constexpr string_view any_request = "apiRequestResource, apiRequestSpinlock";
constexpr string_view any_release = "apiReleaseResource, apiReleaseSpinlock";
constexpr string_view any_begin = "preExecutionOverhead";
constexpr string_view any_end = "postExecutionOverhead";
/// By category.
constexpr std::array<string_view, 3> begins{any_begin, "isrCategory1Overhead.preExecutionOverhead",
                                            "isrCategory2Overhead.preExecutionOverhead"};
constexpr std::array<string_view, 3> ends{any_end, "isrCategory1Overhead.postExecutionOverhead",
                                          "isrCategory2Overhead.postExecutionOverhead"};

[[nodiscard]] auto takes_time(const amalthea_ticks& t) -> bool {
  return (t.on_any && t.on_any->upper > 0) ||
         std::ranges::any_of(t.by_kind, [](const auto& one) { return one.second.upper > 0; });
}

class system_reader {
 public:
  explicit system_reader(amalthea_model& to) : out_{to} {}

  void read_overheads(const xml_element& os) {
    for (const xml_element& o : os.children("osOverheads")) { add_named(overheads_, o, o); }
  }

  void read_systems(const xml_element& os, std::map<std::string, std::size_t>& by_scheduler) {
    for (const xml_element& s : os.children("operatingSystems")) {
      for (const char* list : {"taskSchedulers", "interruptControllers"}) {
        for (const xml_element& scheduler : s.children(list)) {
          by_scheduler.emplace(scheduler.attribute("name"), out_.systems.size());
        }
      }
      system_ = {.name = one_line(s.attribute("name"), longest_word)};
      charged_.clear();
      if (!all_references(s, "overhead").empty()) { read_calls(overhead_of(s)); }
      out_.systems.push_back(std::move(system_));
    }
  }

  void look_at_unused() {
    for (const auto& [name, overhead] : overheads_) {
      if (!used_.contains(name)) { out_.note(fmt::format("{}: no operating system has it", overhead.where())); }
    }
  }

 private:
  [[nodiscard]] auto overhead_of(const xml_element& system) -> const xml_element& {
    const std::string name = reference(system, "overhead");
    const auto found = overheads_.find(name);
    if (found == overheads_.end()) { throw dangling(system, "overhead", name); }
    used_.insert(name);
    return found->second;
  }

  void read_calls(const xml_element& overhead) {
    if (const xml_element calls = overhead.child("apiOverhead")) {
      for (const xml_element& call : calls.children()) {
        const auto* const known = metamodel_feature_of(calls_class, call.tag());
        if (known != nullptr && known->owner == calls_class) { read_call(call, known->name); }
      }
    }
    for (std::size_t category = 1; category < begins.size(); ++category) {
      const xml_element isr = overhead.child(category == 1 ? "isrCategory1Overhead" : "isrCategory2Overhead");
      if (!isr) { continue; }
      if (const xml_element e = isr.child("preExecutionOverhead")) { add(begins.at(category), any_begin, e); }
      if (const xml_element e = isr.child("postExecutionOverhead")) { add(ends.at(category), any_end, e); }
    }
    if (charged_.empty()) { return; }
    out_.note(
        fmt::format("{}: its calls take CPU time of the job that makes them, at the priority of that job: {}; each job "
                    "of a task is activated, scheduled and terminated once",
                    system_.name.empty() ? "operating system" : system_.name, charged_));
  }

  void read_call(const xml_element& call, string_view name) {
    const auto values = metamodel_values();
    const auto no_caller = std::ranges::find_if(
        values, [&](const harmless_values& v) { return v.owner == calls_class && v.name == name; });
    if (no_caller == values.end()) {
      const bool requests = any_request.find(name) != string_view::npos;
      const bool releases = any_release.find(name) != string_view::npos;
      add(name, requests ? any_request : releases ? any_release : "", call);
    } else if (takes_time(read_ticks(call))) {
      out_.omit(fmt::format("{}.{}", calls_class, name), std::string{no_caller->why});
    }
  }

  /// `any`: of which it is one, too.
  void add(string_view name, string_view any, const xml_element& e) {
    const amalthea_ticks ticks = read_ticks(e);
    if (!takes_time(ticks)) { return; }
    system_.calls[std::string{name}].push_back(ticks);
    if (!any.empty()) { system_.calls[std::string{any}].push_back(ticks); }
    charged_ += fmt::format("{}{}", charged_.empty() ? "" : ", ", name);
  }

  amalthea_model& out_;
  std::map<std::string, xml_element> overheads_;
  std::set<std::string> used_;
  amalthea_system system_;
  std::string charged_;  ///< the calls that take time
};

}  // namespace

auto read_systems(const std::vector<xml_element>& os, amalthea_model& to) -> std::map<std::string, std::size_t> {
  std::map<std::string, std::size_t> out;
  system_reader reader{to};
  for (const xml_element& o : os) { reader.read_overheads(o); }
  for (const xml_element& o : os) { reader.read_systems(o, out); }
  reader.look_at_unused();
  const auto takes_time = [](const amalthea_system& s) { return !s.calls.empty(); };
  if (to.systems.size() > 1 && std::ranges::any_of(to.systems, takes_time)) {
    to.note("operating systems differ in what their calls take: tasks are to stay on the cores of theirs");
  }
  return out;
}

auto call_of(const amalthea_item& item, const amalthea_model& model) -> string_view {
  const bool locks = item.what == amalthea_item::kind::lock;
  if (!locks && item.what != amalthea_item::kind::unlock) { return item.os_call; }
  const auto semaphore = model.semaphores.find(item.name);
  if (semaphore == model.semaphores.end() || !semaphore->second.spins) { return locks ? any_request : any_release; }
  if (!*semaphore->second.spins) { return item.os_call; }
  return locks ? "apiRequestSpinlock" : "apiReleaseSpinlock";
}

auto calls_of_job(const amalthea_task& t) -> job_calls {
  if (!t.is_isr) { return {.before = {"apiActivateTask", "apiSchedule"}, .behind = {"apiTerminateTask"}}; }
  const auto category = static_cast<std::size_t>(t.category);
  return {.before = {begins.at(category)}, .behind = {ends.at(category)}};
}

}  // namespace takt::program
