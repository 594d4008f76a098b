// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/core/number.hpp>
#include <takt/host/run_choices.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/servers/all.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI::host {

namespace detail {

/// Returns what a visit asks of its station, its length and unit apart. `release`: what its point counts from.
template <class Table, class Stations>
[[nodiscard]] constexpr auto visit_request_of(const Table& table, const Stations& stations, std::uint32_t v,
                                              ticks release) -> visit_request {
  const visit_record& x = table.visits[v];
  const flow_record& t = table.tasks[x.task];
  visit_request out{.who = v,
                    .context = x.task,
                    .wcet = x.upper,
                    .region = x.region > 0 && x.region == x.upper ? no_event : x.region,
                    .view = x.view,
                    .release = release};
  const job_timing timing{x.upper, t.period, t.deadline, static_cast<std::int32_t>(x.task), t.priority};
  static_cast<void>(stations.point(x.station, timing, release, out.point));
  return out;
}

}  // namespace detail

/// Holds the servers of all stations. A server is asked at the instants that it names, and decides when something has
/// happened to it. Within one instant all visits ask before servers decide.
template <class Stations, std::size_t V, detail::RunChoices Choices>
class station_host {
 public:
  constexpr explicit station_host(const Stations& stations)
      : servers_{stations.template servers<V>()}, count_{stations.size()} {}

  [[nodiscard]] constexpr auto next() const noexcept -> ticks {
    ticks least = no_event;
    for (std::size_t s = 0; s < count_; ++s) { least = stations_[s].at < least ? stations_[s].at : least; }
    return least;
  }
  constexpr void arrive(std::uint32_t s, const visit_request& asked, Choices& choices) {
    if constexpr (detail::ObservesArrivals<Choices>) { choices.arrived(asked.who); }
    if constexpr (detail::ServesElsewhere<Choices>) {
      if (choices.is_elsewhere(s)) { return; }
    }
    if constexpr (OrdersArrivals<Choices>) {
      arrivals_.add(s, asked, choices);
    } else {
      arrive(s, asked);
    }
  }
  constexpr void deliver() {
    if constexpr (OrdersArrivals<Choices>) { arrivals_.deliver(*this); }
  }
  constexpr void arrive(std::uint32_t s, const visit_request& asked) {
    stations_[s].stirred = true;
    servers_.arrive(s, asked);
  }
  /// Pre: holders can be served at the priority of others there.
  constexpr void reprioritize(std::uint32_t s, client who, const priority_point& p) {
    TAKT_EXPECTS(s < count_);
    stations_[s].stirred = true;
    servers_.reprioritize(s, who, p);
  }
  /// Calls f for each one that ends now. Returns whether any server had named this instant.
  template <class F>
  constexpr auto fire(ticks now, const slice_sink& sink, const F& f) -> bool {
    bool any = false;
    for (std::size_t s = 0; s < count_; ++s) {
      if (stations_[s].at > now) { continue; }
      any = true;
      for (bool due = !stations_[s].stirred || servers_.next(s) <= now; due; due = servers_.next(s) <= now) {
        const client v = servers_.fire(s, now, sink);
        if (v == no_client) { break; }
        f(v);
      }
      stations_[s].stirred = true;
    }
    return any;
  }
  /// Pre: the station serves bodies, or is served elsewhere.
  constexpr void finish(std::uint32_t s, client who, ticks now, const slice_sink& sink, const Choices& choices) {
    TAKT_EXPECTS(s < count_);
    if constexpr (detail::ServesElsewhere<Choices>) {
      if (choices.is_elsewhere(s)) { return; }
    }
    stations_[s].stirred = true;
    if constexpr (requires { servers_.finish(s, who, now, sink); }) { servers_.finish(s, who, now, sink); }
  }
  /// Pre: the station drops clients or serves bodies.
  constexpr void drop(std::uint32_t s, client who, ticks now, const slice_sink& sink) {
    TAKT_EXPECTS(s < count_);
    stations_[s].stirred = true;
    servers_.drop(s, who, now, sink);
  }
  /// Pre: the station serves bodies.
  constexpr void holders(std::size_t s, const holder_sink& to) const {
    TAKT_EXPECTS(s < count_);
    servers_.holders(s, to);
  }
  /// Ends slices that have not ended, of servers that report a slice only at its end.
  constexpr void close(ticks now, const slice_sink& sink) {
    if constexpr (requires { servers_.close(0, now, sink); }) {
      for (std::size_t s = 0; s < count_; ++s) { servers_.close(s, now, sink); }
    }
  }
  constexpr void decide(ticks now, const slice_sink& sink) {
    for (std::size_t s = 0; s < count_; ++s) {
      if (!stations_[s].stirred) { continue; }
      servers_.decide(s, now, sink);
      stations_[s] = {servers_.next(s), false};
    }
    if constexpr (requires { servers_.settle(now); }) {
      if (!servers_.settle(now)) { return; }
      for (std::size_t s = 0; s < count_; ++s) { stations_[s].at = servers_.next(s); }
    }
  }

 private:
  struct station {
    ticks at = no_event;  ///< when it wants to be asked
    bool stirred = true;  ///< something has happened since it decided
  };

  typename Stations::template servers_type<V> servers_;
  [[no_unique_address]] detail::arrivals_of<Choices, V> arrivals_{};
  std::size_t count_;
  station stations_[Stations::max_stations]{};
};

}  // namespace takt::inline TAKT_ABI::host
