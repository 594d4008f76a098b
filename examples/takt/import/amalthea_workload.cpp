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

namespace takt::program {

namespace {

using nlohmann::ordered_json;
using step_kind = amalthea_step::kind;

constexpr std::int64_t usual_line = 64;

struct time_range {
  double lower = 0;  ///< nanoseconds
  double upper = 0;
};
void operator+=(time_range& a, const time_range& b) {
  a.lower += b.lower;
  a.upper += b.upper;
}

[[nodiscard]] auto written(const time_range& t) -> ordered_json {
  constexpr double noise = 1e-6;
  return {static_cast<std::int64_t>(std::floor(t.lower + noise)),
          static_cast<std::int64_t>(std::ceil(t.upper - noise))};
}

class workload_writer {
 public:
  explicit workload_writer(const amalthea_model& m) : model_{m}, line_bytes_{m.line_bytes} {
    if (line_bytes_ < 1) {
      line_bytes_ = usual_line;
      note(fmt::format("no cache line has a size: {} bytes are assumed", usual_line));
    }
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

  [[nodiscard]] auto write() -> ordered_json {
    ordered_json out{{"format", "takt/1"}, {"platform", platform()}};
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
    }
    order(roots, tasks);
    out["tasks"] = std::move(tasks);
    out["notes"] = notes_;
    return out;
  }

 private:
  void note(std::string text) {
    if (std::ranges::find(notes_, text) == notes_.end()) { notes_.push_back(std::move(text)); }
  }

