// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/methods/gel/upward.hpp>
#include <takt/model/block_kernel.hpp>

namespace takt::inline TAKT_ABI::analysis {

enum class block_status : std::uint8_t {
  bounded,                ///< every response is bounded as given
  load_exceeds_capacity,  ///< the capacity condition fails: nothing is known
  other_resource_binds,   ///< blocks may wait for something else than threads: see `multi_resource_response`
  not_proven,             ///< the method's own condition fails: nothing is known
  overflow,               ///< the times are too large, or the load too close to the capacity to tell the sides apart
  invalid_model,          ///< see `error`
};

[[nodiscard]] constexpr auto name_of(block_status s) noexcept -> std::string_view {
  switch (s) {
    case block_status::bounded: return "bounded";
    case block_status::load_exceeds_capacity: return "load-exceeds-capacity";
    case block_status::other_resource_binds: return "other-resource-binds";
    case block_status::not_proven: return "not-proven";
    case block_status::overflow: return "overflow";
    case block_status::invalid_model: return "invalid-model";
  }
  return "";
}

/// Response bounds from the actual enqueue of a kernel to the end of its last block, in the given order. Whole ticks
/// are rounded up.
template <ExactNumber Number, std::size_t MaxTasks>
struct block_bounds {
  block_status status = block_status::overflow;
  model_error error{};
  inline_vector<Number, MaxTasks> responses{};

  [[nodiscard]] constexpr auto bounded() const noexcept -> bool { return status == block_status::bounded; }
  [[nodiscard]] static constexpr auto failed(block_status why) -> block_bounds {
    block_bounds out;
    out.status = why;
    return out;
  }
  [[nodiscard]] static constexpr auto invalid(const model_error& what) -> block_bounds {
    block_bounds out;
    out.status = what.fault == model_fault::time_overflow ? block_status::overflow : block_status::invalid_model;
    out.error = what;
    return out;
  }
};

/// Returns the lesser bound of each kernel. A failure counts for nothing beside a bound.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto min_of(block_bounds<Number, MaxTasks> a, const block_bounds<Number, MaxTasks>& b)
    -> block_bounds<Number, MaxTasks> {
  if (!a.bounded()) { return b.bounded() ? b : a; }
  for (std::size_t i = 0; b.bounded() && i < a.responses.size(); ++i) {
    if (b.responses[i] < a.responses[i]) { a.responses[i] = b.responses[i]; }
  }
  return a;
}
template <class Number, std::size_t MaxTasks, class... Rest>
[[nodiscard]] constexpr auto min_of(const block_bounds<Number, MaxTasks>& a, const block_bounds<Number, MaxTasks>& b,
                                    const Rest&... rest) -> block_bounds<Number, MaxTasks>
  requires(sizeof...(Rest) > 0)
{
  return min_of(min_of(a, b), rest...);
}

namespace detail {

/// Kernels as the proofs see them. A block occupies `size` whole units of a GPU. At least `capacity` units are occupied
/// whenever a block waits, and blocks occupy at most `occupied` when none does.
template <class Fraction, std::size_t MaxTasks>
struct block_load {
  struct kernel {
    Fraction length{};
    Fraction period{};
    Fraction jitter{};
    std::int64_t blocks = 1;
    std::int64_t size = 1;
    std::int32_t owner = no_owner;
  };
  inline_vector<kernel, MaxTasks> kernels{};
  std::int64_t capacity = 0;
  std::int64_t occupied = 0;

  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return kernels.size(); }
  [[nodiscard]] constexpr auto work_of_block(std::size_t i) const -> Fraction {
    return kernels[i].length * Fraction(kernels[i].size);
  }
  [[nodiscard]] constexpr auto work_of_job(std::size_t i) const -> Fraction {
    return work_of_block(i) * Fraction(kernels[i].blocks);
  }
  [[nodiscard]] constexpr auto work_of_all() const -> Fraction {
    Fraction sum(0);
    for (std::size_t i = 0; i < size(); ++i) { sum = sum + work_of_job(i); }
    return sum;
  }
  /// Returns the bound of Lemma 1 of Yang et al. 2018, in these units.
  [[nodiscard]] constexpr auto carry_in() const -> Fraction {
    Fraction longest(0);
    for (std::size_t i = 0; i < size(); ++i) {
      if (longest < kernels[i].length) { longest = kernels[i].length; }
    }
    return longest * Fraction(occupied);
  }
  [[nodiscard]] constexpr auto utilization() const -> load_sum<Fraction> {
    load_sum<Fraction> sum;
    for (std::size_t i = 0; i < size(); ++i) { sum.add(work_of_job(i), kernels[i].period); }
    return sum;
  }
};

/// Returns the bound of kernel i when at most `backlog`, own job included, is unfinished at its enqueue. All other work
/// runs first, at the rate of the capacity, then the last block. Pre: capacity > 0.
template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto drained(const block_load<Fraction, MaxTasks>& load, const Fraction& backlog, std::size_t i)
    -> Fraction {
  TAKT_EXPECTS(load.capacity > 0);
  const Fraction others = backlog - load.work_of_block(i);
  return number_traits<Fraction>::divide_up(others, load.capacity) + load.kernels[i].length;
}
/// Returns these bounds of all kernels, or `load_exceeds_capacity`.
template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto drain(const block_load<Fraction, MaxTasks>& load, const Fraction& backlog)
    -> block_bounds<Fraction, MaxTasks> {
  using bounds = block_bounds<Fraction, MaxTasks>;
  if (load.capacity <= 0) { return bounds::failed(block_status::load_exceeds_capacity); }
  bounds out;
  out.status = block_status::bounded;
  for (std::size_t i = 0; i < load.size(); ++i) {
    const Fraction response = drained(load, backlog, i);
    if (!is_number(response)) { return bounds::failed(block_status::overflow); }
    // Bound: one per kernel, at most MaxTasks.
    out.responses.unchecked_push_back(response);
  }
  return out;
}

/// Returns the kernels of a table, whose sizes come from `size_of(i)`.
template <class Fraction, class Number, std::size_t MaxTasks, class SizeOf>
[[nodiscard]] constexpr auto load_of(const task_rows<block_kernel<Number>, MaxTasks>& table, std::int64_t capacity,
                                     std::int64_t occupied, const SizeOf& size_of) -> block_load<Fraction, MaxTasks> {
  block_load<Fraction, MaxTasks> load;
  load.capacity = capacity;
  load.occupied = occupied;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& k = table.tasks[i];
    // Bound: one per task, as in the table.
    load.kernels.unchecked_push_back(
        {Fraction(k.length), Fraction(k.period), Fraction(k.jitter), k.blocks, size_of(i), k.owner});
  }
  return load;
}

