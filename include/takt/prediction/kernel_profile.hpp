// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/stage.hpp>
#include <takt/prediction/kernel_fit.hpp>
#include <takt/prediction/kernel_sample.hpp>
#include <takt/prediction/launch_overheads.hpp>
#include <takt/prediction/measured_interleave.hpp>

namespace takt::inline TAKT_ABI {

/// Runs a kernel on chosen SMs and times it: a device, host threads in its place, or a record of runs.
///
/// - `virtual_per_sm()`: blocks of the kernel that one SM holds at a time.
/// - `chunks()`: into how many parts blocks divide the work of a job.
/// - `time_job(sms, per_sm)`: a job, pinned to that many SMs with that many blocks on each.
/// - `time_empty(sms, per_sm, chunks)`: the same with so many chunks, all without work.
/// - `time_plain_empty(sms, per_sm)`: as many blocks without work, of a plain kernel.
/// - `passes_foreign_sms()`: blocks of a launch pass over SMs of other tasks, which a launch there waits for.
/// - `fault()`: why the last run gave no time.
///
/// Times last from before the launch until the thread that waits for it runs again; none when the run failed.
template <class B>
concept KernelBench = requires(B& b, std::int32_t sms, std::int32_t per_sm, std::uint32_t chunks) {
  { b.virtual_per_sm() } -> std::convertible_to<std::int32_t>;
  { b.chunks() } -> std::convertible_to<std::uint32_t>;
  { b.time_job(sms, per_sm) } -> std::same_as<std::optional<ticks>>;
  { b.time_empty(sms, per_sm, chunks) } -> std::same_as<std::optional<ticks>>;
  { b.time_plain_empty(sms, per_sm) } -> std::same_as<std::optional<ticks>>;
  { b.passes_foreign_sms() } -> std::convertible_to<bool>;
  { b.fault() } -> std::convertible_to<std::string>;
};

namespace detail {

/// Counts runs of each kind that are not used: the first ones load code.
inline constexpr int warm_ups = 2;
/// Counts chunks that a job has at least for each virtual SM: fewer leave SMs idle at its end.
inline constexpr std::uint32_t chunks_per_slot = 8;
/// A job takes at least so many times as long as drawing its chunks: below, a profile measures only the counter.
inline constexpr ticks work_per_claim = 10;

}  // namespace detail

/// Returns how many chunks a job needs so that a profile on so many SMs does not refuse it.
[[nodiscard]] constexpr auto chunks_to_profile(std::int32_t sms, std::int32_t virtual_per_sm) noexcept -> std::int64_t {
  return std::int64_t{detail::chunks_per_slot} * sms * virtual_per_sm;
}

enum class profile_status : std::uint8_t {
  profiled,
  no_runs,           ///< no SM counts, one below 1, or no repeats
  run_failed,        ///< the bench has no time for one
  too_few_chunks,    ///< see `chunks_per_slot`
  chunks_too_short,  ///< see `work_per_claim`
  jobs_too_short,    ///< half of the shortest is overhead, and the interleave ratio would be wrong
  no_ratio,          ///< a time is not positive, or the ratio leaves 64 bits
  no_law,            ///< the times have no law; the fit has a status of its own
};

[[nodiscard]] constexpr auto name_of(profile_status s) noexcept -> std::string_view {
  switch (s) {
    case profile_status::profiled: return "profiled";
    case profile_status::no_runs: return "nothing to run; give SM counts of 1 or more, and repeats";
    case profile_status::run_failed: return "a run failed";
    case profile_status::too_few_chunks: return "too few chunks for the virtual SMs; give more work or shorter chunks";
    case profile_status::chunks_too_short:
      return "chunks are too short against what drawing one takes; make them longer";
    case profile_status::jobs_too_short: return "jobs are too short against an empty launch; give more work";
    case profile_status::no_ratio: return "the times have no interleave ratio";
    case profile_status::no_law: return "no law fits the times";
  }
  return "";
}

/// Holds times of pinned jobs over SM counts, the ratio of self-interleaving, and what launches take without work. Its
/// law is around all times, with an overhead of at least that of the longest pinned launch and of one chunk.
struct kernel_profile {
  profile_status status = profile_status::no_runs;
  std::string reason{};  ///< numbers or the bench's words behind the status
  std::int32_t virtual_per_sm = 1;
  std::int32_t least_sms = 0;  ///< that were timed; the law says nothing about fewer
  std::vector<kernel_sample> samples{};
  kernel_interleave interleave{};
  launch_overheads overheads{};
  kernel_fit fit{};
  ticks tail = 0;  ///< how long a launch holds up one of another task, see `laws_of`; 0 where it does not

