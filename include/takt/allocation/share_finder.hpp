// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include <takt/allocation/allocate.hpp>
#include <takt/allocation/decided_parts.hpp>
#include <takt/allocation/plan_space.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_fault.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/task_places.hpp>

namespace takt::inline TAKT_ABI::detail {

/// One search of a plan, from an even split on. Parts that are decided already stay as they are. All that it asks of a
/// board, its tasks and a test is virtual, so that it is compiled once for all boards.
template <std::size_t N, class Plan, class Verdict>
class share_search_steps {
 public:
  using plan_type = Plan;
  using verdict_type = Verdict;

  /// `decided`: parts that are not chosen, where it is not null. A GPU below 0 and no SMs are open.
  constexpr share_search_steps(const plan_space<N>& space, const plan_type* decided) : space_{space} {
    for (std::int64_t& w : weights_) { w = least_weight; }
    for (std::int64_t& w : place_weights_) { w = least_weight; }
    if (decided == nullptr) { return; }
    decided_ = decided_parts<plan_type>{*decided};
    plan_ = *decided;
  }

  /// Returns the first proof, else what the first plan got. Where an even split is too little for some kernel, others
  /// come first. That all splits are too little is no proof, unless the facts of a kernel say nothing of parts. Numbers
  /// of a board or of tasks that are out of range are left to the test.
  constexpr auto run(std::int32_t rounds) -> verdict_type {
    for (std::size_t i = 0; i < size(); ++i) { users_ += space_.asks[i] ? 1 : 0; }
    if (!takes_decisions()) { return judge(decided_.plan); }
    if (!space_.in_range || has_wrong_board()) {
      split_evenly();
      return judge(plan_);
    }
    place();
    const auto first = judge(plan_);
    const bool has_choices = chooses_shares() || space_.chooses_cores() || space_.reads_priorities;
    const bool is_short = first.error && lacks_units();
    if (first.schedulable() || !has_choices || (first.error && !is_short)) { return first; }
    plan_type tried = plan_;
    auto seen = first;
    for (std::int32_t round = 0; round < rounds; ++round) {
      if (round > 0) { learn_from(seen, round); }
      fill();
      write_priorities();
      if (is_as(tried)) { continue; }
      tried = plan_;
      seen = judge(plan_);
      if (seen.schedulable()) { return seen; }
      if (seen.error) { break; }
    }
    const bool lacks_facts = seen.error && first.error.fault == model_fault::visit_time_unknown;
    return is_short && !lacks_facts ? unproven(seen) : first;
  }

 protected:
  constexpr ~share_search_steps() = default;
  share_search_steps(const share_search_steps&) = delete;
  auto operator=(const share_search_steps&) -> share_search_steps& = delete;

 private:
  [[nodiscard]] constexpr virtual auto has_wrong_board() const -> bool = 0;
  [[nodiscard]] constexpr virtual auto judge(const plan_type& p) const -> verdict_type = 0;
  /// Measures jobs alone under the shares of a plan, as the rules see them: of all tasks, or of one.
  constexpr virtual void measure(const plan_type& p, std::span<job_times> out, std::size_t only) const = 0;
  [[nodiscard]] constexpr virtual auto wishes() const -> place_wishes<N> = 0;

  [[nodiscard]] constexpr auto is_as(const plan_type& other) const -> bool {
    return plan_.shares == other.shares && plan_.percents == other.percents && plan_.cores == other.cores &&
           plan_.priorities == other.priorities;
  }

  /// Returns whether the plan says which part of the GPUs a task has.
  [[nodiscard]] constexpr auto shares_out() const -> bool {
    return users_ > 0 && (space_.hands_out || space_.gpus.size() > 1);
  }
  /// Returns whether decisions are about this board and these tasks. Decided GPUs become places of tasks.
  [[nodiscard]] constexpr auto takes_decisions() -> bool {
    if (!decided_.fits(size(), shares_out(), space_.by_percent, space_.gpus.size())) { return false; }
    for (std::size_t i = 0; i < size(); ++i) { place_[i] = decided_.gpu(i); }
    return true;
  }
  [[nodiscard]] constexpr auto chooses_gpus() const -> bool {
    return users_ > 0 && space_.gpus.size() > 1 && !decided_.gpus;
  }
  [[nodiscard]] constexpr auto chooses_shares() const -> bool {
    return shares_out() && (chooses_gpus() || !decided_.units());
  }
  [[nodiscard]] constexpr auto moves() const -> bool { return space_.chooses_cores() || chooses_gpus(); }
  [[nodiscard]] constexpr auto size() const -> std::size_t { return space_.asks.size(); }
  [[nodiscard]] constexpr auto is_user(std::size_t i) const -> bool { return shares_out() && space_.asks[i]; }
  /// Returns whether a task can get more or less of its GPU.
  [[nodiscard]] constexpr auto is_fed(std::size_t i) const -> bool {
    return is_user(i) && space_.gpus[place_[i]].units > 0;
  }
  [[nodiscard]] constexpr auto is_hungry(std::size_t i) const -> bool { return is_fed(i) && !decided_.units(); }
  /// Returns what a task begins with: what is decided for it, else so much.
  [[nodiscard]] constexpr auto units_or(std::size_t i, std::int32_t open) const -> std::int32_t {
    const auto& gpu = space_.gpus[place_[i]];
    return decided_.units() ? decided_.units_of(i, gpu.step, gpu.by_percent) : open;
  }

