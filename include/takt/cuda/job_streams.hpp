// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/stream.hpp>
#include <takt/rules/guarded_enqueue.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/inheriting_mutex.hpp>

namespace takt::inline TAKT_ABI::cuda {

/// Returns how many streams jobs of a node need so that no two use one at once. Pre: period >= 1, response >= 0.
[[nodiscard]] constexpr auto streams_for(ticks response, ticks period) noexcept -> std::size_t {
  TAKT_EXPECTS(period >= 1 && response >= 0);
  const ticks needed = response / period + (response % period > 0 ? 1 : 0);
  return static_cast<std::size_t>(needed > 0 ? needed : 1);
}

/// Runs a node's kernels, each job in a stream of its own. Two jobs in one stream would run one after the other, but
/// the analysis assumes a GPU that takes any kernel with free blocks. Jobs enter in order and at least the separation
/// apart. Any thread may call it, for different jobs at once. Source: Yang et al. 2018, section 4.2.
template <CudaDriver D, std::size_t Window>
class job_streams {
 public:
  /// Where the device is partitioned, `c` is its `beside` or a part's `place`. Pre: the context outlives it; 1 <=
  /// streams; separation >= 0. Error: `cuda_error`.
  job_streams(const context_ref<D>& c, std::size_t streams, ticks separation, wait_method how = wait_method::marks,
              std::int32_t priority = 0)
      : gate_{separation}, used_(streams, false) {
    TAKT_EXPECTS(1 <= streams && separation >= 0);
    for (std::size_t i = 0; i < streams; ++i) { streams_.emplace_back(c, how, priority); }
  }

  /// Waits for the job's turn, lets `enqueue(driver, stream)` launch it, and waits until it has ended; all suspended.
  /// Returns false when the job ran before or is too far ahead. A job that the driver refuses has had its turn all the
  /// same. It is kept apart from the one before, but for that no later than its nominal `release`, on the clock of
  /// `runtime::now`: see `guarded_enqueue`. Error: `cuda_error`.
  template <class Enqueue>
  [[nodiscard]] auto run(std::int64_t job, ticks release, Enqueue enqueue) -> bool {
    std::unique_lock lock{mutex_};
    if (!gate_.ready(job, release)) { return false; }
    const std::size_t own = static_cast<std::size_t>(job) % streams_.size();
    const auto first = [&] { return gate_.next() == job && !used_[own]; };
    changed_.wait(lock, first);
    while (!gate_.may_enter(runtime::now())) {
      changed_.wait_until(lock, gate_.earliest(), [] { return false; });
    }
    used_[own] = true;
    turn current{*this, lock, job, own};
    streams_[own].run("launch", [&](D& d, stream_handle s) {
      const result r = enqueue(d, s);
      current.enter();
      return r;
    });
    return true;
  }
  /// Runs a job without a nominal release. The separation is always kept: a lag then ends only where jobs come further
  /// apart.
  template <class Enqueue>
  [[nodiscard]] auto run(std::int64_t job, Enqueue enqueue) -> bool {
    return run(job, no_event, std::move(enqueue));
  }
  /// Returns the instant at which a job has entered; for the last `Window` of them.
  [[nodiscard]] auto entered(std::int64_t job) const -> ticks {
    const std::lock_guard lock{mutex_};
    return times_[static_cast<std::size_t>(job) % Window];
  }
  [[nodiscard]] auto stream_of(std::int64_t job) const -> stream_handle {
    return streams_[static_cast<std::size_t>(job) % streams_.size()].get();
  }

 private:
  /// Keeps a job's stream, and holds the next job back until this one has entered. The lock is open meanwhile.
  class turn {
   public:
    turn(job_streams& of, std::unique_lock<runtime::inheriting_mutex>& lock, std::int64_t job, std::size_t own)
        : of_{&of}, lock_{&lock}, job_{job}, own_{own} {
      lock.unlock();
    }
    turn(const turn&) = delete;
    auto operator=(const turn&) -> turn& = delete;
    ~turn() {
      lock_->lock();
      note_entry();
      of_->used_[own_] = false;
      of_->changed_.notify_all();
    }

    /// Counts from the end of the call that launches, so that kernels are apart even when one call takes longer.
    void enter() {
      const std::lock_guard again{of_->mutex_};
      note_entry();
      of_->changed_.notify_all();
    }

   private:
    void note_entry() {
      if (entered_) { return; }
      entered_ = true;
      const ticks time = runtime::now();
      of_->times_[static_cast<std::size_t>(job_) % Window] = time;
      (void)of_->gate_.enter(time);
    }

    job_streams* of_;
    std::unique_lock<runtime::inheriting_mutex>* lock_;
    std::int64_t job_;
    std::size_t own_;
    bool entered_ = false;
  };

  mutable runtime::inheriting_mutex mutex_;
  runtime::condition changed_;
  guarded_enqueue<ticks, Window> gate_;
  std::array<ticks, Window> times_{};
  std::vector<bool> used_;
  std::vector<thread_stream<D>> streams_;
};

}  // namespace takt::inline TAKT_ABI::cuda
