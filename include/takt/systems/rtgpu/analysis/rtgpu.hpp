// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/method_list.hpp>
#include <takt/analysis/share_choice.hpp>
#include <takt/analysis/term_sums.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/fixed_point.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/systems/rtgpu/analysis/chain_pattern.hpp>
#include <takt/systems/rtgpu/analysis/classical_rta.hpp>
#include <takt/systems/rtgpu/analysis/interference.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu_segments.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu_terms.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu_variant.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Analyses response times of chains on preemptive fixed-priority cores, non-preemptive fixed-priority copy engines and
/// dedicated SMs. Source: Zou et al. 2021, section 5.
///
/// Tasks are evaluated in priority order: `evaluate(k)` presumes that every higher task has been evaluated with its
/// final share and meets its deadline. A search may assign another share and evaluate again.
///
/// With `share_choice` for `Share` it is a relaxation. A task has several shares at once, and its bound is not above
/// the one that the analysis gives under any plan with one of them each. A kernel of the task itself counts with its
/// least longest time; as part of a higher task it leaves the widest gap, after the earliest finish. The choice is cut
/// into pieces, and the least of their workloads counts. Workloads fall when a gap widens or a job ends earlier, and
/// least fixed points fall with the workloads, so induction over the priorities gives the claim.
template <class Table, class Share = sm_share>
class rtgpu : public detail::rtgpu_segments<Table, Share> {
  using base = detail::rtgpu_segments<Table, Share>;

 public:
  using base::max_tasks;
  using base::relaxed;
  using typename base::number;
  /// A task's bound depends on its own share and those of higher tasks only.
  static constexpr bool priority_ordered = true;
  static constexpr bool uses_shares = true;

  /// Pre: `table` is in priority order and outlives the analysis.
  constexpr rtgpu(const Table& table, const platform_record& platform, rtgpu_variant variant = rtgpu_published)
      : base{table, platform, variant} {}

  /// Returns what keeps this analysis from applying, if anything.
  [[nodiscard]] static constexpr auto fits(const Table& table, const platform_record& platform) -> model_error {
    return chain_fault(table, platform);
  }

  [[nodiscard]] constexpr auto name() const noexcept -> std::string_view { return this->variant().name; }

  /// Returns whether giving a task fewer SMs never makes a lower task worse, so that taking the least share that
  /// passes, task by task, finds a plan whenever one exists. It needs shortest kernel times that fall with the share,
  /// and carry-in that does not depend on other bounds.
  [[nodiscard]] constexpr auto monotone() const -> bool {
    if (this->variant().carry_in_by_response) { return false; }
    const auto& samples = this->table().samples;
    for (const auto& s : this->table().segments) {
      for (std::uint32_t r = 1; r < s.samples; ++r) {
        if (samples[s.first_sample + r - 1].lower < samples[s.first_sample + r].lower) { return false; }
      }
    }
    return true;
  }

  [[nodiscard]] constexpr auto relaxation() const {
    return rtgpu<Table, share_choice>(this->table(), this->platform(), this->variant());
  }

  /// Bounds task k under its share; true when it meets its deadline. A task with kernels and no SM has no bound.
  /// Cost: one fixed point per segment and joint bound, each step the own segments squared of every higher task.
  constexpr auto evaluate(std::size_t k) -> bool {
    bounds_[k] = {};
    meets_[k] = false;
    if (!this->served(k)) { return false; }
    this->respond(k);
    if constexpr (relaxed) {
      join_pieces(k);
    } else {
      const fresh_windows others{*this, k};
      join(k, this->share(k), others);
    }
    return meets_[k];
  }

  /// Pre, here and below: k < max_tasks.
  [[nodiscard]] constexpr auto bounds(std::size_t k) const -> const rtgpu_bounds<number>& {
    TAKT_EXPECTS(k < Table::max_tasks);
    return bounds_[k];
  }
  [[nodiscard]] constexpr auto bound(std::size_t k) const -> const response_bound<number>& {
    TAKT_EXPECTS(k < Table::max_tasks);
    return bounds_[k].best;
  }
  [[nodiscard]] constexpr auto meets(std::size_t k) const -> bool {
    TAKT_EXPECTS(k < Table::max_tasks);
    return meets_[k];
  }

  /// Calls `f(term)` for each part of the bound of task k, own time first; the times add up to the bound exactly. Pre:
  /// task k was evaluated last with its present shares and its bound exists. Cost: as one evaluation.
  template <class F>
  constexpr void for_each_term(std::size_t k, F f) const {
    TAKT_EXPECTS(bound(k).exists);
    detail::term_sums<Table> sums;
    detail::rtgpu_terms{*this, k, sums}.of_bound();
    sums.emit(this->table(), k, f);
  }
  /// Calls `f(term)` for what may claim time between release and deadline of a task that has no bound within its
  /// deadline; the times add up to more than that. Where a single copy has no bound, they are those of the copy. Pre:
  /// task k was evaluated last with its present shares, is served, and does not meet its deadline.
  template <class F>
  constexpr void for_each_demand(std::size_t k, F f) const {
    TAKT_EXPECTS(this->served(k) && !meets(k));
    detail::term_sums<Table> sums;
    detail::rtgpu_terms{*this, k, sums}.of_demand();
    sums.emit(this->table(), k, f);
  }

