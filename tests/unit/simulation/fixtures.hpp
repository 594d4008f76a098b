// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <takt/simulation.hpp>

namespace fixtures {

using namespace takt::literals;

inline constexpr auto engine_rule = takt::nonpreemptive(takt::fixed_priority);

template <class CpuRule, class GpuRule>
[[nodiscard]] constexpr auto board(CpuRule cpu, GpuRule gpu, std::int32_t cores = 1, std::int32_t engines = 1,
                                   std::int32_t sms = 4, std::int32_t per_sm = 1) {
  return takt::platform(takt::pool(takt::processors(cores), cpu), takt::pool(takt::copy_engines(engines), engine_rule),
                        takt::pool(takt::virtual_sms(sms, per_sm), gpu));
}

[[nodiscard]] constexpr auto dedicated(std::int32_t cores = 1, std::int32_t engines = 1) {
  return board(takt::fixed_priority, takt::federated, cores, engines);
}

[[nodiscard]] constexpr auto cpu(std::int64_t time) { return takt::cpu(takt::duration{time}, takt::duration{time}); }
[[nodiscard]] constexpr auto copy(std::int64_t time,
                                  takt::copy_direction direction = takt::copy_direction::unspecified) {
  return takt::copy(takt::duration{time}, takt::duration{time}, direction);
}
[[nodiscard]] constexpr auto kernel(std::int64_t time) {
  return takt::kernel(takt::work(takt::duration{time}, takt::duration{time}), takt::interleave(1));
}

using spans = std::vector<std::pair<takt::ticks, takt::ticks>>;

/// When a segment of a task was on a kind of resource, in order.
[[nodiscard]] inline auto spans_of(const takt::trace& t, std::uint32_t task, std::uint32_t segment, takt::stage where)
    -> spans {
  spans out;
  for (const takt::slice& s : t.slices()) {
    if (s.task == task && s.segment == segment && s.where.where == where) { out.emplace_back(s.start, s.end); }
  }
  return out;
}

}  // namespace fixtures
