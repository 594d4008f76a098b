// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/runtime/inheriting_mutex.hpp>

namespace takt::runtime {

/// Job j of `to` starts after the end of job j - `lag` of `from`: a token from a producer, with its history as `lag`,
/// or, with the places of a channel as `lag`, its consumer's leave to overwrite one.
struct job_wait {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t lag = 0;
};

/// What happens to a job that nothing holds back any more.
enum class job_entry : std::uint8_t {
  worker,  ///< a thread waits for it
  notice,  ///< somebody is told
  none,    ///< it is over at once
};

struct flow_node {
  std::int64_t instances = 1;  ///< jobs under way at a time; job j is of instance j mod `instances`
  job_entry entry = job_entry::worker;
};

struct ready_job {
  std::int64_t number = 0;
  ticks since = 0;  ///< the time of the end that it waited for last
};

/// Lets the jobs of the nodes of one graph start, each when all that it waits for has ended, and tells each of the
/// threads that wait of its own job alone. Jobs of one node may start and end in any order within its instances.
///
/// Pre: no cycle of waits has a lag of 0 in sum. Cost of an end: the waits of the node, times those of the nodes behind
/// them; no heap.
class job_flow {
 public:
  /// Called with the flow's lock held: it must not call back.
  using notice = std::function<void(std::uint32_t node, const ready_job& job)>;

  job_flow(const std::vector<flow_node>& nodes, const std::vector<job_wait>& waits, notice tell)
      : tell_{std::move(tell)}, waits_{waits} {
    std::size_t slots = 0;
    for (const flow_node& n : nodes) {
      node& own = nodes_.emplace_back();
      own.entry = n.entry;
      slots += static_cast<std::size_t>(n.instances);
      for (std::int64_t i = 0; i < n.instances; ++i) {
        own.slots.push_back(std::make_unique<slot>());
        own.slots.back()->next = i;
      }
    }
    for (std::uint32_t w = 0; w < waits_.size(); ++w) {
      nodes_[waits_[w].to].before.push_back(w);
      nodes_[waits_[w].from].after.push_back(w);
    }
    ending_.reserve(slots);
  }

  /// Lets the jobs go that wait for nothing. Once, before anything else.
  void begin(ticks time) {
    const std::lock_guard lock{mutex_};
    for (std::uint32_t v = 0; v < nodes_.size(); ++v) {
      for (const auto& s : nodes_[v].slots) { try_start(v, s->next, time); }
    }
    end_all(time);
  }

  /// The next job of an instance, suspended until it may start. Nothing after `stop`. Pre: the job before, if any, has
  /// been ended.
  [[nodiscard]] auto wait(std::uint32_t v, std::int64_t instance) -> std::optional<ready_job> {
    std::unique_lock lock{mutex_};
    slot& s = *nodes_[v].slots[static_cast<std::size_t>(instance)];
    s.woken.wait(lock, [&] { return stopped_ || s.started; });
    if (!s.started) { return {}; }
    return ready_job{s.next, s.since};
  }
  /// Whether `wait` would return a job at once.
  [[nodiscard]] auto is_ready(std::uint32_t v, std::int64_t instance) -> bool {
    const std::lock_guard lock{mutex_};
    return nodes_[v].slots[static_cast<std::size_t>(instance)]->started;
  }

  /// A job is over. Pre: it was started.
  void end(std::uint32_t v, std::int64_t job, ticks time) {
    const std::lock_guard lock{mutex_};
    ending_.emplace_back(v, job);
    end_all(time);
  }
  void stop() {
    const std::lock_guard lock{mutex_};
    stopped_ = true;
    for (const node& n : nodes_) {
      for (const auto& s : n.slots) { s->woken.notify_all(); }
    }
  }

 private:
  struct slot {
    std::int64_t next = 0;  ///< its jobs before are over
    bool started = false;
    ticks since = 0;
    condition woken;
  };
  struct node {
    job_entry entry = job_entry::worker;
    std::vector<std::unique_ptr<slot>> slots;
    std::vector<std::uint32_t> before;
    std::vector<std::uint32_t> after;

    [[nodiscard]] auto slot_of(std::int64_t job) const -> slot& {
      return *slots[static_cast<std::size_t>(job) % slots.size()];
    }
  };

  [[nodiscard]] auto is_over(std::uint32_t v, std::int64_t job) const -> bool {
    return job < 0 || nodes_[v].slot_of(job).next > job;
  }
  void try_start(std::uint32_t v, std::int64_t job, ticks time) {
    const node& n = nodes_[v];
    slot& s = n.slot_of(job);
    if (s.next != job || s.started) { return; }
    for (const std::uint32_t w : n.before) {
      if (!is_over(waits_[w].from, job - waits_[w].lag)) { return; }
    }
    s.started = true;
    s.since = time;
    switch (n.entry) {
      case job_entry::worker: s.woken.notify_all(); break;
      case job_entry::notice: tell_(v, {job, time}); break;
      case job_entry::none: ending_.emplace_back(v, job); break;
    }
  }
  void end_all(ticks time) {
    while (!ending_.empty()) {
      const auto [v, job] = ending_.back();
      ending_.pop_back();
      const node& n = nodes_[v];
      slot& s = n.slot_of(job);
      s.started = false;
      s.next = job + static_cast<std::int64_t>(n.slots.size());
      try_start(v, s.next, time);
      for (const std::uint32_t w : n.after) { try_start(waits_[w].to, job + waits_[w].lag, time); }
    }
  }

  notice tell_;
  std::vector<job_wait> waits_;
  std::vector<node> nodes_;
  std::vector<std::pair<std::uint32_t, std::int64_t>> ending_;
  inheriting_mutex mutex_;
  bool stopped_ = false;
};

}  // namespace takt::runtime
