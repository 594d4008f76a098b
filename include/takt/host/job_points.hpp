// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/assigned_stations.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI::host::detail {

/// The points of jobs that are there, on any station. Where their priorities are of, points are known or quickly asked.
template <class Stations, std::size_t N>
class job_points {
 public:
  template <std::size_t V>
  constexpr job_points(const visit_table<N, V>& table, const Stations& stations) : stations_{&stations} {
    if (table.sections.empty()) { return; }
    if constexpr (requires { stations.points_change(); }) { change_ = stations.points_change(); }
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      jobs_[i].assigned_station = takt::detail::assigned_station_of(table, stations, i);
      jobs_[i].timing = takt::detail::timing_of(table, i, jobs_[i].assigned_station);
    }
  }

  /// Returns whether points change while jobs are there.
  [[nodiscard]] constexpr auto change() const noexcept -> bool { return change_; }
  /// The station that the priority of a task's jobs is of.
  [[nodiscard]] constexpr auto assigned_station(std::uint32_t i) const noexcept -> std::uint32_t {
    return jobs_[i].assigned_station;
  }

  constexpr auto released(std::uint32_t i, ticks nominal) -> const priority_point& {
    jobs_[i].nominal = nominal;
    return jobs_[i].point = at_assigned_station(i);
  }
  template <std::size_t V>
  [[nodiscard]] constexpr auto on(const visit_table<N, V>& table, std::uint32_t i, std::uint32_t station) const
      -> priority_point {
    if (station == jobs_[i].assigned_station) { return change_ ? at_assigned_station(i) : jobs_[i].point; }
    priority_point p = lowest_priority;
    static_cast<void>(takt::detail::job_point(table, *stations_, i, station, jobs_[i].nominal, p));
    return p;
  }

 private:
  struct job {
    std::uint32_t assigned_station = 0;
    job_timing timing{};
    ticks nominal = 0;
    priority_point point{};
  };
  [[nodiscard]] constexpr auto at_assigned_station(std::uint32_t i) const -> priority_point {
    priority_point p = lowest_priority;
    static_cast<void>(stations_->point(jobs_[i].assigned_station, jobs_[i].timing, jobs_[i].nominal, p));
    return p;
  }

  const Stations* stations_;
  bool change_ = false;
  job jobs_[N]{};
};

}  // namespace takt::inline TAKT_ABI::host::detail
