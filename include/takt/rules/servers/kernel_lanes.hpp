// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/exact.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/core/to_index.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator/backend.hpp>
#include <takt/rules/accelerator/job_order.hpp>

namespace takt::inline TAKT_ABI {

/// Models what the hardware behind a scheduler of whole kernels does: the streams of each core, and those of all cores
/// together, which is lane 0. In a lane the kernel on the highest level runs, from the end of the wave that is under
/// way on. `MaxResidents` is the most kernels of a lane.
///
/// A kernel under `ideal` or `race` costs runs in waves of its preemption cost. Under `overhead` costs nothing delays a
/// preemption, and the cost of the kernel that executes is spent before another runs in its place.
template <ExactNumber Number, std::size_t MaxTasks, std::size_t MaxLanes, std::size_t MaxResidents = MaxTasks>
class kernel_lanes {
 public:
  constexpr explicit kernel_lanes(preemption_cost_model model = preemption_cost_model::ideal, std::int32_t cores = 1)
      : count_{static_cast<std::size_t>(cores) < MaxLanes ? static_cast<std::size_t>(cores) + 1 : MaxLanes},
        cores_{cores},
        in_waves_{detail::costs_a_wave(model)} {
    kernels_.fill(kernel{});  // g++-12 may leave default members of array elements zero
    lanes_.fill(lane{});
  }

  /// Pre: a core from 0 on, or `unassigned_core`.
  [[nodiscard]] static constexpr auto lane_of(std::int32_t core) noexcept -> std::size_t {
    TAKT_EXPECTS(core == unassigned_core || core >= 0);
    return core == unassigned_core ? 0 : static_cast<std::size_t>(core) + 1;
  }

  /// Loads the next job of a kernel.
  constexpr void load(kernel_id k, const Number& work, const Number& cost, std::uint64_t number) {
    kernels_[to_index(k)] = {.remaining = work, .cost = cost, .number = number};
  }

  /// Pre: on a lane of a core below `cores`, or on all; fewer than `MaxResidents` are there.
  constexpr void submit(kernel_id k, const kernel_placement& where) {
    TAKT_EXPECTS(lane_of(where.core) < count_ && !lanes_[lane_of(where.core)].residents.full());
    kernel& x = kernels_[to_index(k)];
    x.lane = lane_of(where.core);
    x.level = where.level;
    x.resident = true;
    lane& l = lanes_[x.lane];
    l.residents.unchecked_push_back(k);  // Bound: MaxResidents, above.
    if (!in_waves_) { waste(l); }
  }
  constexpr void request_yield(kernel_id k) noexcept { kernels_[to_index(k)].leaving = true; }

  /// False when nothing is under way.
  [[nodiscard]] constexpr auto next_instant(Number& out) const -> bool {
    bool any = false;
    const auto consider = [&](const Number& time) {
      if (!any || time < out) { out = time; }
      any = true;
    };
    for (std::size_t i = 0; i < count_; ++i) {
      const lane& l = lanes_[i];
      if (l.running != no_kernel) { consider(l.until); }
      if (now_ < l.wasted_until) { consider(l.wasted_until); }
    }
    return any;
  }

  /// Runs kernels up to `now`, which is not after the next instant. Waves that end there have ended.
  constexpr void advance(const Number& now) {
    now_ = now;
    for (std::size_t i = 0; i < count_; ++i) {
      lane& l = lanes_[i];
      if (l.running == no_kernel) { continue; }
      kernel& x = kernels_[to_index(l.running)];
      if (l.in_wave && now < l.until) { continue; }
      x.remaining = x.remaining - (now - l.since);
      l.since = now;
      if (l.in_wave || !(Number(0) < x.remaining)) { l.running = no_kernel; }
      l.in_wave = false;
    }
  }

  /// Returns a kernel that has nothing left to do, or `no_kernel`.
  [[nodiscard]] constexpr auto finished() const -> kernel_id {
    for (std::size_t i = 0; i < count_; ++i) {
      for (const kernel_id k : lanes_[i].residents) {
        if (!(Number(0) < kernels_[to_index(k)].remaining)) { return k; }
      }
    }
    return no_kernel;
  }
  /// Takes a kernel out that has been asked to yield and is not in a wave any more, or `no_kernel`.
  constexpr auto take_leaver() -> kernel_id {
    for (std::size_t i = 0; i < count_; ++i) {
      lane& l = lanes_[i];
      for (const kernel_id k : l.residents) {
        const kernel& x = kernels_[to_index(k)];
        if (!x.leaving || !(Number(0) < x.remaining) || (l.running == k && l.in_wave)) { continue; }
        if (!in_waves_ && l.running == k) { waste(l); }
        remove(k);
        return k;
      }
    }
    return no_kernel;
  }
  /// Calls f with each kernel that has started, its lane and level, and whether it runs.
  template <class F>
  constexpr void each_started(const F& f) const {
    for (std::size_t i = 0; i < count_; ++i) {
      for (const kernel_id k : lanes_[i].residents) { f(k, i, kernels_[to_index(k)].level, lanes_[i].running == k); }
    }
  }
  /// Takes a kernel out of its lane; one that is not resident changes nothing.
  constexpr void remove(kernel_id k) {
    kernel& x = kernels_[to_index(k)];
    lane& l = lanes_[x.lane];
    inline_vector<kernel_id, MaxResidents> rest;  // Bound: those that there are.
    for (const kernel_id other : l.residents) {
      if (other != k) { rest.unchecked_push_back(other); }
    }
    l.residents = rest;
    if (l.running == k) {
      l.running = no_kernel;
      l.in_wave = false;
    }
    x.resident = false;
    x.leaving = false;
  }

