// SPDX-License-Identifier: Apache-2.0
#include "amalthea_model.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "../json_value.hpp"
#include "amalthea_audit.hpp"
#include "amalthea_chains.hpp"
#include "amalthea_hardware.hpp"
#include "amalthea_schedulers.hpp"
#include "amalthea_stimuli.hpp"
#include "amalthea_values.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr string_view schemas = "http://app4mc.eclipse.org/amalthea/ and 0.7 to 3.x";

class model_reader {
 public:
  explicit model_reader(const std::vector<const xml_file*>& files) {
    for (const xml_file* file : files) { roots_.push_back(file->root()); }
  }

  [[nodiscard]] auto read() -> amalthea_model {
    for (const xml_element& root : roots_) {
      read_version(root);
      for (const audited_kind& kind : audit(root)) {
        if (kind.how == treatment::left_out) { out_.omit(kind.name, kind.why, static_cast<std::int64_t>(kind.count)); }
      }
    }
    for (const xml_element& hw : parts("hwModel")) { read_hardware(hw, out_); }
    for (const xml_element& stimuli : parts("stimuliModel")) { read_stimuli(stimuli, out_); }
    for (const xml_element& events : parts("eventModel")) { read_events(events, out_); }
    for (const xml_element& sw : parts("swModel")) { read_software(sw); }
    read_schedulers(parts("osModel"), parts("mappingModel"), out_);
    for (const xml_element& c : parts("constraintsModel")) { read_limits(c); }
    check_references();
    read_chains(roots_, out_);
    return std::move(out_);
  }

 private:
  [[nodiscard]] auto parts(string_view tag) const -> std::vector<xml_element> {
    std::vector<xml_element> out;
    for (const xml_element& root : roots_) {
      for (const xml_element& e : root.children(tag)) { out.push_back(e); }
    }
    return out;
  }

  void read_version(const xml_element& root) {
    const string_view tag = root.tag();
    const auto colon = tag.find(':');
    const bool is_model = colon != string_view::npos && tag.substr(colon + 1) == "Amalthea";
    if (!is_model) { throw root.error("is no AMALTHEA model", "am:Amalthea"); }
    const string_view schema = root.attribute(fmt::format("xmlns:{}", tag.substr(0, colon)).c_str());
    constexpr string_view base = "http://app4mc.eclipse.org/amalthea/";
    const string_view version = schema.starts_with(base) ? schema.substr(base.size()) : "";
    int major = -1;
    int minor = -1;
    const char* const last = version.data() + version.size();
    const auto [dot, bad] = std::from_chars(version.data(), last, major);
    if (bad == std::errc{} && dot != last && *dot == '.') { std::from_chars(dot + 1, last, minor); }
    const bool known = (major == 0 && minor >= 7) || (major >= 1 && major <= 3 && minor >= 0);
    if (!known) {
      throw root.error(fmt::format("is of the schema \"{}\"", one_line(std::string{schema}, 80)), schemas);
    }
    out_.major = major;
  }

  void read_software(const xml_element& sw) {
    for (const char* list : {"labels", "modeLabels"}) {
      for (const xml_element& l : sw.children(list)) {
        const xml_element size = l.child("size");
        add_named(out_.label_bytes, l, size ? bytes_of(size) : std::int64_t{-1});
      }
    }
    for (const xml_element& r : sw.children("runnables")) {
      add_named(out_.runnables, r, amalthea_runnable{.body = read_body(r), .at = r});
    }
    for (const char* list : {"tasks", "isrs"}) {
      for (const xml_element& t : sw.children(list)) { read_task(t, string_view{list} == "isrs"); }
    }
  }