  /// Returns whether every job has a time on all that its GPU hands out, and some job has none on its part.
  [[nodiscard]] constexpr auto lacks_units() -> bool {
    bool some = false;
    for (std::size_t i = 0; i < size(); ++i) {
      if (times_[i].all < unbounded_response) { continue; }
      if (!is_hungry(i) || time_on(i, space_.gpus[place_[i]].units) >= unbounded_response) { return false; }
      some = true;
    }
    return some;
  }
  [[nodiscard]] constexpr auto unproven(const verdict_type& seen) const -> verdict_type {
    if (!seen.error) { return seen; }
    verdict_type out;
    out.method = seen.method;
    out.why = obstacle::gpu;
    for (std::size_t i = 0; i < size(); ++i) {
      // Bound: one per task, at most N.
      out.tasks.unchecked_push_back({.name = space_.name[i], .deadline = space_.deadline[i]});
    }
    out.plan = seen.plan;
    return out;
  }

  /// Places tasks on cores and on GPUs, where what is handed out is split evenly.
  constexpr void place() {
    if (chooses_gpus()) { spread(); }
    if (space_.chooses_cores()) { place_on_cores(); }
    split_evenly();
    measure();
  }
  constexpr void split_evenly() {
    std::int32_t there[max_gpus]{};
    for (std::size_t i = 0; i < size(); ++i) { there[place_[i]] += is_user(i) ? 1 : 0; }
    for (std::size_t i = 0; i < size(); ++i) {
      units_[i] = is_user(i) ? units_or(i, space_.gpus[place_[i]].units / there[place_[i]]) : 0;
    }
    write_shares();
  }

  /// Places tasks on GPUs, the greatest need first, each where it finds the most SMs for the need there. One that hands
  /// nothing out counts as it is. A task that cannot run on one unit needs what all units take, times their number.
  constexpr void spread() {
    std::int64_t needs[max_gpus][N]{};
    for (std::size_t g = 0; g < space_.gpus.size(); ++g) {
      for (std::size_t i = 0; i < size(); ++i) {
        place_[i] = g;
        units_[i] = is_fed(i) ? units_or(i, 1) : 0;
      }
      write_shares();
      measure();
      for (std::size_t i = 0; i < size(); ++i) {
        const std::int32_t units = space_.gpus[g].units;
        const bool is_too_little = is_hungry(i) && times_[i].all >= unbounded_response;
        const ticks time = is_too_little ? time_on(i, units) : units > 0 ? times_[i].all : times_[i].gpu;
        const std::int64_t scale = is_too_little ? units : 1;
        const bool goes = is_too_little ? time < unbounded_response : times_[i].all < unbounded_response;
        needs[g][i] = goes ? part_of(time, space_.deadline[i]) * place_weights_[i] * scale : no_place;
      }
    }
    std::int64_t load[max_gpus]{};
    std::int32_t there[max_gpus]{};
    bool done[N]{};
    const auto least_need = [&](std::size_t i) {
      std::int64_t least = needs[0][i];
      for (std::size_t g = 1; g < space_.gpus.size(); ++g) { least = needs[g][i] < least ? needs[g][i] : least; }
      return least;
    };
    for (std::size_t i = 0; i < size(); ++i) { place_[i] = 0; }
    for (std::int32_t count = 0; count < users_; ++count) {
      std::size_t next = size();
      for (std::size_t i = 0; i < size(); ++i) {
        if (is_user(i) && !done[i] && (next == size() || least_need(next) < least_need(i))) { next = i; }
      }
      const auto crowd = [&](std::size_t g) {
        const auto& gpu = space_.gpus[g];
        if (needs[g][next] == no_place || (gpu.units > 0 && there[g] >= gpu.units)) { return no_place; }
        return (load[g] + needs[g][next] + 1) / (gpu.units > 0 ? std::int64_t{gpu.units} * gpu.step : 1);
      };
      for (std::size_t g = 1; g < space_.gpus.size(); ++g) {
        if (crowd(g) < crowd(place_[next])) { place_[next] = g; }
      }
      const std::int64_t need = needs[place_[next]][next];
      load[place_[next]] += need == no_place ? 0 : need;
      ++there[place_[next]];
      done[next] = true;
    }
  }

