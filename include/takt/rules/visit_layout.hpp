// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/limited_preemption.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/mutex_key.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/visit.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/board_stations.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/rules/task_places.hpp>
#include <takt/rules/visit_view.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Holds what a flattening asks of the type of a segment.
struct segment_traits {
  bool is_cpu = false;
  bool is_copy = false;
  bool on_gpu = false;
  bool second_engine = false;                             ///< of two
  model_fault lost = model_fault::visit_without_pool;     ///< what is wrong if no pool serves it,
  model_fault mislaid = model_fault::visit_without_pool;  ///< or none of those that do is the plan's
};
template <class S>
[[nodiscard]] constexpr auto traits_of(const S& asked) noexcept -> segment_traits {
  using wanted = typename resource_of_segment<S>::type;
  segment_traits out{
      .is_cpu = is_cpu_segment<S>, .is_copy = std::same_as<S, copy_segment>, .on_gpu = std::same_as<wanted, gpu>};
  if constexpr (std::same_as<S, copy_segment>) { out.second_engine = takes_second_engine(asked.direction); }
  if (std::same_as<wanted, copy_engines_resource>) { out.lost = out.mislaid = model_fault::copy_without_engine; }
  if (std::same_as<wanted, processors_resource>) { out.lost = out.mislaid = model_fault::core_out_of_range; }
  if (out.on_gpu) {
    out.lost = model_fault::kernel_without_gpu;
    out.mislaid = model_fault::plan_does_not_fit;
  }
  return out;
}

/// All of a flattening that needs no type of its board: compiled once for all of them.
template <std::size_t N, std::size_t V>
class visit_layout {
 public:
  constexpr explicit visit_layout(const plan<N, V>& p) : plan_{&p} {}

  /// Notes that visits of the task opened last are a section of a mutex.
  constexpr void hold(mutex_key mutex, visit_mask visits) {
    if (error_) { return; }
    std::uint32_t tokens = no_tokens;
    for (std::size_t at = 0; at < pools_.size(); ++at) {
      if (mutex && pools_[at].mutex == mutex) { tokens = tokens_of_pool(at); }
    }
    if (tokens == no_tokens) { return fail(model_fault::mutex_without_pool); }
    if (!takes_time(table_.tasks.back(), visits)) { return; }
    if (!table_.sections.try_push_back({last_task(), tokens, visits})) { fail(model_fault::too_many_segments); }
  }

  /// Notes that visits of the task opened last are one section of the tokens of its GPU, if that has some.
  constexpr void mark_token_section(visit_mask visits) {
    if (error_ || visits == 0) { return; }
    if (tokens_of_share() == no_tokens || !takes_time(table_.tasks.back(), visits)) { return; }
    add_section(tokens_of_share(), visits);
    elsewhere_ &= ~visits;
  }

  constexpr void refuse(const model_error& error) {
    if (error_) { return; }
    error_ = error;
    if (error.task != no_index) { error_.task += static_cast<std::uint32_t>(table_.size()); }
  }

  constexpr void open(const flow_attributes& t) {
    end_task();
    const std::size_t i = table_.size();
    const pool_outline* processors = placed_processors(pools_);
    core_ = i < cores_.size() ? cores_[i] : core_named_by(t, processors == nullptr ? 0 : processors->cluster);
    share_ = i < plan_->shares.size() ? plan_->shares[i] : sm_share{};
    percent_ = i < plan_->percents.size() ? plan_->percents[i] : 0;
    asks_gpu_ = false;
    elsewhere_ = on_device_ = 0;
    if (!table_.add_task({.name = t.name,
                          .period = t.period,
                          .deadline = t.deadline,
                          .jitter = t.jitter,
                          .limited = t.limited,
                          .priority = t.priority,
                          .strict = t.strict,
                          .offset = t.offset})) {
      refuse({.fault = model_fault::too_many_tasks});
    } else if (share_.sms < 0 || percent_ < 0 || percent_ > 100) {
      fail(model_fault::plan_does_not_fit);
    }
  }

 protected:
  template <VisitSource Tasks>
  constexpr void take(pool_outlines pools, const Tasks& tasks, auto& sink) {
    pools_ = pools;
    cores_ = plan_->cores;
    place_tasks(pools, tasks, cores_);
    visit_source<Tasks>::each(tasks, sink);
    end_task();
  }

