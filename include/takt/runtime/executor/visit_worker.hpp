// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Is where code that runs on a unit lets others have it. Only the thread that runs the code may ask.
class pause_point {
 public:
  /// Returns whether others are to have the unit.
  [[nodiscard]] virtual auto is_wanted() const noexcept -> bool = 0;
  /// Gives the unit up if others are to have it, and waits until it is there again. False when the run is over: the
  /// code should return soon.
  virtual auto pass() -> bool = 0;
  /// Returns the unit that the code has now: under rules that size shares, its share in per cent.
  [[nodiscard]] virtual auto unit() const noexcept -> std::int32_t = 0;

 protected:
  pause_point() = default;
  ~pause_point() = default;
};

/// Is code in place of time on a processor. Nothing stops it but the operating system.
using processor_code = std::function<void(std::uint64_t job)>;
/// Is code in place of time on any other unit. It stops at its pause points only.
using unit_code = std::function<void(std::uint64_t job, pause_point& here)>;

/// Describes a visit of a job for the worker that carries it out.
struct dispatched_visit {
  std::uint32_t visit = 0;
  std::uint64_t job = 0;
  ticks length = 0;  ///< where it only takes time
  ticks upper = 0;   ///< the most that it may take
  view_values view{};
  const processor_code* code = nullptr;
  const unit_code* body = nullptr;
  ticks until = 0;  ///< instant of the end of the run
};

/// From one instant to another.
struct time_piece {
  ticks from = 0;
  ticks to = 0;
  std::int32_t unit = unassigned_unit;  ///< where, if not on the unit that it was started on
};

/// Is what workers report to, from threads of their own and without holding anything that these calls need.
struct worker_reports {
  std::function<void(std::uint32_t visit, ticks time)> done;  ///< at that instant
  std::function<void(std::uint32_t visit)> paused;            ///< it has left its unit, as told
};

/// Carries out visits of one task, one after the other. No call waits for the visit.
class visit_worker {
 public:
  visit_worker() = default;
  visit_worker(const visit_worker&) = delete;
  auto operator=(const visit_worker&) -> visit_worker& = delete;
  virtual ~visit_worker() = default;

  /// Pre: the dispatched visit before is done.
  virtual void assign(const dispatched_visit& e) = 0;
  /// Says that it has a unit, this one of its station, `unassigned_core` for all; or that it has another one from now
  /// on. Pre: something is assigned.
  virtual void start(const held_unit& where) = 0;
  /// Asks it to leave its unit as soon as it can.
  virtual void stop() = 0;
  /// Returns when its visit was on the unit, as far as it knows better than the thread that started it. Pre: it is
  /// telling that it is done.
  [[nodiscard]] virtual auto pieces() const -> std::vector<time_piece> { return {}; }
  /// Ends the worker, after code that is under way.
  virtual void close() = 0;
};

/// Workers that are no threads of the executor's own, and what may become of them.
struct foreign_workers {
  /// Makes the worker of a lane; null where it needs a thread.
  std::function<std::unique_ptr<visit_worker>(std::size_t lane, worker_reports reports)> make;
  std::function<bool()> have_failed;
};

}  // namespace takt::inline TAKT_ABI::runtime
