// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <takt/allocation/allocate.hpp>
#include <takt/allocation/analyze.hpp>
#include <takt/analysis/compose.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/rules/board_check.hpp>
#include <takt/rules/flatten.hpp>
#include <takt/rules/lasting_shares.hpp>

namespace takt {

namespace detail {

/// What of a board a plan hands out, and to which tasks. A task's visits are told to it.
template <std::size_t N>
struct plan_room {
  struct gpu_budget {
    std::int32_t gpu = 0;
    std::int32_t step = 1;
    std::int32_t units = 0;   ///< of `step` SMs or per cent
    bool by_percent = false;  ///< shares of the GPU, not SMs
  };
  inline_vector<gpu_budget, max_gpus> gpus;  ///< those that hand something out
  inline_vector<bool, N> asks;               ///< whether a task has kernels
  bool reads_priorities = false;             ///< some pool reads priorities
  bool all_given = true;                     ///< every task has one of its own

  constexpr void open(const flow_attributes& task) {
    static_cast<void>(asks.push_back(false));
    all_given = all_given && task.priority >= 0;
  }
  template <class S>
  constexpr auto visit(const S& /*asked*/, visit_mask /*before*/) -> visit_mask {
    if (std::same_as<typename resource_of_segment<S>::type, gpu> && !asks.empty()) { asks.back() = true; }
    return 0;
  }
  constexpr void hold(mutex_key /*mutex*/, visit_mask /*visits*/) {}
  constexpr void refuse(const model_error& /*told by the flattening*/) {}
};

template <class P, class T>
[[nodiscard]] constexpr auto plan_room_of(const P& board, const T& tasks) -> plan_room<tasks_of<T>> {
  plan_room<tasks_of<T>> out;
  std::int32_t at = 0;
  board.each([&](const auto& p) {
    using facts = pool_facts<std::remove_cvref_t<decltype(p)>>;
    out.reads_priorities = out.reads_priorities || facts::reads_priorities(p);
    if (!facts::runs_kernels(p)) { return; }
    if (facts::hands_sms(p)) {
      const gpu_record gpu = facts::gpu(p);
      const std::int32_t step = gpu.granularity < 1 ? 1 : gpu.granularity;
      static_cast<void>(out.gpus.push_back({at, step, gpu.budget() / step, false}));
    } else if (facts::hands_percents(p)) {
      static_cast<void>(out.gpus.push_back({at, 1, full_share.percent(), true}));
    }
    ++at;
  });
  visit_source<T>::each(tasks, out);
  out.reads_priorities = out.reads_priorities && !out.all_given;
  return out;
}

/// One search of a plan, from an even split on.
template <class P, class T, class Test>
class share_finder {
  static constexpr std::size_t max_tasks = tasks_of<T>;

 public:
  using plan_type = typename plan_type_of<P, T>::type;
  using verdict_type = std::invoke_result_t<const Test&, const plan_type&>;

  constexpr share_finder(const P& board, const T& tasks, const Test& test)
      : board_{&board}, tasks_{&tasks}, test_{&test}, room_{plan_room_of(board, tasks)} {
    for (std::int64_t& w : weights_) { w = least_weight; }
  }

  /// The first proof, else what the first plan got.
  constexpr auto run(std::int32_t rounds) -> verdict_type {
    split_evenly();
    const auto first = (*test_)(plan_);
    if (first.schedulable() || first.error || !(shares_out() || room_.reads_priorities)) { return first; }
    learn_times();
    auto seen = first;
    for (std::int32_t round = 0; round < rounds; ++round) {
      if (round > 0) { learn_from(seen, round); }
      fill();
      write_priorities();
      seen = (*test_)(plan_);
      if (seen.schedulable()) { return seen; }
    }
    return first;
  }

 private:
  [[nodiscard]] constexpr auto shares_out() const -> bool { return users_ > 0 && !room_.gpus.empty(); }
  [[nodiscard]] constexpr auto size() const -> std::size_t { return room_.asks.size(); }
  [[nodiscard]] constexpr auto is_user(std::size_t i) const -> bool { return shares_out() && room_.asks[i]; }

