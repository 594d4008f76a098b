// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/generation/generated_name.hpp>
#include <takt/generation/uniform_range.hpp>
#include <takt/generation/uunifast.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/runtime_task_set.hpp>

namespace takt::inline TAKT_ABI::generation {

/// Describes chains of CPU time, copies and kernels that every way of sharing a GPU can take. The blocks of a kernel
/// are known, and each rule derives the times that it needs from them. Sets of takt's own, for comparisons of policies.
struct block_workload_options {
  std::int32_t tasks = 4;
  std::int32_t kernels = 1;                  ///< per job
  std::int64_t utilization_permille = 1000;  ///< sum of the time of a job alone on the board over its period
  uniform_range period{10'000'000, 100'000'000};
  uniform_range kernel_percent{30, 70};  ///< of a job's time alone on the board
  std::int32_t copy_percent = 10;        ///< of the same
  std::int64_t most_waves = 8;           ///< rounds of blocks in which a kernel fills the GPU, the last one in part
  std::int32_t processors = 2;
  std::int32_t sms = 8;
  ticks context_switch = 100'000;
  std::int32_t preemption_levels = 2;
};

inline constexpr std::int32_t most_block_tasks = 32;

[[nodiscard]] constexpr auto validate(const block_workload_options& o) noexcept -> model_fault {
  constexpr ticks longest = 1'000'000'000'000;
  const bool good = o.tasks > 0 && o.tasks <= most_block_tasks && o.kernels > 0 && o.kernels <= 8 &&
                    o.utilization_permille > 0 && o.utilization_permille <= 100'000 && o.period.least >= 1'000'000 &&
                    o.period.least <= o.period.most && o.period.most <= longest && o.kernel_percent.least >= 1 &&
                    o.kernel_percent.least <= o.kernel_percent.most && o.copy_percent >= 0 &&
                    o.kernel_percent.most + o.copy_percent < 100 && o.most_waves >= 1 && o.most_waves <= 1000 &&
                    o.processors >= 1 && o.processors <= 64 && o.sms >= 1 && o.sms <= 1024 && o.context_switch >= 0 &&
                    o.context_switch <= longest && o.preemption_levels >= 1 && o.preemption_levels <= 64;
  return good ? model_fault::none : model_fault::options_out_of_range;
}

[[nodiscard]] constexpr auto board_of(const block_workload_options& o) noexcept -> hardware {
  hardware out{.processors = o.processors, .copy_engines = o.copy_percent > 0 ? 1 : 0, .gpus = {}, .own = {}};
  // Bound: one GPU.
  out.gpus.unchecked_push_back({.sms = o.sms,
                                .threads_per_sm = 2048,
                                .blocks_per_sm = 16,
                                .preemption_levels = o.preemption_levels,
                                .context_switch = o.context_switch,
                                .switch_is_known = true});
  return out;
}

namespace detail {

/// Appends a chain to a task.
template <class Tasks>
class block_chain {
 public:
  constexpr block_chain(const block_workload_options& o, random_stream& random, std::int64_t parallelism, Tasks& out)
      : options_{&o}, random_{&random}, parallelism_{parallelism}, out_{&out} {}

  /// Writes one kernel after the other, with copies around them. Pre: all times are at least 0.
  constexpr auto write(ticks cpu, ticks copy, ticks kernel) -> bool {
    TAKT_EXPECTS(0 <= cpu && 0 <= copy && 0 <= kernel);
    const std::int64_t n = options_->kernels;
    bool fits = add_time(resource_kind::processor, cpu / (n + 1) + cpu % (n + 1));
    for (std::int64_t k = 0; k < n && fits; ++k) {
      if (options_->copy_percent > 0) { fits = add_time(resource_kind::copy_engine, copy / (2 * n), to_device); }
      fits = fits && add_kernel(kernel / n);
      if (options_->copy_percent > 0) { fits = fits && add_time(resource_kind::copy_engine, copy / (2 * n), to_host); }
      fits = fits && add_time(resource_kind::processor, cpu / (n + 1));
    }
    return fits;
  }

 private:
  [[nodiscard]] constexpr auto next(resource_kind where) -> runtime_visit {
    runtime_visit v;
    v.where = where;
    v.parallelism = parallelism_;
    v.predecessors = position_ == 0 ? 0 : visit_mask{1} << (position_ - 1);
    ++position_;
    return v;
  }
  constexpr auto add_time(resource_kind where, ticks time, copy_direction direction = copy_direction::unspecified)
      -> bool {
    runtime_visit v = next(where);
    v.direction = direction;
    v.time = {time, time};
    v.known.add(visit_fact::time);
    return out_->add_visit(v);
  }
  /// Adds so many waves of blocks, all but the last one full, that the whole GPU is done with them in this time or a
  /// little less.
  constexpr auto add_kernel(ticks time) -> bool {
    constexpr std::array<std::int32_t, 3> threads{256, 512, 1024};
    runtime_visit v = next(resource_kind::gpu);
    v.threads = threads[static_cast<std::size_t>(random_->below(threads.size()))];
    const std::int64_t full = std::int64_t{options_->sms} * (2048 / v.threads);
    const std::int64_t waves = random_->between(1, options_->most_waves);
    v.blocks = (waves - 1) * full + random_->between(1, full);
    v.block_length = std::max<ticks>(1, time / waves);
    v.preemption_cost = v.block_length;
    for (const visit_fact f : {visit_fact::grid, visit_fact::block_length, visit_fact::preemption_cost}) {
      v.known.add(f);
    }
    return out_->add_visit(v);
  }

  const block_workload_options* options_;
  random_stream* random_;
  std::int64_t parallelism_;
  Tasks* out_;
  std::uint32_t position_ = 0;
};

}  // namespace detail

/// Draws set number `index` of a seed: each can be drawn by itself. Utilisations by `uunifast`, periods uniform,
/// deadlines equal periods. `parallelism`: of each visit. The same arguments give the same set everywhere.
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto generate(const block_workload_options& o, std::uint64_t seed, std::uint64_t index,
                                      std::int64_t parallelism, runtime_task_set<N, V, R, S>& out) -> model_fault {
  if (const auto fault = validate(o); fault != model_fault::none) { return fault; }
  random_stream random{random_stream{seed}.next() ^ random_stream{~index}.next()};
  inline_vector<ticks, most_block_tasks> shares;
  if (!uunifast(random, o.utilization_permille * 1000, static_cast<std::size_t>(o.tasks), shares)) {
    return model_fault::options_out_of_range;
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const ticks period = random.between(o.period.least, o.period.most);
    const ticks alone = period / 1'000'000 * shares[i] + period % 1'000'000 * shares[i] / 1'000'000;
    const std::int64_t percent = random.between(o.kernel_percent.least, o.kernel_percent.most);
    const ticks kernel = alone / 100 * percent;
    const ticks copy = alone / 100 * o.copy_percent;
    if (!out.add_task({.name = generated_name(i), .period = period, .deadline = period})) {
      return model_fault::set_does_not_fit;
    }
    if (!detail::block_chain<runtime_task_set<N, V, R, S>>{o, random, parallelism, out}.write(alone - kernel - copy,
                                                                                              copy, kernel)) {
      return model_fault::set_does_not_fit;
    }
  }
  return model_fault::none;
}

}  // namespace takt::inline TAKT_ABI::generation
