// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/allocation/allocation.hpp>
#include <takt/allocation/search.hpp>
#include <takt/analysis/concepts.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// An analysis that can be stopped. Once `stop(evaluations)`, which is asked before each task analysis, says so, it
/// passes no task any more, and a search over it ends.
template <analysis::PriorityAnalysis A, class Stop>
class search_guard {
 public:
  static constexpr std::size_t max_tasks = A::max_tasks;
  static constexpr bool priority_ordered = A::priority_ordered;
  static constexpr bool uses_shares = A::uses_shares;

  /// Pre: both outlive it.
  constexpr search_guard(A& inner, Stop& stop) : inner_{&inner}, stop_{&stop} {}

  [[nodiscard]] constexpr auto name() const -> std::string_view { return inner_->name(); }
  [[nodiscard]] constexpr auto monotone() const -> bool { return inner_->monotone(); }
  [[nodiscard]] constexpr auto table() const -> const auto& { return inner_->table(); }
  [[nodiscard]] constexpr auto platform() const -> const auto& { return inner_->platform(); }
  [[nodiscard]] constexpr auto bound(std::size_t k) const -> const auto& { return inner_->bound(k); }
  [[nodiscard]] constexpr auto meets(std::size_t k) const -> bool { return inner_->meets(k); }
  [[nodiscard]] constexpr auto relaxation() const
    requires A::uses_shares
  {
    return inner_->relaxation();
  }
  constexpr void assign(std::size_t k, const sm_share& share) { inner_->assign(k, share); }

  constexpr auto evaluate(std::size_t k) -> bool {
    gave_up_ = gave_up_ || (*stop_)(++evaluations_);
    return !gave_up_ && inner_->evaluate(k);
  }
  [[nodiscard]] constexpr auto gave_up() const noexcept -> bool { return gave_up_; }

 private:
  A* inner_;
  Stop* stop_;
  std::uint64_t evaluations_ = 0;
  bool gave_up_ = false;
};

}  // namespace detail

/// A search for shares that ends when it is told to, and then says that it is not complete. `begin()` gives what says
/// so of one search: `stop(evaluations)`, true to end it. See `search_by`.
template <class Begin>
struct stoppable_search {
  search_method method = default_search;
  std::uint64_t limit = default_evaluations;
  Begin begin{};

  template <analysis::PriorityAnalysis A>
  [[nodiscard]] constexpr auto operator()(A& a) const -> allocation<A::max_tasks> {
    auto stop = begin();
    detail::search_guard<A, decltype(stop)> guard{a, stop};
    auto found = search_plan(guard, method, limit);
    found.effort.complete = found.effort.complete && !guard.gave_up();
    return found;
  }
};

}  // namespace takt::inline TAKT_ABI
