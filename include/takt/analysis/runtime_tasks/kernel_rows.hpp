// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/runtime_tasks/mismatch.hpp>
#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/runtime_kernel.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/task_table.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/kernel_views.hpp>
#include <takt/rules/visit_view.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Pre: the visit is one of `tasks`.
template <class RuntimeTasks>
[[nodiscard]] constexpr auto kernel_of(const RuntimeTasks& tasks, const runtime_visit& v) -> runtime_kernel {
  TAKT_EXPECTS(!v.known.has(visit_fact::wcet_by_share) || v.row < tasks.rows.size());
  TAKT_EXPECTS(!v.known.has(visit_fact::times_on_sms) || v.first_sample < tasks.samples.size());
  return {.visit = &v,
          .row = v.known.has(visit_fact::wcet_by_share) ? tasks.rows.data() + v.row : nullptr,
          .samples = v.known.has(visit_fact::times_on_sms) ? tasks.samples.data() + v.first_sample : nullptr};
}

namespace detail {

[[nodiscard]] constexpr auto is_pinned(const runtime_visit& v) noexcept -> bool {
  return v.known.has(visit_fact::pinning) && !needs_all_cores(v.width);
}

[[nodiscard]] constexpr auto said_numerator_of(const runtime_visit& v) noexcept -> std::int64_t {
  return v.known.has(visit_fact::interleave) ? v.interleave_numerator : unsaid_interleave;
}

/// Tables hold times of speed 1, and the analyses that read them apply the speed.
[[nodiscard]] constexpr auto at_speed_one(gpu_record gpu) noexcept -> gpu_record {
  gpu.speed = {};
  return gpu;
}

/// Returns whether a flat table tells all that is known of the time of a kernel of divisible work. Then no `wcet` is
/// above what the table says, not even by a part of a tick, which would count on many SMs.
[[nodiscard]] constexpr auto is_plain_work(const runtime_visit& v, const platform_record& platform) -> bool {
  if (!v.known.has(visit_fact::work) || v.known.has(visit_fact::times_on_sms) || is_pinned(v)) { return false; }
  if (!v.known.has(visit_fact::wcet)) { return true; }
  for (const gpu_record& gpu : platform.gpus) {
    const interleave_ratio ratio = ratio_on(gpu.virtual_per_sm, said_numerator_of(v), v.interleave_denominator);
    ticks stretched = 0;
    ticks serial = 0;
    const bool sound = ratio.denominator > 0 && v.overhead >= 0 &&
                       checked_multiply(v.work.upper, ratio.numerator, stretched) &&
                       checked_multiply(v.overhead, ratio.denominator, serial) && serial <= stretched;
    std::int64_t parts = 0;
    if (!sound || !checked_multiply(ratio.denominator, std::int64_t{gpu.sms} * gpu.virtual_per_sm, parts) ||
        parts < 1 || (stretched - serial) / parts < v.wcet - v.overhead) {
      return false;
    }
  }
  return true;
}

/// Joins the views of a kernel that may run on either GPU. A time that is unknown on one is unknown.
[[nodiscard]] constexpr auto joined(const visit_view& a, const visit_view& b) noexcept -> visit_view {
  if (a.fault != model_fault::none) { return a; }
  if (b.fault != model_fault::none) { return b; }
  visit_view out = a;
  out.time.lower = b.time.lower < a.time.lower ? b.time.lower : a.time.lower;
  out.time.upper = a.time.upper < b.time.upper ? b.time.upper : a.time.upper;
  return out;
}

/// Returns the time on so many virtual SMs of any GPU that has as many.
[[nodiscard]] constexpr auto time_anywhere(const runtime_kernel& k, const platform_record& platform,
                                           std::int32_t virtual_sms) -> visit_view {
  visit_view out{.fault = model_fault::visit_time_unknown};
  bool any = false;
  for (const gpu_record& gpu : platform.gpus) {
    if (gpu.sms * gpu.virtual_per_sm < virtual_sms) { continue; }
    const visit_view here = time_on_sms(k, at_speed_one(gpu), virtual_sms);
    out = any ? joined(out, here) : here;
    any = true;
  }
  return out;
}

/// Returns the time where a rule says on how many SMs kernels run.
[[nodiscard]] constexpr auto time_in_place(const runtime_kernel& k, const platform_record& platform,
                                           kernel_location place) -> visit_view {
  visit_view out{.fault = model_fault::visit_time_unknown};
  for (std::size_t g = 0; g < platform.gpus.size(); ++g) {
    const gpu_record gpu = at_speed_one(platform.gpus[g]);
    if (!runs_on_token(place)) { return time_on_gpu(k, gpu); }
    const visit_view here = gpu.slot() < 1 ? visit_view{.fault = model_fault::platform_size_out_of_range}
                                           : time_on_sms(k, gpu, gpu.virtual_sms(gpu.slot()));
    out = g == 0 ? here : joined(out, here);
  }
  return out;
}

/// Computes a time that is longer than another on the fastest of the GPUs, too. False where it does not fit. Pre: the
/// speeds are valid.
[[nodiscard]] constexpr auto longer_at_any_speed(const platform_record& platform, ticks than, ticks& out) -> bool {
  ticks fastest = 1;
  for (const gpu_record& gpu : platform.gpus) {
    TAKT_EXPECTS(gpu.speed.valid());
    const ticks times = ceil_divide(ticks{gpu.speed.numerator}, ticks{gpu.speed.denominator});
    fastest = fastest < times ? times : fastest;
  }
  return checked_add(than, ticks{1}, out) && checked_multiply(out, fastest, out);
}

}  // namespace detail

