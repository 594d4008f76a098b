// SPDX-License-Identifier: Apache-2.0
// Jobs through the rule of the block queue, in whole time units, with the work that is left at every event.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/model/block_kernel.hpp>
#include <takt/rules/block_queue.hpp>
#include "support/environment.hpp"

namespace block_tests {

using takt::block_gpu;
using takt::block_placement;
using takt::ticks;

struct job {
  ticks enqueue = 0;
  std::int64_t threads = 1;
  std::int64_t blocks = 1;
  ticks length = 1;
  std::int32_t task = 0;
  std::int64_t shared_memory = 0;
};

struct run {
  std::vector<ticks> responses;      ///< from the enqueue, in the order of the jobs
  std::int64_t most_at_enqueue = 0;  ///< work left, thread times time
  std::int64_t most_not_busy = 0;    ///< the same where some SM has room for the largest block
  bool one_of_two = true;            ///< every instant was busy or not, as Definition 3 says
};

struct run_options {
  block_gpu gpu{};
  block_placement placement = block_placement::even;
  bool stream_per_task = false;
};

namespace detail {

using queue_type = takt::block_queue<512, 4, 8>;

struct running_block {
  ticks end = 0;
  std::int32_t kernel = 0;
  std::int32_t sm = 0;
  std::int64_t threads = 0;
};

[[nodiscard]] inline auto limit_of(std::int64_t amount) -> std::int64_t {
  return amount == 0 ? takt::sm_capacity::unlimited : amount;
}

}  // namespace detail

/// Pre: jobs in the order of their enqueues.
[[nodiscard]] inline auto dispatch_all(const std::vector<job>& jobs, const run_options& o) -> run {
  run out;
  out.responses.assign(jobs.size(), -1);
  auto queue = std::make_unique<detail::queue_type>(
      o.gpu.sms,
      takt::sm_capacity{o.gpu.threads_per_sm, detail::limit_of(o.gpu.block_slots),
                        detail::limit_of(o.gpu.shared_memory), detail::limit_of(o.gpu.registers)},
      o.placement);
  std::vector<std::size_t> job_of(512);
  std::vector<std::int64_t> unstarted(jobs.size(), 0);
  std::vector<detail::running_block> running;
  std::int64_t largest = 0;
  std::int64_t unit = o.gpu.threads_per_sm;
  for (const job& j : jobs) {
    largest = std::max(largest, j.threads);
    unit = takt::greatest_common_divisor(unit, j.threads);
  }
  std::size_t next = 0;
  std::size_t finished = 0;
  ticks now = jobs.empty() ? 0 : jobs.front().enqueue;
  while (finished < jobs.size()) {
    for (std::size_t i = 0; i < running.size();) {
      if (running[i].end > now) {
        ++i;
        continue;
      }
      const auto ended = running[i];
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      if (queue->complete(ended.kernel, ended.sm)) {
        const std::size_t j = job_of[static_cast<std::size_t>(ended.kernel)];
        out.responses[j] = now - jobs[j].enqueue;
        ++finished;
      }
    }
    bool enqueued = false;
    for (; next < jobs.size() && jobs[next].enqueue <= now; ++next) {
      const job& j = jobs[next];
      const auto number = queue->enqueue({.block = {.threads = j.threads, .shared_memory = j.shared_memory},
                                          .blocks = j.blocks,
                                          .stream = o.stream_per_task ? j.task : takt::own_stream});
      if (number == takt::no_queued_kernel) { std::abort(); }
      job_of[static_cast<std::size_t>(number)] = next;
      unstarted[next] = j.blocks;
      enqueued = true;
    }
    for (auto start = queue->dispatch(); start.kernel != takt::no_queued_kernel; start = queue->dispatch()) {
      const std::size_t j = job_of[static_cast<std::size_t>(start.kernel)];
      running.push_back({now + jobs[j].length, start.kernel, start.sm, jobs[j].threads});
      --unstarted[j];
    }
    std::int64_t left = 0;
    for (std::size_t j = 0; j < next; ++j) { left += unstarted[j] * jobs[j].threads * jobs[j].length; }
    for (const auto& b : running) { left += (b.end - now) * b.threads; }
    std::int64_t most_idle = 0;
    for (std::int32_t sm = 0; sm < o.gpu.sms; ++sm) { most_idle = std::max(most_idle, queue->idle(sm).threads); }
    const bool busy = most_idle <= largest - unit;
    out.one_of_two = out.one_of_two && busy != (most_idle >= largest);
    if (enqueued) { out.most_at_enqueue = std::max(out.most_at_enqueue, left); }
    if (!busy) { out.most_not_busy = std::max(out.most_not_busy, left); }
    ticks soonest = next < jobs.size() ? jobs[next].enqueue : std::numeric_limits<ticks>::max();
    for (const auto& b : running) { soonest = std::min(soonest, b.end); }
    now = soonest;
  }
  return out;
}

/// The first `count` jobs of a task.
[[nodiscard]] inline auto responses_of(const std::vector<job>& jobs, const run& r, std::int32_t task, std::size_t count)
    -> std::vector<ticks> {
  std::vector<ticks> out;
  for (std::size_t j = 0; j < jobs.size() && out.size() < count; ++j) {
    if (jobs[j].task == task) { out.push_back(r.responses[j]); }
  }
  return out;
}

/// Periodic jobs up to a last release, by release and then by task. Times are multiplied by `scale`.
template <class Table>
[[nodiscard]] auto periodic_jobs(const Table& table, const std::array<takt::rational, 3>& first, std::int64_t scale,
                                 std::int64_t last) -> std::vector<job> {
  std::vector<job> jobs;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& k = table.tasks[i];
    const auto whole = [&](const takt::rational& t) { return (t * takt::rational{scale}).numerator(); };
    for (ticks at = whole(first[i]); at <= last * scale; at += whole(k.period)) {
      jobs.push_back({at, k.threads, k.blocks, whole(k.length), static_cast<std::int32_t>(i)});
    }
  }
  std::sort(jobs.begin(), jobs.end(), [](const job& a, const job& b) {
    return a.enqueue != b.enqueue ? a.enqueue < b.enqueue : a.task < b.task;
  });
  return jobs;
}

[[nodiscard]] inline auto asked(const char* name, std::uint64_t otherwise) -> std::uint64_t {
  return takt_tests::from_environment(name, otherwise);
}

}  // namespace block_tests
