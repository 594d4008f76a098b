// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/core/checked.hpp>
#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/segment.hpp>
#include <takt/prediction/kernel_sample.hpp>
#include <takt/prediction/least_squares.hpp>

namespace takt::inline TAKT_ABI {

enum class fit_status : std::uint8_t {
  fitted,
  no_samples,
  sample_out_of_range,  ///< a time below 1, or an SM count below 1 or above `max_units`
  one_sm_count_only,    ///< work and overhead cannot be told apart
  interleave_below_one,
  margin_out_of_range,
  overhead_out_of_range,  ///< the least overhead or the longest piece is below 0
  overflow,
};

[[nodiscard]] constexpr auto name_of(fit_status s) noexcept -> std::string_view {
  switch (s) {
    case fit_status::fitted: return "fitted";
    case fit_status::no_samples: return "no samples";
    case fit_status::sample_out_of_range: return "a sample is out of range";
    case fit_status::one_sm_count_only: return "one SM count only";
    case fit_status::interleave_below_one: return "the interleave ratio is below 1";
    case fit_status::margin_out_of_range: return "the margin is out of range";
    case fit_status::overhead_out_of_range: return "the least overhead or the longest piece is negative";
    case fit_status::overflow: return "overflow";
  }
  return "";
}

/// Says how far a bound of the law is from the samples.
struct fit_distance {
  ticks largest = 0;
  double mean = 0;
};

struct kernel_fit {
  fit_status status = fit_status::no_samples;
  divisible_work law;
  fit_distance above;   ///< of upper bounds over samples
  fit_distance below;   ///< of samples over lower bounds
  scaling_curve curve;  ///< of the samples without margin, for comparison

  [[nodiscard]] constexpr explicit operator bool() const noexcept { return status == fit_status::fitted; }
};

inline constexpr std::int32_t max_fit_margin = 1'000;

/// Returns whether the law brackets every sample; exact, in integers.
[[nodiscard]] constexpr auto brackets(const divisible_work& law, std::span<const kernel_sample> samples) noexcept
    -> bool {
  for (const kernel_sample& s : samples) {
    const duration time{s.time};
    if (law.upper(s.virtual_sms) < time || time < law.lower(s.virtual_sms)) { return false; }
  }
  return true;
}

namespace detail {

/// Searches the least-mean cover of samples by parallel / n + serial, one `serial` at a time.
///
/// For a given serial part the least parallel part is the largest n x (time - serial), whose n falls as `serial` grows.
/// The mean of the cover over all samples is convex in `serial` with right-hand slope 1 - n x mean(1/n). So the best
/// one is next to where that n first is at most the harmonic mean. A search by halves finds it, with no linear program
/// and no storage.
class cover_search {
 public:
  constexpr cover_search(std::span<const kernel_sample> samples, std::int32_t margin, ticks piece) noexcept
      : samples_{samples}, margin_{margin}, piece_{piece} {}

  struct corner {
    ticks parallel = 0;
    std::int32_t virtual_sms = 0;  ///< the smallest at which the cover touches; 0 if serial time alone covers
  };

