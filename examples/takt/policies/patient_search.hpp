// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/allocation/search.hpp>
#include <takt/analysis/concepts.hpp>
#include <takt/model/plan.hpp>

#include "../progress.hpp"

namespace takt::program {

/// An analysis that loses patience: past a point in time it passes no task any more, so that a search over it ends.
/// Shows how far the search is.
template <analysis::PriorityAnalysis A>
class search_guard {
 public:
  static constexpr std::size_t max_tasks = A::max_tasks;
  static constexpr bool priority_ordered = A::priority_ordered;
  static constexpr bool uses_shares = A::uses_shares;

  search_guard(A& inner, std::chrono::steady_clock::duration patience)
      : inner_{&inner}, end_{std::chrono::steady_clock::now() + patience} {}

  [[nodiscard]] auto name() const -> std::string_view { return inner_->name(); }
  [[nodiscard]] auto monotone() const -> bool { return inner_->monotone(); }
  [[nodiscard]] auto table() const -> const auto& { return inner_->table(); }
  [[nodiscard]] auto platform() const -> const auto& { return inner_->platform(); }
  [[nodiscard]] auto bound(std::size_t k) const -> const auto& { return inner_->bound(k); }
  [[nodiscard]] auto meets(std::size_t k) const -> bool { return inner_->meets(k); }
  [[nodiscard]] auto relaxation() const
    requires A::uses_shares
  {
    return inner_->relaxation();
  }
  void assign(std::size_t k, const sm_share& share) { inner_->assign(k, share); }

  auto evaluate(std::size_t k) -> bool {
    if (gave_up_) { return false; }
    gave_up_ = std::chrono::steady_clock::now() > end_;
    progress_.show(++evaluations_);
    return !gave_up_ && inner_->evaluate(k);
  }
  [[nodiscard]] auto gave_up() const noexcept -> bool { return gave_up_; }

 private:
  A* inner_;
  std::chrono::steady_clock::time_point end_;
  std::uint64_t evaluations_ = 0;
  bool gave_up_ = false;
  progress progress_{"searching a plan: task analyses"};
};

/// A search for SMs that ends after a while, and then says that it is not complete.
struct patient_search {
  static constexpr std::uint64_t most_evaluations = 2'000'000;
  static constexpr std::chrono::seconds patience{20};
  search_method method = default_search;

  template <analysis::PriorityAnalysis A>
  [[nodiscard]] auto operator()(A& a) const -> allocation<A::max_tasks> {
    search_guard<A> guard{a, patience};
    const bool ends_soon = method == search_method::branch_and_bound;
    auto found = search_plan(guard, method, ends_soon ? default_evaluations : most_evaluations);
    found.effort.complete = found.effort.complete && !guard.gave_up();
    return found;
  }
};

}  // namespace takt::program
