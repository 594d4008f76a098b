// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/index_bag.hpp>
#include <takt/model/priority_point.hpp>

namespace takt::inline TAKT_ABI::host::detail {

/// Visits that are served or wait for it, where their points may change meanwhile.
template <std::size_t V>
class served_visits {
 public:
  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return there_.size(); }
  /// Pre: k < size().
  [[nodiscard]] constexpr auto operator[](std::size_t k) const noexcept -> std::uint32_t {
    TAKT_EXPECTS(k < there_.size());
    return there_[k];
  }
  /// Returns its own point. Pre: v < V; so for those below.
  [[nodiscard]] constexpr auto base(std::uint32_t v) const noexcept -> const priority_point& {
    TAKT_EXPECTS(v < V);
    return all_[v].base;
  }
  /// Returns true if it was another one.
  constexpr auto set_base(std::uint32_t v, const priority_point& p) noexcept -> bool {
    TAKT_EXPECTS(v < V);
    const bool other = all_[v].base != p;
    all_[v].base = p;
    return other;
  }

  /// A visit asks its server, at its own point, maybe once more before it has left.
  constexpr void entered(std::uint32_t v, const priority_point& p) noexcept {
    TAKT_EXPECTS(v < V);
    all_[v].base = all_[v].now = p;
    if (!news_.contains(v)) { news_.insert(v); }
    if (there_.contains(v)) { return; }
    all_[v].is_known = false;
    there_.insert(v);
  }
  constexpr void left(std::uint32_t v) noexcept {
    TAKT_EXPECTS(v < V);
    there_.erase(v);
    news_.erase(v);
  }

  /// Calls tell(v, best_of(v)) where the server knows another point. A known point changes only where it is `stale`.
  /// That is asked only if `some` are.
  template <class Stale, class BestOf, class Tell>
  constexpr void settle(bool some, const Stale& stale, const BestOf& best_of, const Tell& tell) {
    const index_bag<V>& who = some ? there_ : news_;
    for (std::size_t k = 0; k < who.size(); ++k) {
      visit& x = all_[who[k]];
      if (!x.is_known || (some && stale(who[k]))) { x.best = best_of(who[k]); }
      x.is_known = true;
      if (x.best == x.now) { continue; }
      x.now = x.best;
      tell(who[k], x.best);
    }
    news_.clear();
  }

 private:
  struct visit {
    priority_point base{};
    priority_point now{};   ///< as its server has heard
    priority_point best{};  ///< if that is known
    bool is_known = false;
  };

  visit all_[V]{};
  index_bag<V> there_{};
  index_bag<V> news_{};  ///< of these, who has asked since servers heard of points
};

}  // namespace takt::inline TAKT_ABI::host::detail
