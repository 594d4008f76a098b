// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/mutex_key.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/visit.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/board_check.hpp>
#include <takt/rules/board_stations.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/composed_plan.hpp>
#include <takt/rules/local_sections.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/rules/task_places.hpp>
#include <takt/rules/visit_view.hpp>

namespace takt::inline v0 {

/// Most stations that so many tasks and visits use of a platform: every pool, an engine more, and a core of each task.
template <class Platform, std::size_t MaxTasks, std::size_t MaxVisits>
inline constexpr std::size_t stations_of =
    MaxVisits < Platform::pool_count + MaxTasks + 1 ? MaxVisits : Platform::pool_count + MaxTasks + 1;
template <class Platform, std::size_t MaxTasks, std::size_t MaxVisits>
  requires detail::is_accelerator_alone<Platform>
inline constexpr std::size_t stations_of<Platform, MaxTasks, MaxVisits> = 1;

/// Tasks on the stations of a platform, and what is wrong with them.
template <class Platform, std::size_t MaxTasks, std::size_t MaxVisits>
struct flat_board {
  visit_table<MaxTasks, MaxVisits> table{};
  board_stations<Platform, stations_of<Platform, MaxTasks, MaxVisits>> stations;
  model_error error{};
};

namespace detail {

/// A rule that knows the very applications that are laid out, with all that no visit table holds.
template <class R>
concept ReadsApplications = requires { requires R::reads_applications; };
template <class Platform>
inline constexpr bool reads_applications = false;
template <class... Pools>
inline constexpr bool reads_applications<platform<Pools...>> = (ReadsApplications<typename Pools::rule_type> || ...);

template <class Platform, std::size_t N, std::size_t V>
class board_flattener {
  using stations_type = board_stations<Platform, stations_of<Platform, N, V>>;
  template <class Reference>
  using facts_of = pool_facts<std::remove_cvref_t<Reference>>;

 public:
  static constexpr bool reads_applications = takt::detail::reads_applications<Platform>;

  constexpr board_flattener(const Platform& board, const plan<N, V>& p)
      : board_{&board}, plan_{&p}, out_{.stations = stations_type{board}} {}

  template <VisitSource Tasks>
  constexpr auto run(const Tasks& tasks) -> flat_board<Platform, N, V> {
    static_cast<void>(lay_out(tasks));
    if (out_.error) { return out_; }
    set_priorities();
    look_beside();
    check_shares();
    check_sections();
    if (!out_.error) { out_.error = validate(out_.table, out_.stations.size(), out_.stations.token_pools()); }
    return out_;
  }
  /// The same, whether or not the shares of the plan go round, and without priorities.
  template <VisitSource Tasks>
  constexpr auto lay_out(const Tasks& tasks) -> const flat_board<Platform, N, V>& {
    out_.error = board_->validate();
    if (out_.error) { return out_; }
    cores_ = plan_->cores;
    place_tasks(*board_, tasks, cores_);
    visit_source<Tasks>::each(tasks, *this);
    if (!out_.error) { end_task(); }
    return out_;
  }

  /// Visits of the task opened last are a section of a mutex.
  constexpr void hold(mutex_key mutex, visit_mask visits) {
    if (out_.error) { return; }
    const auto task = static_cast<std::uint32_t>(out_.table.size() - 1);
    std::uint32_t tokens = no_tokens;
    std::size_t pool = 0;
    board_->each([&](const auto& p) {
      if (mutex && facts_of<decltype(p)>::mutex(p) == mutex) { tokens = out_.stations.tokens_of_pool(pool); }
      ++pool;
    });
    if (tokens == no_tokens) { return fail(model_fault::mutex_without_pool); }
    if (!takes_time(out_.table.tasks[task], visits)) { return; }
    if (!out_.table.sections.push_back({task, tokens, visits})) { fail(model_fault::too_many_segments); }
  }

