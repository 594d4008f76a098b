// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/priority_server.hpp>
#include <takt/rules/rank_set.hpp>
#include <takt/simulation/calendar.hpp>
#include <takt/simulation/job_accounting.hpp>

namespace takt::inline TAKT_ABI::simulation::detail {

/// The cores that have tasks. With `Spins` a job holds on to its core while it copies and while its kernels run.
template <class Server, bool Spins, std::size_t MaxTasks, class Accounting, class Calendar>
class core_bank {
 public:
  /// `ids` are the positions of the cores on the platform; all outlive the bank. Core c is source c of the calendar.
  constexpr core_bank(const inline_vector<std::int32_t, MaxTasks>& ids, Accounting& jobs, Calendar& events)
      : ids_{&ids}, jobs_{&jobs}, events_{&events} {
    cores_.fill(core{});  // g++-12 may leave default members of array elements zero
  }

  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return ids_->size(); }
  [[nodiscard]] constexpr auto running(std::size_t c) const noexcept -> rank { return cores_[c].server.running(); }

  constexpr void request(rank r) noexcept {
    if constexpr (Spins) {
      if (std::exchange((*jobs_)[r].claims, true)) { return; }
    }
    cores_[(*jobs_)[r].core].server.request(r);
  }

  /// The running job has ended its CPU segment.
  constexpr void release(std::size_t c, ticks now)
    requires(!Spins)
  {
    record_piece(c, now);
    cores_[c].server.complete();
  }
  /// A job completes.
  constexpr void withdraw(rank r) noexcept
    requires Spins
  {
    job& j = (*jobs_)[r];
    if (!j.claims) { return; }
    j.claims = false;
    Server& server = cores_[j.core].server;
    if (server.running() == r) {
      server.complete();
    } else {
      server.withdraw(r);
    }
  }
  /// A job ends a segment: what it did with its core until now, if it had one, belongs to that segment.
  constexpr void put_down(rank r, ticks now)
    requires Spins
  {
    const std::size_t c = (*jobs_)[r].core;
    if (running(c) != r) { return; }
    record_piece(c, now);
    cores_[c].since = now;
  }

  /// Lets a core decide. True when that set its next event.
  constexpr auto decide(std::size_t c, ticks now) -> bool {
    core& unit = cores_[c];
    const rank before = unit.server.running();
    const dispatch d = unit.server.decide();
    if (d.preempted != nobody) {
      job& j = (*jobs_)[before];
      jobs_->record(j, track_of(c), unit.since, now);
      if (!Spins || j.where == stage::cpu) { j.remaining -= now - unit.since; }
    }
    if (d.started != nobody) { unit.since = now; }
    if constexpr (Spins) {
      const rank r = unit.server.running();
      const bool computes = r != nobody && (*jobs_)[r].where == stage::cpu;
      events_->set(c, computes ? unit.since + (*jobs_)[r].remaining : never);
      return true;
    } else {
      if (d.started == nobody) { return false; }
      events_->set(c, now + (*jobs_)[d.started].remaining);
      return true;
    }
  }

  /// Records the pieces under way when the simulation ends.
  constexpr void close(ticks now) {
    for (std::size_t c = 0; c < size(); ++c) {
      if (running(c) != nobody) { record_piece(c, now); }
    }
  }

 private:
  struct core {
    Server server;
    ticks since = 0;  ///< when the running job got it, or began its current segment on it
  };

  [[nodiscard]] constexpr auto track_of(std::size_t c) const noexcept -> track {
    return {stage::cpu, 0, (*ids_)[c], 1};
  }
  constexpr void record_piece(std::size_t c, ticks now) {
    jobs_->record((*jobs_)[running(c)], track_of(c), cores_[c].since, now);
  }

  const inline_vector<std::int32_t, MaxTasks>* ids_;
  Accounting* jobs_;
  Calendar* events_;
  std::array<core, MaxTasks> cores_{};
};

}  // namespace takt::inline TAKT_ABI::simulation::detail
