// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/job_count.hpp>
#include <takt/analysis/term_sums.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/fixed_point.hpp>
#include <takt/model/stage.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

template <class A, class Table>
class rtgpu_terms {
 public:
  using number = typename Table::number;

  constexpr rtgpu_terms(const A& a, std::size_t k, term_sums<Table>& out) : a_{a}, k_{k}, out_{out} {}

  constexpr void of_bound() {
    const auto& b = a_.bounds(k_);
    const number& x = b.best.value;
    const auto wins = [&x](const fixed_point<number>& r) { return r.exists() && r.value == x; };
    own();
    if (wins(b.segmentwise)) {
      each_copy();
      each_cpu_segment();
    } else if (wins(b.cpu_joint)) {
      each_copy();
      core(x);
    } else if (wins(b.all_joint)) {
      blocking();
      core(x);
      engines(x);
    } else if (wins(b.copy_joint)) {
      blocking();
      each_cpu_segment();
      engines(x);
    } else {
      classical(x);
    }
  }

  constexpr void of_demand() {
    const number& deadline = a_.table().tasks[k_].deadline;
    if (a_.variant().joint_windows && waits_for_engines()) {
      own();
      blocking();
      core(deadline);
      engines(deadline);
      return;
    }
    for (std::size_t j = 0; j < segments(); ++j) {
      if (!waits_for_engine(j) || a_.segment_response(k_, j).exists()) { continue; }
      out_.add(term_kind::copy, k_, a_.segment_time(k_, j).upper);
      block(engine(j));
      engine_load(engine(j), deadline);
      return;
    }
    own();
    each_copy();
    core(deadline);
  }

 private:
  [[nodiscard]] constexpr auto segments() const -> std::size_t { return a_.table().tasks[k_].segment_count; }
  [[nodiscard]] constexpr auto where(std::size_t j) const -> stage { return a_.table().segment(k_, j).where; }
  [[nodiscard]] constexpr auto waits_for_engine(std::size_t j) const -> bool {
    return where(j) == stage::copy && number(0) < a_.segment_time(k_, j).upper;
  }
  [[nodiscard]] constexpr auto waits_for_engines() const -> bool {
    for (std::size_t j = 0; j < segments(); ++j) {
      if (waits_for_engine(j)) { return true; }
    }
    return false;
  }
  [[nodiscard]] constexpr auto engine(std::size_t j) const -> std::size_t {
    return static_cast<std::size_t>(a_.platform().engine_of(a_.table().segment(k_, j).direction));
  }

  constexpr void own() {
    for (std::size_t j = 0; j < segments(); ++j) {
      const number& time = a_.segment_time(k_, j).upper;
      switch (where(j)) {
        case stage::cpu: out_.add(term_kind::cpu, k_, time); break;
        case stage::copy: out_.add(term_kind::copy, k_, time); break;
        case stage::kernel: out_.add(term_kind::gpu, k_, time); break;
      }
    }
  }
  constexpr void core(const number& window) {
    const auto& tasks = a_.table().tasks;
    for (std::size_t i = 0; i < k_; ++i) {
      if (tasks[i].core != tasks[k_].core) { continue; }
      out_.add(term_kind::cpu_interference, i, a_.workload().demand(i, a_.core_resource, window).value);
    }
  }
  constexpr void engine_load(std::size_t e, const number& window) {
    for (std::size_t i = 0; i < k_; ++i) {
      out_.add(term_kind::copy_interference, i, a_.workload().demand(i, a_.engine_resource(e), window).value);
    }
  }
  constexpr void engines(const number& window) {
    for (std::int32_t e = 0; e < a_.platform().copy_engines; ++e) { engine_load(static_cast<std::size_t>(e), window); }
  }
  constexpr void block(std::size_t e) {
    if (!(number(0) < a_.blocking(k_, e))) { return; }
    for (std::size_t i = k_ + 1; i < a_.table().size(); ++i) {
      if (a_.table().tasks[i].id == a_.blocking_task(k_, e)) {
        out_.add(term_kind::copy_blocking, i, a_.blocking_once(k_, e));
      }
    }
  }
  constexpr void blocking() {
    for (std::size_t j = 0; j < segments(); ++j) {
      if (waits_for_engine(j)) { block(engine(j)); }
    }
  }
  /// Higher copies delay one that is not preempted only until its first tick.
  constexpr void each_copy() {
    blocking();
    for (std::size_t j = 0; j < segments(); ++j) {
      if (!waits_for_engine(j)) { continue; }
      const number& response = a_.segment_response(k_, j).value;
      engine_load(engine(j), a_.starts_once() ? number(response - a_.segment_time(k_, j).upper + number(1)) : response);
    }
  }
  constexpr void each_cpu_segment() {
    for (std::size_t j = 0; j < segments(); ++j) {
      if (where(j) == stage::cpu) { core(a_.segment_response(k_, j).value); }
    }
  }
  constexpr void classical(const number& x) {
    const auto& tasks = a_.table().tasks;
    for (std::size_t i = 0; i < k_; ++i) {
      if (tasks[i].core != tasks[k_].core) { continue; }
      term_sums<Table> own;
      own.add_host_time(a_.table(), i);
      const number& cpu = own.sum(term_kind::cpu, i);
      const number window = tasks[i].segment_count > 1 ? number(x + a_.bound(i).value - cpu) : x;
      out_.add(term_kind::cpu_interference, i, jobs_released(tasks[i].period, window) * cpu);
    }
  }

  const A& a_;
  std::size_t k_;
  term_sums<Table>& out_;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
