// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/core/choice.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/host/engine.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/gpu_shares.hpp>
#include <takt/model/shares/share_visits.hpp>
#include <takt/model/task_set.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/flatten.hpp>
#include <takt/rules/miss_action.hpp>
#include <takt/rules/servers/policy_server.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/rules/share_tags.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/rules/shares/scheduled_shares.hpp>
#include <takt/rules/shares/share_policy.hpp>
#include <takt/simulation/lengths.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/release_times.hpp>
#include <takt/simulation/result.hpp>
#include <takt/systems/shares/simulation/actuator.hpp>
#include <takt/systems/shares/simulation/history_progress.hpp>

namespace takt::inline TAKT_ABI {

/// Says what was done while a job of an application was active, summed over its jobs: this is what the scheduling
/// overhead of Yao et al. 2022, Eq. 16 weighs.
struct share_activity {
  std::uint64_t started = 0;  ///< jobs
  std::uint64_t operations = 0;
  std::uint64_t predictions = 0;
};

/// Says what deciding cost. All 0 for policies that do not predict.
struct share_effort {
  std::uint64_t operations = 0;
  std::uint64_t skipped = 0;   ///< completions after which nothing was decided
  std::uint64_t refilled = 0;  ///< completions after which only the freed share was handed out
  std::uint64_t refusals = 0;  ///< operations that found no share for some job
  std::uint64_t predictions = 0;
  std::uint64_t predictor_calls = 0;
  std::uint64_t share_changes = 0;  ///< of active jobs, in operations
};

/// Holds what a simulation of shares saw, application by application. Those that wait for a late job count as released.
template <std::size_t MaxTasks>
struct share_observation : simulation_result<MaxTasks> {
  share_effort effort{};
  inline_vector<share_activity, MaxTasks> activities{};

  [[nodiscard]] constexpr auto without_miss() const noexcept -> std::size_t {
    return static_cast<std::size_t>(std::ranges::count_if(this->tasks, [](const auto& t) { return t.misses == 0; }));
  }
};

namespace simulation {

struct share_options {
  /// The run ends there: completions and misses at that instant still count, releases do not.
  ticks horizon = 0;
  miss_action at_miss = miss_action::abort;
  /// Between a decision and its effect. Either way the shares in force never exceed the GPU, and what a job holds ends
  /// with it. Rules that are to be sound need as much `actuation`.
  ticks actuation_delay = 0;
  share_change change = share_change::delayed;
  /// Rows say only how long a job takes at most: any takes a part of that, from one tick on.
  execution_times execution = execution_times::upper;
  std::uint64_t seed = 1;  ///< of random parts
};

/// Tells a recorder with `record(const share_operation<Policy>&)` of each operation: who took it and when.
template <class Policy>
struct share_operation {
  ticks time = 0;
  bool missed = false;  ///< a deadline passed at this instant, also where that is no event for the policy
  const Policy& policy;
};

namespace detail {

/// Says how long a whole job is for the engine, whatever its share. So fine that the shortest job takes one tick.
inline constexpr ticks whole_job = ticks{1'000'000} << 30;

/// Describes the rule of a GPU whose shares a policy sizes, in front of an observer. Each application is one task.
template <std::size_t MaxTasks, SharePolicy Policy, class Observer>
struct observed_policy_rule {
  using is_takt_rule = void;
  static constexpr std::string_view name = "shares by a policy";
  static constexpr bool one_station = true;
  static constexpr bool sizes_shares = true;
  static constexpr bool reads_applications = true;
  const application_set<MaxTasks>* applications;
  const Policy* fresh;
  Observer* observer;
  share_actuator actuator;

