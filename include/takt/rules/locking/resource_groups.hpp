// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/rules/locking/group_request.hpp>

namespace takt::inline TAKT_ABI {

/// Resources of which some are guarded by one lock. Nesting inside a group needs no further lock, but jobs that use
/// different resources of a group wait for each other. The groups are the smallest ones that keep together what was
/// named together.
/// Source: Block, Leontyev, Brandenburg and Anderson 2007; Elliott 2015, section 2.1.6.2, "Group Locks".
template <std::size_t Resources>
class resource_groups {
 public:
  constexpr resource_groups() noexcept {
    for (std::size_t r = 0; r < Resources; ++r) { group_[r] = static_cast<lock_id>(r); }
  }

  /// Notes that some job uses these resources at the same time. Anything but `accepted` changed nothing.
  /// Cost: resources of the list times all resources.
  [[nodiscard]] constexpr auto together(const lock_list<Resources>& used) noexcept -> group_status {
    const group_status status = check_lock_list<Resources>(used);
    if (status != group_status::accepted) { return status; }
    for (std::size_t i = 1; i < used.size(); ++i) { merge(lock_of(used[0]), lock_of(used[i])); }
    return status;
  }

  /// Returns the lock that guards the resource: the least resource of its group. Pre: 0 <= resource < Resources.
  [[nodiscard]] constexpr auto lock_of(lock_id resource) const noexcept -> lock_id {
    TAKT_EXPECTS(is_lock<Resources>(resource));
    return group_[static_cast<std::size_t>(resource)];
  }

  [[nodiscard]] friend constexpr auto operator==(const resource_groups&, const resource_groups&) noexcept
      -> bool = default;

 private:
  constexpr void merge(lock_id a, lock_id b) noexcept {
    const lock_id least = a < b ? a : b;
    for (lock_id& g : group_) {
      if (g == a || g == b) { g = least; }
    }
  }

  std::array<lock_id, Resources> group_{};
};

}  // namespace takt::inline TAKT_ABI
