// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/concepts.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>

namespace takt {

/// How a plan is looked for. All of them visit shares in the same order, priority order of tasks and smallest share
/// first, so they agree on which feasible plan comes first.
enum class search_method : std::uint8_t {
  exhaustive,  ///< every plan, judged as a whole
  exact,       ///< depth first in priority order, cut at the first failing task; as exact as exhaustive
  greedy,      ///< the least passing share of each task in turn, never taken back
};
[[nodiscard]] constexpr auto is_known(search_method e) noexcept -> bool {
  switch (e) {
    case search_method::exhaustive:
    case search_method::exact:
    case search_method::greedy: return true;
  }
  return false;
}

inline constexpr auto exhaustive_search = search_method::exhaustive;
inline constexpr auto exact_search = search_method::exact;
inline constexpr auto greedy_search = search_method::greedy;

[[nodiscard]] constexpr auto name_of(search_method m) noexcept -> std::string_view {
  switch (m) {
    case search_method::exhaustive: return "exhaustive";
    case search_method::exact: return "exact";
    case search_method::greedy: return "greedy";
  }
  return "";
}

struct search_effort {
  std::uint64_t evaluations = 0;  ///< task analyses
  std::uint64_t plans = 0;        ///< whole plans reached
  bool complete = true;           ///< false when the limit of evaluations ended the search
};

/// The plan that a search found, or when it found none an even split to look at, with `feasible` false.
template <std::size_t MaxTasks>
struct allocation : plan<MaxTasks> {
  search_effort effort;
};

inline constexpr std::uint64_t unlimited_evaluations = ~std::uint64_t{0};

namespace detail {

/// Walks over plans. `A` must outlive it.
template <analysis::PriorityAnalysis A>
class plan_search {
 public:
  constexpr plan_search(A& a, search_method method, std::uint64_t limit)
      : analysis_{&a}, method_{method}, limit_{limit} {
    const auto& table = a.table();
    for (std::size_t k = table.size(); k-- > 0;) {
      needs_[k] = A::uses_shares && table.has_kernel(k);
      needed_below_[k] = k + 1 < table.size() ? needed_below_[k + 1] + (needs_[k + 1] ? 1 : 0) : 0;
    }
    for (std::size_t g = 0; g < a.platform().gpus.size(); ++g) { free_[g] = a.platform().gpus[g].budget(); }
  }

  constexpr auto run() -> allocation<A::max_tasks> {
    allocation<A::max_tasks> out;
    if (!is_known(method_)) {
      out.effort.complete = false;
      return out;
    }
    const bool room = size() == 0 || units_left() >= needed_below_[0] + (needs_[0] ? 1 : 0);
    out.feasible = room && visit(0);
    if (!out.feasible) { split_evenly(); }
    out.effort = effort_;
    const auto& tasks = analysis_->table().tasks;
    out.shares.resize(tasks.size());
    for (std::size_t k = 0; k < tasks.size(); ++k) { out.shares[tasks[k].id] = chosen_[k]; }
    return out;
  }

 private:
  [[nodiscard]] constexpr auto size() const -> std::size_t { return analysis_->table().size(); }
  [[nodiscard]] constexpr auto gpu(std::size_t g) const -> const gpu_record& { return analysis_->platform().gpus[g]; }
  [[nodiscard]] constexpr auto gpus() const -> std::size_t { return analysis_->platform().gpus.size(); }
  [[nodiscard]] constexpr auto prunes() const -> bool {
    switch (method_) {
      case search_method::exhaustive: return false;
      case search_method::exact:
      case search_method::greedy: return A::priority_ordered;
    }
    return false;
  }
  [[nodiscard]] constexpr auto takes_shares_back() const -> bool {
    switch (method_) {
      case search_method::exhaustive:
      case search_method::exact: return true;
      case search_method::greedy: return false;
    }
    return true;
  }

  constexpr auto visit(std::size_t k) -> bool {
    if (k == size()) {
      ++effort_.plans;
      return prunes() || whole_plan_passes();
    }
    return needs_[k] ? try_shares(k) : accept(k, {}) && visit(k + 1);
  }

  /// Assigns, and judges at once where the analysis allows it.
  constexpr auto accept(std::size_t k, const sm_share& share) -> bool {
    chosen_[k] = share;
    analysis_->assign(k, share);
    return !prunes() || count_and_evaluate(k);
  }

