// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/number.hpp>
#include <takt/runtime/locking/job_budget.hpp>

namespace locking_tests {

/// Time that passes when a test says so.
struct fake_time {
  takt::ticks cpu = 0;
  takt::ticks wall = 0;

  void compute(takt::ticks t) {
    cpu += t;
    wall += t;
  }
  void suspend(takt::ticks t) { wall += t; }
};

class fake_clocks {
 public:
  explicit fake_clocks(const fake_time& t) : time_{&t} {}
  [[nodiscard]] auto cpu_time() const -> takt::ticks { return time_->cpu; }
  [[nodiscard]] auto wall_time() const -> takt::ticks { return time_->wall; }

 private:
  const fake_time* time_;
};

using fake_meter = takt::runtime::budget_meter<fake_clocks>;

}  // namespace locking_tests