 private:
  using window = interference<typename base::model>;
  /// Computes what others execute while a whole job of a task lasts, on its core, on the copy engines and on both.
  struct fresh_windows {
    const rtgpu& analysis;
    std::size_t task;

    [[nodiscard]] constexpr auto core(const number& c, const number& limit) const -> fixed_point<number> {
      window others(analysis.workload());
      analysis.include_core(task, others);
      return others.solve(c, limit);
    }
    [[nodiscard]] constexpr auto engines(const number& c, const number& limit) const -> fixed_point<number> {
      window others(analysis.workload());
      analysis.include_engines(task, others);
      return others.solve(c, limit);
    }
    [[nodiscard]] constexpr auto everywhere(const number& c, const number& limit) const -> fixed_point<number> {
      window others(analysis.workload());
      analysis.include_engines(task, others);
      analysis.include_core(task, others);
      return others.solve(c, limit);
    }
  };
  /// Does so for constants that do not fall from one call to the next, each of which goes on where the last ended.
  class kept_windows {
   public:
    constexpr kept_windows(const rtgpu& analysis, std::size_t task)
        : core_{analysis.workload()}, engines_{analysis.workload()}, everywhere_{analysis.workload()} {
      analysis.include_core(task, core_);
      analysis.include_engines(task, engines_);
      analysis.include_engines(task, everywhere_);
      analysis.include_core(task, everywhere_);
    }
    constexpr auto core(const number& c, const number& limit) { return core_.solve(c, limit); }
    constexpr auto engines(const number& c, const number& limit) { return engines_.solve(c, limit); }
    constexpr auto everywhere(const number& c, const number& limit) { return everywhere_.solve(c, limit); }

   private:
    window core_;
    window engines_;
    window everywhere_;
  };

  /// The task is to have one share of some piece, so the least bound of them all holds for it.
  constexpr void join_pieces(std::size_t k) {
    kept_windows others{*this, k};
    this->clear(k);
    rtgpu_bounds<number> least;
    bool any = false;
    detail::for_each_piece(this->table().has_kernel(k) ? this->share(k) : share_choice{0, 1, 1},
                           [&](const share_choice& piece) {
                             if (this->table().has_kernel(k) && !detail::exists_on(this->platform(), piece)) { return; }
                             join(k, piece, others);
                             any = any || meets_[k];
                             if (meets_[k] && (!least.best.exists || bounds_[k].best.value < least.best.value)) {
                               least = bounds_[k];
                             }
                           });
    bounds_[k] = least;
    meets_[k] = any;
  }

  /// Bounds task k with its kernels on a share, and packs it for lower tasks if it meets its deadline. Pre: kernels are
  /// not shorter than on the share before, if `others` are kept.
  template <class Windows>
  constexpr void join(std::size_t k, const Share& share, Windows& others) {
    this->lay_out_kernels(k, share);
    bound_end_to_end(k, others);
    const number& deadline = this->table().tasks[k].deadline;
    const auto& bound = bounds_[k].best;
    meets_[k] = bound.exists && !(deadline < bound.value);
    if (meets_[k]) { this->pack(k, this->variant().carry_in_by_response ? bound.value : deadline); }
  }

  template <class Windows>
  constexpr void bound_end_to_end(std::size_t k, Windows& others) {
    const number& limit = this->table().tasks[k].deadline;
    const auto& own = this->own();
    const auto cpu = this->sum_of(k, stage::cpu);
    const auto copy = this->sum_of(k, stage::copy);
    rtgpu_bounds<number> b;
    if (copy.exists()) {
      if (cpu.exists()) { b.segmentwise = {own.gpu + copy.value + cpu.value, stop_reason::converged}; }
      b.cpu_joint = others.core(own.gpu + copy.value + own.cpu, limit);
    }
    if (this->variant().joint_windows) {
      const number copies = this->copies_with_blocking(k);
      if (cpu.exists()) { b.copy_joint = others.engines(own.gpu + copies + cpu.value, limit); }
      b.all_joint = others.everywhere(own.gpu + copies + own.cpu, limit);
    }
    if (this->variant().classical && this->table().tasks[k].segment_count == 1) { b.classical = classical(k); }
    for (const auto* candidate : {&b.segmentwise, &b.cpu_joint, &b.all_joint, &b.copy_joint, &b.classical}) {
      b.best = tighter(b.best, {candidate->value, candidate->exists()});
    }
    bounds_[k] = b;
  }

  [[nodiscard]] constexpr auto classical(std::size_t k) const -> fixed_point<number> {
    const auto result = classical_response(this->table(), k, [this](std::size_t i) {
      return this->table().tasks[i].segment_count > 1 ? number(bounds_[i].best.value - cpu_time(this->table(), i))
                                                      : number(0);
    });
    return relaxed ? at_least(result) : result;
  }

  std::array<rtgpu_bounds<number>, max_tasks> bounds_{};
  std::array<bool, max_tasks> meets_{};
};

namespace detail {

struct rtgpu_method {
  static constexpr std::string_view name = rtgpu_best.name;
  static constexpr rtgpu_variant options = rtgpu_best;
  static constexpr bool follows_pools = true;
  static constexpr bool finds_misses = true;
  template <class Table>
  using analysis = rtgpu<Table>;
};
/// Knows chains with SMs of their own.
struct dedicated_chains : method_family {
  template <DedicatedGpuPlatform P>
    requires(!takt::detail::ProcessorsOnly<P>)
  using on = rtgpu_method;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
