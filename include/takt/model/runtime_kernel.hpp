// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator_kernel.hpp>
#include <takt/model/facts.hpp>
#include <takt/model/gpu_context.hpp>
#include <takt/model/graph/graph_parts.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/tabulated_kernel.hpp>
#include <takt/model/visit.hpp>

namespace takt::inline TAKT_ABI {

/// A kernel of which run time knows the facts. Pre: what it points to outlives it; `row` and `samples` are there where
/// the facts are known.
struct runtime_kernel {
  using resource = gpu;
  const runtime_visit* visit = nullptr;
  const wcet_row* row = nullptr;
  const interval<ticks>* samples = nullptr;
};

namespace detail {

/// Tells whether a run-time kernel says what stands behind `Which`.
template <visit_fact Which>
struct runtime_fact {
  [[nodiscard]] static constexpr auto has(const runtime_kernel& k) noexcept -> bool {
    return k.visit->known.has(Which);
  }
};

}  // namespace detail

template <>
struct detail::fact_access<execution_time, runtime_kernel> : detail::runtime_fact<visit_fact::time> {
  [[nodiscard]] static constexpr auto get(const runtime_kernel& k) noexcept -> execution_time {
    return {{duration{k.visit->time.lower}, duration{k.visit->time.upper}}};
  }
};
template <>
struct detail::fact_access<kernel_work, runtime_kernel> : detail::runtime_fact<visit_fact::work> {
  [[nodiscard]] static constexpr auto get(const runtime_kernel& k) noexcept -> kernel_work {
    return {{duration{k.visit->work.lower}, duration{k.visit->work.upper}}};
  }
};
template <>
struct detail::fact_access<kernel_overhead, runtime_kernel> : detail::runtime_fact<visit_fact::overhead> {
  [[nodiscard]] static constexpr auto get(const runtime_kernel& k) noexcept -> kernel_overhead {
    return {duration{k.visit->overhead}};
  }
};
template <>
struct detail::fact_access<kernel_interleave, runtime_kernel> : detail::runtime_fact<visit_fact::interleave> {
  [[nodiscard]] static constexpr auto get(const runtime_kernel& k) noexcept -> kernel_interleave {
    return {k.visit->interleave_numerator, k.visit->interleave_denominator, k.visit->any_neighbour};
  }
};
template <>
struct detail::fact_access<tabulated_times, runtime_kernel> : detail::runtime_fact<visit_fact::times_on_sms> {
  [[nodiscard]] static constexpr auto get(const runtime_kernel& k) noexcept -> tabulated_times {
    TAKT_EXPECTS(k.samples != nullptr);
    return {k.samples, k.visit->samples, k.visit->on_whole_sms};
  }
};
template <>
struct detail::fact_access<kernel_grid, runtime_kernel> : detail::runtime_fact<visit_fact::grid> {
  [[nodiscard]] static constexpr auto get(const runtime_kernel& k) noexcept -> kernel_grid {
    return {k.visit->blocks, k.visit->threads};
  }
};
template <>
struct detail::fact_access<kernel_block_length, runtime_kernel> : detail::runtime_fact<visit_fact::block_length> {
  [[nodiscard]] static constexpr auto get(const runtime_kernel& k) noexcept -> kernel_block_length {
    return {duration{k.visit->block_length}};
  }
};
template <>
struct detail::fact_access<kernel_wcet, runtime_kernel> : detail::runtime_fact<visit_fact::wcet> {
  [[nodiscard]] static constexpr auto get(const runtime_kernel& k) noexcept -> kernel_wcet {
    return {duration{k.visit->wcet}};
  }
};
template <>
struct detail::fact_access<kernel_preemption_cost, runtime_kernel> : detail::runtime_fact<visit_fact::preemption_cost> {
  [[nodiscard]] static constexpr auto get(const runtime_kernel& k) noexcept -> kernel_preemption_cost {
    return {duration{k.visit->preemption_cost}};
  }
};
template <>
struct detail::fact_access<wcet_row, runtime_kernel> : detail::runtime_fact<visit_fact::wcet_by_share> {
  [[nodiscard]] static constexpr auto get(const runtime_kernel& k) noexcept -> wcet_row {
    TAKT_EXPECTS(k.row != nullptr);
    return *k.row;
  }
};
template <>
struct detail::fact_access<kernel_context, runtime_kernel> : detail::runtime_fact<visit_fact::context> {
  [[nodiscard]] static constexpr auto get(const runtime_kernel& k) noexcept -> kernel_context {
    return {k.visit->context};
  }
};
template <>
struct detail::fact_access<kernel_slice, runtime_kernel> : detail::runtime_fact<visit_fact::slice> {
  [[nodiscard]] static constexpr auto get(const runtime_kernel& k) noexcept -> kernel_slice {
    return {duration{k.visit->slice}};
  }
};
template <>
struct detail::fact_access<kernel_pinning, runtime_kernel> : detail::runtime_fact<visit_fact::pinning> {
  [[nodiscard]] static constexpr auto get(const runtime_kernel& k) noexcept -> kernel_pinning {
    return {k.visit->width, k.visit->sm};
  }
};

}  // namespace takt::inline TAKT_ABI
