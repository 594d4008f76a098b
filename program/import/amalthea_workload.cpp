// SPDX-License-Identifier: Apache-2.0
#include "amalthea_workload.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "../json_value.hpp"
#include "amalthea_overheads.hpp"
#include "amalthea_releases.hpp"
#include "amalthea_times.hpp"

namespace takt::program {

namespace {

using nlohmann::ordered_json;
using step_kind = amalthea_item::kind;

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
      : model_{m}, times_{m, m.line_bytes > 0 ? m.line_bytes : usual_line}, releases_{m} {
    notes_.notes = m.notes;
    notes_.incomplete = m.incomplete;
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
    look_at_accesses();
    ordered_json tasks = ordered_json::array();
    std::vector<const amalthea_task*> roots;
    for (const amalthea_task& t : model_.tasks) {
      const auto& rows = releases_.of(t);
      for (std::size_t k = 0; k < rows.size(); ++k) {
        roots.push_back(&t);
        tasks.push_back(task(t, rows[k], k));
      }
      if (rows.size() > 1) {
        omit("task with several activations", "its jobs wait for each other in the order of their releases");
      }
    }
    if (roots.empty()) {
      throw input_error{"swModel", "has no task that is released by anything",
                        "a periodic stimulus of a task, or another one whose times are said"};
    }
    for (const amalthea_task& t : model_.tasks) { look_at_part(t); }
    order(roots, tasks);
    out["tasks"] = std::move(tasks);
    if (!model_.chains.empty()) { out["chains"] = chains(); }
    if (!notes_.notes.empty()) { out["notes"] = notes_.notes; }
    for (const omitted_kind& o : notes_.incomplete) {
      out["incomplete"].push_back({{"kind", o.kind}, {"count", o.count}, {"because", o.because}});
    }
    return out;
  }

 private:
  void note(std::string text) { notes_.note(std::move(text)); }
  void omit(const std::string& kind, const std::string& because, std::int64_t count = 1) {
    notes_.omit(kind, because, count);
  }

  /// A task that nothing releases is a part of the one that waits for it, or it is left out.
  void look_at_part(const amalthea_task& t) {
    if (!releases_.of(t).empty()) { return; }
    if (called_.contains(t.name)) {
      if (t.deadline > 0) {
        note(fmt::format("{}: its limit is not read, as it is a part of the task that triggers it", t.name));
      }
      return;
    }
    omit("task that nothing in the model releases", "once something releases it, it takes time of its core");
  }

  /// What accesses to labels and waits inside of runnables take where the model does not say it.
  void look_at_accesses() {
    const bool known = std::ranges::all_of(cores_, [](const amalthea_unit* u) { return u->access_is_known; });
    std::int64_t unknown = 0;
    std::int64_t without_size = 0;
    std::int64_t waits = 0;
    const auto look = [&](const amalthea_item& i) {
      if (i.what == step_kind::access) {
        const auto label = model_.label_bytes.find(i.name);
        const bool has_size = label != model_.label_bytes.end() && label->second >= 0;
        without_size += has_size ? 0 : 1;
        unknown += known || (has_size && label->second == 0) ? 0 : 1;
      }
    };
    for (const auto& [name, r] : model_.runnables) {
      each_item(r.body, look);
      each_item(r.body, [&](const amalthea_item& i) { waits += i.what == step_kind::wait ? 1 : 0; });
    }
    for (const amalthea_task& t : model_.tasks) { each_item(t.body, look); }
    if (unknown > 0) {
      omit("LabelAccess without a latency", "an access takes time that no accessElement of the core says", unknown);
    }
    if (without_size > 0) {
      omit("LabelAccess without a size", "an access of several lines takes longer", without_size);
    }
    if (waits > 0) { omit("WaitEvent in a runnable", "the runnable waits for another task", waits); }
  }

  [[nodiscard]] auto platform() -> ordered_json {
    ordered_json cores = ordered_json::array();
    for (const amalthea_unit* u : cores_) { cores.push_back({{"name", u->name}, {"type", times_.type_of(*u)}}); }
    ordered_json out{{"cpus", {{"count", cores_.size()}, {"cores", cores}, {"policy", model_.cpu_policy}}}};
    if (gpu_ == nullptr) { return out; }
    out["copy_engines"] = {{"count", 1}, {"policy", "nonpreemptive-fixed-priority"}};
    const std::int32_t sms = std::max(gpu_->sms, 1);
    if (gpu_->sms < 1) { note(fmt::format("{}: no feature says how many SMs it has: one is assumed", gpu_->name)); }
    // The model counts whole SMs, so the times of its kernels are of those.
    out["gpus"] = ordered_json::array({{{"sms", sms}, {"virtual_per_sm", 1}, {"sharing", "isolated"}}});
    return out;
  }

