// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/locking/blocking_bound.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/systems/locked_gpus/tasks/requests.hpp>
#include <takt/systems/locked_gpus/tasks/task.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync::detail {

/// Is a set of kinds of engine sections, as bits.
using request_kinds = std::uint8_t;
inline constexpr request_kinds kernel_requests = 1;
inline constexpr request_kinds in_requests = 2;   ///< copies into a GPU, of state too
inline constexpr request_kinds out_requests = 4;  ///< copies out of a GPU, of state too
inline constexpr request_kinds peer_requests = 8;
inline constexpr request_kinds copy_requests = in_requests | out_requests | peer_requests;

/// Describes equal engine sections of a job.
template <class Number>
struct request_run {
  std::uint32_t task = 0;
  request_kinds kind = 0;
  std::int64_t count = 0;
  Number length{};
};

/// Holds the engine sections of one job of every task, longest first, each by its GPU cluster's charge longer than the
/// operation itself; equal ones by kind and task. Lengths do not change in a fixed point, so they are sorted once.
template <class Table>
class request_runs {
 public:
  using number = typename Table::number;
  using run = request_run<number>;
  static constexpr std::size_t capacity = Table::max_tasks * (Table::task_type::max_kernels + 8);

  /// `charge_of(i)`: of the sections of task i, which uses GPUs. Pre: the sums of lengths and charges fit.
  template <class Charge>
  constexpr request_runs(const Table& table, const std::array<job_requests<number>, Table::max_tasks>& jobs,
                         const Charge& charge_of) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      const auto task = static_cast<std::uint32_t>(i);
      if (!table.tasks[i].uses_gpu()) { continue; }
      const number charge = charge_of(i);
      for (std::size_t q = 0; q < table.tasks[i].kernels.size(); ++q) {
        // Bound: `capacity`, since states migrate either between GPUs or by way of system memory; so in `add`.
        runs_.unchecked_push_back({task, kernel_requests, 1, table.tasks[i].kernels[q] + charge});
      }
      add(task, in_requests, jobs[i].in, charge);
      add(task, in_requests, jobs[i].state_in, charge);
      add(task, out_requests, jobs[i].out, charge);
      add(task, out_requests, jobs[i].state_out, charge);
      add(task, peer_requests, jobs[i].state_peer, charge);
    }
    sort();
  }

  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return runs_.size(); }
  [[nodiscard]] constexpr auto operator[](std::size_t i) const noexcept -> const run& { return runs_[i]; }

 private:
  constexpr void add(std::uint32_t task, request_kinds kind, const chunk_run<number>& chunks, const number& charge) {
    if (chunks.full > 0) { runs_.unchecked_push_back({task, kind, chunks.full, chunks.full_time + charge}); }
    if (chunks.has_rest) { runs_.unchecked_push_back({task, kind, 1, chunks.rest_time + charge}); }
  }
  [[nodiscard]] static constexpr auto before(const run& a, const run& b) -> bool {
    if (a.length != b.length) { return b.length < a.length; }
    return a.kind != b.kind ? a.kind < b.kind : a.task < b.task;
  }
  /// Heap sort: few steps, in place, and the order is total but for runs that are alike.
  constexpr void sort() {
    const std::size_t n = runs_.size();
    for (std::size_t i = n / 2; i-- > 0;) { sink(i, n); }
    for (std::size_t end = n; end > 1;) {
      swap(0, --end);
      sink(0, end);
    }
  }
  constexpr void sink(std::size_t at, std::size_t end) {
    for (;;) {
      std::size_t child = 2 * at + 1;
      if (child >= end) { return; }
      if (child + 1 < end && before(runs_[child], runs_[child + 1])) { ++child; }
      if (!before(runs_[at], runs_[child])) { return; }
      swap(at, child);
      at = child;
    }
  }
  constexpr void swap(std::size_t a, std::size_t b) {
    const run kept = runs_[a];
    runs_[a] = runs_[b];
    runs_[b] = kept;
  }

  inline_vector<run, capacity> runs_;
};

/// Holds the engine sections that others may put before one job of a task: its own GPU cluster's, each as often as jobs
/// overlap.
template <class Table>
class rival_requests {
 public:
  using number = typename Table::number;

  /// `overlaps[j]`: jobs of task j; 0 for those that do not count, the task itself among them.
  constexpr rival_requests(const request_runs<Table>& runs, const std::array<std::int64_t, Table::max_tasks>& overlaps)
      : runs_{&runs}, overlaps_{&overlaps} {}

  /// Adds up all sections of these kinds, at most `cap`. Pre: cap <= 2^62.
  [[nodiscard]] constexpr auto count(request_kinds kinds, std::int64_t cap) const noexcept -> std::int64_t {
    TAKT_EXPECTS(cap <= std::int64_t{1} << 62);
    std::int64_t sum = 0;
    for (std::size_t r = 0; r < runs_->size() && sum < cap; ++r) {
      if (((*runs_)[r].kind & kinds) != 0) { sum += of(r); }
    }
    return sum < cap ? sum : cap;
  }
  /// Returns the `most` longest sections of these kinds together.
  [[nodiscard]] constexpr auto longest(request_kinds kinds, std::int64_t most) const -> blocking_bound<number> {
    analysis::detail::blocking_sum<number> sum;
    for (std::size_t r = 0; r < runs_->size() && most > 0; ++r) {
      if (((*runs_)[r].kind & kinds) == 0) { continue; }
      const std::int64_t here = of(r) < most ? of(r) : most;
      if (here == 0) { continue; }
      sum.add(here, (*runs_)[r].length);
      most -= here;
    }
    return sum.total();
  }
  /// Returns how many of the longest sections must be left out until none of `kind` remains.
  [[nodiscard]] constexpr auto until_last(request_kinds among, request_kinds kind) const noexcept -> std::int64_t {
    std::int64_t passed = 0;
    std::int64_t last = 0;
    for (std::size_t r = 0; r < runs_->size(); ++r) {
      if (((*runs_)[r].kind & among) == 0) { continue; }
      passed += of(r);
      if ((*runs_)[r].kind == kind && of(r) > 0) { last = passed; }
    }
    return last;
  }

 private:
  [[nodiscard]] constexpr auto of(std::size_t r) const noexcept -> std::int64_t {
    return (*overlaps_)[(*runs_)[r].task] * (*runs_)[r].count;
  }

  const request_runs<Table>* runs_;
  const std::array<std::int64_t, Table::max_tasks>* overlaps_;
};

}  // namespace takt::inline TAKT_ABI::analysis::gpusync::detail