  /// Visits of the task opened last are one section of the tokens of its GPU, if that has some.
  constexpr void stretch(visit_mask visits) {
    if (out_.error || visits == 0) { return; }
    if (tokens_of_share() == no_tokens || !takes_time(out_.table.tasks.back(), visits)) { return; }
    add_section(tokens_of_share(), visits);
    elsewhere_ &= ~visits;
  }

  constexpr void refuse(const model_error& error) {
    if (out_.error) { return; }
    out_.error = error;
    if (error.task != nowhere) { out_.error.task += static_cast<std::uint32_t>(out_.table.size()); }
  }

  constexpr void open(const flow_attributes& t) {
    end_task();
    const std::size_t i = out_.table.size();
    core_ = i < cores_.size() ? cores_[i] : core_named_by(t, cores_together(*board_));
    share_ = i < plan_->shares.size() ? plan_->shares[i] : sm_share{};
    percent_ = i < plan_->percents.size() ? plan_->percents[i] : 0;
    asks_gpu_ = false;
    elsewhere_ = on_device_ = 0;
    if (!out_.table.add_task(
            {.name = t.name, .period = t.period, .deadline = t.deadline, .jitter = t.jitter, .priority = t.priority})) {
      refuse({.fault = model_fault::too_many_tasks});
    } else if (share_.sms < 0 || percent_ < 0 || percent_ > 100) {
      fail(model_fault::plan_does_not_fit);
    }
  }

  template <class S>
  constexpr auto visit(const S& asked, visit_mask before) -> visit_mask {
    if (out_.error) { return 0; }
    using wanted = typename resource_of_segment<S>::type;
    asks_gpu_ = asks_gpu_ || std::same_as<wanted, gpu>;
    const routed_visit found =
        route(*board_, asked, share_.gpu,
              {.task = static_cast<std::uint32_t>(out_.table.size() - 1), .sms = share_.sms, .percent = percent_});
    if (!found.served) {
      fail(not_served<wanted>(found.alike));
      return 0;
    }
    return enter(asked, found, before);
  }

 private:
  constexpr void fail(model_fault fault) {
    if (!out_.error) {
      out_.error = fault_at(fault, out_.table.size() - 1, out_.table.tasks.back().visit_count);
      out_.error.name = out_.table.tasks.back().name;
    }
  }

  template <class Wanted>
  [[nodiscard]] static constexpr auto not_served(std::int32_t pools) noexcept -> model_fault {
    if (std::same_as<Wanted, copy_engines_resource>) { return model_fault::copy_without_engine; }
    if (std::same_as<Wanted, gpu> && pools == 0) { return model_fault::kernel_without_gpu; }
    if (std::same_as<Wanted, gpu>) { return model_fault::plan_does_not_fit; }
    return std::same_as<Wanted, processors_resource> ? model_fault::core_out_of_range : model_fault::visit_without_pool;
  }

  constexpr void end_task() {
    if (out_.table.tasks.empty()) { return; }
    const bool has_part = share_.sms != 0 || percent_ != 0;
    if (!asks_gpu_ && has_part) { fail(model_fault::plan_does_not_fit); }
    add_sections();
  }

  // What is joined without a CPU visit in between, and is in no stretch that the task marks, is one section of the
  // tokens of its task's GPU, if it copies or has kernels and takes time. Where it has no first visit that all others
  // follow without others in between, each copy and kernel of it is one.

  static constexpr std::uint32_t no_tokens = 0xFFFF'FFFF;

