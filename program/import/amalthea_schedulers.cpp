// SPDX-License-Identifier: Apache-2.0
#include "amalthea_schedulers.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "../json_value.hpp"
#include "amalthea_overheads.hpp"
#include "amalthea_values.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::size_t longest_word = 60;

class scheduler_reader {
 public:
  scheduler_reader(amalthea_model& to, std::map<std::string, std::size_t> systems)
      : out_{to}, systems_{std::move(systems)} {}

  void read_os(const xml_element& os) {
    for (const xml_element& s : os.children("semaphores")) {
      add_named(
          out_.semaphores, s,
          amalthea_semaphore{.most = s.has("maxValue") ? static_cast<std::int64_t>(real(s, "maxValue", 0, 1e9)) : 0,
                             .has_ceiling = s.attribute("priorityCeilingProtocol") == "true",
                             .spins = spins(s)});
    }
    for (const xml_element& system : os.children("operatingSystems")) {
      for (const xml_element& s : system.children("taskSchedulers")) {
        std::string algorithm{s.child("schedulingAlgorithm").type()};
        const auto named = all_references(s, "definition");
        if (algorithm.empty() && !named.empty()) { algorithm = named.front(); }
        algorithms_.emplace(name_of(s), std::move(algorithm));
      }
    }
  }

  void read_units(const xml_element& m) {
    const auto read = [&](const char* list, const char* units) {
      for (const xml_element& a : m.children(list)) {
        auto& to = out_.schedulers[reference(a, "scheduler")];
        for (std::string& u : all_references(a, units)) { to.push_back(std::move(u)); }
      }
    };
    read("schedulerAllocation", "responsibility");
    read("coreAllocation", "core");
  }

  void read_tasks(const xml_element& m) {
    for (const xml_element& a : m.children("taskAllocation")) {
      amalthea_task& t = task_of(a, "task");
      t.allocation = a;
      t.units = all_references(a, "affinity");
      if (t.units.empty()) { t.units = units_by(a, "scheduler"); }
      t.system = system_by(a, "scheduler");
      check_units(a, t);
      for (const xml_element& p : a.children("schedulingParameters")) { read_priority(p, t); }
      for (const xml_element& p : a.children("parameterExtensions")) {
        const string_view key = p.attribute("key");
        if (key.starts_with("TimeSlice")) {
          t.slice = time_in(p, p.required("value", "a time"));
        } else {
          out_.omit(fmt::format("ParameterExtension \"{}\"", one_line(key, longest_word)),
                    "a parameter of a scheduler can delay its tasks");
        }
      }
    }
    for (const xml_element& a : m.children("isrAllocation")) {
      amalthea_task& t = task_of(a, "isr");
      t.allocation = a;
      t.units = units_by(a, "controller");
      t.system = system_by(a, "controller");
      check_units(a, t);
      if (a.has("priority")) { t.priority = priority_in(a, "priority"); }
    }
  }

  /// Where some operating system takes time, each task needs one.
  void check_systems() {
    if (std::ranges::all_of(out_.systems, [](const amalthea_system& s) { return s.calls.empty(); })) { return; }
    const auto without = std::ranges::count_if(out_.tasks, [](const amalthea_task& t) { return !t.system; });
    if (without == 0) { return; }
    out_.omit("task without an operating system", "calls of the operating system take time, and it is not known whose",
              without);
  }

  /// How cores are scheduled: one way for all of them.
  void read_algorithms() {
    std::set<string_view> rules;
    for (const auto& [scheduler, units] : out_.schedulers) {
      const bool on_cores = std::ranges::any_of(units, [&](const std::string& u) {
        return std::ranges::any_of(out_.units, [&](const amalthea_unit& o) { return o.name == u && !o.is_gpu; });
      });
      const auto known = algorithms_.find(scheduler);
      if (!on_cores || known == algorithms_.end() || known->second.empty()) { continue; }
      rules.insert(rule_of(scheduler, known->second));
    }
    if (rules.empty()) { out_.note("how cores are scheduled is not said: the rule fixed-priority is assumed"); }
    if (rules.size() == 1) { out_.cpu_policy = std::string{*rules.begin()}; }
    if (rules.size() > 1) {
      out_.omit("schedulers of several kinds",
                "a core with another rule than fixed priorities can delay each task more");
    }
  }