  [[nodiscard]] static constexpr auto job_order(std::int32_t /*units*/) noexcept -> by_absolute_deadline { return {}; }
  template <std::size_t Capacity>
  [[nodiscard]] auto make_server(std::int32_t /*units*/) const {
    return policy_server<Capacity, MaxTasks, Policy, history_progress, share_actuator, Observer>{*applications, *fresh,
                                                                                                 actuator, observer};
  }
  using view_needs = wcet_row;
  template <class K>
    requires knows<wcet_row, K>
  [[nodiscard]] static constexpr auto view(const K& /*kernel*/, const visit_placement& at) noexcept -> visit_view {
    return {.time = {0, whole_job}, .values = {{static_cast<ticks>(at.task), 0, 0, 0}}};
  }
};

/// Says the engine when jobs come and how long they take, hears what the server of shares does, and tells a recorder.
template <std::size_t MaxTasks, SharePolicy Policy, TraceRecorder Recorder>
class share_run {
 public:
  /// Pre: all that is passed by reference outlives it.
  share_run(const application_set<MaxTasks>& set, const std::vector<std::vector<ticks>>& releases,
            const share_options& options, Recorder& recorder)
      : releases_{&releases}, recorder_{&recorder}, options_{options}, work_{options.execution, options.seed} {
    // Bound: one per application.
    for (const share_task& t : set.tasks) { states_.unchecked_push_back({.deadline = t.deadline}); }
  }

  // What the engine asks.

  auto gap(std::uint32_t task, std::uint64_t job, ticks /*period*/) -> ticks {
    const ticks next = release(task, job);
    const ticks before = std::exchange(states_[task].release, next < options_.horizon ? next : no_event);
    return states_[task].release - before;
  }
  static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) noexcept -> ticks { return 0; }
  auto length(const visit_record& v, std::uint64_t /*job*/) -> ticks {
    state& s = states_[v.task];
    ++s.activity.started;
    s.active = true;
    note(mark_kind::release, v.task, s.release);
    note(mark_kind::deadline, v.task, s.release + s.deadline);
    const ticks part = work_.draw({0, 1'000'000});
    return part == 0 ? 1 : part * (whole_job / 1'000'000);
  }
  void completed(std::uint32_t task, std::uint64_t /*job*/, ticks now) {
    note(mark_kind::completion, task, now);
    states_[task].active = false;
  }
  [[nodiscard]] static auto minds_misses() noexcept -> bool { return true; }
  auto missed(std::uint32_t task, std::uint64_t /*job*/, ticks deadline) -> miss_action {
    missed_now_ = true;
    stopped_ = stopped_ || stops_run(options_.at_miss);
    note(mark_kind::miss, task, deadline);
    if (aborts_job(options_.at_miss)) { states_[task].active = false; }
    return options_.at_miss;
  }

  // What the server tells.

  /// A slice per interval of time with one share, which is its `segment`; the track is the application's own.
  void holds(std::size_t i, share held, ticks now) {
    state& s = states_[i];
    const auto task = static_cast<std::uint32_t>(i);
    if (s.held && s.held_from < now) {
      recorder_->record(slice{.task = task,
                              .segment = static_cast<std::uint32_t>(s.held.percent()),
                              .job = s.activity.started - 1,
                              .where = {.where = stage::kernel,
                                        .index = static_cast<std::int32_t>(i),
                                        .kind = unit_kind::share,
                                        .percent = static_cast<std::uint8_t>(s.held.percent())},
                              .start = s.held_from,
                              .end = now});
    }
    s.held = held;
    s.held_from = now;
  }
  void decided(ticks now, const share_step& step, const Policy& policy) {
    effort_.skipped += step.skipped ? 1 : 0;
    effort_.refilled += step.refilled ? 1 : 0;
    effort_.share_changes += step.share_changes;
    effort_.predictions += step.predictions;
    effort_.predictor_calls += step.predictor_calls;
    if (!step.operated) { return; }
    ++effort_.operations;
    effort_.refusals += step.schedulable ? 0 : 1;
    for (state& s : states_) {
      if (!s.active) { continue; }
      ++s.activity.operations;
      s.activity.predictions += step.predictions;
    }
    if constexpr (requires(share_operation<Policy> o) { recorder_->record(o); }) {
      recorder_->record(share_operation<Policy>{now, missed_now_, policy});
    }
  }

