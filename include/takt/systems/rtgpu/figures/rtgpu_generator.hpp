// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <takt/core/checked.hpp>
#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/generation/generated_name.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/task_table.hpp>

namespace takt::inline TAKT_ABI::generation {

/// Says how many copies stand around each kernel.
enum class copies_per_kernel : std::uint8_t {
  two,   ///< one to the device before it, one back after it
  one,   ///< one before it; its length is one draw
  none,  ///< unified memory
};
[[nodiscard]] constexpr auto last_of(copies_per_kernel) noexcept -> copies_per_kernel {
  return copies_per_kernel::none;
}

namespace detail {

[[nodiscard]] constexpr auto copies_of(copies_per_kernel e) noexcept -> std::int32_t {
  switch (e) {
    case copies_per_kernel::two: return 2;
    case copies_per_kernel::one: return 1;
    case copies_per_kernel::none: return 0;
  }
  return 0;
}

}  // namespace detail

/// Describes the experiment of Zou et al. 2021, section 6.1 and Table 1. The second group is not in the paper: it is
/// declared here so that a result can be repeated.
struct rtgpu_options {
  std::int32_t tasks = 5;
  std::int32_t subtasks = 5;                 ///< CPU segments per task, one more than kernels
  std::int32_t utilization_permille = 1000;  ///< of one core, one engine and one SM together; may exceed 1000
  interval<ticks> cpu{1'000'000, 20'000'000};
  interval<ticks> copy{1'000'000, 5'000'000};
  interval<ticks> kernel{1'000'000, 20'000'000};  ///< time on one SM
  copies_per_kernel copies = copies_per_kernel::two;
  std::int32_t sms = 10;

  std::int32_t virtual_per_sm = 2;
  bool shared_sms = false;             ///< tasks may have virtual SMs of one physical SM
  std::int32_t overhead_percent = 10;  ///< serial part of a kernel in its work
  std::int64_t interleave_numerator = 17;
  std::int64_t interleave_denominator = 10;
  std::int32_t lower_percent = 100;  ///< shortest in longest time of every segment
};

[[nodiscard]] constexpr auto validate(const rtgpu_options& o) noexcept -> model_fault {
  const auto range = [](const interval<ticks>& r) {
    return r.lower > 0 && r.lower <= r.upper && r.upper <= 1'000'000'000'000;
  };
  const bool good = o.tasks > 0 && o.tasks <= 64 && o.subtasks > 0 && o.subtasks <= 1000 &&
                    o.utilization_permille > 0 && o.utilization_permille <= 100'000 && range(o.cpu) && range(o.copy) &&
                    range(o.kernel) && o.sms > 0 && o.virtual_per_sm > 0 && o.overhead_percent >= 0 &&
                    o.overhead_percent <= 100 && o.interleave_denominator > 0 &&
                    o.interleave_numerator >= o.interleave_denominator && o.interleave_numerator <= 1'000'000 &&
                    o.lower_percent >= 0 && o.lower_percent <= 100 && is_known(o.copies);
  return good ? model_fault::none : model_fault::options_out_of_range;
}

/// One core and one copy engine, which `copies_per_kernel::none` does without, around the SMs.
[[nodiscard]] constexpr auto platform_of(const rtgpu_options& o) noexcept -> platform_record {
  platform_record out{.cores = 1, .copy_engines = detail::copies_of(o.copies) == 0 ? 0 : 1, .gpus = {}};
  // Bound: one GPU.
  out.gpus.unchecked_push_back({.sms = o.sms, .virtual_per_sm = o.virtual_per_sm, .shared = o.shared_sms});
  return out;
}

namespace detail {

/// Utilisations are whole multiples of one part in the sum of the weights, so that all arithmetic stays exact.
inline constexpr ticks heaviest = 32'768;

/// floor(a * b / c); false on overflow. Pre: 0 <= a, 0 < b, 0 < c and b * c fits.
[[nodiscard]] constexpr auto multiply_divide(ticks a, ticks b, ticks c, ticks& out) noexcept -> bool {
  TAKT_EXPECTS(0 <= a && 0 < b && 0 < c && b <= std::numeric_limits<ticks>::max() / c);
  ticks whole = 0;
  return checked_multiply(a / c, b, whole) && checked_add(whole, a % c * b / c, out);
}

template <class Table>
class chain_generator {
 public:
  constexpr chain_generator(const rtgpu_options& o, random_stream& random, Table& out)
      : options_{&o}, random_{&random}, out_{&out} {}

  constexpr void write() {
    segment(stage::cpu, options_->cpu);
    for (std::int32_t j = 1; j < options_->subtasks; ++j) {
      if (copies_of(options_->copies) > 0) { segment(stage::copy, options_->copy, to_device); }
      segment(stage::kernel, options_->kernel);
      if (copies_of(options_->copies) > 1) { segment(stage::copy, options_->copy, to_host); }
      segment(stage::cpu, options_->cpu);
    }
  }
  [[nodiscard]] constexpr auto total() const noexcept -> ticks { return total_; }
  [[nodiscard]] constexpr auto fits() const noexcept -> bool { return fits_; }

 private:
  constexpr void segment(stage where, const interval<ticks>& range,
                         copy_direction direction = copy_direction::unspecified) {
    const ticks upper = random_->between(range.lower, range.upper);
    total_ += upper;
    segment_record<ticks> s{
        .where = where, .direction = direction, .time = {part(upper, options_->lower_percent), upper}};
    if (where == stage::kernel) {
      s.overhead = part(upper, options_->overhead_percent);
      s.interleave_numerator = options_->interleave_numerator;
      s.interleave_denominator = options_->interleave_denominator;
    }
    fits_ = out_->add_segment(s) && fits_;
  }
  [[nodiscard]] static constexpr auto part(ticks of, std::int32_t percent) noexcept -> ticks {
    return of * percent / 100;
  }

  const rtgpu_options* options_;
  random_stream* random_;
  Table* out_;
  ticks total_ = 0;
  bool fits_ = true;
};

}  // namespace detail

/// Draws set number `index` of a seed: each can be drawn by itself. Utilisations are uniform and scaled to their sum,
/// lengths uniform in their ranges, and deadline = period = own work over utilisation, rounded down. The tasks have no
/// priorities, hence deadline monotonic ones. Equal arguments give the same set everywhere.
template <class Table>
[[nodiscard]] constexpr auto generate(const rtgpu_options& o, std::uint64_t seed, std::uint64_t index, Table& out)
    -> model_fault {
  out = Table{};
  if (const auto fault = validate(o); fault != model_fault::none) { return fault; }
  random_stream random{random_stream{seed}.next() ^ random_stream{~index}.next()};
  std::array<ticks, 64> weights{};
  ticks sum = 0;
  for (std::int32_t i = 0; i < o.tasks; ++i) {
    sum += weights[static_cast<std::size_t>(i)] = random.between(1, detail::heaviest);
  }
  for (std::int32_t i = 0; i < o.tasks; ++i) {
    const auto id = static_cast<std::size_t>(i);
    if (!out.add_task(generated_name(id), 1, 1)) { return model_fault::set_does_not_fit; }
    detail::chain_generator<Table> chain{o, random, out};
    chain.write();
    if (!chain.fits()) { return model_fault::set_does_not_fit; }
    auto& task = out.tasks[id];
    if (!detail::multiply_divide(chain.total(), sum * 1000, weights[id] * o.utilization_permille, task.period)) {
      return model_fault::time_overflow;
    }
    task.period = task.period < 1 ? 1 : task.period;
    task.deadline = task.period;
  }
  return model_fault::none;
}

}  // namespace takt::inline TAKT_ABI::generation
