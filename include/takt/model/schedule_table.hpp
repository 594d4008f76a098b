// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/mutex_key.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what happens at an instant of a schedule table: a task is activated, or a visit of it may begin.
struct expiry_point {
  ticks offset = 0;  ///< from the start of the table
  std::uint32_t task = 0;
  std::uint32_t visit =
      no_index;  ///< position in the task of the visit that may begin; `no_index`: the task is activated
};

/// A table that an operating system repeats for ever.
template <std::size_t Most>
struct schedule_table {
  ticks duration = 0;
  inline_vector<expiry_point, Most> points;  ///< by offset; of one instant, more important tasks first
  model_error error{};
};

namespace detail {

/// Takes periods, and how many visits each task has.
template <std::size_t N>
struct period_list {
  inline_vector<ticks, N> period;
  inline_vector<std::uint32_t, N> visits;

  constexpr void open(const flow_attributes& t) {
    // Bound: one per task, at most N.
    period.unchecked_push_back(t.period);
    visits.unchecked_push_back(0);
  }
  template <class S>
  constexpr auto visit(const S& /*asked*/, visit_mask /*before*/) -> visit_mask {
    return visit_mask{1} << visits.back()++;
  }
  constexpr void hold(mutex_key /*mutex*/, visit_mask /*visits*/) {}
  constexpr void refuse(const model_error& /*told by analyses*/) {}

  /// Returns the time until all periods repeat; -1 where it does not fit.
  [[nodiscard]] constexpr auto hyperperiod() const -> ticks {
    ticks out = 1;
    for (const ticks t : period) {
      if (t < 1) { return -1; }
      ticks divisor = t;
      for (ticks rest = out; rest > 0;) {
        const ticks next = divisor % rest;
        divisor = rest;
        rest = next;
      }
      const ticks factor = t / divisor;
      if (out > longest_visit_time / factor) { return -1; }
      out *= factor;
    }
    return out;
  }
};

template <const auto& Tasks>
using source_of = visit_source<std::remove_cvref_t<decltype(Tasks)>>;

template <const auto& Tasks>
[[nodiscard]] constexpr auto periods_of() -> period_list<source_of<Tasks>::max_tasks> {
  period_list<source_of<Tasks>::max_tasks> out;
  source_of<Tasks>::each(Tasks, out);
  return out;
}

inline constexpr std::size_t most_expiry_points = 4096;

/// Returns the room for an activation of each job and each of its visits; one above the most if that is too little.
template <const auto& Tasks>
[[nodiscard]] consteval auto expiry_points_of() -> std::size_t {
  const auto all = periods_of<Tasks>();
  const ticks whole = all.hyperperiod();
  std::size_t out = 0;
  for (std::size_t i = 0; i < all.period.size() && whole > 0; ++i) {
    const auto jobs = static_cast<std::size_t>(whole / all.period[i]);
    if (jobs > most_expiry_points) { return most_expiry_points + 1; }
    out += jobs * (1 + all.visits[i]);
  }
  return whole > 0 && out <= most_expiry_points ? out : most_expiry_points + 1;
}

template <bool Fits>
struct schedule_table_fits {
  static constexpr bool passed = Fits;
  static_assert(Fits,
                "takt: the periods of the tasks repeat too seldom for a schedule table of at most 4096 expiry points; "
                "choose periods that divide one another. See docs/errors.md#E121");
};

}  // namespace detail

/// Returns the plan of a constexpr set as a schedule table. All tasks are activated at its start and then once per
/// period, and a visit with an offset may begin so long after. What is proven for sporadic releases holds for these.
/// Error: `plan_does_not_fit` for offsets that are not those of the set's visits. A table that would be too long does
/// not compile.
template <const auto& Tasks, std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto schedule_table_of(const plan<N, V>& p) {
  constexpr std::size_t room = detail::expiry_points_of<Tasks>();
  constexpr bool fits = detail::schedule_table_fits<room <= detail::most_expiry_points>::passed;
  schedule_table<fits ? room : 1> out;
  if constexpr (fits) {
    const auto all = detail::periods_of<Tasks>();
    std::size_t visits = 0;
    for (const std::uint32_t n : all.visits) { visits += n; }
    if (!p.offsets.empty() && p.offsets.size() != visits) { out.error.fault = model_fault::plan_does_not_fit; }
    if (!p.priorities.empty() && p.priorities.size() != all.period.size()) {
      out.error.fault = model_fault::plan_does_not_fit;
    }
    if (out.error) { return out; }
    out.duration = all.hyperperiod();
    const auto rank = [&](std::uint32_t task) {
      return p.priorities.empty() ? static_cast<std::int64_t>(task) : std::int64_t{p.priorities[task]};
    };
    const auto add = [&](const expiry_point& x) {
      out.points.unchecked_push_back(x);  // Bound: `room`, of all activations and visits.
      for (std::size_t at = out.points.size() - 1; at > 0; --at) {
        auto& before = out.points[at - 1];
        const bool first = x.offset < before.offset || (x.offset == before.offset && rank(x.task) < rank(before.task));
        if (!first) { break; }
        out.points[at] = before;
        before = x;
      }
    };
    std::size_t first = 0;
    for (std::uint32_t i = 0; i < all.period.size(); first += all.visits[i], ++i) {
      for (ticks release = 0; release < out.duration; release += all.period[i]) {
        add({release, i});
        for (std::uint32_t v = 0; v < all.visits[i] && !p.offsets.empty(); ++v) {
          const ticks offset = p.offsets[first + v];
          if (offset > 0) { add({(release + offset) % out.duration, i, v}); }
        }
      }
    }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI
