// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include <takt/runtime/executor/job_hooks.hpp>
#include <takt/runtime/executor/pool_device.hpp>
#include <takt/runtime/executor/visit_worker.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Holds the user's own code in place of visits, by task and position among the visits of the task, and beside jobs. It
/// must not throw. Visits of processors without code consume CPU time, others take their time on the clock.
class visit_codes {
 public:
  /// Sets code of a processor. It is called with the number of the job, from 0.
  auto cpu(std::uint32_t task, std::uint32_t visit, processor_code what) -> visit_codes& {
    processors_[{task, visit}] = std::move(what);
    return *this;
  }
  /// Sets code of a copy engine, a GPU or an own resource, for while the rule's server says that the visit has a unit.
  /// It runs on a thread of its own and is done when it returns. Where its rule takes units back it is told at its
  /// pause points, and the next visit on the unit waits for that.
  auto on_unit(std::uint32_t task, std::uint32_t visit, unit_code what) -> visit_codes& {
    units_[{task, visit}] = std::move(what);
    return *this;
  }
  auto hooks(job_hooks what) -> visit_codes& {
    hooks_ = std::move(what);
    return *this;
  }
  [[nodiscard]] auto processors() const noexcept -> const std::map<visit_position, processor_code>& {
    return processors_;
  }
  [[nodiscard]] auto units() const noexcept -> const std::map<visit_position, unit_code>& { return units_; }
  [[nodiscard]] auto hooks() const noexcept -> const job_hooks& { return hooks_; }

 private:
  std::map<visit_position, processor_code> processors_;
  std::map<visit_position, unit_code> units_;
  job_hooks hooks_;
};

}  // namespace takt::inline TAKT_ABI::runtime