  constexpr void place_on_cores() {
    const std::int32_t clusters = space_.processors / space_.cluster_size;
    if (clusters < 1) { return; }
    measure();
    const place_wishes<N> asked = wishes();
    inline_vector<std::int64_t, N> need;
    inline_vector<std::int32_t, N> named;
    for (std::size_t i = 0; i < size(); ++i) {
      // Bound: one per task, at most N; so below.
      need.unchecked_push_back(part_of(times_[i].processors, space_.period[i]) * place_weights_[i]);
      named.unchecked_push_back(space_.is_placed[i] ? space_.core[i] / space_.cluster_size : -1);
    }
    const auto placed = place_groups(asked.group, named, need, clusters);
    plan_.cores.clear();
    for (std::size_t i = 0; i < size(); ++i) {
      plan_.cores.unchecked_push_back(named[i] < 0 ? placed[i] * space_.cluster_size : space_.core[i]);
    }
  }

  constexpr void write_shares() {
    plan_.shares.clear();
    plan_.percents.clear();
    if (!shares_out()) { return; }
    for (std::size_t i = 0; i < size(); ++i) {
      // Bound: one per task, at most N.
      plan_.shares.unchecked_push_back(share_of(i, units_[i]));
      if (space_.by_percent) { plan_.percents.unchecked_push_back(percent_of(i, units_[i])); }
    }
  }
  [[nodiscard]] constexpr auto share_of(std::size_t i, std::int32_t units) const -> sm_share {
    const auto& gpu = space_.gpus[place_[i]];
    const auto at = static_cast<std::int32_t>(place_[i]);
    if (decided_.sms) { return {at, decided_.plan.shares[i].sms}; }
    return {at, is_fed(i) && !gpu.by_percent ? units * gpu.step : 0};
  }
  [[nodiscard]] constexpr auto percent_of(std::size_t i, std::int32_t units) const -> std::int32_t {
    if (!decided_.plan.percents.empty()) { return decided_.plan.percents[i]; }
    return is_fed(i) && space_.gpus[place_[i]].by_percent ? units : 0;
  }

  constexpr void measure() { measure(plan_, {times_, size()}, every_task); }
  /// Returns the time of one task on so many units, unbounded if it cannot run there.
  [[nodiscard]] constexpr auto time_on(std::size_t i, std::int32_t units) -> ticks {
    const std::int32_t before = units_[i];
    units_[i] = units;
    if (i < plan_.shares.size()) { plan_.shares[i] = share_of(i, units); }
    if (i < plan_.percents.size()) { plan_.percents[i] = percent_of(i, units); }
    const job_times kept = times_[i];
    measure(plan_, {times_, size()}, i);
    const ticks out = times_[i].all;
    times_[i] = kept;
    units_[i] = before;
    return out;
  }

  /// From the least shares on, units go to the task whose job alone takes the largest weighted part of its deadline, if
  /// they shorten it.
  constexpr void fill() {
    if (!chooses_shares() || decided_.units()) { return; }
    std::int32_t left[max_gpus]{};
    for (std::size_t g = 0; g < space_.gpus.size(); ++g) { left[g] = space_.gpus[g].units; }
    bool settled[N]{};
    for (std::size_t i = 0; i < size(); ++i) {
      settled[i] = !is_fed(i);
      units_[i] = is_fed(i) ? 1 : 0;
      left[place_[i]] -= units_[i];
      if (is_fed(i)) { times_[i].all = time_on(i, 1); }
    }
    for (;;) {
      std::size_t neediest = size();
      for (std::size_t i = 0; i < size(); ++i) {
        if (!settled[i] && (neediest == size() || need(neediest) < need(i))) { neediest = i; }
      }
      if (neediest == size()) { break; }
      std::int32_t more = 0;
      ticks time = times_[neediest].all;
      while (more < left[place_[neediest]] && time >= times_[neediest].all) {
        time = time_on(neediest, units_[neediest] + ++more);
      }
      settled[neediest] = time >= times_[neediest].all;
      if (settled[neediest]) { continue; }
      units_[neediest] += more;
      left[place_[neediest]] -= more;
      times_[neediest].all = time;
    }
    write_shares();
  }
  [[nodiscard]] static constexpr auto part_of(ticks time, ticks whole) -> std::int64_t {
    return (whole < time ? whole : time) / (whole / whole_part + 1);
  }
  /// Returns the weighted ratio of the time alone to the deadline.
  [[nodiscard]] constexpr auto need(std::size_t i) const -> std::int64_t {
    return part_of(times_[i].all, space_.deadline[i]) * weights_[i];
  }