  void read_task(const xml_element& t, bool is_isr) {
    amalthea_task task{.name = name_of(t),
                       .is_isr = is_isr,
                       .preemption = preemption_of(t),
                       .category = category_of(t),
                       .stimuli = all_references(t, "stimuli"),
                       .body = read_body(t),
                       .units = {},
                       .priority = {},
                       .at = t};
    if (t.has("priority")) { task.priority = priority_in(t, "priority"); }
    // Tools keep priorities there which older schemas had as an attribute.
    for (const xml_element& p : t.children("customProperties")) {
      const xml_element value = p.attribute("key") == "priority" ? p.child("value") : p;
      if (value.tag() == "value" && value.has("value")) { task.priority = priority_in(value, "value"); }
    }
    if (out_.task_named(task.name) != nullptr) { throw t.error("has the name of another one", "a name of its own"); }
    out_.tasks.push_back(std::move(task));
  }
  [[nodiscard]] static auto preemption_of(const xml_element& t) -> amalthea_preemption {
    const string_view said = t.attribute("preemption");
    if (said == "preemptive") { return amalthea_preemption::preemptive; }
    if (said == "cooperative") { return amalthea_preemption::cooperative; }
    if (said == "non_preemptive") { return amalthea_preemption::nonpreemptive; }
    return amalthea_preemption::unsaid;
  }

  [[nodiscard]] static auto category_of(const xml_element& t) -> int {
    const string_view said = t.attribute("category");
    if (said == "CATEGORY_1") { return 1; }
    return said == "CATEGORY_2" ? 2 : 0;
  }

  void read_limits(const xml_element& c) {
    for (const xml_element& r : c.children("requirements")) {
      const xml_element limit = r.child("limit");
      if (r.type() != "ProcessRequirement") { continue; }
      const bool upper = limit && limit.type() == "TimeRequirementLimit" &&
                         limit.attribute("limitType") == "UpperLimit" && limit.attribute("metric") == "ResponseTime";
      if (!upper) {
        out_.note(fmt::format("{}: limits no response time from above: not read", r.where()));
        continue;
      }
      const std::string name = reference(r, "process");
      const auto task = std::ranges::find(out_.tasks, name, &amalthea_task::name);
      if (task == out_.tasks.end()) { throw dangling(r, "process", name); }
      const ticks deadline = time_of(limit.required_child("limitValue", "a time"));
      if (deadline < 1) { throw r.error("limits to nothing", "a time above 0"); }
      task->deadline = task->deadline == 0 ? deadline : std::min(task->deadline, deadline);
    }
  }

  void check_references() const {
    const auto check = [&](const amalthea_item& i) {
      if (i.what == amalthea_item::kind::call && !out_.runnables.contains(i.name)) {
        throw dangling(i.at, "runnable", i.name);
      }
      if (i.what == amalthea_item::kind::trigger && !out_.stimuli.contains(i.name)) {
        throw dangling(i.at, "stimulus", i.name);
      }
    };
    for (const amalthea_task& t : out_.tasks) {
      for (const std::string& s : t.stimuli) {
        if (!out_.stimuli.contains(s)) { throw dangling(t.at, "stimuli", s); }
      }
      each_item(t.body, check);
    }
    for (const auto& [name, r] : out_.runnables) { each_item(r.body, check); }
  }

  std::vector<xml_element> roots_;
  amalthea_model out_;
};

}  // namespace

void amalthea_model::omit(const std::string& kind, const std::string& because, std::int64_t count) {
  const auto known = std::ranges::find(incomplete, kind, &omitted_kind::kind);
  if (known != incomplete.end()) {
    known->count += count;
    return;
  }
  incomplete.push_back({.kind = kind, .count = count, .because = because});
}

void amalthea_model::note(std::string text) {
  if (std::ranges::find(notes, text) == notes.end()) { notes.push_back(std::move(text)); }
}

auto amalthea_model::task_named(const std::string& name) const -> const amalthea_task* {
  const auto found = std::ranges::find(tasks, name, &amalthea_task::name);
  return found == tasks.end() ? nullptr : &*found;
}

auto read_amalthea(const std::vector<const xml_file*>& files) -> amalthea_model { return model_reader{files}.read(); }

}  // namespace takt::program
