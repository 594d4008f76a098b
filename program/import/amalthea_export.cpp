// SPDX-License-Identifier: Apache-2.0
#include "amalthea_export.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "../json_value.hpp"
#include "amalthea_releases.hpp"
#include "amalthea_values.hpp"
#include "xml_edit.hpp"

namespace takt::program {

namespace {

class plan_export {
 public:
  plan_export(const xml_file& file, const amalthea_model& model, const workload_file& plan)
      : model_{model}, plan_{plan}, edit_{file}, releases_{model} {}

  [[nodiscard]] auto write() -> std::string {
    for (const amalthea_unit& u : model_.units) { (u.is_gpu ? gpus_ : cores_).push_back(&u); }
    for (std::size_t i = 0; i < plan_.tasks.size(); ++i) { write_task(i); }
    for (const amalthea_task& t : model_.tasks) { require_planned(t); }
    return edit_.text();
  }

 private:
  void write_task(std::size_t i) {
    const runtime_task& planned = plan_.tasks.tasks[i];
    const amalthea_task& t = task_of(planned.name, plan_.task_at[i]);
    const amalthea_unit& core = core_of(planned, plan_.task_at[i]);
    require_offset(t, i);
    place(t, core);
    if (planned.priority != no_priority) { write_priority(t, rank(planned.priority)); }
    std::vector<const runtime_visit*> kernels;
    for (std::size_t v = 0; v < planned.visit_count; ++v) {
      const runtime_visit& visit = plan_.tasks.visit(i, v);
      if (is_on_gpu(visit.where)) { kernels.push_back(&visit); }
    }
    const auto triggered = triggered_by(t, !kernels.empty());
    if (!kernels.empty() && kernels.size() != triggered.size()) {
      throw input_error{plan_.task_at[i], fmt::format("has {} kernels", kernels.size()),
                        fmt::format("none, or the {} of the model", triggered.size())};
    }
    for (std::size_t k = 0; k < triggered.size(); ++k) {
      const amalthea_task& callee = *triggered[k];
      if (kernels.empty()) {
        place(callee, core);
        if (planned.priority != no_priority) { write_priority(callee, rank(planned.priority)); }
        continue;
      }
      place(callee, *gpus_[0]);
      if (kernels[k]->known.has(visit_fact::slice)) { write_slice(callee, kernels[k]->slice); }
    }
  }

  void require_offset(const amalthea_task& t, std::size_t i) const {
    ticks own = 0;
    for (const std::string& name : t.stimuli) {
      for (const ticks offset : model_.stimuli.at(name).offsets) { own = std::max(own, offset); }
    }
    if (plan_.tasks.tasks[i].offset == own) { return; }
    throw input_error{step_into(plan_.task_at[i], "offset"), "is not that of the model, which stays as it is",
                      fmt::format("{} ns, the offset of its stimulus", own)};
  }

  /// The tasks that a task triggers, in their order; with `on_gpu` those that the model has on the GPU.
  [[nodiscard]] auto triggered_by(const amalthea_task& t, bool on_gpu) const -> std::vector<const amalthea_task*> {
    std::vector<const amalthea_task*> out;
    for (const amalthea_item& i : t.body) {
      if (i.what != amalthea_item::kind::trigger) { continue; }
      const auto callee = std::ranges::find_if(model_.tasks, [&](const amalthea_task& o) {
        return std::ranges::find(o.stimuli, i.name) != o.stimuli.end() && waits_for(t, o);
      });
      const bool wanted = callee != model_.tasks.end() && (!on_gpu || is_on_gpu(*callee));
      if (wanted) { out.push_back(&*callee); }
    }
    return out;
  }
  [[nodiscard]] auto is_on_gpu(const amalthea_task& t) const -> bool {
    return !gpus_.empty() && std::ranges::all_of(t.units, [&](const auto& u) { return u == gpus_[0]->name; });
  }

  /// What others trigger is placed with them.
  void require_planned(const amalthea_task& t) {
    const bool by_itself = !releases_.of(t).empty();
    const bool planned =
        std::ranges::any_of(plan_.tasks.tasks, [&](const runtime_task& p) { return p.name == t.name; });
    if (!by_itself || planned) { return; }
    throw input_error{"/tasks", fmt::format("the plan has no task \"{}\"", one_line(t.name, 60)),
                      "all tasks of the model"};
  }

  [[nodiscard]] static auto is_on_gpu(resource_kind place) -> bool {
    switch (place) {
      case resource_kind::gpu: return true;
      case resource_kind::processor:
      case resource_kind::copy_engine:
      case resource_kind::own: return false;
    }
    return false;
  }

