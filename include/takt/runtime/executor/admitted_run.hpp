// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/observation.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/executor/run.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_result.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Runs the set of an `admission` while tasks come and go. The thread that makes a request judges it. What is granted
/// comes into force at the next instant at which no job is under way. Then a new round begins, under the new plan, and
/// all tasks are released.
template <class Admission>
class admitted_run {
 public:
  using tasks_type = typename Admission::tasks_type;
  using judged = typename Admission::judged;
  using answer = typename Admission::answer;

  /// The tasks of a round, and what was seen of them.
  struct round {
    tasks_type tasks{};
    run_result seen{};
  };

  explicit admitted_run(Admission door) : door_{std::move(door)} {}
  admitted_run(const admitted_run&) = delete;
  auto operator=(const admitted_run&) -> admitted_run& = delete;

  /// Works as the same function of the admission. Any thread may call it, whether or not there is a run.
  template <class More>
  [[nodiscard]] auto join(const More& more) -> answer {
    const std::lock_guard lock{mutex_};
    return told(door_.join(more));
  }
  [[nodiscard]] auto leave(std::string_view name) -> answer {
    const std::lock_guard lock{mutex_};
    return told(door_.leave(name));
  }

  /// Runs until `options.length` has passed since the start or `options.stop` is set; without tasks, it waits.
  /// `board_of(judged)` is the board that was judged, `codes_of(tasks)` the code of a round. Expected is what is
  /// proven. A round that is refused is the last. Error: options that expect, or watch, or wait for jobs by themselves:
  /// positions of tasks change. One run at a time.
  template <class BoardOf, class CodesOf>
  [[nodiscard]] auto run(const run_options& options, const BoardOf& board_of, const CodesOf& codes_of)
      -> std::vector<round> {
    std::vector<round> out;
    if (!options.expected.empty() || options.watch != nullptr || options.stop_when_idle != nullptr) {
      out.emplace_back().seen.ended = observation_status::wrong_binding;
      return out;
    }
    run_options each = options;
    each.stop_when_idle = &changed_;
    const ticks end = later(now(), options.length.count());
    bool goes_on = true;
    while (goes_on && now() < end && !is_set(options.stop)) {
      const auto now_in = std::make_unique<judged>(begin_round(out));
      round& last = out.back();
      if (last.tasks.size() == 0) {
        out.pop_back();
        sleep_until(std::min(end, now() + detail::stop_poll));
        continue;
      }
      each.length = duration{end - now()};
      each.expected = expect(now_in->verdict);
      last.seen = runtime::run(board_of(*now_in), last.tasks, now_in->verdict.plan, each, codes_of(last.tasks));
      const bool ran = !last.seen.error && last.seen.ended == observation_status::no_miss;
      goes_on = ran && !(ends_run(options.at_violation) && last.seen.first_violation);
    }
    return out;
  }

 private:
  auto told(answer a) -> answer {
    if (a.granted) { changed_ = true; }
    return a;
  }
  [[nodiscard]] auto begin_round(std::vector<round>& out) -> judged {
    const std::lock_guard lock{mutex_};
    changed_ = false;
    out.emplace_back().tasks = door_.tasks();
    return door_.proven();
  }

  std::mutex mutex_;
  Admission door_;
  std::atomic<bool> changed_ = false;
};

}  // namespace takt::inline TAKT_ABI::runtime