  /// Lets the engine go through the run.
  template <class Engine>
  [[nodiscard]] auto through(Engine& engine) -> share_observation<MaxTasks> {
    const slice_sink null_sink{};
    share_observation<MaxTasks> out;
    engine.begin(null_sink);
    while (!stopped_) {
      const ticks next = std::min(engine.next_instant(), next_release(out.end));
      if (next == no_event) { break; }
      out.end = std::min(next, options_.horizon);
      missed_now_ = false;
      if (next >= options_.horizon) { break; }
      engine.step(out.end);
    }
    engine.end_jobs(out.end);
    out.effort = effort_;
    for (std::uint32_t i = 0; i < states_.size(); ++i) {
      holds(i, no_share, out.end);
      auto t = engine.seen().tasks[i];
      t.first_visit = t.visit_count = 0;
      t.released = states_[i].past;
      for (std::uint64_t job = states_[i].activity.started; job < t.released; ++job) {
        recorder_->record(mark{mark_kind::release, i, job, release(i, job)});
      }
      t.unfinished = t.released - t.completed;
      // Bound: one per application.
      out.tasks.unchecked_push_back(t);
      out.activities.unchecked_push_back(states_[i].activity);
    }
    return out;
  }

 private:
  struct state {
    ticks deadline = 0;
    ticks release = 0;       ///< of the last job that the engine asked for
    std::uint64_t past = 0;  ///< jobs whose releases are
    share held{};            ///< since `held_from`
    ticks held_from = 0;
    bool active = false;
    share_activity activity{};
  };

  /// `no_event` without such a job.
  [[nodiscard]] auto release(std::uint32_t task, std::uint64_t job) const -> ticks {
    const bool comes = task < releases_->size() && job < (*releases_)[task].size();
    return comes ? (*releases_)[task][static_cast<std::size_t>(job)] : no_event;
  }
  /// After an instant, also of jobs that will wait for the one before.
  [[nodiscard]] auto next_release(ticks now) -> ticks {
    ticks least = no_event;
    for (std::uint32_t i = 0; i < states_.size(); ++i) {
      while (release(i, states_[i].past) <= now) { ++states_[i].past; }
      least = std::min(least, release(i, states_[i].past));
    }
    return least;
  }
  void note(mark_kind what, std::uint32_t i, ticks time) {
    recorder_->record(mark{what, i, states_[i].activity.started - 1, time});
  }

  const std::vector<std::vector<ticks>>* releases_;
  Recorder* recorder_;
  share_options options_;
  lengths work_;
  inline_vector<state, MaxTasks> states_{};
  share_effort effort_{};
  bool missed_now_ = false;
  bool stopped_ = false;
};

[[nodiscard]] constexpr auto share_options_fault(const share_options& o) -> model_error {
  if (!is_known(o.at_miss) || !is_known(o.change)) { return {.fault = model_fault::choice_out_of_range}; }
  if (o.horizon < 0 || o.actuation_delay < 0) { return {.fault = model_fault::negative_time}; }
  return {.fault = o.horizon > longest_time ? model_fault::time_overflow : model_fault::none};
}

/// Applications that ask for what a plan gives them. Error: a part that is not used, or a share below 1 or above 101.
template <std::size_t MaxTasks, std::size_t N>
[[nodiscard]] constexpr auto request_planned(application_set<MaxTasks>& set, const plan<N>& p) -> model_error {
  if (const auto error = parts_fault(p, {.percents = true}, set.size())) { return error; }
  for (std::size_t i = 0; i < p.percents.size(); ++i) {
    if (p.percents[i] < 1 || p.percents[i] > no_share_suffices) { return fault_at(model_fault::plan_does_not_fit, i); }
    set.tasks[i].request = share::bounded(p.percents[i]);
  }
  return {};
}

}  // namespace detail

/// Lets jobs run on shares of a GPU in virtual time. `recorder` hears of marks, a slice per interval of time with one
/// share, and operations where it listens to `share_operation`. Whether a job is done is decided exactly. `releases`:
/// of the jobs of each application, never decreasing. Equal arguments give the same result everywhere.
///
/// Order within one instant: completions; misses; releases; then at most one decision, on everything that happened. A
/// job that is complete at its deadline is in time.
///
/// Pre: the policy is fresh and of the same set. Error: `invalid_model`, with the fault in `error`. Cost: that of
/// `host::engine`, and per instant the policy's own and applications^2; memory grows with the longest history of a job.
template <std::size_t MaxTasks, SharePolicy Policy, TraceRecorder Recorder = const null_recorder>
auto simulate_shares(const application_set<MaxTasks>& set, const Policy& policy,
                     const std::vector<std::vector<ticks>>& releases, const share_options& options,
                     Recorder& recorder = no_recorder) -> share_observation<MaxTasks> {
  using run_type = detail::share_run<MaxTasks, Policy, Recorder>;
  share_observation<MaxTasks> out;
  out.error = policy.error();
  if (!out.error) { out.error = detail::share_options_fault(options); }
  if (out.error) { return out; }
  run_type run{set, releases, options, recorder};
  const auto board = platform(
      pool(gpu_shares(), detail::observed_policy_rule<MaxTasks, Policy, run_type>{
                             &set, &policy, &run, detail::share_actuator{options.actuation_delay, options.change}}));
  const auto flat = flatten(board, set, plan<MaxTasks, MaxTasks>{});
  out.error = flat.error;
  if (out.error) { return out; }
  using engine = host::engine<std::remove_cvref_t<decltype(flat.stations)>, MaxTasks, MaxTasks, run_type>;
  return run.through(*std::make_unique<engine>(flat.table, flat.stations, run));
}

}  // namespace simulation