  [[nodiscard]] auto task_of(std::string_view name, const std::string& where) const -> const amalthea_task& {
    const auto found = std::ranges::find(model_.tasks, name, &amalthea_task::name);
    if (found != model_.tasks.end()) { return *found; }
    throw input_error{where, fmt::format("the model has no task \"{}\"", one_line(name, 60)), "the tasks of the model"};
  }
  [[nodiscard]] auto core_of(const runtime_task& t, const std::string& where) const -> const amalthea_unit& {
    if (t.core == unassigned_core) {
      throw input_error{where, "has no core", "a plan that names a core for each task, as takt plan writes it"};
    }
    const auto at = static_cast<std::size_t>(t.core);
    const std::string name = at < plan_.cores.size() ? plan_.cores[at].name : "";
    const auto found = std::ranges::find(cores_, name, &amalthea_unit::name);
    if (found != cores_.end()) { return **found; }
    throw input_error{where, fmt::format("core {} is \"{}\", which the model does not have", at, one_line(name, 60)),
                      "cores with the names of the model"};
  }
  /// In a model the greater priority goes first, in a file only under shares.
  [[nodiscard]] auto rank(std::int32_t priority) const -> std::int64_t {
    const bool greater_first = plan_.rules.gpus.sharing == "shares";
    return std::ranges::count_if(plan_.tasks.tasks, [&](const runtime_task& o) {
      return greater_first ? o.priority < priority : o.priority > priority;
    });
  }

  void place(const amalthea_task& t, const amalthea_unit& u) {
    const std::string scheduler = scheduler_of(u);
    const bool by_scheduler = model_.major == 0;
    if (by_scheduler && (scheduler.empty() || model_.schedulers.at(scheduler).size() != 1)) {
      throw u.at.error("has no scheduler of its own, which is how this schema maps tasks", "a scheduler for each core");
    }
    std::vector<std::pair<std::string, std::string>> attributes;
    if (!scheduler.empty()) { attributes.emplace_back("scheduler", scheduler + "?type=TaskScheduler"); }
    if (!by_scheduler) { attributes.emplace_back("affinity", u.name + "?type=ProcessingUnit"); }
    if (t.allocation) {
      for (const auto& [name, value] : attributes) { edit_.set(*t.allocation, name, value); }
      return;
    }
    throw t.at.error("has no allocation that could be changed", "a taskAllocation in the mappingModel");
  }
  [[nodiscard]] auto scheduler_of(const amalthea_unit& u) const -> std::string {
    const std::string* best = nullptr;
    std::size_t least = 0;
    for (const auto& [name, units] : model_.schedulers) {
      if (std::ranges::find(units, u.name) == units.end()) { continue; }
      if (best != nullptr && units.size() >= least) { continue; }
      best = &name;
      least = units.size();
    }
    return best == nullptr ? "" : *best;
  }

  void write_priority(const amalthea_task& t, std::int64_t priority) {
    const std::string value = std::to_string(priority);
    if (t.at.has("priority")) { edit_.set(t.at, "priority", value); }
    for (const xml_element& p : t.allocation->children("schedulingParameters")) {
      if (p.has("priority")) {
        edit_.set(p, "priority", value);
        return;
      }
      if (is_priority(p)) {
        edit_.set(p.child("value"), "value", value);
        return;
      }
    }
    if (t.at.has("priority")) { return; }
    if (model_.major < 2) {
      edit_.add_child(*t.allocation, fmt::format("<schedulingParameters priority=\"{}\" />", value));
      return;
    }
    edit_.add_child(*t.allocation, fmt::format("<schedulingParameters key=\"priority\">\n"
                                               "  <value xsi:type=\"am:IntegerObject\" value=\"{}\" />\n"
                                               "</schedulingParameters>",
                                               value));
  }

  void write_slice(const amalthea_task& t, ticks slice) {
    constexpr ticks us = 1000;
    const std::string value = slice % us == 0 ? fmt::format("{}us", slice / us) : fmt::format("{}ns", slice);
    for (const xml_element& p : t.allocation->children("parameterExtensions")) {
      if (!p.attribute("key").starts_with("TimeSlice")) { continue; }
      if (time_in(p, p.attribute("value")) != slice) { edit_.set(p, "value", value); }
      return;
    }
    edit_.add_child(*t.allocation,
                    fmt::format("<parameterExtensions key=\"TimeSlice_{}\" value=\"{}\" />", t.name, value));
  }

  const amalthea_model& model_;
  const workload_file& plan_;
  xml_edit edit_;
  amalthea_releases releases_;
  std::vector<const amalthea_unit*> cores_;
  std::vector<const amalthea_unit*> gpus_;
};

}  // namespace

auto with_plan(const xml_file& file, const amalthea_model& model, const workload_file& plan) -> std::string {
  return plan_export{file, model, plan}.write();
}

}  // namespace takt::program
