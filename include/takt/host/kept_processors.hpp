// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/assigned_stations.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI::host {

/// Returns what keeps jobs from being threads that never leave one processor. These are sections, visits that take a
/// unit for no time, and tasks that visit no preemptive processors of one priority per job, or several.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto thread_fault(const visit_table<N, V>& table, const Stations& stations) -> model_error {
  if (!takt::detail::keeps_processors(stations)) { return {}; }
  if (!table.sections.empty()) { return {.fault = model_fault::workload_part_unused, .task = table.sections[0].task}; }
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    if (takt::detail::assigned_station_count(table, stations, i) != 1) {
      return {.fault = model_fault::thread_without_processor, .task = i};
    }
    for (std::uint32_t p = 0; p < table.tasks[i].visit_count; ++p) {
      if (table.visit(i, p).need != unit_need::time) {
        return {.fault = model_fault::workload_part_unused, .task = i, .visit = p};
      }
      if (table.visit(i, p).region > 0) { return {.fault = model_fault::region_not_honoured, .task = i, .visit = p}; }
    }
  }
  return {};
}

/// Serves processors whose jobs are threads that never leave them. Of the jobs that are there, so many as a station has
/// units run, the least points first, whether they wait or not. A thread works or goes on only while it runs; devices
/// work for it all the same. This replaces the servers of those stations. Pre: `thread_fault` finds nothing.
template <std::size_t N>
class kept_processors {
 public:
  template <std::size_t V, class Stations>
  constexpr kept_processors(const visit_table<N, V>& table, const Stations& stations)
      : keeps_{takt::detail::keeps_processors(stations)}, size_{static_cast<std::uint32_t>(table.size())} {
    TAKT_EXPECTS_IN_TESTS(!thread_fault(table, stations));
    for (std::uint32_t i = 0; keeps_ && i < size_; ++i) {
      thread& t = threads_[i];
      t.assigned_station = takt::detail::assigned_station_of(table, stations, i);
      t.units = stations.units(t.assigned_station);
      for (std::uint32_t p = 0; p < table.tasks[i].visit_count; ++p) {
        t.takes_time = t.takes_time || table.visit(i, p).upper > 0;
      }
    }
  }

  [[nodiscard]] constexpr auto keeps() const noexcept -> bool { return keeps_; }
  [[nodiscard]] constexpr auto is_assigned_to(std::uint32_t i, std::uint32_t station) const noexcept -> bool {
    return keeps_ && threads_[i].assigned_station == station;
  }

  /// Returns whether the station is where some task keeps its processor.
  [[nodiscard]] constexpr auto keeps_on(std::size_t station) const noexcept -> bool {
    bool any = false;
    for (std::uint32_t i = 0; keeps_ && i < size_; ++i) { any = any || threads_[i].assigned_station == station; }
    return any;
  }

  template <std::size_t V, class Stations>
  constexpr void released(const visit_table<N, V>& table, const Stations& stations, std::uint32_t i, ticks nominal) {
    if (!keeps_) { return; }
    static_cast<void>(
        takt::detail::job_point(table, stations, i, threads_[i].assigned_station, nominal, threads_[i].point));
    threads_[i].is_there = threads_[i].takes_time;
    threads_[i].asks = no_client;
  }
  /// Pre: it does not work.
  constexpr void ended(std::uint32_t i) noexcept {
    TAKT_EXPECTS(i < N && threads_[i].left == 0);
    threads_[i].is_there = threads_[i].runs = false;
  }

  /// False if the next step of a job has to wait until its thread runs. One that takes no time needs no processor.
  constexpr auto goes_on(std::uint32_t i) noexcept -> bool {
    threads_[i].stands = keeps_ && threads_[i].takes_time && !threads_[i].runs;
    return !threads_[i].stands;
  }
  /// Returns false if a visit that asks a device has to wait for what else comes at this instant.
  constexpr auto asks(std::uint32_t i, client v) noexcept -> bool {
    threads_[i].stands = !is_decided_;
    threads_[i].asks = is_decided_ ? no_client : v;
    return is_decided_;
  }
  /// Returns a thread that runs and had to wait for that; its number, or the number of tasks if there is none.
  [[nodiscard]] constexpr auto next_to_go_on() noexcept -> std::uint32_t {
    for (std::uint32_t i = 0; i < size_; ++i) {
      if (threads_[i].stands && threads_[i].runs) {
        threads_[i].stands = false;
        return i;
      }
    }
    return size_;
  }
  /// Returns the visit that its thread was about to ask for, only once; `no_client` if there is none.
  [[nodiscard]] constexpr auto take_asked(std::uint32_t i) noexcept -> client {
    const client v = threads_[i].asks;
    threads_[i].asks = no_client;
    return v;
  }

