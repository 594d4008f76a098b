// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/checked.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/rules/shares/co_run_predictor.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Returns the least share with which a job, or what remains of it, meets its deadline; 101 if none. `calls` counts
/// predictions. The search bisects where the predictor promises that times fall with the own share.
template <CoRunPredictor Predictor, class Time, class Fits>
[[nodiscard]] constexpr auto least_predicted_share(const Time& time_with, const Fits& fits, std::uint32_t& calls)
    -> share_need {
  const auto suffices = [&](share own) {
    ++calls;
    return fits(usable_time(time_with(own)));
  };
  if constexpr (falls_with_share<Predictor>) {
    return least_sufficient_share(suffices);
  } else {
    return first_sufficient_share(suffices);
  }
}

}  // namespace detail

/// Holds what a job needs whatever the other applications of the set do, and how long it then takes at most.
struct lasting_need {
  share_need need = no_share_suffices;
  ticks time = unbounded_time;  ///< with the need, or with the whole GPU if there is none
};

namespace detail {

/// Returns the least share with which a whole job of a task that starts so late meets its deadline. All others are
/// active and hold all that is left. None for a delay below 0. Pre: task < table.size().
template <std::size_t MaxTasks, WorstLoadPredictor Predictor>
[[nodiscard]] constexpr auto need_under_full_load(const application_set<MaxTasks>& table, const Predictor& predictor,
                                                  std::size_t task, ticks actuation = 0) -> lasting_need {
  TAKT_EXPECTS(task < table.size());
  inline_vector<co_runner, MaxTasks> others;  // Bound: one per application.
  for (std::uint32_t k = 0; k < table.size(); ++k) {
    if (k != task) { others.unchecked_push_back({.task = k}); }
  }
  const std::span<const co_runner> load{others.data(), others.size()};
  std::uint32_t calls = 0;
  const auto time_with = [&](share own) { return predictor.predict_worst(task, own, load); };
  lasting_need out;
  ticks limit = 0;
  if (actuation < 0 || !checked_subtract(table.tasks[task].deadline, actuation, limit)) { return out; }
  out.need = least_predicted_share<Predictor>(
      time_with, [&](ticks time) { return time != unbounded_time && time <= limit; }, calls);
  out.time = usable_time(time_with(share::bounded(out.need)));
  return out;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
