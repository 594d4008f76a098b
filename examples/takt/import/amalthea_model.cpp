// SPDX-License-Identifier: Apache-2.0
#include "amalthea_model.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "../json_value.hpp"
#include "amalthea_chains.hpp"
#include "amalthea_hardware.hpp"
#include "amalthea_values.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::size_t longest_word = 60;
constexpr string_view schemas = "http://app4mc.eclipse.org/amalthea/ and 0.7 to 3.x";

class model_reader {
 public:
  explicit model_reader(const xml_file& file) : root_{file.root()} {}

  [[nodiscard]] auto read() -> amalthea_model {
    read_version();
    for (const xml_element& hw : root_.children("hwModel")) { read_hardware(hw, out_); }
    for (const xml_element& all : root_.children("stimuliModel")) {
      for (const xml_element& s : all.children("stimuli")) { add_named(out_.stimuli, s, stimulus_of(s)); }
    }
    for (const xml_element& sw : root_.children("swModel")) { read_software(sw); }
    for (const xml_element& os : root_.children("osModel")) { read_schedulers(os); }
    for (const xml_element& m : root_.children("mappingModel")) { read_mapping(m); }
    read_algorithms();
    for (const xml_element& c : root_.children("constraintsModel")) { read_limits(c); }
    check_references();
    read_chains(root_, out_);
    return std::move(out_);
  }

 private:
  void read_version() {
    const string_view tag = root_.tag();
    const auto colon = tag.find(':');
    const bool is_model = colon != string_view::npos && tag.substr(colon + 1) == "Amalthea";
    if (!is_model) { throw root_.error("is no AMALTHEA model", "am:Amalthea"); }
    const string_view schema = root_.attribute(fmt::format("xmlns:{}", tag.substr(0, colon)).c_str());
    constexpr string_view base = "http://app4mc.eclipse.org/amalthea/";
    const string_view version = schema.starts_with(base) ? schema.substr(base.size()) : "";
    int major = -1;
    int minor = -1;
    const char* const last = version.data() + version.size();
    const auto [dot, bad] = std::from_chars(version.data(), last, major);
    if (bad == std::errc{} && dot != last && *dot == '.') { std::from_chars(dot + 1, last, minor); }
    const bool known = (major == 0 && minor >= 7) || (major >= 1 && major <= 3 && minor >= 0);
    if (!known) {
      throw root_.error(fmt::format("is of the schema \"{}\"", one_line(std::string{schema}, 80)), schemas);
    }
    out_.major = major;
  }

  // Stimuli.

  [[nodiscard]] static auto stimulus_of(const xml_element& s) -> amalthea_stimulus {
    using kind = amalthea_stimulus::kind;
    amalthea_stimulus out;
    const string_view type = s.type();
    if (type == "InterProcessStimulus" || type == "InterProcess") {
      out.what = kind::inter_process;
      return out;
    }
    if (type == "PeriodicStimulus" || type == "Periodic") {
      out.period = time_of(s.required_child("recurrence", "a period"));
      if (const xml_element e = s.child("offset")) { out.offset = time_of(e); }
      if (const xml_element e = s.child("jitter")) { out.jitter = longest_time(e); }
    } else if (type == "RelativePeriodicStimulus") {
      out.what = kind::sporadic;
      const xml_element e = s.required_child("nextOccurrence", "times between two");
      out.period = time_of(e.required_child("lowerBound", "a shortest time"));
    } else if (type == "SporadicStimulus" || type == "Sporadic") {
      out.what = kind::sporadic;
      const xml_element e = s.required_child("stimulusDeviation", "times between two");
      out.period = time_of(e.required_child("lowerBound", "a shortest time"));
    } else {
      throw s.error("is a kind of stimulus that is not read",
                    "PeriodicStimulus, RelativePeriodicStimulus, SporadicStimulus, InterProcessStimulus");
    }
    if (out.period < 1) { throw s.error("has no time above 0 between two releases", "a time above 0"); }
    return out;
  }
  [[nodiscard]] static auto longest_time(const xml_element& e) -> ticks {
    if (const xml_element upper = e.child("upperBound")) { return time_of(upper); }
    if (const xml_element value = e.child("value")) { return time_of(value); }
    throw e.error("has no longest value", "upperBound, or a value");
  }

  // Software.

