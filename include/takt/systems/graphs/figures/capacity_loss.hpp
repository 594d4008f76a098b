// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/rational.hpp>
#include <takt/model/block_kernel.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI::generation {

/// Describes a set of periodic kernels that no bound covers, with the first release of each. Kernels released at one
/// instant are enqueued in the order of the table.
template <StreamAssignment Streams>
struct unbounded_kernels {
  model_fault fault = model_fault::none;
  task_rows<block_kernel<rational>, 3> table;
  std::array<rational, 3> first_release{};
  block_gpu gpu{};
  [[no_unique_address]] Streams streams{};
};

/// Holds sizes of a counterexample: unit and largest block, and how far above the limit its load may be.
struct capacity_loss_options {
  std::int32_t sms = 2;
  std::int64_t threads_per_sm = 2048;
  std::int64_t largest_block = 1024;
  std::int64_t unit_block = 32;
  rational epsilon{1, 10};
};

namespace detail {

[[nodiscard]] constexpr auto good(const capacity_loss_options& o) noexcept -> bool {
  constexpr std::int64_t most = 1 << 20;
  return o.sms >= 1 && o.sms <= most && o.unit_block >= 1 && o.threads_per_sm <= most &&
         o.unit_block <= o.largest_block && o.largest_block <= o.threads_per_sm &&
         o.threads_per_sm % o.unit_block == 0 && o.largest_block % o.unit_block == 0 && rational{0} < o.epsilon &&
         o.epsilon < rational{1} && o.epsilon.denominator() <= most;
}

template <class Streams>
[[nodiscard]] constexpr auto empty_counterexample(const capacity_loss_options& o) -> unbounded_kernels<Streams> {
  unbounded_kernels<Streams> out;
  out.gpu = {.sms = o.sms, .threads_per_sm = o.threads_per_sm};
  if (!good(o)) { out.fault = model_fault::options_out_of_range; }
  return out;
}

template <class Streams>
constexpr void add_kernel(unbounded_kernels<Streams>& out, const block_kernel<rational>& k, rational first) {
  if (k.blocks < 1 || k.threads < 1) { return; }
  out.first_release[out.table.size()] = first;
  static_cast<void>(out.table.add(k));
}

}  // namespace detail

/// Returns kernels with a stream per task of which the first responds later and later. It is later by epsilon per
/// job, or by twice that when the largest block fills the only SM. Then the paper's third kernel has no block and
/// is left out. The load is h + 2 epsilon g m / (1 + epsilon), however large the GPU. Error:
/// `options_out_of_range` unless h divides H_max and m, H_max <= m and 0 < epsilon < 1. Source: Yang et al. 2018,
/// Theorem 1.
[[nodiscard]] constexpr auto per_task_stream_counterexample(const capacity_loss_options& o)
    -> unbounded_kernels<one_stream_per_task> {
  auto out = detail::empty_counterexample<one_stream_per_task>(o);
  if (out.fault != model_fault::none) { return out; }
  const rational one{1};
  const rational late = one - o.epsilon;
  const rational twice = o.epsilon + o.epsilon;
  const rational period = one + o.epsilon;
  const std::int64_t units = o.sms * (o.threads_per_sm / o.unit_block);
  detail::add_kernel(out, {.name = "tau_1", .length = one, .period = one, .blocks = 1, .threads = o.unit_block}, {});
  detail::add_kernel(out, {.name = "tau_2", .length = twice, .period = period, .blocks = 1, .threads = o.largest_block},
                     late);
  detail::add_kernel(out,
                     {.name = "tau_3",
                      .length = twice,
                      .period = period,
                      .blocks = units - o.largest_block / o.unit_block,
                      .threads = o.unit_block},
                     late);
  return out;
}

/// With a stream per job and blocks placed on the SM with most idle threads, kernels of which job j of the first
/// responds in j epsilon. The load is g (m - H_max + h) + epsilon g m. Under packing placements and several SMs the
/// responses need not grow. Error: as above. Source: Yang et al. 2018, Theorem 2.
[[nodiscard]] constexpr auto capacity_counterexample(const capacity_loss_options& o)
    -> unbounded_kernels<one_stream_per_job> {
  auto out = detail::empty_counterexample<one_stream_per_job>(o);
  if (out.fault != model_fault::none) { return out; }
  const rational one{1};
  const std::int64_t full = o.threads_per_sm / o.largest_block;
  const std::int64_t rest = o.threads_per_sm % o.largest_block;
  const std::int64_t left = (o.threads_per_sm - o.largest_block) / o.unit_block + 1;
  detail::add_kernel(
      out, {.name = "tau_1", .length = o.epsilon, .period = one, .blocks = o.sms * full, .threads = o.largest_block},
      {});
  detail::add_kernel(out, {.name = "tau_2", .length = o.epsilon, .period = one, .blocks = o.sms, .threads = rest}, {});
  detail::add_kernel(
      out, {.name = "tau_3", .length = one, .period = one, .blocks = o.sms * left, .threads = o.unit_block}, {});
  return out;
}

}  // namespace takt::inline TAKT_ABI::generation