/// Says where kernels of a set run: where the rule lets them, and on at most so many virtual SMs of one's own.
struct kernel_reach {
  kernel_location place = kernel_location::own_share;
  std::int32_t virtual_sms = 1;
};

namespace detail {

/// Returns how far the largest share reaches that a plan can give one of so many tasks with kernels. All of a GPU where
/// not even one SM is left for each.
[[nodiscard]] constexpr auto reach_of(const platform_record& platform, kernel_location place, std::size_t gpu_tasks)
    -> kernel_reach {
  kernel_reach out{place, 1};
  if (!runs_on_own_share(place)) { return out; }
  const auto others = static_cast<std::int64_t>(platform.gpus.size() > 1 || gpu_tasks == 0 ? 0 : gpu_tasks - 1);
  for (const gpu_record& gpu : platform.gpus) {
    if (gpu.granularity < 1) { continue; }
    const std::int64_t units = gpu.budget() / gpu.granularity - others;
    const std::int64_t share = (units < 1 ? gpu.budget() / gpu.granularity : units) * gpu.granularity;
    const std::int32_t sms = gpu.virtual_sms(static_cast<std::int32_t>(share));
    out.virtual_sms = out.virtual_sms < sms ? sms : out.virtual_sms;
  }
  return out;
}

}  // namespace detail

/// Writes a kernel as a segment of a flat table of chains: divisible work as it is, anything else as the times that its
/// facts give where it may run. On SMs of which its facts say nothing it takes longer than `limit`, so that no plan
/// puts it there; where they say nothing of any, a fact is missing. `is_given` becomes false where times are derived
/// from other facts: the kernel may always be faster, and nothing that needs its whole time is a proof of a miss. Cost:
/// a view for each number of virtual SMs.
template <class RuntimeTasks, class Table>
[[nodiscard]] constexpr auto read_kernel(const RuntimeTasks& tasks, std::size_t task, std::uint32_t position,
                                         const platform_record& platform, const kernel_reach& reach, ticks limit,
                                         Table& table, segment_record<ticks>& out, bool& is_given) -> model_error {
  const runtime_visit& v = tasks.visit(task, position);
  const auto add_row = [&](const interval<ticks>& row) {
    ++out.samples;
    return table.samples.try_push_back(row);
  };
  out.where = stage::kernel;
  if (detail::is_plain_work(v, platform)) {
    out.time = v.work;
    out.overhead = v.overhead;
    out.interleave_numerator = detail::said_numerator_of(v);
    out.interleave_denominator = v.interleave_denominator;
    out.any_neighbour = v.any_neighbour;
    return {};
  }
  out.first_sample = static_cast<std::uint32_t>(table.samples.size());
  const auto full = [&] { return detail::mismatch_at(tasks, model_fault::too_large, task, position); };
  const bool is_table = v.known.has(visit_fact::times_on_sms) && !v.on_whole_sms;
  if (is_table && !v.known.has(visit_fact::wcet) && !detail::is_pinned(v)) {
    for (std::uint32_t r = 0; r < v.samples; ++r) {
      if (!add_row(tasks.samples[v.first_sample + r])) { return full(); }
    }
    return {};
  }
  is_given = false;
  const runtime_kernel kernel = kernel_of(tasks, v);
  constexpr interval<ticks> unknown{-1, -1};
  ticks longest = limit;
  lacking_facts missing;
  bool any = false;
  for (std::int32_t n = 1; n <= reach.virtual_sms; ++n) {
    const visit_view seen = runs_on_own_share(reach.place) ? detail::time_anywhere(kernel, platform, n)
                                                           : detail::time_in_place(kernel, platform, reach.place);
    if (seen.fault == model_fault::visit_time_unknown) {
      missing = seen.lacks;
      if (!add_row(unknown)) { return full(); }
      continue;
    }
    if (seen.fault != model_fault::none) { return detail::mismatch_at(tasks, seen.fault, task, position); }
    if (!add_row(seen.time)) { return full(); }
    longest = seen.time.upper > longest ? seen.time.upper : longest;
    any = true;
  }
  if (!any) { return detail::fact_missing(tasks, missing, task, position); }
  ticks too_long = 0;
  if (!detail::longer_at_any_speed(platform, longest, too_long)) {
    return detail::mismatch_at(tasks, model_fault::time_overflow, task, position);
  }
  for (std::uint32_t r = 0; r < out.samples; ++r) {
    interval<ticks>& row = table.samples[out.first_sample + r];
    if (row == unknown) { row = {0, too_long}; }
  }
  return {};
}

}  // namespace takt::inline TAKT_ABI::analysis