  /// The first task that fails gets more of what is handed out, a higher priority, or a place with less beside it.
  constexpr void learn_from(const verdict_type& seen, std::int32_t round) {
    const bool named = seen.why == obstacle::deadline || (seen.why == obstacle::passes && seen.where != no_index);
    const std::size_t failed = named ? seen.where : seen.first_unproven();
    if (failed >= size()) { return; }
    const bool others = is_hungry(failed) || space_.reads_priorities;
    if (moves() && (!others || round % 3 == 2)) {
      grow(place_weights_[failed]);
      place();
    } else if (space_.reads_priorities && (!is_hungry(failed) || round % 2 == 0)) {
      raised_[failed] += 1;
    } else {
      grow(weights_[failed]);
    }
  }
  static constexpr void grow(std::int64_t& weight) {
    if (weight < most_weight) { weight += weight / 2; }
  }

  /// Orders tasks by need: deadlines less the time alone, and less still for tasks that failed.
  constexpr void write_priorities() {
    if (!space_.reads_priorities) { return; }
    plan_.priorities.clear();
    for (std::size_t i = 0; i < size(); ++i) {
      std::int32_t rank = 0;
      for (std::size_t k = 0; k < size(); ++k) {
        rank += urgency(k) < urgency(i) || (urgency(k) == urgency(i) && k < i) ? 1 : 0;
      }
      // Bound: one per task, at most N.
      plan_.priorities.unchecked_push_back(rank);
    }
  }
  [[nodiscard]] constexpr auto urgency(std::size_t i) const -> ticks {
    ticks out = space_.deadline[i] - times_[i].all;
    for (std::int32_t r = 0; r < raised_[i]; ++r) { out -= out > 0 ? out / 4 + 1 : space_.deadline[i] / 8 + 1; }
    return out;
  }

  static constexpr std::int64_t least_weight = 16;
  static constexpr std::int64_t most_weight = std::int64_t{1} << 16;
  static constexpr std::int64_t whole_part = std::int64_t{1} << 16;
  static constexpr std::int64_t no_place = std::numeric_limits<std::int64_t>::max();

  plan_space<N> space_;
  decided_parts<plan_type> decided_{};
  plan_type plan_{};
  std::int32_t users_ = 0;
  std::size_t place_[N]{};
  std::int32_t units_[N]{};
  job_times times_[N]{};
  std::int64_t weights_[N]{};
  std::int64_t place_weights_[N]{};
  std::int32_t raised_[N]{};
};

template <class P, class T, class Test>
using share_search_steps_of = share_search_steps<tasks_of<T>, typename Test::plan_type,
                                                 std::invoke_result_t<const Test&, const typename Test::plan_type&>>;

template <class P, class T, class Test>
class share_finder final : public share_search_steps_of<P, T, Test> {
  using steps = share_search_steps_of<P, T, Test>;

 public:
  constexpr share_finder(const P& board, const T& tasks, const Test& test,
                         const typename steps::plan_type* decided = nullptr)
      : steps{plan_space_of(board, tasks), decided}, board_{&board}, tasks_{&tasks}, test_{&test} {}

 private:
  [[nodiscard]] constexpr auto has_wrong_board() const -> bool override {
    return static_cast<bool>(board_->validate());
  }
  [[nodiscard]] constexpr auto judge(const typename steps::plan_type& p) const ->
      typename steps::verdict_type override {
    return (*test_)(p);
  }
  constexpr void measure(const typename steps::plan_type& p, std::span<job_times> out,
                         std::size_t only) const override {
    job_meter<P> meter{*board_, {p.shares.data(), p.shares.size()}, {p.percents.data(), p.percents.size()}, out, only};
    visit_source<T>::each(*tasks_, meter);
  }
  [[nodiscard]] constexpr auto wishes() const -> place_wishes<tasks_of<T>> override {
    place_wishes<tasks_of<T>> out;
    visit_source<T>::each(*tasks_, out);
    return out;
  }

  const P* board_;
  const T* tasks_;
  const Test* test_;
};

}  // namespace takt::inline TAKT_ABI::detail
