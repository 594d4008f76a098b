// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/model_fault.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/task_table.hpp>
#include <takt/model/validate.hpp>
#include <takt/rules/pool_rule.hpp>

namespace takt {

/// How long a kernel takes on so many SMs of its own, virtual ones where tasks share physical SMs. Pre: 1 <= sms <=
/// gpu.budget().
template <class Law>
[[nodiscard]] constexpr auto time_on_sms(const kernel_segment<Law>& k, const gpu_record& gpu, std::int32_t sms)
    -> visit_view {
  if constexpr (std::same_as<Law, divisible_work>) {
    const segment_record<ticks> record{.where = stage::kernel,
                                       .time = {k.law.work.lower.count(), k.law.work.upper.count()},
                                       .overhead = k.law.overhead.count(),
                                       .interleave_numerator = k.law.interleave_numerator,
                                       .interleave_denominator = k.law.interleave_denominator};
    const model_fault wrong = detail::segment_fault(task_table<ticks, 1, 1>{}, record);
    if (wrong != model_fault::none) { return {.fault = wrong}; }
    if (gpu.shared && !k.law.any_neighbour) { return {.fault = model_fault::interleave_among_own_blocks_only}; }
  }
  const std::int32_t n = gpu.virtual_sms(sms);
  visit_view out;
  const interval<ticks> at_one{k.law.lower(n).count(), k.law.upper(n).count()};
  if (!times_at_speed(at_one, gpu.speed, out.time)) { out.fault = model_fault::time_overflow; }
  return out;
}

}  // namespace takt