  /// SMs evenly to the tasks of each GPU.
  constexpr void split_evenly() {
    for (std::size_t i = 0; i < size(); ++i) { users_ += room_.asks[i] ? 1 : 0; }
    if (!shares_out()) { return; }
    if (room_.gpus.size() > 1) { spread(); }
    std::int32_t there[max_gpus]{};
    for (std::size_t i = 0; i < size(); ++i) { there[place_[i]] += is_user(i) ? 1 : 0; }
    for (std::size_t i = 0; i < size(); ++i) {
      units_[i] = even_[i] = is_user(i) ? room_.gpus[place_[i]].units / there[place_[i]] : 0;
    }
    write_shares();
  }
  /// Tasks to GPUs, the neediest first, each to where it finds the most SMs for the need there.
  constexpr void spread() {
    for (std::size_t i = 0; i < size(); ++i) { units_[i] = is_user(i) ? 1 : 0; }
    write_shares();
    learn_times();
    std::int64_t load[max_gpus]{};
    std::int32_t there[max_gpus]{};
    bool placed[max_tasks]{};
    for (std::int32_t count = 0; count < users_; ++count) {
      std::size_t next = size();
      for (std::size_t i = 0; i < size(); ++i) {
        if (is_user(i) && !placed[i] && (next == size() || need(next) < need(i))) { next = i; }
      }
      const auto crowd = [&](std::size_t g) {
        const auto& gpu = room_.gpus[g];
        if (there[g] >= gpu.units) { return std::numeric_limits<std::int64_t>::max(); }
        return (load[g] + need(next) + 1) / (std::int64_t{gpu.units} * gpu.step);
      };
      for (std::size_t g = 1; g < room_.gpus.size(); ++g) {
        if (crowd(g) < crowd(place_[next])) { place_[next] = g; }
      }
      load[place_[next]] += need(next);
      ++there[place_[next]];
      placed[next] = true;
    }
  }
  constexpr void write_shares() {
    plan_.shares.clear();
    plan_.percents.clear();
    for (std::size_t i = 0; i < size(); ++i) { give(plan_, i, units_[i]); }
  }
  constexpr void give(auto& to, std::size_t i, std::int32_t units) const {
    const auto& gpu = room_.gpus[place_[i]];
    const std::int32_t part = is_user(i) ? units * gpu.step : 0;
    static_cast<void>(to.shares.push_back({gpu.gpu, gpu.by_percent ? 0 : part}));
    if (some_by_percent()) { static_cast<void>(to.percents.push_back(gpu.by_percent ? part : 0)); }
  }
  [[nodiscard]] constexpr auto some_by_percent() const -> bool {
    bool some = false;
    for (const auto& gpu : room_.gpus) { some = some || gpu.by_percent; }
    return some;
  }

  /// A job's time alone under the shares of a plan, as its rules see it.
  constexpr void learn_times() {
    const auto flat = board_flattener<P, tasks_of<T>, visits_of<T>>{*board_, decisions_of(plan_)}.run(*tasks_);
    for (std::size_t i = 0; i < flat.table.size(); ++i) {
      times_[i] = time_alone(flat.table, i);
      deadlines_[i] = flat.table.tasks[i].deadline;
    }
  }
  /// Of one task on so many units; one that cannot run there takes forever.
  [[nodiscard]] constexpr auto time_on(std::size_t i, std::int32_t units) -> ticks {
    auto tried = decisions_of(plan_);
    tried.shares.clear();
    tried.percents.clear();
    for (std::size_t k = 0; k < size(); ++k) { give(tried, k, k == i ? units : even_[k]); }
    const auto flat = board_flattener<P, tasks_of<T>, visits_of<T>>{*board_, tried}.lay_out(*tasks_);
    return flat.error ? unbounded_response : time_alone(flat.table, i);
  }
  [[nodiscard]] static constexpr auto time_alone(const auto& table, std::size_t i) -> ticks {
    ticks sum = 0;
    for (std::uint32_t p = 0; p < table.tasks[i].visit_count; ++p) { sum += table.visit(i, p).upper; }
    return sum;
  }
  [[nodiscard]] static constexpr auto decisions_of(const plan_type& p) -> plan<tasks_of<T>, visits_of<T>> {
    plan<tasks_of<T>, visits_of<T>> out;
    copy_decisions(p, out);
    return out;
  }