  /// Lets the thread of task i work for so long, once it runs.
  constexpr void work(std::uint32_t i, client who, ticks length, ticks now) noexcept {
    threads_[i].who = who;
    threads_[i].left = length;
    threads_[i].since = now;
  }
  [[nodiscard]] constexpr auto next() const noexcept -> ticks {
    ticks least = no_event;
    for (std::uint32_t i = 0; keeps_ && i < size_; ++i) {
      const thread& t = threads_[i];
      if (t.runs && t.left > 0 && t.since + t.left < least) { least = t.since + t.left; }
    }
    return least;
  }
  /// Returns a client whose work ends now, or `no_client`.
  constexpr auto fire(ticks now, const slice_sink& sink) -> client {
    for (std::uint32_t i = 0; keeps_ && i < size_; ++i) {
      thread& t = threads_[i];
      if (!t.runs || t.left == 0 || t.since + t.left != now) { continue; }
      stop(t, now, sink);
      return t.who;
    }
    return no_client;
  }
  /// Ends the work of the thread of task i now, whatever its length was. Pre: it works.
  constexpr void finish(std::uint32_t i, ticks now, const slice_sink& sink) {
    TAKT_EXPECTS(i < N && threads_[i].left > 0);
    if (threads_[i].runs) { stop(threads_[i], now, sink); }
    threads_[i].left = 0;
  }
  /// Calls `to` for each job that works on a processor of a station.
  constexpr void holders(std::size_t station, const holder_sink& to) const {
    for (std::uint32_t i = 0; i < size_; ++i) {
      const thread& t = threads_[i];
      if (t.assigned_station == station && t.runs && t.left > 0) { to(t.who, t.unit); }
    }
  }
  /// Says that something else comes at this instant, or not any more.
  constexpr void begin_instant() noexcept { is_decided_ = !keeps_; }
  /// Decides who runs from now on. Pre: `keeps`.
  constexpr void decide(ticks now, const slice_sink& sink) {
    TAKT_EXPECTS(keeps_);
    is_decided_ = true;
    for (std::uint32_t i = 0; i < size_; ++i) {
      thread& t = threads_[i];
      if (!t.runs || among_best(i)) { continue; }
      stop(t, now, sink);
      t.runs = false;
    }
    for (std::uint32_t i = 0; i < size_; ++i) {
      thread& t = threads_[i];
      if (t.runs || !t.is_there || !among_best(i)) { continue; }
      t.unit = free_unit(t.assigned_station);
      t.since = now;
      t.runs = true;
    }
  }

 private:
  struct thread {
    std::uint32_t assigned_station = 0;
    std::int32_t units = 1;
    bool takes_time = false;
    bool is_there = false;
    bool runs = false;
    bool stands = false;      ///< what comes next waits until it runs
    client asks = no_client;  ///< of a device, which is next
    std::int32_t unit = 0;
    priority_point point{};
    client who = no_client;  ///< the visit that it works for
    ticks left = 0;
    ticks since = 0;
  };

  static constexpr void stop(thread& t, ticks now, const slice_sink& sink) {
    if (t.left == 0) { return; }
    sink(t.who, t.unit, t.since, now);
    t.left -= now - t.since;
  }
  [[nodiscard]] constexpr auto among_best(std::uint32_t i) const -> bool {
    std::int32_t better = 0;
    for (std::uint32_t k = 0; k < size_; ++k) {
      const thread& t = threads_[k];
      if (k == i || !t.is_there || t.assigned_station != threads_[i].assigned_station) { continue; }
      better += t.point < threads_[i].point || (t.point == threads_[i].point && k < i) ? 1 : 0;
    }
    return better < threads_[i].units;
  }
  [[nodiscard]] constexpr auto free_unit(std::uint32_t assigned_station) const -> std::int32_t {
    return least_free_unit(size_, [this, assigned_station](std::size_t k) {
      return threads_[k].runs && threads_[k].assigned_station == assigned_station ? threads_[k].unit : unassigned_unit;
    });
  }

  bool keeps_;
  bool is_decided_ = true;
  std::uint32_t size_;
  thread threads_[N]{};
};

}  // namespace takt::inline TAKT_ABI::host