  constexpr auto count_and_evaluate(std::size_t k) -> bool {
    if (effort_.evaluations == limit_) {
      effort_.complete = false;
      return false;
    }
    ++effort_.evaluations;
    return analysis_->evaluate(k);
  }

  constexpr auto whole_plan_passes() -> bool {
    for (std::size_t k = 0; k < size(); ++k) {
      if (!count_and_evaluate(k)) { return false; }
    }
    return true;
  }

  /// Smaller shares first; of equal shares the GPU of lower number. With a monotone analysis no share above the least
  /// passing one on a GPU can help anybody, so only other GPUs remain to be tried after it.
  constexpr auto try_shares(std::size_t k) -> bool {
    std::array<bool, max_gpus> settled{};
    std::int32_t largest = 0;
    for (std::size_t g = 0; g < gpus(); ++g) { largest = largest < free_[g] ? free_[g] : largest; }
    for (std::int32_t sms = 1; sms <= largest && effort_.complete; ++sms) {
      for (std::size_t g = 0; g < gpus() && effort_.complete; ++g) {
        if (settled[g] || sms > free_[g] || sms % gpu(g).granularity != 0 || repeats_an_empty_gpu(g)) { continue; }
        free_[g] -= sms;
        const bool room = units_left() >= needed_below_[k];
        const bool passes = room && accept(k, {static_cast<std::int32_t>(g), sms});
        if (passes && visit(k + 1)) { return true; }
        free_[g] += sms;
        if (passes && !takes_shares_back()) { return false; }
        if (!room || (passes && prunes() && analysis_->monotone())) { settled[g] = true; }
      }
    }
    return false;
  }

  /// An untouched GPU like an earlier untouched one leads to the same plans.
  [[nodiscard]] constexpr auto repeats_an_empty_gpu(std::size_t g) const -> bool {
    if (free_[g] != gpu(g).budget()) { return false; }
    for (std::size_t other = 0; other < g; ++other) {
      if (free_[other] == gpu(other).budget() && gpu(other) == gpu(g)) { return true; }
    }
    return false;
  }

  [[nodiscard]] constexpr auto units_left() const -> std::int32_t {
    std::int32_t units = 0;
    for (std::size_t g = 0; g < gpus(); ++g) { units += free_[g] / gpu(g).granularity; }
    return units;
  }

  constexpr void split_evenly() {
    for (std::size_t g = 0; g < gpus(); ++g) { free_[g] = gpu(g).budget(); }
    for (std::size_t k = 0; k < size(); ++k) { chosen_[k] = {}; }
    for (bool given = true; given;) {
      given = false;
      for (std::size_t k = 0; k < size(); ++k) {
        if (needs_[k] && grow(k)) { given = true; }
      }
    }
  }
  constexpr auto grow(std::size_t k) -> bool {
    const bool placed = chosen_[k].sms > 0;
    for (std::size_t g = 0; g < gpus(); ++g) {
      if (placed && static_cast<std::size_t>(chosen_[k].gpu) != g) { continue; }
      if (free_[g] < gpu(g).granularity) { continue; }
      chosen_[k] = {static_cast<std::int32_t>(g), chosen_[k].sms + gpu(g).granularity};
      free_[g] -= gpu(g).granularity;
      return true;
    }
    return false;
  }

  A* analysis_;
  search_method method_;
  std::uint64_t limit_;
  search_effort effort_;
  std::array<std::int32_t, max_gpus> free_{};
  std::array<bool, A::max_tasks> needs_{};
  std::array<std::int32_t, A::max_tasks> needed_below_{};
  std::array<sm_share, A::max_tasks> chosen_{};
};

}  // namespace detail

/// Looks for a plan under which every task passes the analysis. Every task with kernels gets at least one SM, all of
/// them on one GPU, and the shares on a GPU add up to at most its budget.
///
/// Source: Zou et al. 2021, Algorithm 2 (repaired) and section 5.5. `greedy` finds a plan whenever `exact` does if the
/// analysis is monotone and there is one GPU; for other analyses it may miss one. `exact` on a monotone analysis takes
/// no more than n x budget task analyses per assignment of tasks to GPUs. Error: `effort.complete` is false when
/// `limit` evaluations ended the search before it was decided, and where the method is unknown.
template <analysis::PriorityAnalysis A>
[[nodiscard]] constexpr auto search_plan(A& a, search_method method, std::uint64_t limit = unlimited_evaluations)
    -> allocation<A::max_tasks> {
  return detail::plan_search<A>(a, method, limit).run();
}

}  // namespace takt