  constexpr void fail(model_fault fault) {
    if (!error_) {
      error_ = fault_at(fault, table_.size() - 1, table_.tasks.back().visit_count);
      error_.name = table_.tasks.back().name;
    }
  }
  [[nodiscard]] constexpr auto last_task() const noexcept -> std::uint32_t {
    return static_cast<std::uint32_t>(table_.size() - 1);
  }

  /// Returns the place of a visit of the task opened last.
  constexpr auto place_of(const segment_traits& asked, const routed_visit& found) -> board_station {
    asks_gpu_ = asks_gpu_ || asked.on_gpu;
    if (!found.served) {
      fail(found.alike == 0 ? asked.lost : asked.mislaid);
      return {};
    }
    board_station at{.pool = found.pool};
    if (asked.is_copy) {
      at.unit = found.units == 2 && asked.second_engine ? 1 : 0;
    } else {
      at.units = found.units;
      if (found.names_cores) { enter_cluster(at, found.cluster_size); }
      if (at.units < 1 || (found.one_unit && at.units > 1)) { fail(model_fault::platform_size_out_of_range); }
    }
    if (found.seen.fault != model_fault::none && !error_) {
      fail(found.seen.fault);
      error_.lacks = found.seen.lacks;
    }
    if (table_.tasks.back().visit_count >= max_visits_of_task) { fail(model_fault::too_many_visits); }
    return at;
  }
  /// Adds a visit and returns its bit. Pre: nothing is wrong.
  constexpr auto add_visit(const segment_traits& asked, std::uint32_t station, std::size_t stations,
                           const visit_view& seen, ticks region, visit_mask before) -> visit_mask {
    TAKT_EXPECTS(!error_);
    const visit_mask added = visit_mask{1} << table_.tasks.back().visit_count;
    if (station >= stations || !table_.add_visit(station, seen.time.lower, seen.time.upper, before, seen.values)) {
      fail(model_fault::too_many_segments);
      return 0;
    }
    table_.visits.back().region = region;
    if (!asked.is_cpu) { elsewhere_ |= added; }
    if (asked.is_copy || asked.on_gpu) { on_device_ |= added; }
    return added;
  }

  /// Checks that no more SMs and shares are handed out than there are.
  constexpr void check_shares() {
    std::int32_t at = 0;
    for (const pool_outline& p : pools_) {
      if (!p.runs_kernels) { continue; }
      std::int64_t sum = 0;
      for (const sm_share& s : plan_->shares) { sum += s.gpu == at && s.sms > 0 ? s.sms : 0; }
      const std::int64_t most = p.hands_sms ? p.gpu.budget() : 0;
      std::int64_t percents = 0;
      for (std::size_t i = 0; i < plan_->percents.size(); ++i) {
        percents += (i < plan_->shares.size() ? plan_->shares[i].gpu : 0) == at ? plan_->percents[i] : 0;
      }
      const bool fits = sum <= most && percents <= (p.hands_percents ? 100 : 0);
      if (!error_ && !fits) { error_ = {.fault = model_fault::plan_does_not_fit}; }
      ++at;
    }
  }

  /// Sets the plan's priorities, or the tasks' own when each has one, else deadline monotonic.
  constexpr void set_priorities() {
    bool given = true;
    for (std::size_t i = 0; i < table_.size(); ++i) {
      if (i < plan_->priorities.size()) {
        table_.tasks[i].priority = plan_->priorities[i];
        if (plan_->priorities[i] < 0 && !error_) { error_ = fault_at(model_fault::plan_does_not_fit, i); }
      }
      given = given && table_.tasks[i].priority >= 0;
    }
    if (given) { return; }
    for (std::size_t i = 0; i < table_.size(); ++i) {
      std::int32_t rank = 0;
      const ticks deadline = table_.tasks[i].deadline;
      for (std::size_t k = 0; k < table_.size(); ++k) {
        const ticks other = table_.tasks[k].deadline;
        rank += other < deadline || (other == deadline && k < i) ? 1 : 0;
      }
      table_.tasks[i].priority = rank;
    }
  }

  visit_table<N, V> table_{};
  model_error error_{};
  sm_share share_{};
  std::int32_t percent_ = 0;

 private:
  constexpr void end_task() {
    if (error_ || table_.tasks.empty()) { return; }
    const bool has_part = share_.sms != 0 || percent_ != 0;
    if (!asks_gpu_ && has_part) { fail(model_fault::plan_does_not_fit); }
    add_sections();
  }

