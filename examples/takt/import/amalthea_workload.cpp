// SPDX-License-Identifier: Apache-2.0
#include "amalthea_workload.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "../json_value.hpp"
#include "amalthea_times.hpp"

namespace takt::program {

namespace {

using nlohmann::ordered_json;
using step_kind = amalthea_step::kind;

constexpr std::int64_t usual_line = 64;

[[nodiscard]] auto written(const time_range& t, const xml_element& at) -> ordered_json {
  constexpr double noise = 1e-6;
  constexpr double most = 4e18;
  if (!(t.upper <= most)) { throw at.error("takes too long", "less than some hundred years"); }
  return {static_cast<std::int64_t>(std::floor(t.lower + noise)),
          static_cast<std::int64_t>(std::ceil(t.upper - noise))};
}

class workload_writer {
 public:
  explicit workload_writer(const amalthea_model& m)
      : model_{m}, times_{m, m.line_bytes > 0 ? m.line_bytes : usual_line}, notes_{m.notes} {
    if (m.line_bytes < 1) { note(fmt::format("no cache line has a size: {} bytes are assumed", usual_line)); }
    for (const amalthea_unit& u : m.units) {
      if (!u.is_gpu) {
        cores_.push_back(&u);
        continue;
      }
      if (gpu_ != nullptr) { throw u.at.error("is a second GPU", "one GPU"); }
      gpu_ = &u;
    }
    if (cores_.empty()) { throw input_error{"hwModel", "has no core", "a ProcessingUnit that is no GPU"}; }
  }

  [[nodiscard]] auto write(const std::string& name) -> ordered_json {
    ordered_json out{{"format", "takt/1"}, {"name", name}, {"platform", platform()}};
    ordered_json tasks = ordered_json::array();
    std::vector<const amalthea_task*> roots;
    for (const amalthea_task& t : model_.tasks) {
      if (const auto* const s = released_by(t)) {
        roots.push_back(&t);
        tasks.push_back(task(t, *s));
      }
    }
    if (roots.empty()) { throw input_error{"swModel", "has no task that is released by time", "a periodic stimulus"}; }
    for (const amalthea_task& t : model_.tasks) {
      if (released_by(t) == nullptr && !called_.contains(t.name)) {
        throw t.at.error("is released by nothing", "a stimulus by time, or a trigger in another task");
      }
      if (released_by(t) == nullptr && t.deadline > 0) {
        note(fmt::format("{}: its limit is not read, as it is a part of the task that triggers it", t.name));
      }
    }
    order(roots, tasks);
    out["tasks"] = std::move(tasks);
    if (!model_.chains.empty()) { out["chains"] = chains(); }
    if (!notes_.empty()) { out["notes"] = notes_; }
    return out;
  }

 private:
  void note(std::string text) {
    if (std::ranges::find(notes_, text) == notes_.end()) { notes_.push_back(std::move(text)); }
  }

  [[nodiscard]] auto platform() -> ordered_json {
    ordered_json cores = ordered_json::array();
    for (const amalthea_unit* u : cores_) { cores.push_back({{"name", u->name}, {"type", times_.type_of(*u)}}); }
    ordered_json out{{"cpus", {{"count", cores_.size()}, {"cores", cores}, {"policy", model_.cpu_policy}}}};
    if (gpu_ == nullptr) { return out; }
    out["copy_engines"] = {{"count", 1}, {"policy", "nonpreemptive-fixed-priority"}};
    const std::int32_t sms = std::max(gpu_->sms, 1);
    if (gpu_->sms < 1) { note(fmt::format("{}: no feature says how many SMs it has: one is assumed", gpu_->name)); }
    out["gpus"] = ordered_json::array({{{"sms", sms}, {"sharing", "isolated"}}});
    return out;
  }

  [[nodiscard]] auto released_by(const amalthea_task& t) const -> const amalthea_stimulus* {
    const amalthea_stimulus* out = nullptr;
    for (const std::string& name : t.stimuli) {
      const amalthea_stimulus& s = model_.stimuli.at(name);
      if (s.what == amalthea_stimulus::kind::inter_process) { continue; }
      if (out != nullptr) { throw t.at.error("has two stimuli by time", "one"); }
      out = &s;
    }
    return out;
  }

  [[nodiscard]] auto core_index(const std::string& name) const -> std::size_t {
    return static_cast<std::size_t>(
        std::ranges::find_if(cores_, [&](const amalthea_unit* u) { return u->name == name; }) - cores_.begin());
  }

