// SPDX-License-Identifier: Apache-2.0
// Elliott 2015, section 1.4.2 and Table 1.2: five equal threads share a GPU, with and without engine locks. Measured on
// threads of this machine and the emulated device.
#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/stage.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/rules/locking/engine_locks.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/emulated_device.hpp>
#include <takt/runtime/event.hpp>
#include <takt/runtime/locking/gpu_pool.hpp>

#include "../failure.hpp"
#include "study.hpp"

namespace takt::program::sweep {

namespace {

constexpr std::size_t threads = 5;
using loop_counts = std::array<std::int64_t, threads>;

/// A driver that nobody has told whom to serve. Operations of several threads are not mixed: it stays with the thread
/// that it serves, whose next loop comes soon, and turns to any of the others once in so many loops.
class unmanaged_driver {
 public:
  unmanaged_driver(std::uint64_t seed, std::int64_t stay) : random_{seed}, stay_{stay} {}

  /// Waits until the thread is served. False: the experiment is over.
  auto enter(std::size_t thread) -> bool {
    std::unique_lock lock{mutex_};
    if (!is_here_[thread]) {
      is_here_[thread] = true;
      if (++here_ == threads) { served_ = static_cast<std::size_t>(random_.below(threads)); }
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return over_ || served_ == thread; });
    return !over_;
  }
  void leave(bool is_last) {
    const std::lock_guard lock{mutex_};
    over_ = is_last;
    if (random_.chance(1, stay_)) {
      served_ = (served_ + 1 + static_cast<std::size_t>(random_.below(threads - 1))) % threads;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  random_stream random_;
  std::int64_t stay_;
  std::array<bool, threads> is_here_{};
  std::size_t here_ = 0;
  std::size_t served_ = threads;  ///< nobody before all are here
  bool over_ = false;
};

/// VectorAdd on the emulated device: two vectors in, the sum out.
class vector_add {
 public:
  vector_add(runtime::emulated_device::stream gpu, ticks loop)
      : gpu_{gpu}, copy_{loop * 32 / 100}, kernel_{loop * 4 / 100} {}

  void copy_in() { copy(0); }
  void add() {
    gpu_.launch(kernel_, runtime::notify<&runtime::event::signal>(&done_));
    done_.wait();
  }
  void copy_out() { copy(1); }

 private:
  void copy(std::int32_t engine) {
    gpu_.copy(engine, copy_, runtime::notify<&runtime::event::signal>(&done_));
    done_.wait();
  }

  runtime::emulated_device::stream gpu_;
  runtime::emulated_copy copy_;
  runtime::emulated_kernel kernel_;
  runtime::event done_;
};

[[nodiscard]] auto board() -> platform_record {
  platform_record out{.cores = 1, .copy_engines = 2, .gpus = {}};
  out.gpus.unchecked_push_back({.sms = 1});
  return out;
}

/// Five threads loop until the experiment is over; `loop(thread, work)` is one, and false then.
template <class Loop>
[[nodiscard]] auto count_loops(ticks length, Loop loop) -> loop_counts {
  runtime::emulated_device device{board(), 1};
  std::deque<vector_add> work;
  for (std::size_t t = 0; t < threads; ++t) {
    work.emplace_back(device.open({.gpu = 0, .first = 0, .count = 1}), length);
  }
  if (!device.ready()) { throw environment_error{"the system has too few threads for an emulated device"}; }
  loop_counts out{};
  std::vector<std::jthread> all;
  for (std::size_t t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      while (loop(t, work[t])) { ++out[t]; }
    });
  }
  all.clear();
  return out;
}

[[nodiscard]] auto without_locks(std::int64_t loops, ticks length, std::uint64_t seed, std::int64_t stay)
    -> loop_counts {
  unmanaged_driver driver{seed, stay};
  std::int64_t completed = 0;  // by one thread at a time
  return count_loops(length, [&](std::size_t t, vector_add& work) {
    if (!driver.enter(t)) { return false; }
    work.copy_in();
    work.copy_in();
    work.add();
    work.copy_out();
    driver.leave(++completed == loops);
    return true;
  });
}

/// A token for each thread, so that only the engines are contended for, in order of arrival.
[[nodiscard]] auto with_locks(std::int64_t loops, ticks length) -> loop_counts {
  using topology = gpu_topology<1, 1>;
  using protocol = k_fmlp<threads, threads>;
  topology gpu;
  static_cast<void>(gpu.add_gpu(gpu.add_hub(), 2));
  runtime::gpu_pool<protocol, fifo_engine_locks<1, threads>, topology> pool{
      token_map{.gpus = 1, .tokens_per_gpu = static_cast<std::int32_t>(threads)}, protocol{}, gpu};
  std::atomic<std::int64_t> begun{0};
  return count_loops(length, [&](std::size_t /*t*/, vector_add& work) {
    if (begun.fetch_add(1) >= loops) { return false; }
    auto token = pool.begin_job().acquire_token();
    for (int vector = 0; vector < 2; ++vector) {
      const auto engine = token.lock(to_device);
      work.copy_in();
    }
    {
      const auto engine = token.lock(engine_kind::execution);
      work.add();
    }
    const auto engine = token.lock(to_host);
    work.copy_out();
    return true;
  });
}

void fairness(const settings& s, experiment& e) {
  for (const bool locked : {false, true}) {
    e.add_panel(locked ? "first-come engine locks" : "unmanaged");
    e.add_series(locked ? "fifo" : "none");
    for (std::size_t t = 0; t < threads; ++t) { e.draw(t, fmt::format("thread {}", t + 1), static_cast<int>(t)); }
  }
  e.count = [loops = s.number("loops"), length = s.number("loop") * 1000, stay = s.number("stay"), seed = s.seed()](
                const unit& u, row counts) {
    const std::uint64_t run = random_stream{seed}.next() ^ u.number(0);
    const loop_counts seen = u.series == 0 ? without_locks(loops, length, run, stay) : with_locks(loops, length);
    std::int64_t all = 0;
    for (const std::int64_t n : seen) { all += n; }
    for (std::size_t t = 0; t < threads; ++t) { counts[t] = seen[t] * 1000 / all; }
    counts[threads] = *std::ranges::min_element(seen) * 1000 / *std::ranges::max_element(seen);
  };
}

}  // namespace

auto gpusync_fairness_studies() -> std::vector<study> {
  return {
      {"gpusync-fairness",
       "shares of five equal threads with and without engine locks, measured on the emulated device: differs from run "
       "to run",
       layout("GPUSync (Elliott 2015), Table 1.2: five equal threads on one GPU", "run", "run", "share of all loops",
              {"locks"}, {"thread_1", "thread_2", "thread_3", "thread_4", "thread_5", "least_over_most"},
              measure::thousandths),
       {{"seed", "1", "of the unmanaged driver's choices"},
        {"loops", "600", "of all threads in a run; about 3700 in the paper", 10, 1'000'000},
        {"loop", "800", "microseconds of GPU time of a loop; about 8200 in the paper", 100, 1'000'000},
        {"stay", "300", "loops that the unmanaged driver stays with a thread on average; made up", 1, 1'000'000},
        {"levels", "1,2,3", "runs", 1000}},
       fairness},
  };
}

}  // namespace takt::program::sweep