  [[nodiscard]] explicit operator bool() const noexcept { return status == profile_status::profiled; }
};

[[nodiscard]] inline auto sentence(const kernel_profile& p) -> std::string {
  return std::string{name_of(p.status)} + (p.reason.empty() ? "" : ": " + p.reason);
}

/// Times `repeats` runs after those that do not count. None when one failed.
template <class Run>
[[nodiscard]] auto time_runs(std::size_t repeats, Run run) -> std::optional<std::vector<ticks>> {
  std::vector<ticks> out;
  out.reserve(repeats);
  for (int w = 0; w < detail::warm_ups; ++w) {
    if (!run()) { return std::nullopt; }
  }
  for (std::size_t r = 0; r < repeats; ++r) {
    const std::optional<ticks> time = run();
    if (!time) { return std::nullopt; }
    out.push_back(*time);
  }
  return out;
}

/// Returns the range with these times in it. Pre: not empty.
[[nodiscard]] constexpr auto widened(std::optional<interval<ticks>> range, std::span<const ticks> times) noexcept
    -> interval<ticks> {
  TAKT_EXPECTS(!times.empty());
  interval<ticks> out = range.value_or(interval<ticks>{times[0], times[0]});
  for (const ticks t : times) { out = {std::min(out.lower, t), std::max(out.upper, t)}; }
  return out;
}

namespace detail {

/// Times pinned and plain launches without work on the first n SMs, for each n of `sm_counts`, with all blocks that an
/// SM holds. It times pinned ones on the fewest SMs with one block on each, too, as profiles have them. None when a run
/// failed, or without any.
template <KernelBench B>
[[nodiscard]] auto measure_overheads(B& bench, std::span<const std::int32_t> sm_counts, std::size_t repeats)
    -> std::optional<launch_overheads> {
  if (sm_counts.empty() || std::ranges::min(sm_counts) < 1 || repeats == 0) { return std::nullopt; }
  const std::int32_t all = bench.virtual_per_sm();
  const auto empty = [&](std::int32_t sms, std::int32_t per_sm) {
    return time_runs(repeats, [&] { return bench.time_empty(sms, per_sm, static_cast<std::uint32_t>(sms * per_sm)); });
  };
  std::optional<interval<ticks>> pinned;
  std::optional<interval<ticks>> plain;
  for (const std::int32_t sms : sm_counts) {
    const auto with = empty(sms, all);
    const auto without = with ? time_runs(repeats, [&] { return bench.time_plain_empty(sms, all); }) : std::nullopt;
    if (!without) { return std::nullopt; }
    pinned = widened(pinned, *with);
    plain = widened(plain, *without);
  }
  const auto single = empty(std::ranges::min(sm_counts), 1);
  if (!single) { return std::nullopt; }
  return launch_overheads{.plain = *plain, .pinned = widened(pinned, *single)};
}

/// Is one profile in the making.
template <KernelBench B>
class profiling {
 public:
  profiling(B& bench, std::span<const std::int32_t> sm_counts, std::size_t repeats)
      : bench_{&bench}, sm_counts_{sm_counts}, repeats_{repeats}, all_{bench.virtual_per_sm()} {}

  [[nodiscard]] auto run(std::int32_t margin_percent) -> kernel_profile {
    const bool complete = plan() && time_launches() && time_jobs() && find_ratio();
    if (!complete) { return std::move(out_); }
    out_.fit = fit_kernel(out_.samples, out_.interleave, margin_percent, out_.overheads.pinned.upper, longest_chunk());
    if (!out_.fit) {
      (void)stop(profile_status::no_law, std::string{name_of(out_.fit.status)});
    } else {
      out_.tail = bench_->passes_foreign_sms() ? out_.overheads.pinned.upper : 0;
      out_.status = profile_status::profiled;
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] auto stop(profile_status why, std::string reason) -> bool {
    out_.status = why;
    out_.reason = std::move(reason);
    return false;
  }
  [[nodiscard]] auto failed() -> bool { return stop(profile_status::run_failed, bench_->fault()); }

  [[nodiscard]] auto plan() -> bool {
    if (sm_counts_.empty() || std::ranges::min(sm_counts_) < 1 || repeats_ == 0) { return false; }
    out_.virtual_per_sm = all_;
    out_.least_sms = std::ranges::min(sm_counts_);
    const std::int64_t chunks = bench_->chunks();
    const std::int64_t needed = chunks_to_profile(std::ranges::max(sm_counts_), all_);
    if (chunks < needed) {
      return stop(profile_status::too_few_chunks,
                  std::to_string(chunks) + " of at least " + std::to_string(needed) + " chunks");
    }
    return true;
  }
  [[nodiscard]] auto time_launches() -> bool {
    const auto overheads = measure_overheads(*bench_, sm_counts_, repeats_);
    if (!overheads) { return failed(); }
    out_.overheads = *overheads;
    return true;
  }
  [[nodiscard]] auto time_jobs() -> bool {
    for (const std::int32_t sms : sm_counts_) {
      const auto seen = time_runs(repeats_, [&] { return bench_->time_job(sms, all_); });
      if (!seen) { return failed(); }
      for (const ticks t : *seen) { out_.samples.push_back({sms * all_, t}); }
      if (sms == out_.least_sms) { together_ = *seen; }
      if (!chunks_are_long(sms, *seen)) { return false; }
    }
    return true;
  }
  /// Compares the shortest runs: what may happen to a run beside its work happens to launches without work, too.
  [[nodiscard]] auto chunks_are_long(std::int32_t sms, const std::vector<ticks>& jobs) -> bool {
    const auto least = [&](std::uint32_t chunks) {
      return time_runs(repeats_, [&] { return bench_->time_empty(sms, all_, chunks); });
    };
    const auto launch = least(static_cast<std::uint32_t>(sms * all_));
    const auto claims = launch ? least(bench_->chunks()) : std::nullopt;
    if (!claims) { return failed(); }
    const ticks base = std::ranges::min(*launch);
    const ticks drawing = std::ranges::min(*claims) - base;
    const ticks work = std::ranges::min(jobs) - base;
    if (drawing > work / work_per_claim) {
      return stop(profile_status::chunks_too_short,
                  "on " + std::to_string(sms) + (sms == 1 ? " SM" : " SMs") + " drawing all of them takes " +
                      std::to_string(drawing) + " ns and the work " + std::to_string(work) + " ns, which has to be " +
                      std::to_string(work_per_claim) + " times as long");
    }
    return true;
  }
  [[nodiscard]] auto find_ratio() -> bool {
    const auto alone = time_runs(repeats_, [&] { return bench_->time_job(out_.least_sms, 1); });
    if (!alone) { return failed(); }
    const interval<ticks>& overhead = out_.overheads.pinned;
    if (!long_enough(*alone, overhead)) {
      return stop(profile_status::jobs_too_short, "the shortest takes " + std::to_string(std::ranges::min(*alone)) +
                                                      " ns, a launch without work up to " +
                                                      std::to_string(overhead.upper) + " ns");
    }
    const auto ratio = measured_interleave(*alone, together_, all_, overhead);
    if (!ratio) { return stop(profile_status::no_ratio, {}); }
    out_.interleave = *ratio;
    return true;
  }
  /// Returns the time of a chunk by the longest job on any number of SMs. Chunks are taken to be alike.
  [[nodiscard]] auto longest_chunk() const -> ticks {
    ticks out = 0;
    for (const kernel_sample& s : out_.samples) {
      const ticks work = std::max<ticks>(0, s.time - out_.overheads.pinned.lower);
      const auto rounds = static_cast<ticks>(bench_->chunks()) / s.virtual_sms;
      out = std::max(out, ceil_divide(work, std::max<ticks>(1, rounds)));
    }
    return out;
  }

  B* bench_;
  std::span<const std::int32_t> sm_counts_;
  std::size_t repeats_;
  std::int32_t all_;
  std::vector<ticks> together_;
  kernel_profile out_;
};

}  // namespace detail

/// Runs `repeats` jobs on the first n SMs for each n of `sm_counts`, with all blocks that an SM holds. It does so on
/// the fewest SMs with one block on each, for the ratio, and runs as many launches without work. The status says what
/// prevents a law. Source: Zou et al. 2021, sections 4.1 to 4.3 and 6.2.
template <KernelBench B>
[[nodiscard]] auto profile_kernel(B& bench, std::span<const std::int32_t> sm_counts, std::size_t repeats,
                                  std::int32_t margin_percent = 0) -> kernel_profile {
  return detail::profiling<B>{bench, sm_counts, repeats}.run(margin_percent);
}

}  // namespace takt::inline TAKT_ABI