  [[nodiscard]] auto task(const amalthea_task& t, const amalthea_stimulus& s) -> ordered_json {
    ordered_json out{{"name", t.name}, {"period", s.period}};
    if (t.deadline == 0) { note(fmt::format("{}: no deadline is said: its period is assumed", t.name)); }
    out["deadline"] = t.deadline > 0 ? t.deadline : s.period;
    out["priority"] = 0;
    if (s.jitter > 0) { out["jitter"] = s.jitter; }
    switch (s.what) {
      case amalthea_stimulus::kind::sporadic:
        note(
            fmt::format("{}: its period is the shortest time between releases of a stimulus without a period, so that "
                        "latencies of chains through it are not bounded by what takt chains says",
                        t.name));
        break;
      case amalthea_stimulus::kind::periodic:
      case amalthea_stimulus::kind::inter_process: break;
    }
    if (s.offset > 0) { out["offset"] = s.offset; }
    std::size_t core = t.units.empty() ? 0 : core_index(t.units.front());
    if (core == cores_.size()) { throw t.at.error("is released by time on a GPU", "a core"); }
    if (t.units.empty()) { note(fmt::format("{}: no core is said: {} is assumed", t.name, cores_[0]->name)); }
    if (t.units.size() > 1) {
      note(fmt::format("{}: has {} cores to run on: {} is assumed", t.name, t.units.size(), cores_[core]->name));
    }
    out["core"] = core;
    ordered_json on_gpu = segments(t, true);
    if (!offloads_.empty() && all_offloads_run_on_cores()) {
      ordered_json variants = ordered_json::array();
      variants.push_back({{"name", "gpu"}, {"segments", std::move(on_gpu)}});
      variants.push_back({{"name", "cpu"}, {"segments", segments(t, false)}});
      out["variant"] = "gpu";
      out["variants"] = std::move(variants);
    } else {
      out["segments"] = std::move(on_gpu);
    }
    return out;
  }

  /// Segments of a task with those of the tasks that it triggers. Without `kernels`, what these do on a core.
  [[nodiscard]] auto segments(const amalthea_task& t, bool kernels) -> ordered_json {
    offloads_.clear();
    ordered_json out = ordered_json::array();
    times_by_type cpu;
    const auto flush = [&] {
      if (cpu.empty()) { return; }
      ordered_json times;
      for (const auto& [kind, time] : cpu) { times[kind] = written(time, t.at); }
      out.push_back({{"cpu", std::move(times)}});
      cpu.clear();
    };
    const amalthea_task* waited = nullptr;
    for (const amalthea_step& s : t.steps) {
      switch (s.what) {
        case step_kind::runnable:
          if (waited != nullptr) {
            note(fmt::format("{}: what it does while {} runs is assumed to come behind that", t.name, waited->name));
          }
          times_.add(s.name, s.at, cpu);
          break;
        case step_kind::trigger: {
          if (waited != nullptr) {
            throw s.at.error(fmt::format("is a second trigger before the wait for {}", waited->name),
                             "a wait event behind each trigger");
          }
          waited = &callee_of(s);
          called_.insert(waited->name);
          const bool on_gpu = is_on_gpu(*waited);
          if (!on_gpu) { require_core_of(t, *waited, s.at); }
          if (on_gpu) { offloads_.push_back(waited); }
          if (on_gpu && kernels) {
            flush();
            offload(*waited, out);
            break;
          }
          for (const amalthea_step& inner : waited->steps) {
            if (inner.runs() && !times_.only_copies(inner.name)) { times_.add(inner.name, inner.at, cpu); }
          }
          break;
        }
        case step_kind::wait: {
          if (waited == nullptr) { throw s.at.error("waits before it triggers a task", "a trigger before it"); }
          const bool sets = std::ranges::any_of(
              waited->steps, [&](const amalthea_step& i) { return i.what == step_kind::set && i.name == s.name; });
          if (!sets) {
            throw s.at.error(fmt::format("waits for \"{}\", which {} does not set", one_line(s.name, 60), waited->name),
                             "an event that the triggered task sets");
          }
          if (s.busy) {
            note(fmt::format("{}: waits actively for {}, which is for the policy busy-waiting", t.name, waited->name));
          }
          waited = nullptr;
          break;
        }
        case step_kind::set: break;
      }
    }
    if (waited != nullptr) {
      throw t.at.error(fmt::format("triggers {} and does not wait for it", waited->name),
                       "a wait event behind a trigger");
    }
    flush();
    if (out.empty()) { throw t.at.error("does nothing", "runnables"); }
    return out;
  }

  [[nodiscard]] auto callee_of(const amalthea_step& trigger) const -> const amalthea_task& {
    const amalthea_task* out = nullptr;
    for (const amalthea_task& t : model_.tasks) {
      if (std::ranges::find(t.stimuli, trigger.name) == t.stimuli.end()) { continue; }
      if (out != nullptr) { throw trigger.at.error("triggers several tasks", "one"); }
      out = &t;
    }
    if (out == nullptr) { throw trigger.at.error("triggers no task", "one"); }
    return *out;
  }