  [[nodiscard]] auto platform() -> ordered_json {
    ordered_json cores = ordered_json::array();
    for (const amalthea_unit* u : cores_) { cores.push_back({{"name", u->name}, {"type", u->kind}}); }
    ordered_json out{{"cpus", {{"count", cores_.size()}, {"cores", cores}, {"policy", "fixed-priority"}}}};
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
    if (s.jitter > 0) { out["jitter"] = s.jitter; }
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
    std::map<std::string, time_range> cpu;
    const auto flush = [&] {
      if (cpu.empty()) { return; }
      ordered_json times;
      for (const auto& [kind, time] : cpu) { times[kind] = written(time); }
      out.push_back({{"cpu", std::move(times)}});
      cpu.clear();
    };
    const amalthea_task* waited = nullptr;
    for (const amalthea_step& s : t.steps) {
      switch (s.what) {
        case step_kind::runnable: add_on_cores(s.name, s.at, cpu); break;
        case step_kind::trigger: {
          waited = &callee_of(s);
          called_.insert(waited->name);
          offloads_.push_back(waited);
          if (kernels) {
            flush();
            offload(*waited, out);
          } else {
            for (const amalthea_step& inner : waited->steps) {
              if (inner.what == step_kind::runnable && !copies_only(inner.name)) {
                add_on_cores(inner.name, inner.at, cpu);
              }
            }
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
    const bool on_gpu =
        gpu_ != nullptr && std::ranges::all_of(out->units, [&](const auto& u) { return u == gpu_->name; });
    if (!on_gpu) {
      throw trigger.at.error(fmt::format("triggers {}, which is on no GPU", out->name), "a task on the GPU");
    }
    return *out;
  }

  /// Copies before the kernel go to the device, those behind it to the host.
  void offload(const amalthea_task& t, ordered_json& out) {
    bool launched = false;
    for (const amalthea_step& s : t.steps) {
      if (s.what == step_kind::trigger || s.what == step_kind::wait) {
        throw s.at.error("is in a task on the GPU", "runnables and set events there");
      }
      if (s.what != step_kind::runnable) { continue; }
      const amalthea_runnable& r = model_.runnables.at(s.name);
      if (copies_only(s.name)) {
        out.push_back(copy(r, launched));
        continue;
      }
      if (launched) { throw s.at.error("is a second kernel of a task", "one kernel"); }
      launched = true;
      const time_range whole = time_on(s.name, *gpu_, s.at);
      const std::int32_t sms = std::max(gpu_->sms, 1);
      time_range work = whole;
      work.lower *= sms;
      work.upper *= sms;
      out.push_back({{"kernel", {{"work", written(work)}, {"wcet", written(whole)[1]}}}});
    }
    if (!launched) { throw t.at.error("has no runnable for the GPU", "a kernel"); }
  }

  [[nodiscard]] auto copy(const amalthea_runnable& r, bool to_host) -> ordered_json {
    std::int64_t bytes = 0;
    for (const label_access& a : r.accesses) {
      if (a.writes) { bytes += bytes_of(a, r.at); }
    }
    const double accesses = std::ceil(static_cast<double>(bytes) / static_cast<double>(line_bytes_));
    const double longest = accesses * (gpu_->read_cycles + gpu_->write_cycles) / gpu_->hertz * 1e9;
    double shortest = longest;
    if (gpu_->bytes_per_second > 0) {
      shortest = std::min(shortest, static_cast<double>(bytes) / gpu_->bytes_per_second * 1e9);
    }
    return {{"copy", written({shortest, longest})}, {"direction", to_host ? "to-host" : "to-device"}, {"bytes", bytes}};
  }

  [[nodiscard]] auto copies_only(const std::string& name) const -> bool {
    const amalthea_runnable& r = model_.runnables.at(name);
    return !r.on_any && r.by_kind.empty() && r.calls.empty() && !r.accesses.empty();
  }
  [[nodiscard]] auto bytes_of(const label_access& a, const xml_element& at) const -> std::int64_t {
    const auto found = model_.label_bytes.find(a.label);
    if (found == model_.label_bytes.end()) {
      throw at.error(fmt::format("uses the label \"{}\", which is not there", one_line(a.label, 60)),
                     "a label of the model");
    }
    return found->second;
  }

  void add_on_cores(const std::string& runnable, const xml_element& at, std::map<std::string, time_range>& to) {
    bool somewhere = false;
    std::map<std::string, time_range> sum;
    std::set<std::string> first;
    for (const amalthea_unit* u : cores_) {
      if (!first.insert(u->kind).second) { continue; }
      if (!runs_on(runnable, u->kind, at)) { continue; }
      sum[u->kind] = time_on(runnable, *u, at);
      somewhere = true;
    }
    if (!somewhere) {
      throw at.error(fmt::format("calls {}, which has ticks for no core", runnable), "ticks for a core");
    }
    // A segment stays on one kind of core.
    if (!to.empty()) {
      std::erase_if(sum, [&](const auto& kind) { return !to.contains(kind.first); });
    }
    for (auto it = to.begin(); it != to.end();) { it = sum.contains(it->first) ? std::next(it) : to.erase(it); }
    if (sum.empty()) {
      throw at.error(fmt::format("calls {}, which has ticks for no core of those before", runnable),
                     "ticks for one kind of core");
    }
    for (const auto& [kind, time] : sum) { to[kind] += time; }
  }

  [[nodiscard]] auto runs_on(const std::string& runnable, const std::string& kind, const xml_element& at) -> bool {
    const amalthea_runnable& r = found(runnable, at);
    const bool itself = r.on_any.has_value() || r.by_kind.contains(kind) || r.by_kind.empty();
    return itself && inside(runnable, at, [&] {
             return std::ranges::all_of(r.calls, [&](const std::string& c) { return runs_on(c, kind, r.at); });
           });
  }
  [[nodiscard]] auto time_on(const std::string& runnable, const amalthea_unit& u, const xml_element& at) -> time_range {
    const amalthea_runnable& r = found(runnable, at);
    time_range out;
    const auto own = r.by_kind.find(u.kind);
    if (own != r.by_kind.end() || r.on_any) {
      const cycle_range& c = own != r.by_kind.end() ? own->second : *r.on_any;
      out = {c.lower / u.hertz * 1e9, c.upper / u.hertz * 1e9};
    }
    if (!u.is_gpu) {
      for (const label_access& a : r.accesses) {
        const double lines = std::ceil(static_cast<double>(bytes_of(a, r.at)) / static_cast<double>(line_bytes_));
        const double time = lines * (a.writes ? u.write_cycles : u.read_cycles) / u.hertz * 1e9;
        out += {time, time};
      }
    }
    inside(runnable, at, [&] {
      for (const std::string& c : r.calls) { out += time_on(c, u, r.at); }
      return true;
    });
    return out;
  }
  [[nodiscard]] auto found(const std::string& runnable, const xml_element& at) const -> const amalthea_runnable& {
    const auto it = model_.runnables.find(runnable);
    if (it == model_.runnables.end()) {
      throw at.error(fmt::format("calls \"{}\", which is not there", one_line(runnable, 60)),
                     "a runnable of the model");
    }
    return it->second;
  }
  /// Does it within the calls of a runnable, which must not come back to it.
  template <class F>
  auto inside(const std::string& runnable, const xml_element& at, const F& f) -> bool {
    if (!within_.insert(runnable).second) {
      throw at.error(fmt::format("calls \"{}\" in a circle", one_line(runnable, 60)), "calls without a circle");
    }
    const bool out = f();
    within_.erase(runnable);
    return out;
  }

  [[nodiscard]] auto all_offloads_run_on_cores() -> bool {
    return std::ranges::all_of(offloads_, [&](const amalthea_task* t) {
      return std::ranges::all_of(t->steps, [&](const amalthea_step& s) {
        if (s.what != step_kind::runnable || copies_only(s.name)) { return true; }
        const amalthea_runnable& r = model_.runnables.at(s.name);
        return std::ranges::any_of(cores_, [&](const amalthea_unit* u) { return r.by_kind.contains(u->kind); });
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
      return tasks[a]["period"].get<ticks>() < tasks[b]["period"].get<ticks>();
    });
    for (std::size_t rank = 0; rank < by.size(); ++rank) { tasks[by[rank]]["priority"] = rank; }
  }

  const amalthea_model& model_;
  std::int64_t line_bytes_;
  std::vector<const amalthea_unit*> cores_;
  const amalthea_unit* gpu_ = nullptr;
  std::vector<std::string> notes_;
  std::vector<const amalthea_task*> offloads_;
  std::set<std::string> called_;
  std::set<std::string> within_;
};

}  // namespace

auto workload_of(const amalthea_model& model) -> ordered_json { return workload_writer{model}.write(); }

}  // namespace takt::program
