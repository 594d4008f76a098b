// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <takt/analysis/verdict.hpp>
#include <takt/model/stage.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Sums the parts of a bound by kind and by the task that causes them.
template <class Table>
class term_sums {
 public:
  using number = typename Table::number;

  constexpr void add(term_kind what, std::size_t position, const number& time) {
    number& sum = sums_[position][static_cast<std::size_t>(what)];
    sum = sum + time;
  }
  /// Adds the own time of task k, apart from kernels.
  constexpr void add_host_time(const Table& table, std::size_t k) {
    for (std::size_t j = 0; j < table.tasks[k].segment_count; ++j) {
      const auto& s = table.segment(k, j);
      if (s.where == stage::cpu) { add(term_kind::cpu, k, s.time.upper); }
      if (s.where == stage::copy) { add(term_kind::copy, k, s.time.upper); }
    }
  }
  [[nodiscard]] constexpr auto sum(term_kind what, std::size_t position) const -> const number& {
    return sums_[position][static_cast<std::size_t>(what)];
  }

  /// Calls f with own time first, then what other tasks cause, from the highest down. Zero sums are left out.
  template <class F>
  constexpr void emit(const Table& table, std::size_t k, F& f) const {
    emit_one(table, k, f);
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (i != k) { emit_one(table, i, f); }
    }
  }

 private:
  static constexpr std::size_t kinds = static_cast<std::size_t>(term_kind::job_interference) + 1;

  template <class F>
  constexpr void emit_one(const Table& table, std::size_t i, F& f) const {
    for (std::size_t what = 0; what < kinds; ++what) {
      if (sums_[i][what] == number(0)) { continue; }
      f(term<number>{static_cast<term_kind>(what), table.tasks[i].id, sums_[i][what]});
    }
  }

  std::array<std::array<number, kinds>, Table::max_tasks> sums_{};
};

}  // namespace takt::inline TAKT_ABI::analysis::detail
