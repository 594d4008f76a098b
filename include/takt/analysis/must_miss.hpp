// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/proven_miss.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/runtime_kernel.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/sm_power.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/task_attributes.hpp>
#include <takt/rules/kernel_views.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Says what a policy and rules of processors leave of a board for tasks, under every plan.
struct board_limits {
  std::int32_t processors = 0;  ///< 0: no limit is known
  bool named_cores = false;     ///< each task stays on the core that it names, if it names one
  bool spins = false;           ///< a job is one thread, which polls for its copies and kernels
  std::int32_t kernels = 0;     ///< that share a GPU, each no faster than with all of it; 0: no limit is known
  std::int64_t parts = 0;       ///< of GPUs, one of which each task with kernels has for itself; 0: none are handed out
  std::int32_t sms_of_part = 0;  ///< virtual ones; 0: parts are not made of SMs
};

namespace detail {

/// A time that a kernel takes in some legal run, wherever it runs. It is the least that the facts allow, if one of them
/// says how long the kernel takes and does not only bound that. 0: not known.
template <class Tasks>
class legal_kernel_time {
 public:
  /// `most`: virtual SMs that it can have; 0: all of them.
  constexpr legal_kernel_time(const Tasks& all, const hardware& board, std::int32_t most)
      : all_{&all}, board_{&board}, most_{most} {}

  [[nodiscard]] constexpr auto operator()(const runtime_visit& v) -> ticks {
    const auto has = [&](visit_fact f) { return v.known.has(f); };
    least_ = 0;
    is_known_ = false;
    take(v, false, has(visit_fact::wcet), visit_fact::wcet);
    take(v, false, has(visit_fact::time), visit_fact::time);
    take(v, true, has(visit_fact::work), visit_fact::work, visit_fact::overhead, visit_fact::interleave);
    take(v, true, has(visit_fact::times_on_sms) && !v.on_whole_sms, visit_fact::times_on_sms);
    if (!is_known_) { return 0; }
    take(v, true, has(visit_fact::times_on_sms) && v.on_whole_sms, visit_fact::times_on_sms);
    take(v, false, has(visit_fact::grid) && has(visit_fact::block_length), visit_fact::grid, visit_fact::block_length);
    take(v, false, has(visit_fact::wcet_by_share), visit_fact::wcet_by_share);
    return least_;
  }

 private:
  /// Takes what these facts allow, on few SMs where they say it.
  template <class... Facts>
  constexpr void take(const runtime_visit& v, bool by_sms, bool is_known, Facts... facts) {
    if (!is_known) { return; }
    runtime_visit one = v;
    one.known = {};
    const auto keep = [&](visit_fact f) {
      if (v.known.has(f)) { one.known.add(f); }
    };
    (keep(facts), ...);
    runtime_kernel k{.visit = &one};
    if (one.known.has(visit_fact::wcet_by_share) && v.row < all_->rows.size()) { k.row = &all_->rows[v.row]; }
    if (one.known.has(visit_fact::times_on_sms)) { k.samples = all_->samples.data() + v.first_sample; }
    for (const gpu_hardware& gpu : board_->gpus) {
      const gpu_record g{.sms = gpu.sms, .virtual_per_sm = gpu.virtual_per_sm, .speed = gpu.speed};
      const std::int64_t every = std::int64_t{gpu.sms} * gpu.virtual_per_sm;
      if (!by_sms || most_ < 1 || most_ >= every) {
        add(time_on_gpu(k, g));
        continue;
      }
      for (std::int32_t sms = 1; sms <= most_; ++sms) { add(time_on_sms(k, g, sms)); }
    }
  }
  constexpr void add(const visit_view& seen) {
    if (seen.fault != model_fault::none) { return; }
    least_ = !is_known_ || seen.time.upper < least_ ? seen.time.upper : least_;
    is_known_ = true;
  }

  const Tasks* all_;
  const hardware* board_;
  std::int32_t most_;
  ticks least_ = 0;
  bool is_known_ = false;
};

/// Returns how long a kernel keeps all SMs at least, wherever it runs. Its serial part occupies any number of them.
[[nodiscard]] constexpr auto time_of_all_sms(const runtime_visit& v, ticks time, const gpu_speed& speed) -> ticks {
  const auto has = [&](visit_fact f) { return v.known.has(f); };
  const bool by_work = has(visit_fact::work) && !has(visit_fact::times_on_sms) && !has(visit_fact::grid) &&
                       !has(visit_fact::block_length) && !has(visit_fact::wcet_by_share);
  interval<ticks> serial{};
  if (!by_work) { return 0; }
  if (has(visit_fact::overhead) && !takt::detail::times_at_speed({v.overhead, v.overhead}, speed, serial)) { return 0; }
  return time > serial.upper + 1 ? time - serial.upper - 1 : 0;
}

/// The visits of a task, added up. False where some time is out of range.
template <class Tasks>
class summed_load {
 public:
  constexpr summed_load(const Tasks& all, const hardware& board, const board_limits& limits, std::int32_t most_sms)
      : all_{&all}, board_{&board}, limits_{&limits}, on_all_{all, board, 0}, on_part_{all, board, most_sms} {}

