// SPDX-License-Identifier: Apache-2.0
#include "amalthea_chains.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "../json_value.hpp"
#include "amalthea_releases.hpp"
#include "amalthea_values.hpp"

namespace takt::program {

namespace {

using std::string_view;

class chain_reader {
 public:
  chain_reader(const std::vector<xml_element>& roots, amalthea_model& to) : out_{to} {
    for (const xml_element& root : roots) { collect(root); }
  }

  void collect(const xml_element& root) {
    for (const xml_element& all : root.children("eventModel")) {
      for (const xml_element& e : all.children("events")) { events_.emplace(e.required("name", "a name"), e); }
    }
    for (const xml_element& c : root.children("constraintsModel")) {
      for (const xml_element& chain : c.children("eventChains")) {
        chains_.emplace(chain.required("name", "a name"), chain);
        order_.push_back(chain);
      }
      for (const xml_element& limit : c.children("timingConstraints")) { limits_.push_back(limit); }
    }
  }

  void read() {
    for (const xml_element& chain : order_) {
      amalthea_chain one{.name = std::string{chain.attribute("name")}, .tasks = {}};
      parallel_ = false;
      within_.clear();
      follow(chain, one.tasks);
      if (parallel_) {
        out_.notes.push_back(fmt::format("{}: has parts side by side: not read", chain.where()));
      } else if (one.tasks.empty()) {
        out_.notes.push_back(fmt::format("{}: is about no task: not read", chain.where()));
      } else {
        out_.chains.push_back(std::move(one));
      }
    }
    for (const xml_element& limit : limits_) { read_limit(limit); }
  }

 private:
  /// The tasks of a chain and its parts.
  void follow(const xml_element& chain, std::vector<std::string>& to) {
    if (!within_.insert(chain.key()).second) { throw chain.error("contains itself", "parts that are other chains"); }
    add_event(chain, "stimulus", to);
    for (const char* list : {"segments", "items"}) {
      for (const xml_element& part : chain.children(list)) { follow_part(part, to); }
    }
    if (!chain.children("strands").empty() || chain.attribute("itemType") == "parallel") { parallel_ = true; }
    add_event(chain, "response", to);
    within_.erase(chain.key());
  }
  void follow_part(const xml_element& part, std::vector<std::string>& to) {
    if (part.type() != "EventChainReference") {
      follow(part.required_child("eventChain", "a chain as a part"), to);
      return;
    }
    const std::string name = reference(part, "eventChain");
    const auto found = chains_.find(name);
    if (found == chains_.end()) { throw dangling(part, "eventChain", name); }
    follow(found->second, to);
  }

  void add_event(const xml_element& chain, const char* attribute, std::vector<std::string>& to) {
    if (all_references(chain, attribute).empty()) { return; }
    const std::string name = reference(chain, attribute);
    const auto found = events_.find(name);
    if (found == events_.end()) { throw dangling(chain, attribute, name); }
    const std::string task = caller_of(task_of(found->second));
    if (!task.empty() && (to.empty() || to.back() != task)) { to.push_back(task); }
  }

  /// The task that an event is about; empty where it is about none, or several.
  [[nodiscard]] auto task_of(const xml_element& event) const -> std::string {
    const string_view type = event.type();
    if (!all_references(event, "process").empty()) { return named_task(event, "process"); }
    if (all_references(event, "entity").empty() && !event.has("runnable")) { return ""; }
    if (type == "ProcessEvent") { return named_task(event, "entity"); }
    if (type == "StimulusEvent") {
      const std::string stimulus = reference(event, "entity");
      return only([&](const amalthea_task& t) { return std::ranges::find(t.stimuli, stimulus) != t.stimuli.end(); });
    }
    const char* const runnable = type == "RunnableEvent" ? "entity" : "runnable";
    if (type == "RunnableEvent" || event.has(runnable)) {
      const std::string name = reference(event, runnable);
      if (!out_.runnables.contains(name)) { throw dangling(event, runnable, name); }
      return only([&](const amalthea_task& t) { return calls(t, [&](const auto& r) { return r == name; }); });
    }
    if (type != "LabelEvent") { return ""; }
    const std::string label = reference(event, "entity");
    const bool writes = event.attribute("eventType") == "write";
    return only([&](const amalthea_task& t) {
      return calls(t, [&](const std::string& r) {
        const auto found = out_.runnables.find(r);
        return found != out_.runnables.end() && any_item(found->second.body, [&](const amalthea_item& a) {
                 return a.what == amalthea_item::kind::access && a.name == label && a.writes == writes;
               });
      });
    });
  }

