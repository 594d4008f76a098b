// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/host/engine.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/executor/lanes.hpp>
#include <takt/runtime/executor/live_choices.hpp>
#include <takt/runtime/executor/visit_thread.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/thread.hpp>
#include <takt/runtime/timed_condition.hpp>

namespace takt::runtime {

/// Lets the engine of jobs live in real time. Visits of processors are errands of threads, which have a processor when
/// the rule's server gives them one; all others take their time on the clock. Whatever happens by itself happens at its
/// own instant, even if the thread that notices it wakes later.
template <class Stations, std::size_t N, std::size_t V>
class executor {
 public:
  using engine_type = host::engine<Stations, N, V, live_choices>;
  using code = std::function<void(std::uint64_t)>;

  /// `codes[visit]` may be null. Pre: all outlive it.
  executor(const visit_table<N, V>& table, const Stations& stations, live_choices& choices, const lane_plan& lanes,
           std::vector<const code*> codes, std::span<const ticks> offsets, std::span<const ticks> local_deadlines)
      : table_{&table},
        stations_{&stations},
        choices_{&choices},
        lanes_{&lanes},
        codes_{std::move(codes)},
        engine_{std::make_unique<engine_type>(table, stations, choices, offsets, local_deadlines)},
        served_(lanes.lanes.size(), nobody),
        assigned_(lanes.lanes.size(), nobody),
        wanted_(lanes.lanes.size(), nobody) {
    for (std::size_t l = 0; l < lanes.lanes.size(); ++l) {
      threads_.push_back(std::make_unique<visit_thread>([this](std::uint32_t v) { ended(v); }, stop_));
    }
  }
  executor(const executor&) = delete;
  auto operator=(const executor&) -> executor& = delete;
  /// Waits for code that is under way.
  ~executor() { close(); }

  [[nodiscard]] auto complete() const -> bool {
    return std::ranges::all_of(threads_, [](const auto& t) { return t->started(); });
  }
  [[nodiscard]] auto handle(std::size_t l) const -> pthread_t { return threads_[l]->handle(); }
  /// From now on threads with code have this SCHED_FIFO priority while they have a processor, and one less else.
  void raise(int priority) noexcept { priority_ = priority; }

  /// Runs from `start` on, an instant of the clock, for `length`, or until the options or a violation end it. Pre:
  /// complete; nothing has run before.
  void run(ticks start, ticks length, const run_options& options, const slice_sink& sink) {
    std::unique_lock lock{mutex_};
    start_ = start;
    length_ = length;
    stop_ = later(start, length);
    const bool is_watched = options.stop != nullptr || options.stop_when_idle != nullptr;
    engine_->begin(sink);
    for (ticks time = 0; time < length_; time = now() - start_) {
      const ticks next = std::min(next_instant(), length_);
      const ticks look = is_watched ? std::min(next, now() - start_ + stop_poll) : next;
      planned_ = next;
      changed_.wait_until(lock, later(start_, look), [&] { return planned_ < next; });
      const ticks reached = std::min(now() - start_, length_ - 1);
      advance(reached);
      dispatch();
      const bool is_paused = is_set(options.stop_when_idle) && choices_->is_idle(reached);
      if (choices_->is_over() || is_paused || is_set(options.stop)) { length_ = reached + 1; }
    }
    over_ = true;
    stop_ = later(start_, length_);
    released_ = counts();
    for (std::uint32_t i = 0; i < table_->size(); ++i) {
      const auto& row = engine_->seen().tasks[i];
      if (row.completed < row.released) { choices_->leave(i, row.completed, released_[i] - row.released, length_); }
    }
  }
  /// Ends the threads, behind the code that they are in.
  void close() {
    for (const auto& t : threads_) { t->close(); }
  }
  /// Jobs of a task that were released before the end. Pre: the run is over, as below.
  /// When it ended. Pre: as above.
  [[nodiscard]] auto end() const noexcept -> ticks { return length_; }
  [[nodiscard]] auto released(std::size_t task) const -> std::uint64_t { return released_[task]; }
  [[nodiscard]] auto seen() const -> const typename engine_type::result& { return engine_->seen(); }

