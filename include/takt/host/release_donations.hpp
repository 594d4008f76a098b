// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/host/job_points.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/assigned_stations.hpp>
#include <takt/rules/locking/priority_donation.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI::host::detail {

template <class Stations>
struct donation_rules_type {
  using type = donation_rules;
};
template <class Stations>
  requires requires { typename Stations::donation_rules; }
struct donation_rules_type<Stations> {
  using type = typename Stations::donation_rules;
};

/// Keeps donation at release among the jobs of each assigned station, where a lock of the board needs it. Otherwise no
/// job donates, and where none ever may, nothing is stored for it.
template <class Stations, std::size_t N>
class release_donations {
 public:
  template <class Table>
  constexpr release_donations(const Table& table, const Stations& stations, const job_points<Stations, N>& points)
      : size_{table.size()} {
    if (table.sections.empty()) { return; }
    for (std::size_t t = 0; t < stations.token_pools(); ++t) { donates_ = donates_ || stations.token_donates(t); }
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      is_assigned_[i] = takt::detail::assigned_station_count(table, stations, i) > 0;
      cluster_[i] = i;
      for (std::uint32_t k = 0; k < i; ++k) {
        if (points.assigned_station(k) == points.assigned_station(i)) {
          cluster_[i] = cluster_[k];
          break;
        }
      }
      if constexpr (Stations::may_donate) {
        if (cluster_[i] == i) { donations_.of[i] = donation{stations.units(points.assigned_station(i))}; }
      }
    }
  }

  /// Returns whether any job may take part in donation.
  [[nodiscard]] constexpr auto donates() const noexcept -> bool { return Stations::may_donate && donates_; }

  // Of a task whose jobs have an assigned station where somebody donates.

  [[nodiscard]] constexpr auto takes_part(std::uint32_t i) const noexcept -> bool {
    return donates() && is_assigned_[i];
  }
  /// Returns true when the job lends its priority.
  constexpr auto released(std::uint32_t i, const priority_point& p) -> bool {
    if constexpr (Stations::may_donate) {
      of(i).released(id(i), p);
      return donor_[i] = of(i).is_donor(id(i));
    }
    return false;
  }
  constexpr void completed(std::uint32_t i) {
    if constexpr (Stations::may_donate) { static_cast<void>(of(i).completed(id(i))); }
  }
  [[nodiscard]] constexpr auto may_issue(std::uint32_t i) const -> bool {
    if constexpr (Stations::may_donate) { return of(i).may_issue(id(i)); }
    return true;
  }
  constexpr void issued(std::uint32_t i) {
    if constexpr (Stations::may_donate) { of(i).issued(id(i)); }
  }
  constexpr void request_completed(std::uint32_t i) {
    if constexpr (Stations::may_donate) { static_cast<void>(of(i).request_completed(id(i))); }
  }
  [[nodiscard]] constexpr auto donor_of(std::uint32_t i) const -> request_id {
    if constexpr (Stations::may_donate) { return of(i).donor_of(id(i)); }
    return no_request;
  }

  /// Returns a job that has its priority back, only once for each; `none` if there is none.
  [[nodiscard]] constexpr auto next_freed(std::uint32_t none) -> std::uint32_t {
    if constexpr (Stations::may_donate) {
      for (std::uint32_t i = 0; donates_ && i < size_; ++i) {
        if (!donor_[i] || of(i).is_donor(id(i))) { continue; }
        donor_[i] = false;
        return i;
      }
    }
    return none;
  }

 private:
  using donation = priority_donation<N, typename donation_rules_type<Stations>::type>;
  struct no_donations {};
  struct all_donations {
    donation of[N]{};
  };

  [[nodiscard]] static constexpr auto id(std::uint32_t i) noexcept -> request_id { return static_cast<request_id>(i); }
  [[nodiscard]] constexpr auto of(std::uint32_t i) -> auto& { return donations_.of[cluster_[i]]; }
  [[nodiscard]] constexpr auto of(std::uint32_t i) const -> const auto& { return donations_.of[cluster_[i]]; }

  [[no_unique_address]] std::conditional_t<Stations::may_donate, all_donations, no_donations> donations_{};
  std::size_t size_;
  bool donates_ = false;
  bool is_assigned_[N]{};
  std::uint32_t cluster_[N]{};
  bool donor_[N]{};
};

}  // namespace takt::inline TAKT_ABI::host::detail