 private:
  [[nodiscard]] auto rule_of(const std::string& scheduler, const std::string& algorithm) -> string_view {
    if (algorithm == "EarliestDeadlineFirst") { return "edf"; }
    if (algorithm == "DeadlineMonotonic") { return "deadline-monotonic"; }
    if (algorithm == "RateMonotonic") { return "rate-monotonic"; }
    if (algorithm == "OSEK" || algorithm == "FixedPriorityPreemptive" || algorithm == "FixedPriority") {
      return "fixed-priority";
    }
    if (algorithm == "PriorityBasedRoundRobin") {
      out_.note(fmt::format("{}: tasks of different priorities are taken not to share their core in turns",
                            one_line(scheduler, longest_word)));
      return "fixed-priority";
    }
    if (algorithm.find("NonPreemptive") != std::string::npos) {
      for (amalthea_task& t : out_.tasks) {
        if (!t.is_isr) { t.preemption = amalthea_preemption::nonpreemptive; }
      }
      return "fixed-priority";
    }
    out_.omit(fmt::format("scheduler {}", one_line(algorithm, longest_word)),
              "another rule than fixed priorities can delay each task more");
    return "fixed-priority";
  }

  [[nodiscard]] auto units_by(const xml_element& allocation, const char* attribute) -> std::vector<std::string> {
    const auto named = all_references(allocation, attribute);
    if (named.empty()) { return {}; }
    const auto found = out_.schedulers.find(named.front());
    return found == out_.schedulers.end() ? std::vector<std::string>{} : found->second;
  }
  [[nodiscard]] auto system_by(const xml_element& allocation, const char* attribute) const
      -> std::optional<std::size_t> {
    const auto named = all_references(allocation, attribute);
    const auto found = named.empty() ? systems_.end() : systems_.find(named.front());
    return found == systems_.end() ? std::nullopt : std::optional{found->second};
  }
  [[nodiscard]] static auto spins(const xml_element& semaphore) -> std::optional<bool> {
    const string_view said = semaphore.attribute("semaphoreType");
    if (said == "Spinlock") { return true; }
    return said == "Resource" || said == "CountingSemaphore" ? std::optional{false} : std::nullopt;
  }
  void check_units(const xml_element& a, const amalthea_task& t) const {
    for (const std::string& u : t.units) {
      const bool there = std::ranges::any_of(out_.units, [&](const amalthea_unit& o) { return o.name == u; });
      if (!there) { throw dangling(a, "affinity", u); }
    }
  }
  [[nodiscard]] auto task_of(const xml_element& by, const char* attribute) -> amalthea_task& {
    const std::string name = reference(by, attribute);
    const auto found = std::ranges::find(out_.tasks, name, &amalthea_task::name);
    if (found == out_.tasks.end()) { throw dangling(by, attribute, name); }
    return *found;
  }
  static void read_priority(const xml_element& p, amalthea_task& to) {
    if (p.has("priority")) {
      to.priority = priority_in(p, "priority");
    } else if (is_priority(p)) {
      to.priority = priority_in(p.required_child("value", "a priority"), "value");
    }
  }

  amalthea_model& out_;
  std::map<std::string, std::size_t> systems_;     ///< of schedulers and interrupt controllers
  std::map<std::string, std::string> algorithms_;  ///< of schedulers
};

}  // namespace

auto priority_in(const xml_element& e, const char* attribute) -> std::int64_t {
  constexpr double most = 1e9;
  return static_cast<std::int64_t>(real(e, attribute, -most, most));
}

void read_schedulers(const std::vector<xml_element>& os, const std::vector<xml_element>& mapping, amalthea_model& to) {
  scheduler_reader reader{to, read_systems(os, to)};
  for (const xml_element& o : os) { reader.read_os(o); }
  for (const xml_element& m : mapping) { reader.read_units(m); }
  for (const xml_element& m : mapping) { reader.read_tasks(m); }
  reader.check_systems();
  reader.read_algorithms();
}

}  // namespace takt::program
