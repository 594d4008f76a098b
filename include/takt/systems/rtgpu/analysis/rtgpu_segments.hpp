// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/analysis/ascending.hpp>
#include <takt/analysis/share_choice.hpp>
#include <takt/core/fixed_point.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/systems/rtgpu/analysis/copy_blocking.hpp>
#include <takt/systems/rtgpu/analysis/interference.hpp>
#include <takt/systems/rtgpu/analysis/least_workload.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu_variant.hpp>
#include <takt/systems/rtgpu/analysis/workload.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Is the part of an RTGPU analysis that looks at segments by themselves: their lengths, blocking and responses, and
/// the work that tasks leave for lower ones. Source: Zou et al. 2021, Lemmas 5.1 to 5.5.
template <class Table, class Share>
class rtgpu_segments {
 public:
  using number = typename Table::number;
  static constexpr std::size_t max_tasks = Table::max_tasks;
  static constexpr std::size_t max_elements = Table::max_segments;
  static constexpr std::size_t max_engines = static_cast<std::size_t>(max_copy_engines);
  static constexpr bool relaxed = std::same_as<Share, share_choice>;

  /// Pre: `table` is in priority order and outlives this.
  constexpr rtgpu_segments(const Table& table, const platform_record& platform, const rtgpu_variant& variant)
      : table_{&table}, platform_{platform}, variant_{variant}, blocking_{table, platform} {
    for (std::size_t k = 0; k < table.size(); ++k) { core_[k] = table.tasks[k].core; }
  }

  [[nodiscard]] constexpr auto table() const noexcept -> const Table& { return *table_; }
  [[nodiscard]] constexpr auto platform() const noexcept -> const platform_record& { return platform_; }
  [[nodiscard]] constexpr auto variant() const noexcept -> const rtgpu_variant& { return variant_; }
  constexpr void assign(std::size_t k, const Share& share) { shares_[k] = share; }
  /// Returns whether task k has what its kernels need.
  [[nodiscard]] constexpr auto served(std::size_t k) const -> bool {
    return any_sms(shares_[k]) || !table_->has_kernel(k);
  }
  /// Returns the response of segment j of task k: its least and greatest length for a kernel, else {unused, bound}.
  [[nodiscard]] constexpr auto segment_response(std::size_t k, std::size_t j) const -> const fixed_point<number>& {
    return responses_[table_->tasks[k].first_segment + j];
  }
  [[nodiscard]] constexpr auto segment_time(std::size_t k, std::size_t j) const -> const interval<number>& {
    return elements_[table_->tasks[k].first_segment + j].time;
  }
  /// Returns the longest copy of lower priority on an engine.
  [[nodiscard]] constexpr auto blocking(std::size_t k, std::size_t engine = 0) const -> const number& {
    return blocking_.of(k, engine).time;
  }
  /// Returns the task of that copy, in the given order. Pre: blocking(k, engine) > 0.
  [[nodiscard]] constexpr auto blocking_task(std::size_t k, std::size_t engine = 0) const -> std::uint32_t {
    TAKT_EXPECTS(number(0) < blocking(k, engine));
    return blocking_.of(k, engine).by;
  }
  /// Returns whether the step is sound: with discrete time, a copy that blocks has started at least one unit earlier.
  [[nodiscard]] constexpr auto starts_once() const -> bool {
    return number_traits<number>::integral && variant_.copies_start_once;
  }
  /// Returns the delay of one copy of task k by a lower one that holds the engine.
  [[nodiscard]] constexpr auto blocking_once(std::size_t k, std::size_t e) const -> number {
    const number& longest = blocking_.of(k, e).time;
    return starts_once() && number(0) < longest ? number(longest - number(1)) : longest;
  }

  /// Resources as `workload()` numbers them.
  static constexpr std::size_t core_resource = 0;
  [[nodiscard]] static constexpr auto engine_resource(std::size_t engine) noexcept -> std::size_t { return 1 + engine; }

  using model =
      std::conditional_t<relaxed, least_workload<number, max_tasks, max_elements, 1 + max_engines, share_pieces>,
                         workload_model<number, max_tasks, max_elements, 1 + max_engines>>;
  [[nodiscard]] constexpr auto workload() const -> const model& { return workload_; }

  struct own_time {
    number cpu{};
    number copy{};
    number gpu{};
  };

  /// Lays out and bounds everything but kernels.
  constexpr void respond(std::size_t k) {
    lay_out(k);
    respond_on_engines(k);
    respond_on_core(k);
  }
  constexpr void lay_out_kernels(std::size_t k, const Share& share) {
    const auto& t = table_->tasks[k];
    own_.gpu = number(0);
    const std::int32_t factor = variant_.printed_divisor ? 2 : 1;
    for (std::size_t j = 0; j < t.segment_count; ++j) {
      const auto& s = table_->segment(k, j);
      if (s.where != stage::kernel) { continue; }
      auto& time = elements_[t.first_segment + j].time;
      time = kernel_time(*table_, s, platform_, share, factor);
      if constexpr (relaxed) {
        // At most that of smaller shares, so that constants do not fall from piece to piece.
        time.upper = kernel_time(*table_, s, platform_, {share.gpus, shares_[k].least, share.most}, factor).upper;
      }
      own_.gpu = own_.gpu + time.upper;
      responses_[t.first_segment + j] = {time.upper, stop_reason::converged};
    }
  }