  [[nodiscard]] constexpr auto read(std::size_t task, task_load<ticks>& out) -> bool {
    const runtime_task& t = all_->tasks[task];
    ticks end[max_visits_of_task]{};
    ticks whole = 0;
    for (std::uint32_t p = 0; p < t.visit_count && p < max_visits_of_task; ++p) {
      const runtime_visit& v = all_->visits[t.first_visit + p];
      const bool is_kernel = v.where == resource_kind::gpu;
      const ticks alone = is_kernel ? on_all_(v) : v.known.has(visit_fact::time) ? v.time.upper : 0;
      const ticks time = is_kernel ? on_part_(v) : alone;
      if (!is_in_range(alone) || !is_in_range(time)) { return false; }
      switch (v.where) {
        case resource_kind::processor:
          out.processors += time;
          if (v.region != 0) { out.rank = -1; }  // what comes before it need not delay it
          break;
        case resource_kind::copy_engine:
          out.engines[board_->copy_engines == 2 && takt::detail::takes_second_engine(v.direction) ? 1 : 0] += time;
          break;
        case resource_kind::gpu:
          out.has_kernels = true;
          out.kernels += alone;
          if (board_->gpus.size() == 1) { out.sms += time_of_all_sms(v, alone, board_->gpus[0].speed); }
          break;
        case resource_kind::own: break;
      }
      out.suspends = out.suspends || v.where != resource_kind::processor;
      ticks start = 0;
      for (std::uint32_t q = 0; q < p; ++q) {
        start = (v.predecessors >> q & 1U) != 0 && start < end[q] ? end[q] : start;
      }
      end[p] = start + time;
      whole += time;
      out.alone = out.alone < end[p] ? end[p] : out.alone;
    }
    // One thread does one visit after the other. While another has its processor its copies and kernels go on, so the
    // time of these is no demand of the processor.
    out.held = out.processors;
    if (limits_->spins) {
      out.alone = out.held = whole;
      out.suspends = false;
    }
    return true;
  }

 private:
  [[nodiscard]] static constexpr auto is_in_range(ticks time) -> bool {
    return time >= 0 && time <= longest_visit_time;
  }

  const Tasks* all_;
  const hardware* board_;
  const board_limits* limits_;
  legal_kernel_time<Tasks> on_all_;
  legal_kernel_time<Tasks> on_part_;
};

template <class Tasks>
[[nodiscard]] constexpr auto limited_users(const Tasks& all) -> std::int64_t {
  std::int64_t out = 0;
  for (const runtime_task& t : all.tasks) {
    bool uses = false;
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      uses = uses || all.visits[t.first_visit + p].where == resource_kind::gpu;
    }
    out += uses && t.limited ? 1 : 0;
  }
  return out;
}

}  // namespace detail

/// Returns whether the times that rules make of kernels are ones that they take in some legal run. That is so if each
/// kernel has one fact that says how long it takes, and none that only bounds it, as times of fewer SMs do. Then a run
/// that misses a deadline proves something of the tasks.
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto times_are_given(const runtime_task_set<N, V, R, S>& all) -> bool {
  for (const runtime_visit& v : all.visits) {
    const auto has = [&](visit_fact f) { return v.known.has(f) ? 1 : 0; };
    if (v.where != resource_kind::gpu) { continue; }
    const int facts =
        has(visit_fact::wcet) + has(visit_fact::time) + has(visit_fact::work) + has(visit_fact::times_on_sms);
    if (v.on_whole_sms || facts != 1 ||
        has(visit_fact::wcet_by_share) + has(visit_fact::grid) + has(visit_fact::block_length) > 0) {
      return false;
    }
  }
  return true;
}

/// Finds proofs of misses of run-time tasks, whatever the plan is, as far as the limits say what every plan has in
/// common. `ranks`: of the tasks, as `task_load` has them, where cores preempt in their order; else empty. What is not
/// known of a visit takes no time.
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto find_proven_misses(const runtime_task_set<N, V, R, S>& all, const hardware& board,
                                                const board_limits& limits, std::span<const std::int64_t> ranks = {})
    -> proven_misses<ticks, N> {
  const std::int64_t users = detail::limited_users(all);
  const std::int64_t most_parts = limits.parts - users + 1;
  const bool on_parts = board.gpus.size() == 1 && limits.sms_of_part > 0 && limits.parts > 0 && most_parts > 0;
  const auto most_sms = on_parts ? static_cast<std::int32_t>(most_parts * limits.sms_of_part) : 0;
  detail::summed_load<runtime_task_set<N, V, R, S>> reader{all, board, limits, most_sms};
  inline_vector<task_load<ticks>, N> loads;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const runtime_task& t = all.tasks[i];
    task_load<ticks> load{.task = static_cast<std::uint32_t>(i),
                          .period = t.period,
                          .deadline = t.deadline,
                          .jitter = t.jitter,
                          .strict = t.strict,
                          .offset = t.offset,
                          .limited = t.limited,
                          .core = limits.named_cores ? t.core : unassigned_core,
                          .rank = i < ranks.size() ? ranks[i] : -1};
    if (limits.processors == 1) { load.core = 0; }
    const bool fits = t.period > 0 && t.period <= longest_visit_time && t.deadline <= longest_visit_time &&
                      t.jitter <= longest_visit_time;
    if (!fits || !reader.read(i, load)) { return {}; }
    // Bound: one per task, at most N.
    loads.unchecked_push_back(load);
  }
  return find_proven_misses(loads, {.processors = limits.processors,
                                    .copy_engines = board.copy_engines,
                                    .parts = limits.parts,
                                    .kernels = limits.kernels * static_cast<std::int64_t>(board.gpus.size()),
                                    .sms_are_shared_out = limits.sms_of_part > 0 && board.gpus.size() == 1});
}

}  // namespace takt::inline TAKT_ABI::analysis