  void read_software(const xml_element& sw) {
    for (const xml_element& l : sw.children("labels")) {
      const xml_element size = l.child("size");
      add_named(out_.label_bytes, l, size ? bytes_of(size) : std::int64_t{0});
    }
    for (const xml_element& r : sw.children("runnables")) {
      amalthea_runnable body{.ticks = {}, .accesses = {}, .calls = {}, .at = r};
      for (const char* list : {"activityGraph", "callGraph"}) {
        if (const xml_element graph = r.child(list)) { read_body(graph, "items", body); }
      }
      read_body(r, "runnableItems", body);
      add_named(out_.runnables, r, std::move(body));
    }
    for (const xml_element& t : sw.children("tasks")) {
      amalthea_task task{.name = name_of(t),
                         .stimuli = references(t.attribute("stimuli")),
                         .steps = {},
                         .units = {},
                         .priority = {},
                         .at = t};
      if (t.has("priority")) { task.priority = priority_in(t); }
      for (const char* list : {"activityGraph", "callGraph"}) {
        const xml_element graph = t.child(list);
        if (!graph) { continue; }
        read_steps(graph, "items", task);
        for (const xml_element& sequence : graph.children("graphEntries")) { read_steps(sequence, "calls", task); }
      }
      const bool twice = std::ranges::any_of(out_.tasks, [&](const auto& o) { return o.name == task.name; });
      if (twice) { throw t.error("has the name of another one", "a name of its own"); }
      out_.tasks.push_back(std::move(task));
    }
  }

  void read_body(const xml_element& in, const char* list, amalthea_runnable& to) {
    for (const xml_element& item : in.children(list)) {
      const string_view type = item.type();
      if (type == "Ticks" || type == "RunnableInstructions") {
        amalthea_ticks& ticks = to.ticks.emplace_back();
        if (const xml_element e = item.child("default")) { ticks.on_any = cycles_of(e); }
        for (const xml_element& e : item.children("extended")) {
          ticks.by_kind.emplace(reference(e, "key"), cycles_of(e.required_child("value", "cycles")));
        }
      } else if (type == "LabelAccess") {
        to.accesses.push_back({reference(item, "data"), item.attribute("access") == "write"});
      } else if (type == "RunnableCall") {
        to.calls.push_back(reference(item, "runnable"));
      } else if (type == "Group") {
        read_body(item, "items", to);
      } else {
        throw item.error("is not read in a runnable", "Ticks, LabelAccess, RunnableCall, Group");
      }
    }
  }

  void read_steps(const xml_element& in, const char* list, amalthea_task& to) {
    using kind = amalthea_step::kind;
    for (const xml_element& item : in.children(list)) {
      const string_view type = item.type();
      const auto event = [&] { return reference(item.required_child("eventMask", "an event"), "events"); };
      if (type == "Group" || type == "CallSequence") {
        read_steps(item, type == "Group" ? "items" : "calls", to);
      } else if (type == "RunnableCall" || type == "TaskRunnableCall") {
        to.steps.push_back({kind::runnable, reference(item, "runnable"), false, item});
      } else if (type == "InterProcessTrigger" || type == "InterProcessActivation") {
        to.steps.push_back({kind::trigger, reference(item, "stimulus"), false, item});
      } else if (type == "WaitEvent") {
        to.steps.push_back({kind::wait, event(), item.attribute("waitingBehaviour") == "active", item});
      } else if (type == "SetEvent") {
        to.steps.push_back({kind::set, event(), false, item});
      } else if (type != "ClearEvent") {
        throw item.error("is not read in a task",
                         "RunnableCall, InterProcessTrigger, WaitEvent, SetEvent, ClearEvent, Group");
      }
    }
  }

  // Mapping and limits.

  void read_schedulers(const xml_element& os) {
    for (const xml_element& system : os.children("operatingSystems")) {
      for (const xml_element& s : system.children("taskSchedulers")) {
        algorithms_.emplace(name_of(s), std::string{s.child("schedulingAlgorithm").type()});
      }
    }
  }

  void read_mapping(const xml_element& m) {
    auto& units_of = out_.schedulers;
    for (const xml_element& a : m.children("schedulerAllocation")) {
      auto& to = units_of[reference(a, "scheduler")];
      for (std::string& u : references(a.attribute("responsibility"))) { to.push_back(std::move(u)); }
    }
    for (const xml_element& a : m.children("coreAllocation")) {
      auto& to = units_of[reference(a, "scheduler")];
      for (std::string& u : references(a.attribute("core"))) { to.push_back(std::move(u)); }
    }
    for (const xml_element& a : m.children("taskAllocation")) {
      amalthea_task& t = task_of(a, "task");
      t.allocation = a;
      t.units = references(a.attribute("affinity"));
      if (t.units.empty() && a.has("scheduler")) { t.units = units_of[reference(a, "scheduler")]; }
      for (const std::string& u : t.units) {
        const bool there = std::ranges::any_of(out_.units, [&](const amalthea_unit& o) { return o.name == u; });
        if (!there) { throw dangling(a, "affinity", u); }
      }
      for (const xml_element& p : a.children("schedulingParameters")) { read_priority(p, t); }
      for (const xml_element& p : a.children("parameterExtensions")) {
        if (p.attribute("key").starts_with("TimeSlice")) { t.slice = time_in(p, p.required("value", "a time")); }
      }
    }
  }

