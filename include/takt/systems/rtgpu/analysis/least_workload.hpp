// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <takt/systems/rtgpu/analysis/workload.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Computes the least work of several packings of each task, one of which is known to come true: no more than the work
/// of that one in any window. Interface of `workload_model`.
template <ExactNumber Number, std::size_t MaxTasks, std::size_t MaxElements, std::size_t Resources, std::size_t Most>
class least_workload {
 public:
  using number = Number;
  static constexpr std::size_t max_sources = MaxTasks * Resources;
  static constexpr bool from_below = true;

  constexpr void clear(std::size_t k) noexcept { count_[k] = 0; }

  /// Adds a packing of task k. Pre: fewer than `Most` since it was cleared; else as `workload_model::pack`.
  constexpr void pack(std::size_t k, const std::array<element<Number>, MaxElements>& elements, std::size_t first,
                      std::size_t count, const Number& period, const Number& latest_finish) {
    TAKT_EXPECTS(k < MaxTasks && count_[k] < Most);
    models_[count_[k]++].pack(k, elements, first, count, period, latest_finish);
  }

  [[nodiscard]] constexpr auto segments(std::size_t k, std::size_t r) const noexcept -> std::size_t {
    return models_[0].segments(k, r);
  }

  /// Pre: task k has been packed. Cost: packings x own segments squared.
  [[nodiscard]] constexpr auto demand(std::size_t k, std::size_t r, const Number& t) const -> work_within<Number> {
    TAKT_EXPECTS(k < MaxTasks && count_[k] > 0);
    work_within<Number> least = models_[0].demand(k, r, t);
    for (std::size_t p = 1; p < count_[k]; ++p) { least = lesser(least, models_[p].demand(k, r, t)); }
    return least;
  }

 private:
  /// The minimum grows while the lesser does, at most until it reaches the value of the other one. It is constant while
  /// one that is least now is.
  [[nodiscard]] static constexpr auto lesser(const work_within<Number>& a, const work_within<Number>& b)
      -> work_within<Number> {
    if (b.value < a.value) { return lesser(b, a); }
    const Number meets = b.grows_until + (b.value - a.value);
    const bool tie = a.value == b.value && a.constant_until < b.constant_until;
    return {a.value, meets < a.grows_until ? meets : a.grows_until, tie ? b.constant_until : a.constant_until};
  }

  std::array<workload_model<Number, MaxTasks, MaxElements, Resources>, Most> models_{};
  std::array<std::size_t, MaxTasks> count_{};
};

}  // namespace takt::inline TAKT_ABI::analysis
