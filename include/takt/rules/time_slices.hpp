// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/facts.hpp>
#include <takt/model/gpu_context.hpp>
#include <takt/model/kernel_facts.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/kernel_views.hpp>
#include <takt/rules/servers/forward.hpp>
#include <takt/rules/visit_view.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Longest slice and longest switch.
inline constexpr ticks longest_turn = ticks{1} << 40;

}  // namespace detail

/// Says how contexts take turns.
struct turn_times {
  ticks slice = 0;
  ticks switching = 0;
  bool keeps_places = false;

  [[nodiscard]] friend constexpr auto operator==(const turn_times&, const turn_times&) noexcept -> bool = default;
};

/// Holds what the rule of time slices reads of a visit besides its time.
struct slice_view {
  std::uint32_t context = 0;  ///< of the tasks' own ones, those of tasks, then the named ones
  ticks slice = 0;            ///< 0: that of the rule

  static constexpr std::uint32_t first_named = 0x8000'0000;

  [[nodiscard]] constexpr auto values() const noexcept -> view_values {
    return {{context >= first_named ? ticks{context - first_named} + 1 : 0, slice}};
  }
  [[nodiscard]] static constexpr auto of(const view_values& v, std::uint32_t task) noexcept -> slice_view {
    return {v.at[0] > 0 ? first_named + static_cast<std::uint32_t>(v.at[0] - 1) : task, v.at[1]};
  }
  [[nodiscard]] constexpr auto slice_or(ticks usual) const noexcept -> ticks { return slice > 0 ? slice : usual; }
};

namespace detail {

[[nodiscard]] constexpr auto is_slice(ticks t) noexcept -> bool { return t > 0 && t <= longest_turn; }

/// A visit that says in which context it runs, or for how long that has its turn.
template <class S>
concept ChoosesContext = TimedByItself<S> && (knows<kernel_context, S> || knows<kernel_slice, S>);

}  // namespace detail

/// One context after the other in turns, as GPUs share themselves between processes: each context with work gets a
/// slice, and a switch to another one takes `switching`. A context whose slice ends while no other context has work
/// goes on without a switch. A task is a context of its own unless its kernels say `in_context`; the kernels of a
/// context run one at a time in the order of their arrival.
///
/// `switching` is all that lies between the end of a slice and the first useful instruction of the next one. The kernel
/// that runs has to stop (at an instruction where the GPU can, else at the end of its longest block). Then states are
/// saved and loaded, and caches are cold. Source for form and figures: Wang, Liu, Wong and Kim 2024; see
/// docs/time_slices.md.
struct time_slice_rule {
  using is_takt_rule = void;
  static constexpr auto bounds_header = detail::needed_header::kernels;
  static constexpr std::string_view name = "time slices";
  static constexpr bool serves_one_unit = true;
  duration slice{};
  duration switching{};
  bool keeps_places = false;  ///< turns go round in a fixed order; else a context that wakes up goes to the tail

  [[nodiscard]] constexpr auto turns() const noexcept -> turn_times {
    return {slice.count(), switching.count(), keeps_places};
  }
  [[nodiscard]] constexpr auto fault() const noexcept -> model_error {
    if (!detail::is_slice(slice.count())) { return {.fault = model_fault::slice_out_of_range}; }
    const bool good = switching.count() >= 0 && switching.count() <= detail::longest_turn;
    return {.fault = good ? model_fault::none : model_fault::switch_out_of_range};
  }
  template <detail::ChoosesContext S>
  [[nodiscard]] static constexpr auto view(const S& s, const visit_placement& at) -> visit_view {
    visit_view out = detail::time_by_itself(s, at);
    slice_view seen{.context = at.task};
    if (states<kernel_context>(s)) {
      const std::int32_t number = detail::fact_or_none<kernel_context>(s).number;
      if (number < 0 && out.fault == model_fault::none) { out.fault = model_fault::negative_context; }
      if (number >= 0) { seen.context = slice_view::first_named + static_cast<std::uint32_t>(number); }
    }
    if (states<kernel_slice>(s)) {
      seen.slice = detail::fact_or_none<kernel_slice>(s).time.count();
      const bool good = detail::is_slice(seen.slice);
      if (!good && out.fault == model_fault::none) { out.fault = model_fault::slice_out_of_range; }
    }
    out.values = seen.values();
    return out;
  }
  [[nodiscard]] static constexpr auto job_order(std::int32_t /*units*/) noexcept -> by_arrival { return {}; }
  template <std::size_t Capacity>
  [[nodiscard]] constexpr auto make_server(std::int32_t /*units*/) const noexcept -> time_slice_server<Capacity> {
    return time_slice_server<Capacity>{turns()};
  }
};

/// A rule under which contexts take turns as it says by `turns()`.
template <class R>
concept TakesTurns = requires(const R& rule) {
  { rule.turns() } -> std::same_as<turn_times>;
  requires std::same_as<decltype(rule.template make_server<1>(1)), time_slice_server<1>>;
};

[[nodiscard]] constexpr auto time_slices(duration slice, duration switching) noexcept -> time_slice_rule {
  return {slice, switching, false};
}
/// Turns in the order of a runlist, which does not change when contexts sleep and wake up: by task, then by number.
[[nodiscard]] constexpr auto runlist_slices(duration slice, duration switching) noexcept -> time_slice_rule {
  return {slice, switching, true};
}

}  // namespace takt::inline TAKT_ABI
