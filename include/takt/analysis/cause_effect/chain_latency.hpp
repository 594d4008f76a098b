// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/chain_stage.hpp>

namespace takt::inline TAKT_ABI {

/// Latencies of a cause-effect chain after all of its tasks have been released once. They differ by whole periods:
///
/// - `first_read_to_output`: from the read of a first job to the first output of the last task that has its data, or
///   newer.
/// - `reaction`: from any instant at which the world changes, the worst just after a read that missed it, to the first
///   output that knows of it. Maximum reaction time.
/// - `age_at_output`: from the read of the data in an output to that output.
/// - `age`: the same until the output is replaced by the next one. Maximum data age.
struct chain_latency {
  chain_fault fault{};
  ticks first_read_to_output = 0;
  ticks reaction = 0;
  ticks age_at_output = 0;
  ticks age = 0;
  bool exact = false;  ///< each is reached by a run: all stages are LET, by one clock
  /// Stages whose phase to the stage before was taken into account. The others count a whole period each.
  std::size_t aligned = 0;

  [[nodiscard]] constexpr auto bounded() const noexcept -> bool { return fault.status == chain_status::bounded; }
};

struct chain_options {
  /// Jobs that are followed through the chain, one per job of a hyperperiod of each piece. Beyond it, stages count as
  /// if they had clocks of their own.
  std::int64_t most_jobs = 1 << 20;
};

namespace detail {

/// Holds the latency of stages whose jobs are followed. `age` is `age_at_output` and a period of the last stage.
struct piece_latency {
  ticks first_read_to_output = 0;
  ticks reaction = 0;
  ticks age_at_output = 0;
};

/// Returns the nominal release of job k, which may be negative: as if all tasks had always run.
[[nodiscard]] constexpr auto release_of(const chain_stage& s, ticks job) noexcept -> ticks {
  return s.offset + job * s.period;
}

/// Returns the first job of `to` that certainly reads what job k of `from` gives, or newer.
[[nodiscard]] constexpr auto reader_of(const chain_stage& from, ticks k, const chain_stage& to) noexcept -> ticks {
  const ticks given = release_of(from, k) + (to.waits_for_producer ? 0 : from.output_delay());
  return ceil_divide(given - to.offset, to.period);
}
/// Returns the last job of `from` of which job k of `to` certainly reads, or a newer one.
[[nodiscard]] constexpr auto writer_of(const chain_stage& from, const chain_stage& to, ticks k) noexcept -> ticks {
  const ticks read = release_of(to, k);
  const ticks delay = to.waits_for_producer ? 0 : from.output_delay();
  return floor_divide(read - delay - from.offset, from.period);
}

/// Returns the least common multiple of the periods; 0 where it does not fit.
[[nodiscard]] constexpr auto hyperperiod_of(std::span<const chain_stage> stages) noexcept -> ticks {
  ticks out = 1;
  for (const chain_stage& s : stages) {
    if (!checked_multiply(out / greatest_common_divisor(out, s.period), s.period, out)) { return 0; }
  }
  return out;
}

[[nodiscard]] constexpr auto greater(ticks a, ticks b) noexcept -> ticks { return a > b ? a : b; }

/// Stages from the first on that share one clock, as far as their jobs can be followed: at least one.
[[nodiscard]] constexpr auto piece_of(std::span<const chain_stage> stages, std::int64_t& jobs_left) noexcept
    -> std::size_t {
  if (stages.front().clock == own_clock) { return 1; }
  std::size_t count = 1;
  while (count < stages.size() && stages[count].clock == stages.front().clock) { ++count; }
  for (; count > 1; --count) {
    const auto piece = stages.first(count);
    const ticks hyperperiod = hyperperiod_of(piece);
    if (hyperperiod == 0) { continue; }
    const ticks jobs = hyperperiod / piece.front().period + hyperperiod / piece.back().period;
    if (jobs > jobs_left) { continue; }
    jobs_left -= jobs;
    break;
  }
  return count;
}

/// Returns whether all instants that following jobs can name stay far from the ends of 64 bits.
[[nodiscard]] constexpr auto fits_enumeration(std::span<const chain_stage> stages) noexcept -> bool {
  constexpr ticks most = ticks{1} << 58;
  ticks sum = hyperperiod_of(stages);
  if (sum == 0 || sum > most) { return false; }
  for (const chain_stage& s : stages) {
    for (const ticks t : {s.offset, s.period, s.period, s.response, s.output_delay()}) {
      if (!checked_add(sum, t, sum) || sum > most) { return false; }
    }
  }
  return true;
}

/// Follows each job of a hyperperiod forwards and backwards. Pre: some stages of one clock,
/// and times that `fits_enumeration` allows.
[[nodiscard]] constexpr auto follow_jobs(std::span<const chain_stage> stages, ticks hyperperiod) noexcept
    -> piece_latency {
  TAKT_EXPECTS(!stages.empty() && hyperperiod > 0);
  TAKT_EXPECTS_IN_TESTS(fits_enumeration(stages));
  const chain_stage& first = stages.front();
  const chain_stage& last = stages.back();
  piece_latency out;
  for (ticks k = 0; k < hyperperiod / first.period; ++k) {
    ticks job = k;
    for (std::size_t i = 1; i < stages.size(); ++i) { job = reader_of(stages[i - 1], job, stages[i]); }
    const ticks output = release_of(last, job) + last.output_delay();
    out.first_read_to_output = greater(out.first_read_to_output, output - release_of(first, k));
    out.reaction = greater(out.reaction, output - release_of(first, k - 1));
  }
  for (ticks k = 0; k < hyperperiod / last.period; ++k) {
    ticks job = k;
    for (std::size_t i = stages.size() - 1; i > 0; --i) { job = writer_of(stages[i - 1], stages[i], job); }
    const ticks output = release_of(last, k) + last.output_delay();
    out.age_at_output = greater(out.age_at_output, output - release_of(first, job));
  }
  return out;
}

}  // namespace detail

/// Returns the bounds on the latencies of a chain; exact where all of its stages are LET by one clock.
///
/// Jobs of stages by one clock are followed one by one over their hyperperiod, with the latest output and the earliest
/// read of each. A job certainly reads what was given before its release, or, of a producer it waits for, what was
/// released before. Pieces by different clocks are added: what one gives is what happens to the next, which reacts
/// within its own reaction time. A job that waits for its producer begins to wait at the producer's release, so the
/// producer's response is not in its piece. A stage alone has reaction T + R.
///
/// Source: the sums are Davare et al. 2007; that waiting consumers save the producer's response, Duerr et al. 2019;
/// read and data intervals on a known time line, Becker et al. 2017; the cut between clocks, Guenzel et al. 2021. Never
/// above Davare et al., whose terms are what a piece of one stage counts.
///
/// Cost: O(jobs of the hyperperiod x stages), at most `most_jobs`; O(stages) by different clocks.
[[nodiscard]] constexpr auto bound_chain(std::span<const chain_stage> stages, const chain_options& options = {})
    -> chain_latency {
  chain_latency out;
  out.fault = detail::find_fault(stages);
  if (!out.bounded()) { return out; }
  std::int64_t jobs_left = options.most_jobs;
  bool all_let = true;
  std::size_t done = 0;
  while (done < stages.size()) {
    const auto rest = stages.subspan(done);
    const std::size_t count = detail::piece_of(rest, jobs_left);
    const auto piece = rest.first(count);
    if (!detail::fits_enumeration(piece)) {
      out.fault = {chain_status::overflow, done};
      return out;
    }
    const detail::piece_latency next = detail::follow_jobs(piece, detail::hyperperiod_of(piece));
    const bool waits = done > 0 && piece.front().waits_for_producer;
    const ticks saved = waits ? stages[done - 1].output_delay() : 0;
    bool fits = true;
    if (done == 0) {
      out.first_read_to_output = next.first_read_to_output;
      out.reaction = next.reaction;
      out.age_at_output = next.age_at_output;
    } else {
      fits = checked_add(out.first_read_to_output, next.reaction - saved, out.first_read_to_output) &&
             checked_add(out.reaction, next.reaction - saved, out.reaction) &&
             checked_add(out.age, next.age_at_output - saved, out.age_at_output);
    }
    fits = fits && checked_add(out.age_at_output, piece.back().period, out.age);
    if (!fits) {
      out.fault = {chain_status::overflow, done};
      return out;
    }
    for (const chain_stage& s : piece) { all_let = all_let && has_fixed_times(s.how); }
    out.aligned += count - 1;
    done += count;
  }
  out.exact = all_let && out.aligned + 1 == stages.size();
  return out;
}

}  // namespace takt::inline TAKT_ABI
