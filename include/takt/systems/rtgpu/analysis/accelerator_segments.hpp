// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/model/stage.hpp>
#include <takt/systems/rtgpu/analysis/workload.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Is a chain in which everything between two CPU segments, copies and kernel, is one accelerator segment on one
/// accelerator. The element of a CPU segment has resource 0, that of an accelerator segment resource 1.
template <class Table>
class accelerator_segments {
 public:
  using number = typename Table::number;

  /// Merges the chain of task k, `kernel(s)` being the shortest and longest time of a kernel. Pre: the chain
  /// alternates.
  template <class KernelTime>
  constexpr void merge(const Table& table, std::size_t k, const KernelTime& kernel) {
    const std::size_t first = table.tasks[k].first_segment;
    std::size_t count = 0;
    longest_[k] = number(0);
    cpu_[k] = number(0);
    accelerator_[k] = number(0);
    kernels_[k] = number(0);
    requests_[k] = 0;
    bool open = false;
    for (std::size_t j = 0; j < table.tasks[k].segment_count; ++j) {
      const auto& s = table.segment(k, j);
      const interval<number> time = s.where == stage::kernel ? kernel(s) : s.time;
      if (s.where == stage::cpu) {
        TAKT_EXPECTS(j == 0 || open);
        elements_[first + count++] = {.resource = 0, .time = time};
        cpu_[k] = cpu_[k] + time.upper;
        open = false;
        continue;
      }
      if (!open) {
        elements_[first + count++] = {.resource = 1, .time = {number(0), number(0)}};
        open = true;
      }
      if (s.where == stage::kernel) { kernels_[k] = kernels_[k] + time.upper; }
      auto& x = elements_[first + count - 1].time;
      x.lower = x.lower + time.lower;
      x.upper = x.upper + time.upper;
    }
    count_[k] = count;
    for (std::size_t j = first; j < first + count; ++j) {
      const number& upper = elements_[j].time.upper;
      if (elements_[j].resource != 1 || upper == number(0)) { continue; }
      ++requests_[k];
      accelerator_[k] = accelerator_[k] + upper;
      longest_[k] = longest_[k] < upper ? upper : longest_[k];
    }
  }

  [[nodiscard]] constexpr auto elements() const noexcept -> const std::array<element<number>, Table::max_segments>& {
    return elements_;
  }
  /// Pre, here and below: k < max_tasks.
  [[nodiscard]] constexpr auto count(std::size_t k) const noexcept -> std::size_t {
    TAKT_EXPECTS(k < Table::max_tasks);
    return count_[k];
  }
  [[nodiscard]] constexpr auto longest(std::size_t k) const noexcept -> const number& {
    TAKT_EXPECTS(k < Table::max_tasks);
    return longest_[k];
  }
  [[nodiscard]] constexpr auto cpu(std::size_t k) const noexcept -> const number& {
    TAKT_EXPECTS(k < Table::max_tasks);
    return cpu_[k];
  }
  [[nodiscard]] constexpr auto accelerator(std::size_t k) const noexcept -> const number& {
    TAKT_EXPECTS(k < Table::max_tasks);
    return accelerator_[k];
  }
  /// Returns the part of that time in which own kernels run.
  [[nodiscard]] constexpr auto kernels(std::size_t k) const noexcept -> const number& {
    TAKT_EXPECTS(k < Table::max_tasks);
    return kernels_[k];
  }
  /// Returns how many accelerator segments may take time.
  [[nodiscard]] constexpr auto requests(std::size_t k) const noexcept -> std::int64_t {
    TAKT_EXPECTS(k < Table::max_tasks);
    return requests_[k];
  }
  /// Returns the longest accelerator segment of a task below k; 0 if none.
  [[nodiscard]] constexpr auto longest_below(std::size_t k, std::size_t tasks) const -> number {
    number longest(0);
    for (std::size_t i = k + 1; i < tasks; ++i) { longest = longest < longest_[i] ? longest_[i] : longest; }
    return longest;
  }

 private:
  std::array<element<number>, Table::max_segments> elements_{};
  std::array<std::size_t, Table::max_tasks> count_{};
  std::array<number, Table::max_tasks> longest_{};
  std::array<number, Table::max_tasks> cpu_{};
  std::array<number, Table::max_tasks> accelerator_{};
  std::array<number, Table::max_tasks> kernels_{};
  std::array<std::int64_t, Table::max_tasks> requests_{};
};

}  // namespace takt::inline TAKT_ABI::analysis