  /// From the least shares on, units go to the task whose job alone takes the largest weighted part of its deadline, if
  /// they shorten it.
  constexpr void fill() {
    if (!shares_out()) { return; }
    std::int32_t left[max_gpus]{};
    for (std::size_t g = 0; g < room_.gpus.size(); ++g) { left[g] = room_.gpus[g].units; }
    bool settled[max_tasks]{};
    for (std::size_t i = 0; i < size(); ++i) {
      settled[i] = !is_user(i);
      units_[i] = is_user(i) ? 1 : 0;
      left[place_[i]] -= units_[i];
      if (is_user(i)) { times_[i] = time_on(i, 1); }
    }
    for (;;) {
      std::size_t neediest = size();
      for (std::size_t i = 0; i < size(); ++i) {
        if (!settled[i] && (neediest == size() || need(neediest) < need(i))) { neediest = i; }
      }
      if (neediest == size()) { break; }
      std::int32_t more = 0;
      ticks time = times_[neediest];
      while (more < left[place_[neediest]] && time >= times_[neediest]) {
        time = time_on(neediest, units_[neediest] + ++more);
      }
      settled[neediest] = time >= times_[neediest];
      if (settled[neediest]) { continue; }
      units_[neediest] += more;
      left[place_[neediest]] -= more;
      times_[neediest] = time;
    }
    write_shares();
  }
  /// Time alone by deadline, weighted.
  [[nodiscard]] constexpr auto need(std::size_t i) const -> std::int64_t {
    constexpr std::int64_t whole = std::int64_t{1} << 16;
    const ticks part = deadlines_[i] < times_[i] ? deadlines_[i] : times_[i];
    return part / (deadlines_[i] / whole + 1) * weights_[i];
  }

  /// The first task that fails gets more of what is handed out.
  constexpr void learn_from(const verdict_type& seen, std::int32_t round) {
    if (seen.why != obstacle::deadline && seen.first_unproven() == nowhere) { return; }
    const std::size_t failed = seen.why == obstacle::deadline ? seen.where : seen.first_unproven();
    if (failed >= size()) { return; }
    if (room_.reads_priorities && (!is_user(failed) || round % 2 == 0)) {
      raised_[failed] += 1;
      return;
    }
    if (weights_[failed] < most_weight) { weights_[failed] += weights_[failed] / 2; }
  }

  /// Those that need most of their time first: deadlines less the time alone, and less still for tasks that failed.
  constexpr void write_priorities() {
    if (!room_.reads_priorities) { return; }
    plan_.priorities.clear();
    for (std::size_t i = 0; i < size(); ++i) {
      std::int32_t rank = 0;
      for (std::size_t k = 0; k < size(); ++k) {
        rank += urgency(k) < urgency(i) || (urgency(k) == urgency(i) && k < i) ? 1 : 0;
      }
      static_cast<void>(plan_.priorities.push_back(rank));
    }
  }
  [[nodiscard]] constexpr auto urgency(std::size_t i) const -> ticks {
    ticks out = deadlines_[i] - times_[i];
    for (std::int32_t r = 0; r < raised_[i]; ++r) { out -= out > 0 ? out / 4 + 1 : deadlines_[i] / 8 + 1; }
    return out;
  }

  static constexpr std::int64_t least_weight = 16;
  static constexpr std::int64_t most_weight = std::int64_t{1} << 24;

