// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <takt/core/checked.hpp>
#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/accelerator_kernel.hpp>
#include <takt/model/facts.hpp>
#include <takt/model/graph/graph_parts.hpp>
#include <takt/model/kernel_facts.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/model_fault.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/model/sm_power.hpp>
#include <takt/model/tabulated_kernel.hpp>
#include <takt/model/validate.hpp>
#include <takt/model/visit.hpp>
#include <takt/model/visit_fact.hpp>
#include <takt/model/warps.hpp>
#include <takt/rules/visit_view.hpp>

// How long a kernel takes in a place, derived from what is known of it: from the first fact below that is there, and
// never sharper than its `wcet`, which bounds it on all SMs. What cannot be derived is `visit_time_unknown`, and
// `lacks` says which facts would do. Times are those of a GPU of speed 1; on another they are rounded outwards. Types
// say which facts a kernel may have, and `states` which it has.

namespace takt::inline TAKT_ABI {

namespace detail {

/// A kernel of whose blocks enough is known to count their rounds.
template <class K>
concept HasBlocks = knows<kernel_grid, K> && knows<kernel_block_length, K>;

}  // namespace detail
/// A kernel of which a time can be derived on some number of SMs.
template <class K>
concept TimedOnSms = detail::HasTimesOnSms<K> || knows<tabulated_times, K> || knows<kernel_work, K> ||
                     detail::HasBlocks<K> || knows<wcet_row, K> || knows<kernel_wcet, K>;
/// A kernel of which the time on the whole GPU is known.
template <class K>
concept TimedOnGpu = TimedOnSms<K> || knows<execution_time, K>;

/// Names what a time of a kernel is derived from: compilers print it where none of them is there.
struct wcet_work_grid_or_wcet_by_share;

namespace detail {

/// Returns how many virtual SMs there are; 0 where the sizes are those of no GPU.
[[nodiscard]] constexpr auto all_virtual_sms(const gpu_record& gpu) noexcept -> std::int32_t {
  return gpu.valid() ? gpu.sms * gpu.virtual_per_sm : 0;
}

/// Returns a time measured at speed 1 as it is on a GPU.
[[nodiscard]] constexpr auto on_gpu(const interval<ticks>& measured, const gpu_record& gpu) -> visit_view {
  visit_view out{};
  if (measured.lower < 0 || measured.upper < 0) {
    out.fault = model_fault::negative_time;
  } else if (measured.upper < measured.lower) {
    out.fault = model_fault::best_case_exceeds_worst_case;
  } else if (!times_at_speed(measured, gpu.speed, out.time)) {
    out.fault = model_fault::time_overflow;
  }
  return out;
}

/// Returns the time of work that spreads over SMs. Source: Zou et al. 2021, Lemma 5.1.
template <class K>
[[nodiscard]] constexpr auto time_of_work(const K& k, const gpu_record& gpu, std::int32_t sms) -> visit_view {
  const auto work = fact<kernel_work>(k);
  const auto serial = fact_or_none<kernel_overhead>(k);
  const auto said = fact_or_none<kernel_interleave>(k);
  const interleave_ratio ratio = ratio_on(gpu.virtual_per_sm, said.numerator, said.denominator);
  const interval<ticks> time{work.time.lower.count(), work.time.upper.count()};
  visit_view out{.fault = interval_fault(time)};
  if (out.fault == model_fault::none) {
    out.fault = work_fault(time.upper, serial.time.count(), ratio.numerator, ratio.denominator);
  }
  if (out.fault == model_fault::none && gpu.shared && !said.any_neighbour) {
    out.fault = model_fault::interleave_among_own_blocks_only;
  }
  if (out.fault != model_fault::none) { return out; }
  const sm_power power{sms, gpu.speed, gpu.virtual_per_sm};
  if (!divisible_work_bounds(time, serial.time.count(), ratio.numerator, ratio.denominator, power, out.time)) {
    out.fault = model_fault::time_overflow;
  }
  return out;
}

/// Returns the time of rounds of blocks, one on each virtual SM, whichever of them starts a block next. Where an SM
/// holds fewer blocks than it counts as virtual SMs, only whole SMs say how many there are.
template <class K>
[[nodiscard]] constexpr auto time_of_blocks(const K& k, const gpu_record& gpu, std::int32_t sms) -> visit_view {
  const auto grid = fact<kernel_grid>(k);
  const ticks length = fact<kernel_block_length>(k).time.count();
  const ticks serial = fact_or_none<kernel_overhead>(k).time.count();
  if (grid.blocks < 1 || !is_block_size(grid.threads) || length < 1) {
    return {.fault = model_fault::kernel_shape_out_of_range};
  }
  if (serial < 0) { return {.fault = model_fault::negative_time}; }
  const std::int32_t each = gpu.residency.holds(grid.threads, gpu.virtual_per_sm);
  if (each < 1) { return {.fault = model_fault::kernel_shape_out_of_range}; }
  const bool one_each = each == gpu.virtual_per_sm;
  const bool whole = !gpu.shared || sms == all_virtual_sms(gpu);
  const std::int32_t places = one_each ? sms : whole ? sms / gpu.virtual_per_sm * each : 0;
  if (places < 1) { return unknown_time(lacks(visit_fact::work, visit_fact::times_on_sms)); }
  const auto rounds = ceil_divide<std::int64_t>(grid.blocks, places);
  ticks upper = 0;
  if (!checked_multiply(rounds, length, upper) || !checked_add(upper, serial, upper)) {
    return {.fault = model_fault::time_overflow};
  }
  return on_gpu({0, upper}, gpu);
}

template <class K>
[[nodiscard]] constexpr auto time_of_row(const K& k, const gpu_record& gpu, std::int64_t percent,
                                         const lacking_facts& beside) -> visit_view {
  if (percent < 1) { return unknown_time(beside); }
  const ticks upper = fact<wcet_row>(k).at(share::bounded(static_cast<std::int32_t>(percent)));
  return upper == unbounded_time ? unknown_time(beside) : on_gpu({0, upper}, gpu);
}

/// Returns a time measured on whole SMs, which says nothing where other kernels may sit on the same SMs.
[[nodiscard]] constexpr auto time_on_whole_sms(const tabulated_times& rows, const gpu_record& gpu, std::int32_t sms,
                                               const lacking_facts& beside) -> visit_view {
  const bool alone = !gpu.shared || gpu.virtual_per_sm == 1 || sms == all_virtual_sms(gpu);
  const std::int32_t whole = sms / gpu.virtual_per_sm;
  if (!alone || whole < 1 || rows.upper(whole).count() == unbounded_time) { return unknown_time(beside); }
  return on_gpu({rows.lower(whole).count(), rows.upper(whole).count()}, gpu);
}

template <class K>
[[nodiscard]] constexpr auto states_blocks(const K& k) noexcept -> bool {
  return states<kernel_grid>(k) && states<kernel_block_length>(k);
}
/// Returns whether the kernel states what its type allows of `TimedOnSms`.
template <class K>
[[nodiscard]] constexpr auto states_time_on_sms(const K& k) noexcept -> bool {
  return HasTimesOnSms<K> || states<tabulated_times>(k) || states<kernel_work>(k) || states_blocks(k) ||
         states<wcet_row>(k) || states<kernel_wcet>(k);
}

/// Returns the facts that would give a time where `derived_time` finds none. Of a grid, it is the other half.
template <class K>
[[nodiscard]] constexpr auto lacking_on_sms(const K& k, const gpu_record& gpu, std::int32_t sms) -> lacking_facts {
  const bool on_all = sms == all_virtual_sms(gpu);
  lacking_facts out = on_all ? lacks(visit_fact::wcet, visit_fact::work, visit_fact::times_on_sms)
                             : lacks(visit_fact::work, visit_fact::times_on_sms);
  if (states<kernel_grid>(k)) { out.one_of.add(visit_fact::block_length); }
  if (states<kernel_block_length>(k)) { out.one_of.add(visit_fact::grid); }
  const bool row_speaks = on_all || (!gpu.shared && std::int64_t{100} * sms >= all_virtual_sms(gpu));
  if (row_speaks && !states<wcet_row>(k)) { out.one_of.add(visit_fact::wcet_by_share); }
  return out;
}

/// Returns a time by the first fact that there is. On fewer SMs than all a `wcet` says nothing, and on SMs that are
/// shared a row neither.
template <class K>
[[nodiscard]] constexpr auto derived_time(const K& k, const gpu_record& gpu, std::int32_t sms) -> visit_view {
  if constexpr (HasTimesOnSms<K>) {
    return on_gpu({duration{k.law.lower(sms)}.count(), duration{k.law.upper(sms)}.count()}, gpu);
  }
  if constexpr (knows<tabulated_times, K>) {
    if (states<tabulated_times>(k)) {
      const auto rows = fact<tabulated_times>(k);
      if (rows.on_whole_sms) { return time_on_whole_sms(rows, gpu, sms, lacking_on_sms(k, gpu, sms)); }
      return on_gpu({rows.lower(sms).count(), rows.upper(sms).count()}, gpu);
    }
  }
  if constexpr (knows<kernel_work, K>) {
    if (states<kernel_work>(k)) { return time_of_work(k, gpu, sms); }
  }
  if constexpr (HasBlocks<K>) {
    if (states_blocks(k)) { return time_of_blocks(k, gpu, sms); }
  }
  const std::int32_t all = all_virtual_sms(gpu);
  if constexpr (knows<wcet_row, K>) {
    if (states<wcet_row>(k) && (!gpu.shared || sms == all)) {
      return time_of_row(k, gpu, std::int64_t{100} * sms / all, lacking_on_sms(k, gpu, sms));
    }
  }
  if constexpr (knows<kernel_wcet, K>) {
    if (states<kernel_wcet>(k) && sms == all) { return on_gpu({0, fact<kernel_wcet>(k).time.count()}, gpu); }
  }
  return unknown_time(lacking_on_sms(k, gpu, sms));
}

/// Raises an upper time to a given `wcet`: fewer SMs than all make no kernel faster.
template <class K>
[[nodiscard]] constexpr auto no_sharper_than_given(const K& k, const gpu_record& gpu, visit_view out) -> visit_view {
  if constexpr (knows<kernel_wcet, K>) {
    if (!states<kernel_wcet>(k)) { return out; }
    const visit_view given = on_gpu({0, fact<kernel_wcet>(k).time.count()}, gpu);
    if (out.fault == model_fault::none) { out.fault = given.fault; }
    if (out.time.upper < given.time.upper) { out.time.upper = given.time.upper; }
  }
  return out;
}

template <class K>
[[nodiscard]] constexpr auto pinning_fault(const K& k, const gpu_record& gpu) -> model_fault {
  const std::int32_t core = fact_or_none<kernel_pinning>(k).core;
  if (core < unassigned_core) { return model_fault::negative_core; }
  return core >= gpu.sms ? model_fault::core_out_of_range : model_fault::none;
}

}  // namespace detail

/// Returns the time on so many dedicated virtual SMs. A kernel that is pinned to an SM takes a whole GPU, and what it
/// does on more SMs says nothing of it.
template <TimedOnSms K>
[[nodiscard]] constexpr auto time_on_sms(const K& k, const gpu_record& gpu, std::int32_t virtual_sms) -> visit_view {
  const std::int32_t all = detail::all_virtual_sms(gpu);
  if (virtual_sms < 1 || virtual_sms > all) { return {.fault = model_fault::plan_does_not_fit}; }
  const bool is_pinned = !needs_all_cores(detail::fact_or_none<kernel_pinning>(k).width);
  if (is_pinned && virtual_sms < all) { return detail::unknown_time(); }
  if (is_pinned && !states<kernel_wcet>(k)) { return detail::unknown_time(lacks(visit_fact::wcet)); }
  visit_view out = detail::no_sharper_than_given(k, gpu, detail::derived_time(k, gpu, virtual_sms));
  if (out.fault == model_fault::none) { out.fault = detail::pinning_fault(k, gpu); }
  return out;
}

/// Returns the time on the SMs of the plan's share.
template <TimedOnSms K>
[[nodiscard]] constexpr auto time_on_share(const K& k, const visit_placement& at) -> visit_view {
  const bool fits = at.gpu.valid() && at.sms > 0 && at.sms <= at.gpu.budget() && at.sms % at.gpu.granularity == 0;
  return fits ? time_on_sms(k, at.gpu, at.gpu.virtual_sms(at.sms))
              : visit_view{.fault = model_fault::plan_does_not_fit};
}

/// Returns the time alone on the whole GPU, whose kernels run one at a time.
template <TimedOnGpu K>
[[nodiscard]] constexpr auto time_on_gpu(const K& k, const gpu_record& gpu) -> visit_view {
  if (!gpu.valid()) { return {.fault = model_fault::platform_size_out_of_range}; }
  const auto whole = [&](const interval<duration>& given) {
    visit_view out = detail::on_gpu({given.lower.count(), given.upper.count()}, gpu);
    if (out.fault == model_fault::none) { out.fault = detail::pinning_fault(k, gpu); }
    return out;
  };
  if constexpr (knows<kernel_wcet, K>) {
    if (states<kernel_wcet>(k)) { return whole({duration{}, fact<kernel_wcet>(k).time}); }
  }
  const std::int32_t all = detail::all_virtual_sms(gpu);
  if constexpr (knows<execution_time, K>) {
    if (states<execution_time>(k)) {
      if constexpr (TimedOnSms<K>) {
        const bool is_pinned = !needs_all_cores(detail::fact_or_none<kernel_pinning>(k).width);
        if (!is_pinned && all > 0 && detail::states_time_on_sms(k)) { return time_on_sms(k, gpu, all); }
      }
      return whole(fact<execution_time>(k).time);
    }
  }
  if constexpr (TimedOnSms<K>) {
    if (all > 0) { return time_on_sms(k, gpu, all); }
  }
  return detail::unknown_time(lacks(visit_fact::wcet, visit_fact::time));
}

/// Returns the time behind one of so many tokens. Where each token is a partition, that is on its part of the SMs; else
/// on the whole GPU, which holders share by the pool's rule. Pre: tokens >= 1.
template <TimedOnGpu K>
[[nodiscard]] constexpr auto time_behind_token(const K& k, const gpu_record& gpu, std::int32_t tokens, bool partitioned)
    -> visit_view {
  TAKT_EXPECTS(tokens >= 1);
  if (partitioned && tokens > 1) {
    if constexpr (TimedOnSms<K>) {
      const std::int32_t sms = detail::all_virtual_sms(gpu) / tokens;
      return sms < 1 ? detail::unknown_time() : time_on_sms(k, gpu, sms);
    } else {
      return detail::unknown_time();
    }
  }
  return time_on_gpu(k, gpu);
}

/// Returns the time on the whole GPU, with what it costs to stop the kernel as the first value. A kernel that does not
/// say so runs to its end: the cost is its time. Where the cost is that of a wave, it is no more than the time that is
/// derived for all of the kernel. Error: a cost above a given `wcet`; one above any time where it comes on top of that.
template <TimedOnGpu K>
[[nodiscard]] constexpr auto stoppable_time(const K& k, const gpu_record& gpu,
                                            preemption_cost_model model = preemption_cost_model::race) -> visit_view {
  visit_view out = time_on_gpu(k, gpu);
  ticks cost = out.time.upper;
  if constexpr (knows<kernel_preemption_cost, K>) {
    if (states<kernel_preemption_cost>(k)) {
      const visit_view given = detail::on_gpu({0, fact<kernel_preemption_cost>(k).time.count()}, gpu);
      if (out.fault == model_fault::none) { out.fault = given.fault; }
      cost = given.time.upper;
    }
  }
  if (out.fault == model_fault::none && cost > out.time.upper) {
    bool contradicts = !detail::costs_a_wave(model);
    if constexpr (knows<kernel_wcet, K>) { contradicts = contradicts || states<kernel_wcet>(k); }
    if (contradicts) { out.fault = model_fault::preemption_cost_exceeds_time; }
    cost = out.time.upper;
  }
  out.values.at[0] = cost;
  return out;
}

/// Returns the time with so many per cent of the GPU.
template <TimedOnSms K>
[[nodiscard]] constexpr auto time_at_share(const K& k, const gpu_record& gpu, std::int32_t percent) -> visit_view {
  if (percent < 1 || percent > 100) { return {.fault = model_fault::plan_does_not_fit}; }
  if constexpr (knows<wcet_row, K>) {
    if (states<wcet_row>(k)) { return detail::no_sharper_than_given(k, gpu, detail::time_of_row(k, gpu, percent, {})); }
  }
  const std::int64_t sms = std::int64_t{percent} * detail::all_virtual_sms(gpu) / 100;
  return sms < 1 ? detail::unknown_time(lacks(visit_fact::wcet_by_share))
                 : time_on_sms(k, gpu, static_cast<std::int32_t>(sms));
}

/// Holds what is known of the blocks of a kernel.
struct kernel_blocks {
  std::int64_t blocks = 0;
  std::int32_t threads = 0;
  ticks length = 0;  ///< of a block
};
namespace detail {

/// Returns the facts that it takes to count the blocks, if this kernel does not state them.
template <HasBlocks K>
[[nodiscard]] constexpr auto lacking_blocks(const K& k) noexcept -> lacking_facts {
  if (!states<kernel_grid>(k)) { return lacks(visit_fact::grid); }
  return states<kernel_block_length>(k) ? lacking_facts{} : lacks(visit_fact::block_length);
}

}  // namespace detail
/// Pre: nothing is lacking.
template <detail::HasBlocks K>
[[nodiscard]] constexpr auto blocks_of(const K& k) -> kernel_blocks {
  TAKT_EXPECTS(!detail::lacking_blocks(k));
  const kernel_grid grid = fact<kernel_grid>(k);
  return {grid.blocks, grid.threads, fact<kernel_block_length>(k).time.count()};
}

namespace detail {

/// A segment whose time is known where a rule derives nothing: what it `takes`, or a kernel on the whole GPU.
template <class S>
concept TimedByItself =
    knows<execution_time, S> || (std::same_as<typename detail::resource_of_segment<S>::type, gpu> && TimedOnGpu<S>);

using kernel_of_all_facts =
    visit_segment<gpu, kernel_times<measured_times<1>>, kernel_work, kernel_overhead, kernel_interleave, kernel_grid,
                  kernel_block_length, wcet_row, kernel_wcet, kernel_preemption_cost>;
/// Names what a rule reads of a segment: what it says itself, or what gives a time without a view.
template <class Rule, class S>
struct needs_of : std::conditional<std::same_as<typename resource_of_segment<S>::type, gpu>,
                                   wcet_work_grid_or_wcet_by_share, execution_time> {};
template <class Rule, class S>
  requires requires { typename Rule::view_needs; }
struct needs_of<Rule, S> : std::type_identity<typename Rule::view_needs> {};

/// Holds if a segment takes the same time under a rule as by itself: the rule has no view of such segments.
template <class Rule, class S>
concept LeavesTime =
    TimedByItself<S> && !Views<Rule, S> &&
    !(std::same_as<typename detail::resource_of_segment<S>::type, gpu> && Views<Rule, detail::kernel_of_all_facts>);

/// Returns the time by itself; a kernel is on all of `at.gpu`.
template <TimedByItself S>
[[nodiscard]] constexpr auto time_by_itself(const S& s, const visit_placement& at) -> visit_view {
  if constexpr (std::same_as<typename detail::resource_of_segment<S>::type, gpu>) {
    return time_on_gpu(s, at.gpu);
  } else {
    const interval<duration> time = fact<execution_time>(s).time;
    return {.time = {time.lower.count(), time.upper.count()}};
  }
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