  constexpr void include_core(std::size_t k, interference<model>& out) const {
    for (std::size_t i = 0; i < k; ++i) {
      if (core_[i] == core_[k]) { out.include(i, core_resource); }
    }
  }
  constexpr void include_engine(std::size_t k, std::size_t e, interference<model>& out) const {
    for (std::size_t i = 0; i < k; ++i) { out.include(i, engine_resource(e)); }
  }
  constexpr void include_engines(std::size_t k, interference<model>& out) const {
    for (std::int32_t e = 0; e < platform_.copy_engines; ++e) { include_engine(k, static_cast<std::size_t>(e), out); }
  }

  /// Returns the sum of the responses on one kind of resource; exists when each does.
  [[nodiscard]] constexpr auto sum_of(std::size_t k, stage where) const -> fixed_point<number> {
    const auto& t = table_->tasks[k];
    fixed_point<number> sum{number(0), stop_reason::converged};
    for (std::size_t j = 0; j < t.segment_count; ++j) {
      if (table_->segment(k, j).where != where) { continue; }
      const auto& response = responses_[t.first_segment + j];
      if (!response.exists()) { return {number(0), response.reason}; }
      sum.value = sum.value + response.value;
    }
    return sum;
  }

  /// Adds to own time what lower copies add when each copy of the job is blocked once.
  [[nodiscard]] constexpr auto copies_with_blocking(std::size_t k) const -> number {
    number sum = own_.copy;
    for (std::size_t j = 0; j < table_->tasks[k].segment_count; ++j) {
      const auto& s = table_->segment(k, j);
      if (s.where == stage::copy && number(0) < s.time.upper) { sum = sum + blocking_once(k, engine(s)); }
    }
    return sum;
  }

  [[nodiscard]] constexpr auto own() const noexcept -> const own_time& { return own_; }
  [[nodiscard]] constexpr auto share(std::size_t k) const noexcept -> const Share& { return shares_[k]; }

  /// Forgets the packings of task k.
  constexpr void clear(std::size_t k)
    requires relaxed
  {
    workload_.clear(k);
  }
  /// Packs task k, as it is laid out, for lower tasks.
  constexpr void pack(std::size_t k, const number& latest_finish) {
    const auto& t = table_->tasks[k];
    workload_.pack(k, elements_, t.first_segment, t.segment_count, t.period, latest_finish);
  }

 private:
  /// Bounds everything but kernels, whose times depend on a share.
  constexpr void lay_out(std::size_t k) {
    const auto& t = table_->tasks[k];
    own_ = {};
    for (std::size_t j = 0; j < t.segment_count; ++j) {
      const auto& s = table_->segment(k, j);
      element<number>& e = elements_[t.first_segment + j];
      e = {.resource = -1, .time = s.time};
      switch (s.where) {
        case stage::cpu:
          e.resource = core_resource;
          own_.cpu = own_.cpu + s.time.upper;
          break;
        case stage::copy:
          responses_[t.first_segment + j] = {number(0), stop_reason::converged};
          e.resource = static_cast<std::int32_t>(engine_resource(engine(s)));
          own_.copy = own_.copy + s.time.upper;
          break;
        case stage::kernel: break;
      }
    }
  }
  [[nodiscard]] constexpr auto engine(const segment_record<number>& s) const -> std::size_t {
    return static_cast<std::size_t>(platform_.engine_of(s.direction));
  }
  constexpr void respond_on_engines(std::size_t k) {
    const auto& t = table_->tasks[k];
    const auto upper = [this, k](std::size_t j) -> const number& { return table_->segment(k, j).time.upper; };
    for (std::size_t e = 0; e < static_cast<std::size_t>(platform_.copy_engines); ++e) {
      const auto selects = [&](std::size_t j) {
        const auto& s = table_->segment(k, j);
        return s.where == stage::copy && engine(s) == e && number(0) < s.time.upper;
      };
      interference<model> others(workload_);
      include_engine(k, e, others);
      for_ascending<max_elements>(t.segment_count, selects, upper, [&](std::size_t j) {
        fixed_point<number>& response = responses_[t.first_segment + j];
        if (starts_once()) {
          response = others.solve(number(1) + blocking_once(k, e), t.deadline);
          response.value = response.value + upper(j) - number(1);
        } else {
          response = others.solve(upper(j) + blocking(k, e), t.deadline);
        }
      });
    }
  }

  constexpr void respond_on_core(std::size_t k) {
    const auto& t = table_->tasks[k];
    const auto upper = [this, k](std::size_t j) -> const number& { return table_->segment(k, j).time.upper; };
    const auto selects = [this, k](std::size_t j) { return table_->segment(k, j).where == stage::cpu; };
    interference<model> others(workload_);
    include_core(k, others);
    for_ascending<max_elements>(t.segment_count, selects, upper, [&](std::size_t j) {
      responses_[t.first_segment + j] = others.solve(upper(j), t.deadline);
    });
  }

  const Table* table_;
  platform_record platform_;
  rtgpu_variant variant_;
  copy_blocking<Table> blocking_;
  own_time own_{};
  std::array<element<number>, max_elements> elements_{};
  std::array<fixed_point<number>, max_elements> responses_{};
  model workload_;
  std::int32_t core_[max_tasks]{};
  std::array<Share, max_tasks> shares_{};
};

}  // namespace takt::inline TAKT_ABI::analysis::detail
