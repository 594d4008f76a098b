// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/unit_thread.hpp>

namespace takt::runtime {

/// A thread that stands for one unit of a device, a copy engine or an SM range: it performs what is submitted one
/// after another, in the order of submission, and announces the end of each.
///
/// `perform(body, begin)` gets the instant at which an ideal unit would have begun, so that the time that the thread
/// takes to wake up does not add to the length of timed operations.
template <class Body>
class serial_unit : public unit_thread<condition> {
 public:
  explicit serial_unit(std::function<void(const Body&, ticks begin)> perform) : perform_{std::move(perform)} {
    queue_.reserve(queue_reserve);
    start([this] { serve(); });
  }
  serial_unit(const serial_unit&) = delete;
  auto operator=(const serial_unit&) -> serial_unit& = delete;
  ~serial_unit() { stop(); }

  /// Pre: the body lives until `done` has been called.
  void submit(const Body& body, completion done) {
    const std::lock_guard lock{mutex_};
    queue_.push_back({&body, done, now()});
    changed_.notify_all();
  }

 private:
  static constexpr std::size_t queue_reserve = 64;

  struct operation {
    const Body* body;
    completion done;
    ticks submitted = 0;
  };

  void serve() {
    ticks free_since = 0;
    std::unique_lock lock{mutex_};
    for (;;) {
      changed_.wait(lock, [this] { return closing_ || !queue_.empty(); });
      if (queue_.empty()) { return; }
      const operation next = queue_.front();
      queue_.erase(queue_.begin());
      lock.unlock();
      perform_(*next.body, std::max(next.submitted, free_since));
      free_since = now();
      next.done();
      lock.lock();
    }
  }

  std::function<void(const Body&, ticks)> perform_;
  std::vector<operation> queue_;
};

}  // namespace takt::runtime