 private:
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

  /// Those that wait behind a job under way among them.
  [[nodiscard]] auto counts() const -> std::vector<std::uint64_t> {
    std::vector<std::uint64_t> out;
    for (std::uint32_t i = 0; i < table_->size(); ++i) {
      const auto& row = engine_->seen().tasks[i];
      const ticks since = length_ - 1 - choices_->nominal(i);
      const bool is_late = row.completed < row.released && since > 0;
      out.push_back(row.released + (is_late ? static_cast<std::uint64_t>(since / table_->tasks[i].period) : 0));
    }
    return out;
  }

  /// When something happens by itself, or has taken too long.
  [[nodiscard]] auto next_instant() const -> ticks {
    return choices_->is_over() ? 0 : std::min(engine_->next_instant(), choices_->next_limit());
  }
  /// All that happens by itself up to an instant, the next first.
  void advance(ticks time) {
    for (ticks next = engine_->next_instant(); next <= time; next = engine_->next_instant()) { step(next); }
    choices_->notice(time);
  }
  void step(ticks time) {
    choices_->be_at(time);
    engine_->step(time);
  }

  /// An errand is done, says its thread.
  void ended(std::uint32_t visit) {
    const std::lock_guard lock{mutex_};
    const ticks time = now() - start_;
    if (over_ || time >= length_) { return; }
    advance(time);
    const std::uint32_t l = lanes_->of_visit[visit];
    served_[l] = assigned_[l] = nobody;
    engine_->end(visit);
    step(time);
    dispatch();
    if (const ticks next = next_instant(); next < planned_) {
      planned_ = next;
      changed_.notify_all();
    }
  }

  /// Threads that have processors go on, all others wait.
  void dispatch() {
    std::ranges::fill(wanted_, nobody);
    const holder_sink sink{this, [](void* self, client who, std::int32_t /*unit*/) {
                             auto& e = *static_cast<executor*>(self);
                             const std::uint32_t l = e.lanes_->of_visit[who];
                             if (l != no_lane) { e.wanted_[l] = who; }
                           }};
    for (std::size_t s = 0; s < stations_->size(); ++s) {
      if (stations_->serves_bodies(s)) { engine_->holders(s, sink); }
    }
    for (std::size_t l = 0; l < threads_.size(); ++l) {
      if (served_[l] != nobody && wanted_[l] != served_[l]) { let(l, served_[l], false); }
    }
    for (std::size_t l = 0; l < threads_.size(); ++l) {
      const std::uint32_t v = wanted_[l];
      const bool is_new = v != nobody && served_[l] != v;
      served_[l] = v;
      if (!is_new) { continue; }
      if (assigned_[l] != v) {
        assigned_[l] = v;
        threads_[l]->assign({v, choices_->job_of(v), choices_->length_of(v), codes_[v]});
      }
      let(l, v, true);
    }
  }
  void let(std::size_t l, std::uint32_t v, bool run) {
    if (priority_ > 0 && codes_[v] != nullptr) {
      (void)schedule(threads_[l]->handle(), run ? priority_ : priority_ - 1);
    }
    threads_[l]->let(run);
  }

  const visit_table<N, V>* table_;
  const Stations* stations_;
  live_choices* choices_;
  const lane_plan* lanes_;
  std::vector<const code*> codes_;
  std::unique_ptr<engine_type> engine_;
  inheriting_mutex mutex_;
  timed_condition changed_;
  ticks start_ = 0;
  ticks length_ = 0;
  ticks planned_ = 0;
  bool over_ = false;
  std::vector<std::uint64_t> released_;
  int priority_ = 0;
  std::atomic<ticks> stop_ = std::numeric_limits<ticks>::max();
  std::vector<std::uint32_t> served_;    ///< which visit of a lane has a processor
  std::vector<std::uint32_t> assigned_;  ///< and which one its thread is about
  std::vector<std::uint32_t> wanted_;
  std::vector<std::unique_ptr<visit_thread>> threads_;
};

}  // namespace takt::runtime