/// Runs `solve(load)` on exact fractions; on whole ticks whose fractions do not fit, on integers that round upwards.
/// Sizes come from `size_of(i)`.
template <class Number, std::size_t MaxTasks, class SizeOf, class Solve>
[[nodiscard]] constexpr auto on_load(const task_rows<block_kernel<Number>, MaxTasks>& table, std::int64_t capacity,
                                     std::int64_t occupied, const SizeOf& size_of, const Solve& solve)
    -> block_bounds<Number, MaxTasks> {
  const auto found = solve(load_of<fraction_of<Number>>(table, capacity, occupied, size_of));
  if constexpr (!number_traits<Number>::integral) {
    return found;
  } else {
    block_bounds<Number, MaxTasks> out;
    out.status = found.status;
    out.error = found.error;
    if (found.status != block_status::overflow) {
      for (std::size_t i = 0; i < found.responses.size(); ++i) {
        // Bound: one per kernel, at most MaxTasks; so below.
        out.responses.unchecked_push_back(found.responses[i].ceil());
      }
      return out;
    }
    const auto rounded = solve(load_of<upward>(table, capacity, occupied, size_of));
    out.status = rounded.status;
    out.error = rounded.error;
    for (std::size_t i = 0; i < rounded.responses.size(); ++i) {
      out.responses.unchecked_push_back(rounded.responses[i].value());
    }
    return out;
  }
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
