// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/described_kernel.hpp>
#include <takt/model/described_tasks.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/task.hpp>
#include <takt/rules/kernel_views.hpp>

namespace takt::analysis {

/// How much of a board a policy lets tasks use at a time.
struct board_capacity {
  std::int32_t processors = 1;
  bool named_cores = false;  ///< each task stays on the core that it names, if it names one
  std::int32_t kernels = 0;  ///< that share a GPU, each no faster than with all of it; 0: no limit is known
};

namespace detail {

inline constexpr std::int64_t whole_unit = 1'000'000;

/// Of whole units, rounded down, so that a sum above them is a proof.
[[nodiscard]] constexpr auto demand_part(ticks time, ticks period) noexcept -> std::int64_t {
  if (time <= 0 || period <= 0) { return 0; }
  const ticks whole = time / period;
  if (whole > whole_unit) { return whole_unit * whole_unit; }
  const ticks rest = time % period;
  const std::int64_t part =
      rest <= longest_visit_time / 1024 ? rest * whole_unit / period : rest / (period / whole_unit + 1);
  return whole * whole_unit + part;
}

/// A time that a kernel takes in some legal run, wherever it runs: the least that the facts allow for all SMs, if one
/// of them says how long it takes and not only how to bound that. 0: not known.
template <class Tasks>
[[nodiscard]] constexpr auto legal_kernel_time(const Tasks& all, const described_visit& v, const hardware& board)
    -> ticks {
  ticks least = 0;
  bool is_known = false;
  const auto take = [&](bool is_stated, auto... facts) {
    if (!is_stated) { return; }
    described_visit one = v;
    one.known = {};
    (one.known.add(facts), ...);
    described_kernel k{.visit = &one};
    if (one.known.has(visit_fact::wcet_by_share) && v.row < all.rows.size()) { k.row = &all.rows[v.row]; }
    if (one.known.has(visit_fact::times_on_sms)) { k.samples = all.samples.data() + v.first_sample; }
    for (const gpu_hardware& gpu : board.gpus) {
      const gpu_record g{.sms = gpu.sms, .virtual_per_sm = gpu.virtual_per_sm, .speed = gpu.speed};
      const visit_view seen = time_on_gpu(k, g);
      if (seen.fault != model_fault::none) { continue; }
      least = !is_known || seen.time.upper < least ? seen.time.upper : least;
      is_known = true;
    }
  };
  const auto has = [&](visit_fact f) { return v.known.has(f); };
  take(has(visit_fact::wcet), visit_fact::wcet);
  take(has(visit_fact::time), visit_fact::time);
  take(has(visit_fact::work), visit_fact::work, visit_fact::overhead, visit_fact::interleave);
  take(has(visit_fact::times_on_sms), visit_fact::times_on_sms);
  if (!is_known) { return 0; }
  take(has(visit_fact::grid) && has(visit_fact::block_length), visit_fact::grid, visit_fact::block_length);
  take(has(visit_fact::wcet_by_share), visit_fact::wcet_by_share);
  return least;
}

}  // namespace detail

/// Whether some legal run of these tasks misses a deadline whatever the rules of processors, copy engines and GPUs do:
/// a job alone takes too long, or jobs that all have deadlines ask for more than there is. False says nothing.
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto must_miss(const described_tasks<N, V, R, S>& all, const hardware& board,
                                       const board_capacity& capacity) -> bool {
  std::int64_t processors = 0;
  std::int64_t engines[max_copy_engines]{};
  std::int64_t kernels = 0;
  bool limited = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const described_task& t = all.tasks[i];
    limited = limited && t.limited;
    ticks end[max_visits_of_task]{};
    ticks longest = 0;
    for (std::uint32_t p = 0; p < t.visit_count && p < max_visits_of_task; ++p) {
      const described_visit& v = all.visits[t.first_visit + p];
      ticks time = v.known.has(visit_fact::time) ? v.time.upper : 0;
      switch (v.where) {
        case visit_place::processor: processors += detail::demand_part(time, t.period); break;
        case visit_place::copy_engine:
          engines[board.copy_engines == 2 && takes_second_engine(v.direction) ? 1 : 0] +=
              detail::demand_part(time, t.period);
          break;
        case visit_place::gpu:
          time = detail::legal_kernel_time(all, v, board);
          kernels += detail::demand_part(time, t.period);
          break;
        case visit_place::own: break;
      }
      if (time < 0 || time > longest_visit_time) { return false; }
      ticks start = 0;
      for (std::uint32_t q = 0; q < p; ++q) {
        start = (v.predecessors >> q & 1U) != 0 && start < end[q] ? end[q] : start;
      }
      end[p] = start + time;
      longest = longest < end[p] ? end[p] : longest;
    }
    if (t.limited && t.jitter <= longest_visit_time && longest + t.jitter > t.deadline) { return true; }
  }
  if (!limited) { return false; }
  const auto gpus = static_cast<std::int64_t>(board.gpus.size());
  if (processors > capacity.processors * detail::whole_unit) { return true; }
  if (capacity.kernels > 0 && kernels > capacity.kernels * gpus * detail::whole_unit) { return true; }
  for (const std::int64_t demand : engines) {
    if (demand > detail::whole_unit) { return true; }
  }
  if (!capacity.named_cores) { return false; }
  for (const described_task& of : all.tasks) {
    std::int64_t there = 0;
    for (const described_task& t : all.tasks) {
      for (std::uint32_t p = 0; of.core != any_core && t.core == of.core && p < t.visit_count; ++p) {
        const described_visit& v = all.visits[t.first_visit + p];
        const bool counts = v.where == visit_place::processor && v.known.has(visit_fact::time);
        there += counts ? detail::demand_part(v.time.upper, t.period) : 0;
      }
    }
    if (there > detail::whole_unit) { return true; }
  }
  return false;
}

}  // namespace takt::analysis