  /// How cores are scheduled: one way for all of them.
  void read_algorithms() {
    std::size_t earliest_deadline = 0;
    std::size_t others = 0;
    for (const auto& [scheduler, units] : out_.schedulers) {
      const bool on_cores = std::ranges::any_of(units, [&](const std::string& u) {
        return std::ranges::any_of(out_.units, [&](const amalthea_unit& o) { return o.name == u && !o.is_gpu; });
      });
      const auto known = algorithms_.find(scheduler);
      if (!on_cores || known == algorithms_.end() || known->second.empty()) { continue; }
      const std::string& algorithm = known->second;
      (algorithm == "EarliestDeadlineFirst" ? earliest_deadline : others) += 1;
      const bool by_priority =
          algorithm == "OSEK" || algorithm.starts_with("FixedPriority") || algorithm == "EarliestDeadlineFirst";
      if (by_priority) { continue; }
      out_.notes.push_back(fmt::format("{}: schedules by {}: fixed priorities are assumed",
                                       one_line(scheduler, longest_word), one_line(algorithm, longest_word)));
    }
    if (earliest_deadline == 0 && others == 0) {
      out_.notes.push_back("how cores are scheduled is not said: the rule fixed-priority is assumed");
    }
    if (earliest_deadline > 0 && others == 0) { out_.cpu_policy = "edf"; }
    if (earliest_deadline > 0 && others > 0) {
      out_.notes.push_back("some cores are scheduled by deadlines: fixed priorities are assumed for all");
    }
  }

  static void read_priority(const xml_element& p, amalthea_task& to) {
    if (p.has("priority")) {
      to.priority = priority_in(p);
    } else if (is_priority(p)) {
      to.priority = priority_in(p.required_child("value", "a priority"), "value");
    }
  }
  [[nodiscard]] static auto priority_in(const xml_element& e, const char* attribute = "priority") -> std::int64_t {
    constexpr double most = 1e9;
    return static_cast<std::int64_t>(real(e, attribute, -most, most));
  }

  void read_limits(const xml_element& c) {
    for (const xml_element& r : c.children("requirements")) {
      const xml_element limit = r.child("limit");
      const bool upper = r.type() == "ProcessRequirement" && limit && limit.type() == "TimeRequirementLimit" &&
                         limit.attribute("limitType") == "UpperLimit" && limit.attribute("metric") == "ResponseTime";
      if (!upper) {
        out_.notes.push_back(fmt::format("{}: limits no response time from above: not read", r.where()));
        continue;
      }
      amalthea_task& t = task_of(r, "process");
      const ticks deadline = time_of(limit.required_child("limitValue", "a time"));
      if (deadline < 1) { throw r.error("limits to nothing", "a time above 0"); }
      t.deadline = t.deadline == 0 ? deadline : std::min(t.deadline, deadline);
    }
  }

  [[nodiscard]] auto task_of(const xml_element& by, const char* attribute) -> amalthea_task& {
    const std::string name = reference(by, attribute);
    const auto found = std::ranges::find(out_.tasks, name, &amalthea_task::name);
    if (found == out_.tasks.end()) { throw dangling(by, attribute, name); }
    return *found;
  }

  void check_references() const {
    for (const amalthea_task& t : out_.tasks) {
      for (const std::string& s : t.stimuli) {
        if (!out_.stimuli.contains(s)) { throw dangling(t.at, "stimuli", s); }
      }
      for (const amalthea_step& s : t.steps) {
        switch (s.what) {
          case amalthea_step::kind::runnable:
            if (!out_.runnables.contains(s.name)) { throw dangling(s.at, "runnable", s.name); }
            break;
          case amalthea_step::kind::trigger:
            if (!out_.stimuli.contains(s.name)) { throw dangling(s.at, "stimulus", s.name); }
            break;
          case amalthea_step::kind::wait:
          case amalthea_step::kind::set: break;
        }
      }
    }
  }

  xml_element root_;
  amalthea_model out_;
  std::map<std::string, std::string> algorithms_;  ///< of schedulers
};

}  // namespace

auto read_amalthea(const xml_file& file) -> amalthea_model { return model_reader{file}.read(); }

}  // namespace takt::program