/// Lets applications run on a GPU that is granted by shares in virtual time, under the rule of its pool, and `recorder`
/// hears what happens, as `simulation::simulate_shares` does. A job that misses its deadline is dropped there, or ends
/// the run. Jobs take their row's time or a part of it, from one tick on. A greater share takes effect as late as the
/// rule's `actuation` allows. The run ends at the horizon. Equal arguments give the same result everywhere.
///
/// No rule grants lasting shares: each sizes what jobs hold by what they still need. The percents of a plan are what
/// the applications ask for (`share_request`). Rules that predict under the load of the moment assume that much of a
/// job that holds nothing. Rules that count on the worst load assume nothing of it. Error: `invalid_model`, with the
/// fault in `error`. Cost: that of `simulation::simulate_shares`; all releases are kept on the heap.
template <HasGpuShares P, TaskSet T, std::size_t N, TraceRecorder Recorder = const null_recorder>
  requires(!ComposedBoard<P, T>)
auto simulate(const P& platform, const T& tasks, const plan<N>& p, const simulation_options& options = {},
              Recorder& recorder = no_recorder,
              detail::refusal&& /*refused*/ = detail::refusal{detail::check_shares<P, T>::passed}) {
  if constexpr (SharePlatform<P> && ShareTaskSet<T>) {
    auto set = tasks.template table<ticks>();
    share_observation<decltype(set)::max_tasks> out;
    out.error = platform.validate();
    if (!out.error) { out.error = validate(set); }
    if (!out.error) { out.error = fits(set, share_pool_of(platform).resource); }
    if (!out.error) { out.error = simulation::detail::request_planned(set, p); }
    if (!out.error) { out.error = simulation::options_fault(options, set.size(), {.stop_at_first_miss = true}); }
    if (!out.error && !simulation::jobs_fit(set.tasks, options.horizon)) {
      out.error = {.fault = model_fault::too_many_jobs};
    }
    if (out.error) { return out; }
    const auto& rule = share_rule_of(platform);
    const ticks horizon = options.horizon.count();
    const simulation::share_options how{.horizon = horizon,
                                        .at_miss = options.stop_at_first_miss ? miss_action::stop : miss_action::abort,
                                        .actuation_delay = rule.rules.actuation,
                                        .change = simulation::share_change::raised_later,
                                        .execution = options.execution,
                                        .seed = ~options.seed};
    const auto releases = is_adversarial(options.releases)
                              ? simulation::interrupting_releases(set.tasks, horizon, options.seed)
                              : simulation::release_times(set.tasks, options);
    out = simulation::simulate_shares(set, scheduled_shares{set, contention_predictor(set), rule.rules, rule.triggers},
                                      releases, how, recorder);
    if (!options.stop_at_first_miss || out.misses() == 0) { out.end = horizon; }
    return out;
  }
}

/// Simulates applications as they are.
template <HasGpuShares P, TaskSet T, TraceRecorder Recorder = const null_recorder>
  requires(!ComposedBoard<P, T>)
auto simulate(const P& platform, const T& tasks, const simulation_options& options = {},
              Recorder& recorder = no_recorder,
              detail::refusal&& /*refused*/ = detail::refusal{detail::check_shares<P, T>::passed}) {
  return simulate(platform, tasks, plan<1>{}, options, recorder);
}

}  // namespace takt::inline TAKT_ABI