  [[nodiscard]] auto core_index(const std::string& name) const -> std::size_t {
    return static_cast<std::size_t>(
        std::ranges::find_if(cores_, [&](const amalthea_unit* u) { return u->name == name; }) - cores_.begin());
  }

  [[nodiscard]] auto task(const amalthea_task& t, const amalthea_release& r, std::size_t copy) -> ordered_json {
    ordered_json out{{"name", copy == 0 ? t.name : fmt::format("{} ({})", t.name, copy + 1)}, {"period", r.period}};
    if (t.deadline == 0) {
      note(r.by.empty() ? fmt::format("{}: no deadline is said: its period is assumed", t.name)
                        : fmt::format("{}: no deadline is said: its period from its release is assumed", t.name));
    }
    out["deadline"] = amalthea_releases::deadline_of(t, r);
    out["priority"] = 0;
    if (r.jitter > 0) { out["jitter"] = r.jitter; }
    if (!r.by.empty()) {
      note(
          fmt::format("{}: {} releases it at any time until its deadline, which is the jitter here, and no response is "
                      "counted before",
                      t.name, r.by));
    }
    if (r.sporadic) {
      note(
          fmt::format("{}: its period is the shortest time between releases of a stimulus without a period, so that "
                      "latencies of chains through it are not bounded by what takt chains says",
                      t.name));
    }
    if (r.offset > 0) { out["offset"] = r.offset; }
    std::size_t core = t.units.empty() ? 0 : core_index(t.units.front());
    if (core == cores_.size()) { throw t.at.error("is on a GPU, and no task waits for it", "a core"); }
    if (t.units.empty()) { note(fmt::format("{}: no core is said: {} is assumed", t.name, cores_[0]->name)); }
    if (t.units.size() > 1) {
      note(fmt::format("{}: has {} cores to run on: {} is assumed", t.name, t.units.size(), cores_[core]->name));
    }
    out["core"] = core;
    set_preemption(t, core, out);
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

  /// How the task lets itself be preempted: as it says, and not while it holds a semaphore.
  void set_preemption(const amalthea_task& t, std::size_t core, ordered_json& out) {
    longest_.clear();
    cooperative_ = t.preemption == amalthea_preemption::cooperative;
    if (t.preemption == amalthea_preemption::unsaid && !t.is_isr) {
      omit("Task without preemption", "a task with a higher priority may have to wait until it ends");
    }
    section_ = longest_section(t, core);
    if (t.preemption == amalthea_preemption::nonpreemptive) {
      out["preemption"] = "nonpreemptive";
    } else if (cooperative_ || section_ > 0) {
      out["preemption"] = "cooperative";
      for (const amalthea_task* part : parts_of(t)) {
        charge(*part);
        for (const auto& [type, time] : times_.longest_call(part->body)) {
          time_range& longest = longest_[type];
          longest.upper = std::max(longest.upper, cooperative_ ? time.upper : 0);
        }
      }
      if (cooperative_) {
        for (const auto& [type, time] : calls_between_runnables(t)) { longest_[type] += time; }
      }
    }
    cooperative_ = cooperative_ || section_ > 0;
  }

  /// Calls of the operating system that the task makes itself may all come without a place to preempt it at.
  [[nodiscard]] auto calls_between_runnables(const amalthea_task& t) -> times_by_type {
    times_by_type out;
    for (const amalthea_task* part : parts_of(t)) {
      charge(*part);
      const job_calls calls = calls_of_job(*part);
      add_calls(calls.before, *part, out);
      each_item(part->body, [&](const amalthea_item& i) {
        if (!i.takes_time() || i.what == step_kind::access) { add_call(i, out); }
      });
      add_calls(calls.behind, *part, out);
    }
    return out;
  }

  /// From now on calls are those of the operating system of the task.
  void charge(const amalthea_task& t) { times_.charge(t.system ? &model_.systems[*t.system] : nullptr); }
  void add_call(const amalthea_item& call, times_by_type& to) {
    if (times_.is_charged(call)) { times_.add(call, to); }
  }
  void add_calls(const std::vector<std::string_view>& calls, const amalthea_task& t, times_by_type& to) {
    for (const std::string_view call : calls) { add_call({.what = step_kind::other, .os_call = call, .at = t.at}, to); }
  }

  /// Of a semaphore with a priority ceiling whose tasks are all on one core, a less important task blocks others for
  /// one section at most, which is what a region without preemption does to all of them. All else is left out.
  [[nodiscard]] auto longest_section(const amalthea_task& t, std::size_t core) -> double {
    double longest = 0;
    for (const auto& [name, s] : model_.semaphores) {
      std::optional<double> held = 0;
      bool used = false;
      for (const amalthea_task* part : parts_of(t)) {
        if (!uses(part->body, name)) { continue; }
        used = true;
        charge(*part);
        const auto one = times_.longest_section(part->body, name, *cores_[core]);
        held = held && one ? std::optional{std::max(*held, *one)} : std::nullopt;
      }
      if (!used) { continue; }
      const bool alone = std::ranges::all_of(model_.tasks, [&](const amalthea_task& o) {
        return !uses(o.body, name) || (!o.units.empty() && !t.units.empty() && o.units.front() == t.units.front());
      });
      if (held && alone && s.has_ceiling && s.most <= 1) {
        note(
            fmt::format("{}: whoever holds it is taken not to be preempted, which blocks no task less than its "
                        "priority ceiling; the tasks that use it are to stay on one core",
                        name));
        longest = std::max(longest, *held);
      } else {
        omit("SemaphoreAccess", "a task waits for others that hold the semaphore");
      }
    }
    return longest;
  }
  /// The task and those that are parts of it.
  [[nodiscard]] auto parts_of(const amalthea_task& t) const -> std::vector<const amalthea_task*> {
    std::vector<const amalthea_task*> out{&t};
    for (const amalthea_item& i : t.body) {
      const auto* const callee = i.what == step_kind::trigger ? callee_of(t, i) : nullptr;
      if (callee != nullptr) { out.push_back(callee); }
    }
    return out;
  }
  [[nodiscard]] auto uses(const amalthea_body& body, const std::string& semaphore) -> bool {
    auto& users = users_[semaphore];
    if (users.empty()) {
      for (const auto& [name, r] : model_.runnables) { users[name] = false; }
      for (bool grows = true; grows;) {
        grows = false;
        for (const auto& [name, r] : model_.runnables) {
          if (users[name] || !holds(r.body, semaphore, users)) { continue; }
          users[name] = true;
          grows = true;
        }
      }
      users[""] = false;
    }
    return holds(body, semaphore, users);
  }
  [[nodiscard]] static auto holds(const amalthea_body& body, const std::string& semaphore,
                                  const std::map<std::string, bool>& users) -> bool {
    return any_item(body, [&](const amalthea_item& i) {
      if (i.what == step_kind::lock || i.what == step_kind::unlock) { return i.name == semaphore; }
      const auto found = users.find(i.name);
      return i.what == step_kind::call && found != users.end() && found->second;
    });
  }

  void flush(times_by_type& cpu, const xml_element& at, ordered_json& out) {
    if (cpu.empty()) { return; }
    ordered_json times;
    for (const auto& [kind, time] : cpu) { times[kind] = written(time, at); }
    ordered_json segment{{"cpu", std::move(times)}};
    // Of several types of cores each has its own times, and a segment is a region in all of them.
    if (cooperative_ && cpu.size() == 1) {
      const auto call = longest_.find(cpu.begin()->first);
      const double longest = std::max(section_, call == longest_.end() ? 0 : call->second.upper);
      segment["nonpreemptive_region"] = written({0, std::min(longest, cpu.begin()->second.upper)}, at)[1];
    }
    out.push_back(std::move(segment));
    cpu.clear();
  }

  /// Segments of a task with those of the tasks that it waits for. Without `kernels`, what these do on a core.
  [[nodiscard]] auto segments(const amalthea_task& t, bool kernels) -> ordered_json {
    offloads_.clear();
    ordered_json out = ordered_json::array();
    times_by_type cpu;
    const amalthea_task* waited = nullptr;
    const job_calls calls = calls_of_job(t);
    charge(t);
    add_calls(calls.before, t, cpu);
    for (const amalthea_item& s : t.body) {
      if (s.takes_time()) {
        require_no_wait(t, s);
        if (waited != nullptr) {
          note(fmt::format("{}: what it does while {} runs is assumed to come behind that", t.name, waited->name));
        }
        times_.add(s, cpu);
        continue;
      }
      add_call(s, cpu);
      if (s.what == step_kind::trigger) {
        const amalthea_task* const callee = callee_of(t, s);
        if (callee == nullptr) { continue; }  // that one is released, and runs by itself
        if (waited != nullptr) {
          throw s.at.error(fmt::format("is a second trigger before the wait for {}", waited->name),
                           "a wait event behind each trigger");
        }
        waited = callee;
        called_.insert(waited->name);
        const bool on_gpu = is_on_gpu(*waited);
        if (!on_gpu) { require_core_of(t, *waited, s.at); }
        if (on_gpu) { offloads_.push_back(waited); }
        // What the operating system does for a task on the GPU takes time of the core of its caller.
        const job_calls of_waited = calls_of_job(*waited);
        charge(*waited);
        add_calls(of_waited.before, *waited, cpu);
        if (on_gpu && kernels) {
          flush(cpu, t.at, out);
          offload(*waited, out);
        }
        for (const amalthea_item& inner : waited->body) {
          if (!inner.takes_time()) {
            add_call(inner, cpu);
          } else if (!on_gpu || !kernels) {
            times_.add(inner, cpu);
          }
        }
        add_calls(of_waited.behind, *waited, cpu);
        charge(t);
      } else if (s.what == step_kind::wait) {
        wait(t, s, waited);
      }
    }
    if (waited != nullptr) {
      throw t.at.error(fmt::format("triggers {} and does not wait for it", waited->name),
                       "a wait event behind a trigger");
    }
    add_calls(calls.behind, t, cpu);
    flush(cpu, t.at, out);
    if (out.empty()) { out.push_back({{"cpu", 0}}); }
    return out;
  }

  void wait(const amalthea_task& t, const amalthea_item& s, const amalthea_task*& waited) {
    const bool sets = waited != nullptr && any_item(waited->body, [&](const amalthea_item& i) {
                        return i.what == step_kind::set && i.name == s.name;
                      });
    if (!sets) {
      omit("WaitEvent for another task", "how long the task waits is not known");
      return;
    }
    if (s.busy) {
      note(fmt::format("{}: waits actively for {}, which is for the policy busy-waiting", t.name, waited->name));
    }
    waited = nullptr;
  }

  /// Whoever waits in a branch does not do so in each job.
  void require_no_wait(const amalthea_task& t, const amalthea_item& choice) const {
    for (const amalthea_body& branch : choice.branches) {
      each_item(branch, [&](const amalthea_item& i) {
        const bool offloads = i.what == step_kind::trigger && callee_of(t, i) != nullptr;
        if (!offloads && i.what != step_kind::wait) { return; }
        throw i.at.error("is in a branch of a switch", "triggers and waits for what they trigger outside of switches");
      });
    }
  }

  /// The task that this one triggers and waits for; null where it does not wait.
  [[nodiscard]] auto callee_of(const amalthea_task& caller, const amalthea_item& trigger) const
      -> const amalthea_task* {
    const amalthea_task* out = nullptr;
    for (const amalthea_task& t : model_.tasks) {
      if (std::ranges::find(t.stimuli, trigger.name) == t.stimuli.end() || !waits_for(caller, t)) { continue; }
      if (out != nullptr) { throw trigger.at.error("triggers several tasks", "one"); }
      out = &t;
    }
    return out;
  }

  [[nodiscard]] auto is_on_gpu(const amalthea_task& t) const -> bool {
    return gpu_ != nullptr && std::ranges::all_of(t.units, [&](const auto& u) { return u == gpu_->name; });
  }
  /// What a task triggers on its own core, and waits for, is a part of it.
  void require_core_of(const amalthea_task& caller, const amalthea_task& callee, const xml_element& at) {
    const bool same = !caller.units.empty() && !callee.units.empty() && caller.units[0] == callee.units[0];
    if (!same) {
      throw at.error(fmt::format("triggers {}, which is on another core", callee.name),
                     "a task on the GPU, or on the same core");
    }
    if (callee.preemption != caller.preemption) {
      omit("triggered task with another preemption", "a task with a higher priority may have to wait until it ends");
    }
    if (callee.priority != caller.priority) {
      omit("triggered task with another priority", "tasks between the two priorities delay it, or wait for it");
    }
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
    for (const amalthea_item& s : t.body) {
      if (s.what == step_kind::trigger || s.what == step_kind::wait || s.what == step_kind::choice) {
        throw s.at.error("is in a task on the GPU", "runnables and set events there");
      }
      if (!s.takes_time()) { continue; }
      if (s.what == step_kind::call && times_.only_copies(s.name)) {
        const label_copy c = times_.copy(s.name, *gpu_);
        out.push_back(
            {{"copy", written(c.time, s.at)}, {"direction", launched ? "to-host" : "to-device"}, {"bytes", c.bytes}});
        continue;
      }
      if (launched) { throw s.at.error("is a second kernel of a task", "one kernel"); }
      launched = true;
      if (s.what == step_kind::call && accesses_labels(s.name)) {
        note(fmt::format("{}: the ticks of {} are assumed to contain its label accesses", t.name, s.name));
      }
      const time_range whole = times_.on(*gpu_, s);
      const std::int32_t sms = std::max(gpu_->sms, 1);
      if (sms > 1) {
        note("kernels are assumed to take half the time on twice the SMs: the model says their time on all of them");
      }
      time_range work = whole;
      work.lower *= sms;
      work.upper *= sms;
      ordered_json kernel{{"work", written(work, s.at)}, {"wcet", written(whole, s.at)[1]}};
      if (t.slice > 0) { kernel["slice"] = t.slice; }
      out.push_back({{"kernel", std::move(kernel)}});
    }
    if (!launched) { throw t.at.error("has no runnable for the GPU", "a kernel"); }
  }
  [[nodiscard]] auto accesses_labels(const std::string& runnable) const -> bool {
    return any_item(model_.runnables.at(runnable).body,
                    [](const amalthea_item& i) { return i.what == step_kind::access; });
  }

  [[nodiscard]] auto all_offloads_run_on_cores() const -> bool {
    return std::ranges::all_of(offloads_, [&](const amalthea_task* t) {
      return std::ranges::all_of(t->body, [&](const amalthea_item& s) {
        return s.what != step_kind::call || times_.only_copies(s.name) || times_.is_for_cores(s.name);
      });
    });
  }

  /// Interrupts above all tasks; then priorities as they are said, where all are; else by rate.
  void order(const std::vector<const amalthea_task*>& roots, ordered_json& tasks) {
    std::vector<std::size_t> by(roots.size());
    for (std::size_t i = 0; i < by.size(); ++i) { by[i] = i; }
    const bool ordered = model_.cpu_policy == "fixed-priority";
    const bool interrupts = std::ranges::any_of(roots, [](const auto* t) { return t->is_isr; });
    if (interrupts && !ordered) {
      omit(fmt::format("ISR under {}", model_.cpu_policy), "interrupts preempt every task, whatever its deadline");
    }
    const bool said = std::ranges::all_of(roots, [](const auto* t) { return t->is_isr || t->priority.has_value(); });
    if (!said && ordered) { note("priorities are not said of all tasks: rate monotonic ones are assumed"); }
    std::set<std::tuple<std::size_t, bool, std::int64_t>> seen;
    std::int64_t equal = 0;
    for (std::size_t i = 0; i < roots.size() && ordered; ++i) {
      if (!said && !roots[i]->is_isr) { continue; }
      const bool is_first =
          seen.emplace(tasks[i]["core"].get<std::size_t>(), roots[i]->is_isr, roots[i]->priority.value_or(0)).second;
      equal += is_first ? 0 : 1;
    }
    if (equal > 0) {
      omit("equal priorities on a core", "tasks of one priority wait for each other in the order of their releases",
           equal);
    }
    std::ranges::stable_sort(by, [&](std::size_t a, std::size_t b) {
      if (roots[a]->is_isr != roots[b]->is_isr) { return roots[a]->is_isr; }
      const std::int64_t x = said || roots[a]->is_isr ? roots[a]->priority.value_or(0) : 0;
      const std::int64_t y = said || roots[a]->is_isr ? roots[b]->priority.value_or(0) : 0;
      if (x != y) { return x > y; }
      const auto rate = [&](std::size_t i) {
        return std::pair{tasks[i]["period"].get<ticks>(), tasks[i]["deadline"].get<ticks>()};
      };
      return rate(a) < rate(b);
    });
    for (std::size_t rank = 0; rank < by.size(); ++rank) { tasks[by[rank]]["priority"] = rank; }
  }

  const amalthea_model& model_;
  amalthea_times times_;
  amalthea_releases releases_;
  std::vector<const amalthea_unit*> cores_;
  const amalthea_unit* gpu_ = nullptr;
  amalthea_model notes_;  ///< what the writing adds to notes and omissions of the model
  std::vector<const amalthea_task*> offloads_;
  std::set<std::string> called_;
  std::map<std::string, std::map<std::string, bool>> users_;  ///< whether runnables use a semaphore
  times_by_type longest_;                                     ///< runnables of the task that is written
  double section_ = 0;                                        ///< its longest section
  bool cooperative_ = false;
};

}  // namespace

auto workload_of(const amalthea_model& model, const std::string& name) -> ordered_json {
  return workload_writer{model}.write(name);
}

}  // namespace takt::program
