// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/core/value.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/stage.hpp>

namespace takt::inline TAKT_ABI {

struct cpu_segment {
  static constexpr stage where = stage::cpu;
  interval<duration> time;
  std::string_view label{};  ///< see `named`
};

struct copy_segment {
  static constexpr stage where = stage::copy;
  interval<duration> time;
  copy_direction direction = copy_direction::unspecified;
  std::string_view label{};
};

/// Names what a kernel asks for, whatever shares the GPU out.
struct gpu {};

/// A kernel, or a job on any accelerator whose units can be dedicated to a task (an FPGA region, a tensor core group).
/// All that is known about it is how long it takes on a given number of units.
template <detail::KernelLaw Law>
struct kernel_segment {
  static constexpr stage where = stage::kernel;
  Law law;
  std::string_view label{};
};

/// Stands in a task's chain: time on a CPU, a copy engine or a GPU, or on the resource of a type that it names.
template <class S>
concept Segment = Copyable<S> && (requires {
                    { S::where } -> std::convertible_to<stage>;
                  } || requires { typename S::resource; });

/// Returns the same segment under a name by which code is bound to it.
template <Segment S>
  requires requires(S s) { s.label; }
[[nodiscard]] constexpr auto named(std::string_view label, S segment) noexcept -> S {
  segment.label = label;
  return segment;
}

/// States CPU execution of at least `bcet` and at most `wcet`.
[[nodiscard]] constexpr auto cpu(duration bcet, duration wcet) noexcept -> cpu_segment { return {{bcet, wcet}}; }
[[nodiscard]] constexpr auto cpu(duration wcet) noexcept -> cpu_segment { return {{duration{}, wcet}}; }

/// States a transfer between host and device that takes the copy engine for `lower` to `upper`. A transfer of length
/// zero (unified memory) never asks for the engine.
[[nodiscard]] constexpr auto copy(duration lower, duration upper,
                                  copy_direction direction = copy_direction::unspecified) noexcept -> copy_segment {
  return {{lower, upper}, direction};
}
[[nodiscard]] constexpr auto copy(duration upper, copy_direction direction = copy_direction::unspecified) noexcept
    -> copy_segment {
  return {{duration{}, upper}, direction};
}

struct kernel_work {
  static constexpr std::string_view name = "work";
  interval<duration> time;
};
struct kernel_overhead {
  static constexpr std::string_view name = "overhead";
  duration time;
};
/// Without a ratio of its own a kernel is stretched by all virtual SMs of an SM: see `ratio_on`.
struct kernel_interleave {
  static constexpr std::string_view name = "interleave";
  std::int64_t numerator = unsaid_interleave;
  std::int64_t denominator = 1;
  bool any_neighbour = true;
};

/// Total work of a kernel: its time on one virtual SM that shares its physical SM with no other, overhead included.
[[nodiscard]] constexpr auto work(duration lower, duration upper) noexcept -> kernel_work { return {{lower, upper}}; }
[[nodiscard]] constexpr auto work(duration upper) noexcept -> kernel_work { return {{duration{}, upper}}; }

/// States the part of a kernel that more SMs do not shorten: launch, pinning, and the longest indivisible block.
[[nodiscard]] constexpr auto overhead(duration upper) noexcept -> kernel_overhead { return {upper}; }

namespace detail {

/// Returns a numerator that counts as given, even where it is wrong.
[[nodiscard]] constexpr auto said_numerator(std::int64_t numerator) noexcept -> std::int64_t {
  return numerator == unsaid_interleave ? -1 : numerator;
}

}  // namespace detail

/// Says how much a kernel is stretched by whatever may run on the other virtual SMs of its physical SM. The answer is
/// an exact ratio of at least one: 9/5 for 1.8.
[[nodiscard]] constexpr auto interleave(std::int64_t numerator, std::int64_t denominator = 1) noexcept
    -> kernel_interleave {
  return {detail::said_numerator(numerator), denominator};
}

/// States the slowdown by blocks of the same kernel only. It holds where SMs are handed out whole; a platform whose
/// tasks share physical SMs refuses it.
[[nodiscard]] constexpr auto self_interleave(std::int64_t numerator, std::int64_t denominator = 1) noexcept
    -> kernel_interleave {
  return {detail::said_numerator(numerator), denominator, false};
}

[[nodiscard]] constexpr auto kernel(kernel_work w, kernel_overhead o = {}, kernel_interleave i = {}) noexcept
    -> kernel_segment<divisible_work> {
  return {divisible_work{w.time, o.time, i.numerator, i.denominator, i.any_neighbour}};
}

/// Makes a kernel whose law the caller brings: a measured table, or a type of their own.
template <detail::KernelLaw Law>
[[nodiscard]] constexpr auto kernel(const Law& law) noexcept -> kernel_segment<Law> {
  return {law};
}

}  // namespace takt::inline TAKT_ABI