  constexpr void add_sections() {
    const std::uint32_t tokens = tokens_of_share();
    if (tokens == no_tokens) { return; }
    const flow_record& t = out_.table.tasks.back();
    visit_mask left = elsewhere_;
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      if ((left >> p & 1U) == 0) { continue; }
      const visit_mask joined = joined_to(t, visit_mask{1} << p);
      left &= ~joined;
      if ((joined & on_device_) == 0 || !takes_time(t, joined)) { continue; }
      const visit_section whole{static_cast<std::uint32_t>(out_.table.size() - 1), tokens, joined};
      section_fault(out_.table, whole) ? add_sections_of(tokens, joined) : add_section(tokens, joined);
    }
  }
  constexpr void add_sections_of(std::uint32_t tokens, visit_mask visits) {
    const flow_record& t = out_.table.tasks.back();
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      const visit_mask own = visit_mask{1} << p & visits & on_device_;
      if (own != 0 && takes_time(t, own)) { add_section(tokens, own); }
    }
  }
  constexpr void add_section(std::uint32_t tokens, visit_mask visits) {
    const auto task = static_cast<std::uint32_t>(out_.table.size() - 1);
    for (const visit_section& other : out_.table.sections) {
      if (other.task == task && (other.visits & visits) != 0) { return fail(model_fault::sections_nest); }
    }
    if (!out_.table.sections.push_back({task, tokens, visits})) { fail(model_fault::too_many_segments); }
  }
  [[nodiscard]] constexpr auto takes_time(const flow_record& t, visit_mask visits) const -> bool {
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      if ((visits >> p & 1U) != 0 && out_.table.visits[t.first_visit + p].upper > 0) { return true; }
    }
    return false;
  }
  [[nodiscard]] constexpr auto joined_to(const flow_record& t, visit_mask joined) const -> visit_mask {
    for (visit_mask last = 0; last != joined;) {
      last = joined;
      for (std::uint32_t p = 0; p < t.visit_count; ++p) {
        const visit_mask own = visit_mask{1} << p;
        const visit_mask before = out_.table.visits[t.first_visit + p].predecessors & elsewhere_;
        if ((elsewhere_ & own) == 0) { continue; }
        if ((joined & own) != 0) { joined |= before; }
        if ((joined & before) != 0) { joined |= own; }
      }
    }
    return joined;
  }
  /// The tokens of the GPU on which the task runs, if it has some.
  [[nodiscard]] constexpr auto tokens_of_share() const -> std::uint32_t {
    std::uint32_t found = no_tokens;
    std::size_t pool = 0;
    std::int32_t gpus = 0;
    board_->each([&](const auto& p) {
      using facts = facts_of<decltype(p)>;
      const bool is_chosen = facts::runs_kernels(p) && gpus++ == share_.gpu;
      if (is_chosen && facts::has_tokens(p)) { found = out_.stations.tokens_of_pool(pool); }
      ++pool;
    });
    return found;
  }

  template <class S>
  constexpr auto enter(const S& asked, const routed_visit& found, visit_mask before) -> visit_mask {
    board_station at{.pool = found.pool};
    if constexpr (std::same_as<S, copy_segment>) {
      at.unit = found.units == 2 && takes_second_engine(asked.direction) ? 1 : 0;
    } else {
      at.units = found.units;
      if (found.names_cores) { enter_cluster(at, found.together); }
      if (at.units < 1 || (found.one_unit && at.units > 1)) { fail(model_fault::platform_size_out_of_range); }
    }
    const visit_view& seen = found.seen;
    if (seen.fault != model_fault::none && !out_.error) {
      fail(seen.fault);
      out_.error.lacks = seen.lacks;
    }
    const std::uint32_t position = out_.table.tasks.back().visit_count;
    if (position >= max_visits_of_task) {
      fail(model_fault::too_many_visits);
      return 0;
    }
    const std::uint32_t station = out_.stations.number_of(at);
    if (station >= stations_type::max_stations ||
        !out_.table.add_visit(station, seen.time.lower, seen.time.upper, before, seen.values)) {
      fail(model_fault::too_many_segments);
      return 0;
    }
    const visit_mask added = visit_mask{1} << position;
    if (!std::same_as<S, cpu_segment>) { elsewhere_ |= added; }
    if (std::same_as<S, copy_segment> || std::same_as<typename resource_of_segment<S>::type, gpu>) {
      on_device_ |= added;
    }
    return added;
  }

  /// From all processors to the cluster of the task's core.
  constexpr void enter_cluster(board_station& at, std::int32_t together) {
    const std::int32_t all = at.units;
    at.units = together;
    if (together < 1 || all % together != 0) { return fail(model_fault::platform_size_out_of_range); }
    if (core_ < 0) { return fail(model_fault::negative_core); }
    if (core_ >= all) { return fail(model_fault::core_out_of_range); }
    at.unit = core_ / together * together;
  }

  /// Sections under protocols of one processor are time on it.
  constexpr void check_sections() {
    if (out_.error) { return; }
    const std::size_t wrong = first_not_local(out_.table, out_.stations);
    if (wrong == out_.table.sections.size()) { return; }
    const visit_section& s = out_.table.sections[wrong];
    std::size_t first = 0;
    while ((s.visits >> first & 1U) == 0) { ++first; }
    out_.error = fault_at(model_fault::section_off_its_processor, s.task, first);
    out_.error.name = out_.table.tasks[s.task].name;
  }

  /// Of `LooksBeside`.
  constexpr void look_beside() {
    for (visit_record& v : out_.table.visits) {
      if (!out_.stations.looks_beside(v.station)) { continue; }
      for (const visit_record& other : out_.table.visits) {
        if (other.station == v.station) { out_.stations.beside(v.station, v.view, other.view); }
      }
    }
  }

  /// SMs and shares that are handed out go round.
  constexpr void check_shares() {
    std::int32_t at = 0;
    board_->each([&](const auto& p) {
      using facts = facts_of<decltype(p)>;
      if (!facts::runs_kernels(p)) { return; }
      std::int64_t sum = 0;
      for (const sm_share& s : plan_->shares) { sum += s.gpu == at && s.sms > 0 ? s.sms : 0; }
      const std::int64_t most = facts::hands_sms(p) ? facts::gpu(p).budget() : 0;
      std::int64_t percents = 0;
      for (std::size_t i = 0; i < plan_->percents.size(); ++i) {
        percents += (i < plan_->shares.size() ? plan_->shares[i].gpu : 0) == at ? plan_->percents[i] : 0;
      }
      const bool fits = sum <= most && percents <= (facts::hands_percents(p) ? 100 : 0);
      if (!out_.error && !fits) { out_.error = {.fault = model_fault::plan_does_not_fit}; }
      ++at;
    });
  }

  /// The plan's priorities, or the tasks' own when each has one, else deadline monotonic.
  constexpr void set_priorities() {
    bool given = true;
    for (std::size_t i = 0; i < out_.table.size(); ++i) {
      if (i < plan_->priorities.size()) {
        out_.table.tasks[i].priority = plan_->priorities[i];
        if (plan_->priorities[i] < 0 && !out_.error) { out_.error = fault_at(model_fault::plan_does_not_fit, i); }
      }
      given = given && out_.table.tasks[i].priority >= 0;
    }
    if (given) { return; }
    for (std::size_t i = 0; i < out_.table.size(); ++i) {
      std::int32_t rank = 0;
      const ticks deadline = out_.table.tasks[i].deadline;
      for (std::size_t k = 0; k < out_.table.size(); ++k) {
        const ticks other = out_.table.tasks[k].deadline;
        rank += other < deadline || (other == deadline && k < i) ? 1 : 0;
      }
      out_.table.tasks[i].priority = rank;
    }
  }

  const Platform* board_;
  const plan<N, V>* plan_;
  inline_vector<std::int32_t, N> cores_;  ///< of the plan, or chosen; none: of the tasks
  flat_board<Platform, N, V> out_;
  std::int32_t core_ = 0;
  sm_share share_{};
  std::int32_t percent_ = 0;
  bool asks_gpu_ = false;
  visit_mask elsewhere_ = 0;  ///< visits of the task that are not of a CPU
  visit_mask on_device_ = 0;  ///< those that copy or run kernels
};

}  // namespace detail

/// Tasks of any spelling as visits of the stations of a platform, placed by a plan. Error: what is wrong with them, or
/// what a visit table cannot hold. Pre: `board` outlives it.
template <class P, class T, std::size_t N, std::size_t V>
  requires ComposedBoard<P, T>
[[nodiscard]] constexpr auto flatten(const P& board, const T& tasks, const plan<N, V>& p) {
  return detail::board_flattener<P, N, V>{board, p}.run(tasks);
}

}  // namespace takt::inline v0
