// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/model/accelerator.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/accelerator/planned_kernels.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/board_check.hpp>
#include <takt/rules/board_stations.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/composed_plan.hpp>
#include <takt/rules/local_sections.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/rules/visit_layout.hpp>

namespace takt::inline TAKT_ABI {

/// Most stations that so many tasks and visits use of a platform: every pool, an engine more, and a core of each task.
template <class Platform, std::size_t MaxTasks, std::size_t MaxVisits>
inline constexpr std::size_t stations_of =
    MaxVisits < Platform::pool_count + MaxTasks + 1 ? MaxVisits : Platform::pool_count + MaxTasks + 1;
template <class Platform, std::size_t MaxTasks, std::size_t MaxVisits>
  requires detail::is_accelerator_alone<Platform>
inline constexpr std::size_t stations_of<Platform, MaxTasks, MaxVisits> = 1;

namespace detail {

/// Tasks on the stations of a platform, and what is wrong with them.
template <class Platform, std::size_t MaxTasks, std::size_t MaxVisits>
struct flat_board {
  visit_table<MaxTasks, MaxVisits> table{};
  board_stations<Platform, stations_of<Platform, MaxTasks, MaxVisits>> stations;
  model_error error{};
};

/// A rule that knows the very applications that are laid out, with all that no visit table holds.
template <class R>
concept ReadsApplications = requires { requires R::reads_applications; };
template <class Platform>
inline constexpr bool reads_applications = false;
template <class... Pools>
inline constexpr bool reads_applications<platform<Pools...>> = (ReadsApplications<typename Pools::rule_type> || ...);

template <class Platform, std::size_t N, std::size_t V>
class board_flattener : public visit_layout<N, V> {
  using stations_type = board_stations<Platform, stations_of<Platform, N, V>>;
  using visit_layout<N, V>::table_;
  using visit_layout<N, V>::error_;

 public:
  static constexpr bool reads_applications = takt::detail::reads_applications<Platform>;

  constexpr board_flattener(const Platform& board, const plan<N, V>& p)
      : visit_layout<N, V>{p}, board_{&board}, stations_{board} {}

  template <VisitSource Tasks>
  constexpr auto run(const Tasks& tasks) -> flat_board<Platform, N, V> {
    error_ = board_->validate();
    if (!error_) {
      const auto pools = outlines_of(*board_);
      this->take({pools.data(), pools.size()}, tasks, *this);
      if (!error_) { check(); }
    }
    return {table_, stations_, error_};
  }

  template <class S>
  constexpr auto visit(const S& asked, visit_mask before) -> visit_mask {
    if (error_) { return 0; }
    return enter(traits_of(asked),
                 route(*board_, asked, this->share_.gpu,
                       {.task = this->last_task(), .sms = this->share_.sms, .percent = this->percent_}),
                 before);
  }

 private:
  constexpr auto enter(const segment_traits& asked, const routed_visit& found, visit_mask before) -> visit_mask {
    const board_station at = this->place_of(asked, found);
    if (error_) { return 0; }
    return this->add_visit(asked, stations_.number_of(at), stations_type::max_stations, found.seen, found.region,
                           before);
  }

  constexpr void check() {
    this->set_priorities();
    look_beside();
    this->check_shares();
    check_sections();
    if (!error_) { error_ = validate(table_, stations_.size(), stations_.token_pools()); }
  }

  /// Checks that sections under protocols of one processor are time on it.
  constexpr void check_sections() {
    if (error_) { return; }
    const std::size_t wrong = first_not_local(table_, stations_);
    if (wrong == table_.sections.size()) { return; }
    const visit_section& s = table_.sections[wrong];
    std::size_t first = 0;
    while ((s.visits >> first & 1U) == 0) { ++first; }
    error_ = fault_at(model_fault::section_off_its_processor, s.task, first);
    error_.name = table_.tasks[s.task].name;
  }

  /// Calls `beside` for the rules that are `LooksBeside`.
  constexpr void look_beside() {
    for (visit_record& v : table_.visits) {
      if (!stations_.looks_beside(v.station)) { continue; }
      for (const visit_record& other : table_.visits) {
        if (other.station == v.station) { stations_.beside(v.station, v.view, other.view); }
      }
    }
  }

  const Platform* board_;
  stations_type stations_;
};

/// Boards and plans that are laid out as visits: chains that hosts know as a whole where the plan is one for visits.
template <class P, class T, std::size_t V>
concept LaidOutOnPools = ComposedBoard<P, T> || (IsOfPools<P, T> && V > 0);

}  // namespace detail

/// Tasks of any form as visits of the stations of a platform, placed by a plan. Kernels of a board that is an
/// accelerator alone are ranked by the order of its rule. Error: what is wrong with the tasks, what a visit table
/// cannot hold, or a plan that cannot place them; `composed_plan_fault` checks all else of the plan. Pre: `board`
/// outlives it.
template <class P, class T, std::size_t N, std::size_t V>
  requires(ComposedBoard<P, T> || detail::IsOfPools<P, T>)
[[nodiscard]] constexpr auto flatten(const P& board, const T& tasks, const plan<N, V>& p) {
  if constexpr (AcceleratorPlatform<P> && AcceleratorTaskSet<T>) {
    model_error error;
    const auto kernels = detail::ranked_kernels(board, tasks, p, error);
    const plan<N, V> decided{};
    if (error) {
      detail::flat_board<P, N, V> out{.stations = decltype(detail::flat_board<P, N, V>::stations){board}};
      out.error = error;
      return out;
    }
    return detail::board_flattener<P, N, V>{board, decided}.run(kernels);
  } else {
    return detail::board_flattener<P, N, V>{board, p}.run(tasks);
  }
}

}  // namespace takt::inline TAKT_ABI