  /// Returns a time with one more piece and the margin on top. Pre: `fits`.
  [[nodiscard]] constexpr auto raised(ticks time) const noexcept -> ticks {
    return ceil_divide((time + piece_) * (100 + margin_), ticks{100});
  }
  [[nodiscard]] constexpr auto lowered(ticks time) const noexcept -> ticks {
    return margin_ >= 100 ? 0 : time * (100 - margin_) / 100;
  }
  /// Returns whether no product of this search leaves 64 bits.
  [[nodiscard]] constexpr auto fits(ticks least_serial) const noexcept -> bool {
    ticks sum = 0;
    ticks product = 0;
    if (!checked_add(least_serial, piece_, sum) || !checked_multiply(sum, ticks{100 + margin_}, product)) {
      return false;
    }
    for (const kernel_sample& s : samples_) {
      if (!checked_add(s.time, piece_, sum) || !checked_multiply(sum, ticks{100 + margin_}, product) ||
          !checked_multiply(raised(s.time), ticks{s.virtual_sms}, product)) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] constexpr auto touch(ticks serial) const noexcept -> corner {
    corner out;
    for (const kernel_sample& s : samples_) {
      const ticks above = raised(s.time) - serial;
      if (above <= 0) { continue; }
      const ticks parallel = above * s.virtual_sms;
      if (parallel > out.parallel || (parallel == out.parallel && s.virtual_sms < out.virtual_sms)) {
        out = {parallel, s.virtual_sms};
      }
    }
    return out;
  }

  [[nodiscard]] constexpr auto best_serial(ticks least) const noexcept -> ticks {
    double inverses = 0;
    ticks high = least;
    for (const kernel_sample& s : samples_) {
      inverses += 1.0 / s.virtual_sms;
      high = raised(s.time) > high ? raised(s.time) : high;
    }
    const auto count = static_cast<double>(samples_.size());
    ticks low = least;
    while (low < high) {
      const ticks middle = low + (high - low) / 2;
      if (static_cast<double>(touch(middle).virtual_sms) * inverses <= count) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    // The mean is least somewhere above low - 1 and up to low.
    const auto total = [&](ticks serial) {
      return static_cast<double>(serial) * count + static_cast<double>(touch(serial).parallel) * inverses;
    };
    return low > least && total(low - 1) < total(low) ? low - 1 : low;
  }

  /// Returns the work that every sample is at least: the least n x time.
  [[nodiscard]] constexpr auto least_work() const noexcept -> ticks {
    ticks least = lowered(samples_[0].time) * samples_[0].virtual_sms;
    for (const kernel_sample& s : samples_) {
      const ticks work = lowered(s.time) * s.virtual_sms;
      least = work < least ? work : least;
    }
    return least;
  }

 private:
  std::span<const kernel_sample> samples_;
  std::int32_t margin_;
  ticks piece_;
};

[[nodiscard]] constexpr auto fit_fault(std::span<const kernel_sample> samples, const kernel_interleave& interleave,
                                       std::int32_t margin, ticks least_overhead, ticks piece) noexcept -> fit_status {
  if (samples.empty()) { return fit_status::no_samples; }
  if (interleave.denominator < 1 || interleave.numerator < interleave.denominator) {
    return fit_status::interleave_below_one;
  }
  if (margin < 0 || margin > max_fit_margin) { return fit_status::margin_out_of_range; }
  if (least_overhead < 0 || piece < 0) { return fit_status::overhead_out_of_range; }
  bool several = false;
  for (const kernel_sample& s : samples) {
    if (s.time < 1 || s.virtual_sms < 1 || s.virtual_sms > max_units) { return fit_status::sample_out_of_range; }
    several = several || s.virtual_sms != samples[0].virtual_sms;
  }
  if (!several) { return fit_status::one_sm_count_only; }
  return cover_search{samples, margin, piece}.fits(least_overhead) ? fit_status::fitted : fit_status::overflow;
}

/// Makes the law with that overhead whose stretched work reaches `parallel`; returns false on overflow.
[[nodiscard]] constexpr auto law_of(ticks parallel, ticks serial, ticks least_work, const kernel_interleave& interleave,
                                    divisible_work& out) noexcept -> bool {
  ticks stretched = 0;
  if (!checked_add(parallel, serial, stretched) || !checked_multiply(stretched, interleave.denominator, stretched)) {
    return false;
  }
  const ticks work = ceil_divide(stretched, interleave.numerator);
  out = {.work = {duration{least_work < work ? least_work : work}, duration{work}},
         .overhead = duration{serial},
         .interleave_numerator = interleave.numerator,
         .interleave_denominator = interleave.denominator,
         .any_neighbour = interleave.any_neighbour};
  interval<ticks> unused;
  return divisible_work_bounds<ticks>({0, work}, serial, interleave.numerator, interleave.denominator, max_units,
                                      unused);
}

constexpr void measure_distances(std::span<const kernel_sample> samples, kernel_fit& out) noexcept {
  const auto count = static_cast<double>(samples.size());
  for (const kernel_sample& s : samples) {
    const ticks above = out.law.upper(s.virtual_sms).count() - s.time;
    const ticks below = s.time - out.law.lower(s.virtual_sms).count();
    out.above.largest = above > out.above.largest ? above : out.above.largest;
    out.below.largest = below > out.below.largest ? below : out.below.largest;
    out.above.mean += static_cast<double>(above) / count;
    out.below.mean += static_cast<double>(below) / count;
  }
}

/// Returns a law of work and overhead from timed runs on two or more SM counts. Its upper bound is at or above, its
/// lower bound at or below every sample, each sample first moved outwards by `margin_percent`. Among the laws that do
/// so the mean distance of the upper bounds is the least that whole ticks of overhead allow.
///
/// Times show the stretched work and the overhead, never the ratio itself: that is the caller's knowledge (a table, or
/// `measured_interleave`). It must be the ratio of the runs, since a larger one states less work for the same times,
/// and the lower bound cannot exceed that work. What samples do not show, no fit can bound.
///
/// `least_overhead`, moved upwards too, is what a run is known to take besides its work, an empty pinned launch say.
/// Without it a few long runs on few SMs can leave a law without any overhead. Suppose that it is at or above the true
/// one, and that true times are work over SMs and overhead. Then the upper bound holds on all SM counts above the least
/// that was timed.
///
/// `piece` is the longest part of the work that one virtual SM does without dividing it, a chunk say. Where pieces are
/// drawn from one counter, a run ends at most one piece after work over SMs and overhead would. On counts that divide
/// them evenly it does not end later at all. So the upper bound is that of samples that are each longer by a piece.
/// Cost: at most 64 passes over the samples, no memory. Source: Zou et al. 2021, sections 4.1 and 6.4.
[[nodiscard]] constexpr auto fit_kernel(std::span<const kernel_sample> samples, kernel_interleave interleave = {1, 1},
                                        std::int32_t margin_percent = 0, ticks least_overhead = 0,
                                        ticks piece = 0) noexcept -> kernel_fit {
  kernel_fit out{.status = detail::fit_fault(samples, interleave, margin_percent, least_overhead, piece),
                 .law = {},
                 .above = {},
                 .below = {},
                 .curve = {}};
  if (!out) { return out; }
  const detail::cover_search search{samples, margin_percent, piece};
  const ticks serial = search.best_serial(search.raised(least_overhead));
  const bool computed = detail::law_of(search.touch(serial).parallel, serial, search.least_work(), interleave, out.law);
  if (!computed || !brackets(out.law, samples)) {
    return {.status = fit_status::overflow, .law = {}, .above = {}, .below = {}, .curve = {}};
  }
  detail::measure_distances(samples, out);
  out.curve = fit_scaling_curve(samples);
  return out;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
