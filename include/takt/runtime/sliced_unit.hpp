// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/rules/servers/context_server.hpp>
#include <takt/rules/time_slices.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/timed_condition.hpp>
#include <takt/runtime/unit_thread.hpp>

namespace takt::runtime {

/// When a context had the unit.
struct served_time {
  ticks from = 0;
  ticks to = 0;
};

/// A thread that stands for a GPU whose contexts take turns: it drives the server of the rule by the clock. Arrivals
/// and ends of slices count from the instants at which they happen, however late the thread wakes up for them.
class sliced_unit : public unit_thread<timed_condition> {
 public:
  static constexpr std::size_t max_contexts = 64;

  /// Pre: slice >= 1, switching >= 0.
  explicit sliced_unit(const turn_times& turns) : turns_{turns}, server_{turns} {
    arrivals_.reserve(max_contexts);
    ended_.reserve(max_contexts);
    for (context_state& c : contexts_) { c.served.reserve(served_reserve); }
    start([this] { serve(); });
  }
  sliced_unit(const sliced_unit&) = delete;
  auto operator=(const sliced_unit&) -> sliced_unit& = delete;
  ~sliced_unit() { stop(); }

  /// Work of a context, which is over at the instant `until` whether done or not; everything else is, too, then.
  /// Pre: `context` is below `max_contexts` and has nothing under way.
  void submit(std::uint32_t context, ticks length, ticks until, completion done) {
    const std::lock_guard lock{mutex_};
    arrivals_.push_back({context, length, until, done, now()});
    changed_.notify_all();
  }
  /// When the context was served for what it submitted last. Pre: that is done, and asked from its completion.
  [[nodiscard]] auto served(std::uint32_t context) const noexcept -> std::span<const served_time> {
    return contexts_[context].served;
  }

 private:
  using server = time_slice_server<max_contexts>;
  static constexpr std::size_t served_reserve = 256;
  /// The longest sleep, since clocks do not take the last instant there is.
  static constexpr ticks nap = 1'000'000'000;

  struct arrival {
    std::uint32_t context = 0;
    ticks length = 0;
    ticks until = 0;
    completion done;
    ticks at = 0;
  };
  struct context_state {
    completion done;
    bool pending = false;
    std::vector<served_time> served;
  };

  void serve() {
    std::unique_lock lock{mutex_};
    for (;;) {
      const ticks wake = std::min({server_.next(), cut_, now() + nap});
      changed_.wait_until(lock, wake, [this] { return closing_ || !arrivals_.empty(); });
      for (const arrival& a : arrivals_) {
        advance(a.at);
        accept(a);
      }
      arrivals_.clear();
      const ticks time = now();
      advance(time);
      if (cut_ <= time) { cut(); }
      if (closing_ && ended_.empty()) { return; }
      lock.unlock();
      for (const completion& done : ended_) { done(); }
      ended_.clear();
      lock.lock();
    }
  }

  void accept(const arrival& a) {
    context_state& c = contexts_[a.context];
    c.served.clear();
    if (a.length <= 0) { return ended_.push_back(a.done); }
    c.done = a.done;
    c.pending = true;
    cut_ = std::min(cut_, a.until);
    server_.arrive({.who = a.context, .context = a.context, .length = a.length, .wcet = a.length});
    server_.decide(a.at, sink());
  }
  void advance(ticks time) {
    while (server_.next() <= time) {
      const ticks at = server_.next();
      while (server_.next() <= at) {
        const client who = server_.fire(at, sink());
        if (who == no_client) { break; }
        end(contexts_[who]);
      }
      server_.decide(at, sink());
    }
  }
  void end(context_state& c) {
    c.pending = false;
    ended_.push_back(c.done);
    if (std::ranges::none_of(contexts_, &context_state::pending)) { cut_ = no_event; }
  }
  void cut() {
    for (context_state& c : contexts_) {
      if (c.pending) { end(c); }
    }
    server_ = server{turns_};
  }

  [[nodiscard]] auto sink() noexcept -> slice_sink {
    return {this, [](void* self, client who, std::int32_t /*unit*/, ticks from, ticks to) {
              static_cast<sliced_unit*>(self)->contexts_[who].served.push_back({from, to});
            }};
  }

  turn_times turns_;
  server server_;
  std::array<context_state, max_contexts> contexts_{};
  std::vector<arrival> arrivals_;
  std::vector<completion> ended_;
  ticks cut_ = no_event;
};

}  // namespace takt::runtime
