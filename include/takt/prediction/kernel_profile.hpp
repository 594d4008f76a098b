// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/segment.hpp>
#include <takt/prediction/kernel_fit.hpp>
#include <takt/prediction/kernel_sample.hpp>
#include <takt/prediction/launch_overheads.hpp>
#include <takt/prediction/measured_interleave.hpp>

namespace takt {

/// What runs a kernel on SMs of one's choice and times it: a device, host threads in its place, or a record of runs.
///
/// - `virtual_per_sm()`: blocks of the kernel that one SM holds at a time.
/// - `time_job(sms, per_sm)`: a job, pinned to that many SMs with that many blocks on each.
/// - `time_empty(sms, per_sm)`: the same without any work.
/// - `time_plain_empty(sms, per_sm)`: as many blocks without work, of a plain kernel.
///
/// Times last from before the launch until the host knows that it has ended; none when the run failed.
template <class B>
concept KernelBench = requires(B& b, std::int32_t sms, std::int32_t per_sm) {
  { b.virtual_per_sm() } -> std::convertible_to<std::int32_t>;
  { b.time_job(sms, per_sm) } -> std::same_as<std::optional<ticks>>;
  { b.time_empty(sms, per_sm) } -> std::same_as<std::optional<ticks>>;
  { b.time_plain_empty(sms, per_sm) } -> std::same_as<std::optional<ticks>>;
};

/// The longest empty launches on the first n SMs, for each n of `sm_counts`. None when a run failed, or without any.
template <KernelBench B>
[[nodiscard]] auto measure_overheads(B& bench, std::span<const std::int32_t> sm_counts, std::size_t repeats)
    -> std::optional<launch_overheads> {
  if (sm_counts.empty() || repeats == 0) { return std::nullopt; }
  const std::int32_t per_sm = bench.virtual_per_sm();
  launch_overheads out;
  for (const std::int32_t sms : sm_counts) {
    for (std::size_t r = 0; r < repeats; ++r) {
      const std::optional<ticks> pinned = bench.time_empty(sms, per_sm);
      const std::optional<ticks> plain = bench.time_plain_empty(sms, per_sm);
      if (!pinned || !plain) { return std::nullopt; }
      out = {.plain = std::max(out.plain, *plain), .pinned = std::max(out.pinned, *pinned)};
    }
  }
  return out;
}

/// Times of pinned jobs over SM counts, the ratio of self-interleaving, what launches take without work, and the law
/// around all times, whose overhead is at least that of the longest pinned launch.
struct kernel_profile {
  std::int32_t virtual_per_sm = 1;
  std::vector<kernel_sample> samples;
  kernel_interleave interleave;
  launch_overheads overheads;
  kernel_fit fit;
};

/// Runs `repeats` jobs on the first n SMs for each n of `sm_counts`, with all blocks that an SM holds; for the ratio on
/// one SM with one block and with all; and as many launches without work. None when a run failed, or without any.
/// Source: Zou et al. 2021, sections 4.1 to 4.3 and 6.2.
template <KernelBench B>
[[nodiscard]] auto profile_kernel(B& bench, std::span<const std::int32_t> sm_counts, std::size_t repeats,
                                  std::int32_t margin_percent = 0) -> std::optional<kernel_profile> {
  const std::int32_t all = bench.virtual_per_sm();
  const auto times = [&](std::int32_t sms, std::int32_t per_sm) {
    std::vector<ticks> out;
    for (std::size_t r = 0; r < repeats; ++r) {
      const std::optional<ticks> time = bench.time_job(sms, per_sm);
      if (!time) { return std::vector<ticks>{}; }
      out.push_back(*time);
    }
    return out;
  };
  const auto overheads = measure_overheads(bench, sm_counts, repeats);
  const auto ratio = measured_interleave(times(1, 1), times(1, all), all);
  if (!overheads || !ratio) { return std::nullopt; }
  kernel_profile out{.virtual_per_sm = all, .samples = {}, .interleave = *ratio, .overheads = *overheads, .fit = {}};
  for (const std::int32_t sms : sm_counts) {
    const std::vector<ticks> seen = times(sms, all);
    if (seen.empty()) { return std::nullopt; }
    for (const ticks t : seen) { out.samples.push_back({sms * all, t}); }
  }
  out.fit = fit_kernel(out.samples, out.interleave, margin_percent, out.overheads.pinned);
  return out;
}

}  // namespace takt
