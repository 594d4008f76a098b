// SPDX-License-Identifier: Apache-2.0
// What takt's locks cost beside what would be used instead: acquire and release without contention, and the hand-over
// to a suspended thread. A second thread is alive throughout, or else the C library leaves out its atomic instructions.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <vector>

#include <pthread.h>
#include <semaphore.h>

#include <benchmark/benchmark.h>

#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/priority_mutex.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/locking/protocol_lock.hpp>

namespace {

constexpr std::size_t threads = 64;

/// What one writes by hand for first-in-first-out k-exclusion.
template <int Units>
class queue_of_conditions {
 public:
  void lock() {
    std::unique_lock lock{mutex_};
    if (free_ > 0 && waiting_.empty()) {
      --free_;
      return;
    }
    std::condition_variable mine;
    waiting_.push_back(&mine);
    mine.wait(lock, [&] { return free_ > 0 && waiting_.front() == &mine; });
    waiting_.pop_front();
    --free_;
    if (free_ > 0 && !waiting_.empty()) { waiting_.front()->notify_one(); }
  }
  void unlock() {
    const std::lock_guard lock{mutex_};
    ++free_;
    if (!waiting_.empty()) { waiting_.front()->notify_one(); }
  }

 private:
  std::mutex mutex_;
  std::deque<std::condition_variable*> waiting_;
  int free_ = Units;
};

template <int Units>
class semaphore {
 public:
  void lock() { semaphore_.acquire(); }
  void unlock() { semaphore_.release(); }

 private:
  std::counting_semaphore<threads> semaphore_{Units};
};

template <unsigned Units>
class posix_semaphore {
 public:
  posix_semaphore() { sem_init(&semaphore_, 0, Units); }
  posix_semaphore(const posix_semaphore&) = delete;
  auto operator=(const posix_semaphore&) -> posix_semaphore& = delete;
  ~posix_semaphore() { sem_destroy(&semaphore_); }
  void lock() { sem_wait(&semaphore_); }
  void unlock() { sem_post(&semaphore_); }

 private:
  sem_t semaphore_{};
};

/// takt's locks through guards, as they are meant to be used.
template <class Protocol>
class guarded {
 public:
  void lock() { held_ = lock_.acquire(); }
  void unlock() { held_.release(); }

 private:
  takt::runtime::lock<Protocol> lock_;
  takt::runtime::lock<Protocol>::hold held_;
};

template <class Lock>
void uncontended(benchmark::State& state) {
  const std::jthread alive{[](const std::stop_token& stop) {
    while (!stop.stop_requested()) { std::this_thread::sleep_for(std::chrono::milliseconds{50}); }
  }};
  Lock lock;
  for (auto _ : state) {
    lock.lock();
    benchmark::ClobberMemory();
    lock.unlock();
  }
}

/// One replica is taken by another thread: the state machine hears of everything.
template <class Protocol>
void beside_another_holder(benchmark::State& state) {
  takt::runtime::lock<Protocol> lock;
  std::atomic<bool> taken{false};
  const std::jthread other{[&](const std::stop_token& stop) {
    const auto one = lock.acquire();
    taken = true;
    while (!stop.stop_requested()) { std::this_thread::sleep_for(std::chrono::milliseconds{1}); }
  }};
  while (!taken) { std::this_thread::yield(); }
  for (auto _ : state) {
    lock.lock();
    benchmark::ClobberMemory();
    lock.unlock();
  }
}

/// From the release by one thread to the return of `lock` in another, which has been suspended there.
template <class Lock>
void handed_over(benchmark::State& state) {
  using clock = std::chrono::steady_clock;
  Lock lock;
  std::atomic<std::int64_t> wanted{0};
  std::atomic<std::int64_t> got{0};
  clock::time_point arrival;
  const std::jthread waiter{[&](const std::stop_token& stop) {
    for (std::int64_t round = 1;; ++round) {
      while (wanted < round) {
        if (stop.stop_requested()) { return; }
        std::this_thread::yield();
      }
      lock.lock();
      arrival = clock::now();
      lock.unlock();
      got = round;
    }
  }};
  std::vector<double> times;
  for (auto _ : state) {
    lock.lock();
    const std::int64_t round = ++wanted;
    std::this_thread::sleep_for(std::chrono::microseconds{200});
    const auto release = clock::now();
    lock.unlock();
    while (got < round) { std::this_thread::yield(); }
    times.push_back(std::chrono::duration<double>(arrival - release).count());
    state.SetIterationTime(times.back());
  }
  std::ranges::sort(times);
  state.counters["p50_ns"] = 1e9 * times[times.size() / 2];
  state.counters["p99_ns"] = 1e9 * times[times.size() * 99 / 100];
}

template <std::size_t Units>
using k_fmlp_lock = takt::runtime::lock<takt::k_fmlp<Units, threads>>;
using r2dglp_lock = takt::runtime::lock<takt::r2dglp<2, threads>>;
using ck_omlp_lock = takt::runtime::lock<takt::ck_omlp<2, threads>>;
using fifo_engine_lock = takt::runtime::lock<takt::fifo_mutex<threads>>;
using priority_engine_lock = takt::runtime::lock<takt::priority_mutex<threads>>;

BENCHMARK(uncontended<std::mutex>);
BENCHMARK(uncontended<takt::runtime::inheriting_mutex>);
BENCHMARK(uncontended<semaphore<1>>);
BENCHMARK(uncontended<semaphore<2>>);
BENCHMARK(uncontended<posix_semaphore<1>>);
BENCHMARK(uncontended<posix_semaphore<2>>);
BENCHMARK(uncontended<queue_of_conditions<1>>);
BENCHMARK(uncontended<queue_of_conditions<2>>);
BENCHMARK(uncontended<k_fmlp_lock<1>>);
BENCHMARK(uncontended<k_fmlp_lock<2>>);
BENCHMARK(uncontended<guarded<takt::k_fmlp<2, threads>>>);
BENCHMARK(uncontended<r2dglp_lock>);
BENCHMARK(uncontended<ck_omlp_lock>);
BENCHMARK(uncontended<fifo_engine_lock>);
BENCHMARK(uncontended<priority_engine_lock>);

BENCHMARK(beside_another_holder<takt::k_fmlp<2, threads>>);
BENCHMARK(beside_another_holder<takt::r2dglp<2, threads>>);
BENCHMARK(beside_another_holder<takt::ck_omlp<2, threads>>);

BENCHMARK(handed_over<std::mutex>)->UseManualTime()->Iterations(2000);
BENCHMARK(handed_over<takt::runtime::inheriting_mutex>)->UseManualTime()->Iterations(2000);
BENCHMARK(handed_over<posix_semaphore<1>>)->UseManualTime()->Iterations(2000);
BENCHMARK(handed_over<queue_of_conditions<1>>)->UseManualTime()->Iterations(2000);
BENCHMARK(handed_over<k_fmlp_lock<1>>)->UseManualTime()->Iterations(2000);
BENCHMARK(handed_over<takt::runtime::lock<takt::r2dglp<1, threads>>>)->UseManualTime()->Iterations(2000);
BENCHMARK(handed_over<priority_engine_lock>)->UseManualTime()->Iterations(2000);

}  // namespace
