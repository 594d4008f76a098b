// SPDX-License-Identifier: Apache-2.0
//
// takt_gpu_pools: three threads share an emulated GPU through a pool that they know by name. Each job copies a vector
// in, adds it up, copies the sum out and checks it, under a token, engine by engine, with a budget for all of it. Every
// fourth job of two threads takes too long. On an engine the budget ends the job when the engine is free, and for the
// others that is one long wait; on the CPU it ends the computation where it is.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/copy_chunks.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/model/stage.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/locking/chunked_copy.hpp>
#include <takt/runtime/locking/gpu_pool.hpp>
#include <takt/runtime/locking/job_budget.hpp>
#include <takt/runtime/locking/named_locks.hpp>

namespace takt::gpu_pools_example {
namespace {

using gpu_pool = runtime::named_gpu_pool<1, 2, 8>;

constexpr std::size_t elements = 1'000;
constexpr std::int64_t chunk = 250;
constexpr int jobs_each = 12;
constexpr int every_overlong = 4;

/// Where a GPU would compute or copy, this sleeps; and it sees whether two operations are on one engine.
class emulated_gpu {
 public:
  std::array<std::vector<std::int64_t>, 3> input{
      std::vector<std::int64_t>(elements), std::vector<std::int64_t>(elements), std::vector<std::int64_t>(elements)};
  std::array<std::int64_t, 3> sum{};

  template <class Body>
  void occupy(engine_kind engine, duration length, Body body) {
    auto& users = users_[static_cast<std::size_t>(engine)];
    if (++users > 1) { overlapped_ = true; }
    const ticks begin = runtime::now();
    body();
    runtime::sleep_until(runtime::later(begin, length.count()));
    --users;
  }
  [[nodiscard]] auto overlapped() const -> bool { return overlapped_; }

 private:
  std::array<std::atomic<int>, 3> users_{};
  std::atomic<bool> overlapped_{false};
};

enum class overrun_place : std::uint8_t { no_index, engine, processor };

struct application {
  std::string name;
  std::size_t number = 0;
  std::int64_t priority = 0;
  overrun_place overruns = overrun_place::no_index;
  duration budget{};
};

struct tally {
  int completed = 0;
  int stopped = 0;
  int wrong = 0;
  duration longest_overrun{};
};

[[nodiscard]] auto overrun_in(const application& a, int job) -> overrun_place {
  return job % every_overlong == every_overlong - 1 ? a.overruns : overrun_place::no_index;
}

/// Error: `runtime::budget_exhausted`; engine and token are free then.
void do_gpu_work(const application& a, int job, gpu_pool& gpus, emulated_gpu& gpu) {
  runtime::budget_meter meter{a.budget};
  runtime::budget_alarm alarm{meter};
  const overrun_place overrun = overrun_in(a, job);
  runtime::token_guard token{gpus.begin_job({.priority = a.priority}), meter};
  std::vector<std::int64_t> vector(elements);
  std::iota(vector.begin(), vector.end(), job);
  const auto copied = runtime::copy_in_chunks(
      token, to_device, copy_chunks{static_cast<std::int64_t>(elements), chunk}, [&](auto first, auto length) {
        gpu.occupy(engine_kind::copy, 100_us,
                   [&] { std::copy_n(vector.begin() + first, length, gpu.input[a.number].begin() + first); });
      });
  static_cast<void>(copied);
  {
    auto engine = token.lock(engine_kind::execution);
    gpu.occupy(engine_kind::execution, overrun == overrun_place::engine ? a.budget * 2 : 500_us, [&] {
      gpu.sum[a.number] = std::accumulate(gpu.input[a.number].begin(), gpu.input[a.number].end(), std::int64_t{0});
    });
    std::move(engine).release();
  }
  std::int64_t sum = 0;
  auto engine = token.lock(to_host);
  gpu.occupy(engine_kind::copy_to_host, 50_us, [&] { sum = gpu.sum[a.number]; });
  std::move(engine).release();
  std::int64_t expected = 0;
  alarm.compute([&]() noexcept {
    expected = std::accumulate(vector.begin(), vector.end(), std::int64_t{0});
    runtime::burn(overrun == overrun_place::processor ? (a.budget * 10).count() : 0, runtime::now() + (10_s).count());
  });
  std::move(token).release();
  if (sum != expected) { throw std::logic_error{a.name + " has another application's sum"}; }
}

/// Finds the pool by its name, as an application would that did not make it.
[[nodiscard]] auto run(const application& a, emulated_gpu& gpu) -> tally {
  const auto gpus = runtime::process_locks().open<gpu_pool>("vision");
  tally out;
  for (int job = 0; job < jobs_each; ++job) {
    try {
      do_gpu_work(a, job, *gpus, gpu);
      ++out.completed;
      out.wrong += overrun_in(a, job) != overrun_place::no_index ? 1 : 0;
    } catch (const runtime::budget_exhausted& e) {
      ++out.stopped;
      out.longest_overrun = std::max(out.longest_overrun, e.overrun());
    } catch (const std::logic_error&) { ++out.wrong; }
  }
  return out;
}

[[nodiscard]] auto share() -> int {
  gpu_pool::topology board;
  static_cast<void>(board.add_gpu(board.add_hub(), 2));
  const auto gpus = runtime::process_locks().create<gpu_pool>(
      "vision", gpu_pool::description{.topology = board, .tokens_per_gpu = 2, .cpus = 3});

  const std::array applications{
      application{.name = "camera", .number = 0, .priority = 1, .budget = 1_s},
      application{.name = "planner", .number = 1, .priority = 2, .overruns = overrun_place::engine, .budget = 20_ms},
      application{.name = "mapper", .number = 2, .priority = 3, .overruns = overrun_place::processor, .budget = 20_ms},
  };
  emulated_gpu gpu;
  std::array<tally, 3> seen{};
  {
    std::array<std::jthread, 3> threads;
    for (const application& a : applications) {
      threads[a.number] = std::jthread{[&] { seen[a.number] = run(a, gpu); }};
    }
  }

  bool well = !gpu.overlapped() && gpus->tokens().abandoned() == 0;
  fmt::print("{:<10}{:>10}{:>12}{:>10}{:>10}{:>22}\n", "", "jobs", "budget/ms", "done", "stopped",
             "longest overrun/ms");
  for (const application& a : applications) {
    const tally& t = seen[a.number];
    fmt::print("{:<10}{:>10}{:>12.1f}{:>10}{:>10}{:>22.2f}\n", a.name, jobs_each,
               static_cast<double>(a.budget.count()) / 1e6, t.completed, t.stopped,
               static_cast<double>(t.longest_overrun.count()) / 1e6);
    well = well && t.wrong == 0 && t.completed + t.stopped == jobs_each;
  }
  return well ? 0 : 1;
}

}  // namespace
}  // namespace takt::gpu_pools_example

auto main() -> int {
  try {
    return takt::gpu_pools_example::share();
  } catch (const std::exception& e) { fmt::print(stderr, "{}\n", e.what()); }
  return 1;
}