  // What is joined without a CPU visit in between, and is in no section that the task marks, is one section of the
  // tokens of its task's GPU, if it copies or has kernels and takes time. Where it has no first visit that all others
  // follow without others in between, each copy and kernel of it is one.

  static constexpr std::uint32_t no_tokens = 0xFFFF'FFFF;

  constexpr void add_sections() {
    const std::uint32_t tokens = tokens_of_share();
    if (tokens == no_tokens) { return; }
    const flow_record& t = table_.tasks.back();
    visit_mask left = elsewhere_;
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      if ((left >> p & 1U) == 0) { continue; }
      const visit_mask joined = joined_to(t, visit_mask{1} << p);
      left &= ~joined;
      if ((joined & on_device_) == 0 || !takes_time(t, joined)) { continue; }
      const visit_section whole{last_task(), tokens, joined};
      section_fault(table_, whole) ? add_sections_of(tokens, joined) : add_section(tokens, joined);
    }
  }
  constexpr void add_sections_of(std::uint32_t tokens, visit_mask visits) {
    const flow_record& t = table_.tasks.back();
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      const visit_mask own = visit_mask{1} << p & visits & on_device_;
      if (own != 0 && takes_time(t, own)) { add_section(tokens, own); }
    }
  }
  constexpr void add_section(std::uint32_t tokens, visit_mask visits) {
    for (const visit_section& other : table_.sections) {
      if (other.task == last_task() && (other.visits & visits) != 0) { return fail(model_fault::sections_nest); }
    }
    if (!table_.sections.try_push_back({last_task(), tokens, visits})) { fail(model_fault::too_many_segments); }
  }
  [[nodiscard]] constexpr auto takes_time(const flow_record& t, visit_mask visits) const -> bool {
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      if ((visits >> p & 1U) != 0 && table_.visits[t.first_visit + p].upper > 0) { return true; }
    }
    return false;
  }
  [[nodiscard]] constexpr auto joined_to(const flow_record& t, visit_mask joined) const -> visit_mask {
    for (visit_mask last = 0; last != joined;) {
      last = joined;
      for (std::uint32_t p = 0; p < t.visit_count; ++p) {
        const visit_mask own = visit_mask{1} << p;
        const visit_mask before = table_.visits[t.first_visit + p].predecessors & elsewhere_;
        if ((elsewhere_ & own) == 0) { continue; }
        if ((joined & own) != 0) { joined |= before; }
        if ((joined & before) != 0) { joined |= own; }
      }
    }
    return joined;
  }

  /// Returns the number of the tokens of a pool that has some.
  [[nodiscard]] constexpr auto tokens_of_pool(std::size_t wanted) const -> std::uint32_t {
    std::uint32_t number = 0;
    for (std::size_t at = 0; at < wanted; ++at) { number += pools_[at].has_tokens ? 1U : 0U; }
    return number;
  }
  /// Returns the number of the tokens of the GPU on which the task runs, if it has some.
  [[nodiscard]] constexpr auto tokens_of_share() const -> std::uint32_t {
    std::uint32_t found = no_tokens;
    std::int32_t gpus = 0;
    for (std::size_t at = 0; at < pools_.size(); ++at) {
      const bool is_chosen = pools_[at].runs_kernels && gpus++ == share_.gpu;
      if (is_chosen && pools_[at].has_tokens) { found = tokens_of_pool(at); }
    }
    return found;
  }

  /// Narrows all processors to the cluster of the task's core.
  constexpr void enter_cluster(board_station& at, std::int32_t cluster_size) {
    const std::int32_t all = at.units;
    at.units = cluster_size;
    if (cluster_size < 1 || all % cluster_size != 0) { return fail(model_fault::platform_size_out_of_range); }
    if (core_ < 0) { return fail(model_fault::negative_core); }
    if (core_ >= all) { return fail(model_fault::core_out_of_range); }
    at.unit = core_ / cluster_size * cluster_size;
  }

  const plan<N, V>* plan_;
  pool_outlines pools_{};
  inline_vector<std::int32_t, N> cores_{};  ///< of the plan, or chosen; none: of the tasks
  std::int32_t core_ = 0;
  bool asks_gpu_ = false;
  visit_mask elsewhere_ = 0;  ///< visits of the task that are not of a CPU
  visit_mask on_device_ = 0;  ///< those that copy or run kernels
};

}  // namespace takt::inline TAKT_ABI::detail
