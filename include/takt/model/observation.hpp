// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI {

/// Says how a simulation or a run ended.
enum class observation_status : std::uint8_t {
  no_miss,        ///< every deadline that passed was met
  missed,         ///< at least one was not
  exceeded,       ///< no deadline was missed, but a response was longer than its bound
  invalid_model,  ///< nothing ran: see `error`
  wrong_device,   ///< nothing ran: the device lacks what the platform names
  wrong_binding,  ///< nothing ran: a binding names nothing of its kind
  no_threads,     ///< nothing ran: the system gave too few threads
  device_failed,  ///< the run ended there, or did not begin; what was seen until then counts
  device_silent,  ///< so did it because a device neither failed nor answered
};

[[nodiscard]] constexpr auto name_of(observation_status s) noexcept -> std::string_view {
  switch (s) {
    case observation_status::no_miss: return "no-miss";
    case observation_status::missed: return "missed";
    case observation_status::exceeded: return "exceeded";
    case observation_status::invalid_model: return "invalid-model";
    case observation_status::wrong_device: return "wrong-device";
    case observation_status::wrong_binding: return "wrong-binding";
    case observation_status::no_threads: return "no-threads";
    case observation_status::device_failed: return "device-failed";
    case observation_status::device_silent: return "device-silent";
  }
  return "";
}

inline constexpr ticks no_instant = -1;

/// Holds what was seen of a task, a graph or an application. Responses are those of completed jobs and count from the
/// release; a miss counts whether or not the job completed. `Text` holds the name.
template <class Number, class Text = std::string_view>
struct observed_task {
  Text name{};
  std::uint64_t released = 0;
  std::uint64_t completed = 0;
  std::uint64_t misses = 0;
  std::uint64_t late = 0;        ///< completed after their deadlines
  std::uint64_t skipped = 0;     ///< released, and dropped: before they began, or abandoned
  std::uint64_t unfinished = 0;  ///< released, and neither completed nor skipped at the end
  Number worst_response{};
  Number best_response{};
  Number total_response{};        ///< stays at the largest value when it would overflow
  ticks first_miss = no_instant;  ///< the first deadline that passed, where the host notes it
  bool has_bound = false;         ///< of a run that was told what to expect
  bool within_bound = true;       ///< no job was above an expected bound, or had not been heard to end by then
  Number bound{};
  std::uint32_t first_visit = 0;  ///< of its worst visit responses
  std::uint32_t visit_count = 0;

  /// Returns the mean response, rounded down; 0 when no job completed.
  [[nodiscard]] constexpr auto mean_response() const -> Number {
    return completed == 0 ? Number{} : Number(total_response / static_cast<Number>(completed));
  }
};

/// Notes that a job completed so long after its release.
template <class Number, class Text>
constexpr void note_completion(observed_task<Number, Text>& t, const Number& response) {
  if (t.completed == 0 || response < t.best_response) { t.best_response = response; }
  if (t.worst_response < response) { t.worst_response = response; }
  if (!add_exactly(t.total_response, response, t.total_response)) {
    if constexpr (number_traits<Number>::integral) { t.total_response = std::numeric_limits<Number>::max(); }
  }
  ++t.completed;
}

/// Notes that a deadline passed while a job had not completed, whether or not it ever does.
template <class Number, class Text>
constexpr void note_miss(observed_task<Number, Text>& t, ticks deadline) noexcept {
  ++t.misses;
  if (t.first_miss == no_instant || deadline < t.first_miss) { t.first_miss = deadline; }
}

/// Holds what a simulation or a run saw. `Tasks` is a list of `observed_task` in the order in which they were given.
/// `Visits` is one of the worst responses of their visits, task after task. A response lasts from the instant at which
/// a visit could start to its end, and is 0 if the visit took no time.
template <class Tasks, class Visits>
struct observation {
  model_error error{};
  observation_status ended = observation_status::no_miss;  ///< what kept it from running, or ended it early
  ticks end = 0;                                           ///< the last instant: the horizon, or what stopped it before
  Tasks tasks{};
  Visits visit_responses{};

  [[nodiscard]] constexpr auto status() const noexcept -> observation_status {
    if (error) { return observation_status::invalid_model; }
    if (ended != observation_status::no_miss) { return ended; }
    if (misses() > 0) { return observation_status::missed; }
    for (const auto& t : tasks) {
      if (!t.within_bound) { return observation_status::exceeded; }
    }
    return observation_status::no_miss;
  }
  [[nodiscard]] constexpr auto misses() const noexcept -> std::uint64_t {
    std::uint64_t n = 0;
    for (const auto& t : tasks) { n += t.misses; }
    return n;
  }
  [[nodiscard]] constexpr auto completed() const noexcept -> std::uint64_t {
    std::uint64_t n = 0;
    for (const auto& t : tasks) { n += t.completed; }
    return n;
  }
  [[nodiscard]] constexpr auto visit_response(std::size_t task, std::size_t position) const noexcept -> const auto& {
    return visit_responses[tasks[task].first_visit + position];
  }
};

}  // namespace takt::inline TAKT_ABI
