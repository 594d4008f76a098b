// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/simulation/options.hpp>
#include <takt/systems/locked_gpus/host/section_work.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Describes a task of which the first job and every so many after it run their kernels many times over.
struct aberrant_task {
  std::size_t task = 0;
  std::int32_t repetitions = 1;
  std::size_t every = 1;  ///< jobs
};

namespace detail {

/// Varies times of pieces of jobs. A piece takes the same time whatever the order in which they are asked for.
class varied_work {
 public:
  varied_work(execution_times execution, std::span<const aberrant_task> wild, std::uint64_t seed) noexcept
      : execution_{execution}, wild_{wild}, seed_{seed} {}

  [[nodiscard]] auto time(const host::work_item& item, ticks worst) const noexcept -> ticks {
    if (worst < 2) { return worst; }
    switch (execution_) {
      case execution_times::upper: return worst;
      case execution_times::lower: return 1;
      case execution_times::random: return any_time(item, worst);
    }
    return worst;
  }
  [[nodiscard]] auto repetitions(const host::work_item& item) const noexcept -> std::int32_t {
    for (const aberrant_task& a : wild_) {
      if (a.task == item.task) { return item.job % a.every == 0 ? a.repetitions : 1; }
    }
    return 1;
  }

 private:
  [[nodiscard]] auto any_time(const host::work_item& item, ticks worst) const noexcept -> ticks {
    random_stream random{seed_ ^ (std::uint64_t{item.task} << 48U) ^ (std::uint64_t{item.job} << 16U) ^ item.piece};
    static_cast<void>(random.next());
    if (random.chance(1, 3)) { return 1; }
    return random.chance(1, 2) ? worst : random.between(1, worst);
  }

  execution_times execution_;
  std::span<const aberrant_task> wild_;
  std::uint64_t seed_;
};

}  // namespace detail

static_assert(host::detail::SectionWork<detail::varied_work>);

}  // namespace takt::inline TAKT_ABI::simulation