  const P* board_;
  const T* tasks_;
  const Test* test_;
  plan_room<max_tasks> room_;
  plan_type plan_{};
  std::int32_t users_ = 0;
  std::size_t place_[max_tasks]{};
  std::int32_t units_[max_tasks]{};
  std::int32_t even_[max_tasks]{};
  ticks times_[max_tasks]{};
  ticks deadlines_[max_tasks]{};
  std::int64_t weights_[max_tasks]{};
  std::int32_t raised_[max_tasks]{};
};

}  // namespace detail

inline constexpr std::int32_t default_share_rounds = 16;

/// Looks for SMs and priorities of tasks with `analyze` as its test: an even split and the tasks' own priorities or
/// deadline monotonic ones first, then shares by need, where the first task that fails gets a larger part or a higher
/// priority. Equal questions get equal answers; that it finds none proves nothing. Cost: at most `rounds` + 1 verdicts,
/// and the times of a job for each SM that is handed out.
struct share_search {
  std::int32_t rounds = default_share_rounds;

  /// The first verdict that is a proof, else that on the first plan.
  template <class P, class T, class Test>
  [[nodiscard]] constexpr auto find(const P& board, const T& tasks, const Test& test) const {
    return detail::share_finder<P, T, Test>{board, tasks, test}.run(rounds);
  }
  template <class P, class T, class Test>
  [[nodiscard]] constexpr auto operator()(const P& board, const T& tasks, const Test& test) const {
    return find(board, tasks, test).plan;
  }
};

/// The same under a plan that is looked for first, by `share_search`.
template <class P, class T>
  requires ProvenFromPools<P, T>
[[nodiscard]] constexpr auto analyze(
    const P& board, const T& tasks,
    detail::refusal&& refused = detail::refusal{analysis::detail::check_board_method<P>::passed &&
                                                detail::check_board<P, T>::passed &&
                                                analysis::detail::check_bounds<P>::passed})
    -> verdict<ticks, tasks_of<T>, visits_of<T>> {
  std::uint64_t asked = 0;
  const auto out = share_search{}.find(board, tasks, detail::plan_test<P, T>{board, tasks, asked});
  refused.error = out.error;
  return out;
}

/// The plan on which that verdict rests; `feasible` says whether it is a proof. Error and cost: as `analyze`.
template <class P, class T>
  requires ProvenFromPools<P, T>
[[nodiscard]] constexpr auto allocate(
    const P& board, const T& tasks,
    detail::refusal&& refused = detail::refusal{analysis::detail::check_board_method<P>::passed &&
                                                detail::check_board<P, T>::passed &&
                                                analysis::detail::check_bounds<P>::passed})
    -> plan<tasks_of<T>, visits_of<T>> {
  return analyze(board, tasks, std::move(refused)).plan;
}

/// Under the plan of the search that the known method serves as a test, else under one that `share_search` finds.
template <class P, class T>
  requires ProvenEitherWay<P, T>
[[nodiscard]] constexpr auto analyze(const P& platform, const T& tasks,
                                     detail::refusal&& refused = detail::refusal{detail::check_chains<T>::passed}) {
  model_error found;
  const auto first = detail::allocate_chains(platform, tasks, default_search, default_evaluations, found);
  auto out = analysis::detail::judge_either_way(platform, tasks, first, refused.error);
  if (refused.error || out.schedulable() || out.status == verdict_status::unschedulable) { return out; }
  std::uint64_t asked = 0;
  const auto other = share_search{}.find(platform, tasks, detail::plan_test<P, T>{platform, tasks, asked});
  return other.schedulable() ? other : out;
}

/// The plan on which that verdict rests; `feasible` says whether it is a proof. Error and cost: as `analyze`.
template <class P, class T>
  requires ProvenEitherWay<P, T>
[[nodiscard]] constexpr auto allocate(const P& platform, const T& tasks,
                                      detail::refusal&& refused = detail::refusal{detail::check_chains<T>::passed}) {
  model_error found;
  const auto first = detail::allocate_chains(platform, tasks, default_search, default_evaluations, found);
  if (found) {
    refused.error = found;
    return first;
  }
  return analyze(platform, tasks, std::move(refused)).plan;
}

}  // namespace takt