  /// The hardware goes on with what is left in the lane of k, which has just been removed.
  constexpr void resume_beside(kernel_id k) {
    lane& l = lanes_[kernels_[to_index(k)].lane];
    if (l.running == no_kernel && !l.residents.empty()) { start(l, l.residents.back()); }
  }
  /// From now on the kernels on top run. The recorder is told of those that ran before, where times are ticks. False
  /// when the end of one does not fit.
  template <TraceRecorder Recorder>
  [[nodiscard]] constexpr auto dispatch(Recorder& recorder) -> bool {
    for (std::size_t i = 0; i < count_; ++i) {
      lane& l = lanes_[i];
      if (!l.in_wave) {
        const kernel_id top = l.residents.empty() || wasting(i) ? no_kernel : l.residents.back();
        if (top == no_kernel) { l.running = no_kernel; }
        if (top != l.running) { start(l, top); }
      }
      show(i, recorder);
    }
    return fits_;
  }
  /// The recorder is told at once of a kernel that has finished, so that its next job is not taken for this one.
  template <TraceRecorder Recorder>
  constexpr void conclude(kernel_id k, Recorder& recorder) {
    const std::size_t which = kernels_[to_index(k)].lane;
    if (lanes_[which].shown != k) { return; }
    tell(which, recorder);
    lanes_[which].shown = no_kernel;
  }
  /// Ends the record.
  template <TraceRecorder Recorder>
  constexpr void close(Recorder& recorder) {
    for (std::size_t i = 0; i < count_; ++i) {
      lanes_[i].running = no_kernel;
      show(i, recorder);
    }
  }

 private:
  struct kernel {
    Number remaining{};
    Number cost{};  ///< of its preemption
    std::size_t lane = 0;
    std::int32_t level = 0;
    bool resident = false;
    bool leaving = false;  ///< has been asked to yield
    std::uint64_t number = 0;
  };
  struct lane {
    inline_vector<kernel_id, MaxResidents> residents;  ///< the highest level last
    kernel_id running = no_kernel;
    bool in_wave = false;  ///< what runs cannot be stopped before `until`
    Number since{};
    Number until{};
    Number wasted_until{};
    kernel_id shown = no_kernel;
    std::uint64_t shown_number = 0;
    Number shown_since{};
  };

  constexpr void start(lane& l, kernel_id k) {
    const kernel& x = kernels_[to_index(k)];
    l.running = k;
    l.in_wave = in_waves_ && Number(0) < x.cost;
    l.since = now_;
    fits_ = add_exactly(now_, l.in_wave && x.cost < x.remaining ? x.cost : x.remaining, l.until) && fits_;
  }
  /// Preempts what executes; its cost is lost.
  constexpr void waste(lane& l) {
    if (l.running == no_kernel) { return; }
    fits_ = add_exactly(now_, kernels_[to_index(l.running)].cost, l.wasted_until) && fits_;
    l.running = no_kernel;
  }
  /// Returns whether a lane waits for lost time, be it its own or that of cores that it has in common with others.
  [[nodiscard]] constexpr auto wasting(std::size_t which) const -> bool {
    for (std::size_t i = 0; i < count_; ++i) {
      if ((i == which || i == 0 || which == 0) && now_ < lanes_[i].wasted_until) { return true; }
    }
    return false;
  }
  template <TraceRecorder Recorder>
  constexpr void show(std::size_t which, Recorder& recorder) {
    lane& l = lanes_[which];
    const std::uint64_t number = l.running == no_kernel ? 0 : kernels_[to_index(l.running)].number;
    if (l.shown == l.running && l.shown_number == number) { return; }
    tell(which, recorder);
    l.shown = l.running;
    l.shown_number = number;
    l.shown_since = now_;
  }
  template <TraceRecorder Recorder>
  constexpr void tell(std::size_t which, Recorder& recorder) const {
    const lane& l = lanes_[which];
    if constexpr (number_traits<Number>::integral) {
      if (l.shown == no_kernel || !(l.shown_since < now_)) { return; }
      const track where = which == 0 ? track{stage::kernel, 0, 0, cores_}
                                     : track{stage::kernel, 0, static_cast<std::int32_t>(which) - 1, 1};
      recorder.record(slice{static_cast<std::uint32_t>(l.shown), 0, l.shown_number, where, l.shown_since, now_});
    }
  }

  std::array<kernel, MaxTasks> kernels_{};
  std::array<lane, MaxLanes> lanes_{};
  Number now_ = Number(0);
  std::size_t count_;
  std::int32_t cores_;
  bool in_waves_;
  bool fits_ = true;
};

}  // namespace takt::inline TAKT_ABI