  [[nodiscard]] auto named_task(const xml_element& event, const char* attribute) const -> std::string {
    std::string name = reference(event, attribute);
    const bool there = std::ranges::any_of(out_.tasks, [&](const amalthea_task& t) { return t.name == name; });
    if (!there) { throw dangling(event, attribute, name); }
    return name;
  }
  template <class F>
  [[nodiscard]] auto only(const F& is_meant) const -> std::string {
    const auto first = std::ranges::find_if(out_.tasks, is_meant);
    if (first == out_.tasks.end()) { return ""; }
    const bool alone = std::find_if(std::next(first), out_.tasks.end(), is_meant) == out_.tasks.end();
    return alone ? first->name : "";
  }
  /// Whether a task calls such a runnable, by itself or through others.
  template <class F>
  [[nodiscard]] auto calls(const amalthea_task& t, const F& is_meant) const -> bool {
    std::set<std::string> seen;
    std::vector<std::string> left;
    const auto add = [&](const amalthea_item& i) {
      if (i.what == amalthea_item::kind::call) { left.push_back(i.name); }
    };
    each_item(t.body, add);
    while (!left.empty()) {
      const std::string one = std::move(left.back());
      left.pop_back();
      if (!seen.insert(one).second) { continue; }
      if (is_meant(one)) { return true; }
      const auto found = out_.runnables.find(one);
      if (found == out_.runnables.end()) { continue; }
      each_item(found->second.body, add);
    }
    return false;
  }
  /// A task that another one triggers and waits for is a part of that one.
  [[nodiscard]] auto caller_of(std::string task) const -> std::string {
    const auto callee = std::ranges::find(out_.tasks, task, &amalthea_task::name);
    if (callee == out_.tasks.end()) { return task; }
    for (const amalthea_task& t : out_.tasks) {
      const bool triggers = any_item(t.body, [&](const amalthea_item& i) {
        return i.what == amalthea_item::kind::trigger &&
               std::ranges::find(callee->stimuli, i.name) != callee->stimuli.end();
      });
      if (triggers && waits_for(t, *callee)) { return t.name; }
    }
    return task;
  }

  void read_limit(const xml_element& limit) {
    const string_view type = limit.attribute("type");
    const xml_element most = limit.child("maximum");
    const bool read = limit.type() == "EventChainLatencyConstraint" && most && (type == "Reaction" || type == "Age");
    if (!read) {
      out_.notes.push_back(
          fmt::format("{}: limits neither the reaction nor the age of a chain: not read", limit.where()));
      return;
    }
    const std::string name = reference(limit, "scope");
    if (!chains_.contains(name)) { throw dangling(limit, "scope", name); }
    const ticks time = time_of(most);
    if (time < 1) { throw limit.error("limits to nothing", "a time above 0"); }
    for (amalthea_chain& c : out_.chains) {
      ticks& to = type == "Reaction" ? c.reaction : c.age;
      if (c.name == name) { to = to == 0 ? time : std::min(to, time); }
    }
  }

  amalthea_model& out_;
  std::map<std::string, xml_element, std::less<>> events_;
  std::map<std::string, xml_element, std::less<>> chains_;
  std::vector<xml_element> order_;
  std::vector<xml_element> limits_;
  std::set<const void*> within_;
  bool parallel_ = false;
};

}  // namespace

void read_chains(const std::vector<xml_element>& roots, amalthea_model& to) { chain_reader{roots, to}.read(); }

}  // namespace takt::program