  [[nodiscard]] auto is_on_gpu(const amalthea_task& t) const -> bool {
    return gpu_ != nullptr && std::ranges::all_of(t.units, [&](const auto& u) { return u == gpu_->name; });
  }
  /// What a task triggers on its own core, and waits for, is a part of it.
  static void require_core_of(const amalthea_task& caller, const amalthea_task& callee, const xml_element& at) {
    const bool same = !caller.units.empty() && !callee.units.empty() && caller.units[0] == callee.units[0];
    if (same) { return; }
    throw at.error(fmt::format("triggers {}, which is on another core", callee.name),
                   "a task on the GPU, or on the same core");
  }

  [[nodiscard]] auto chains() const -> ordered_json {
    ordered_json out = ordered_json::array();
    for (const amalthea_chain& c : model_.chains) {
      ordered_json& chain = out.emplace_back(ordered_json{{"name", c.name}, {"tasks", c.tasks}});
      if (c.reaction > 0) { chain["reaction"] = c.reaction; }
      if (c.age > 0) { chain["age"] = c.age; }
    }
    return out;
  }

  /// Copies before the kernel go to the device, those behind it to the host.
  void offload(const amalthea_task& t, ordered_json& out) {
    bool launched = false;
    for (const amalthea_step& s : t.steps) {
      if (s.what == step_kind::trigger || s.what == step_kind::wait) {
        throw s.at.error("is in a task on the GPU", "runnables and set events there");
      }
      if (s.what != step_kind::runnable) { continue; }
      if (times_.only_copies(s.name)) {
        const label_copy c = times_.copy(s.name, *gpu_);
        out.push_back(
            {{"copy", written(c.time, s.at)}, {"direction", launched ? "to-host" : "to-device"}, {"bytes", c.bytes}});
        continue;
      }
      if (launched) { throw s.at.error("is a second kernel of a task", "one kernel"); }
      launched = true;
      if (!model_.runnables.at(s.name).accesses.empty()) {
        note(fmt::format("{}: the ticks of {} are assumed to contain its label accesses", t.name, s.name));
      }
      const time_range whole = times_.on(*gpu_, s.name, s.at);
      const std::int32_t sms = std::max(gpu_->sms, 1);
      time_range work = whole;
      work.lower *= sms;
      work.upper *= sms;
      ordered_json kernel{{"work", written(work, s.at)}, {"wcet", written(whole, s.at)[1]}};
      if (t.slice > 0) { kernel["slice"] = t.slice; }
      out.push_back({{"kernel", std::move(kernel)}});
    }
    if (!launched) { throw t.at.error("has no runnable for the GPU", "a kernel"); }
  }

  [[nodiscard]] auto all_offloads_run_on_cores() const -> bool {
    return std::ranges::all_of(offloads_, [&](const amalthea_task* t) {
      return std::ranges::all_of(t->steps, [&](const amalthea_step& s) {
        return !s.runs() || times_.only_copies(s.name) || times_.is_for_cores(s.name);
      });
    });
  }

  /// Priorities as they are said, where all are and they differ on a core; else by rate.
  void order(const std::vector<const amalthea_task*>& roots, ordered_json& tasks) {
    std::vector<std::size_t> by(roots.size());
    for (std::size_t i = 0; i < by.size(); ++i) { by[i] = i; }
    std::set<std::pair<std::size_t, std::int64_t>> seen;
    const bool said = std::ranges::all_of(by, [&](std::size_t i) {
      return roots[i]->priority && seen.emplace(tasks[i]["core"].get<std::size_t>(), *roots[i]->priority).second;
    });
    if (!said) { note("priorities are not said, or equal on a core: rate monotonic ones are assumed"); }
    std::ranges::stable_sort(by, [&](std::size_t a, std::size_t b) {
      if (said) { return *roots[a]->priority > *roots[b]->priority; }
      const auto rate = [&](std::size_t i) {
        return std::pair{tasks[i]["period"].get<ticks>(), tasks[i]["deadline"].get<ticks>()};
      };
      return rate(a) < rate(b);
    });
    for (std::size_t rank = 0; rank < by.size(); ++rank) { tasks[by[rank]]["priority"] = rank; }
  }

  const amalthea_model& model_;
  amalthea_times times_;
  std::vector<const amalthea_unit*> cores_;
  const amalthea_unit* gpu_ = nullptr;
  std::vector<std::string> notes_;
  std::vector<const amalthea_task*> offloads_;
  std::set<std::string> called_;
};

}  // namespace

auto workload_of(const amalthea_model& model, const std::string& name) -> ordered_json {
  return workload_writer{model}.write(name);
}

}  // namespace takt::program
