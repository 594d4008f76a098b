// SPDX-License-Identifier: Apache-2.0
// Runs whose process is stopped: what is late is done, or dropped, all of it is counted, and bounds are said to be
// void.
#include <csignal>
#include <cstdint>
#include <ctime>

#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <takt/model/task_set.hpp>
#include <takt/runtime/executor/run.hpp>
#include <takt/takt.hpp>

namespace {

namespace rt = takt::runtime;
using namespace takt::literals;
using takt::ticks;

constexpr ticks ms = 1'000'000;
constexpr ticks period = 20 * ms;

void rest(ticks length) {
  timespec t{.tv_sec = length / (1'000 * ms), .tv_nsec = length % (1'000 * ms)};
  while (nanosleep(&t, &t) != 0) {}
}

/// A process that stops this one once.
class stopper {
 public:
  stopper(ticks after, ticks length) : child_{fork()} {
    if (child_ != 0) { return; }
    const pid_t whom = getppid();
    rest(after);
    kill(whom, SIGSTOP);
    rest(length);
    kill(whom, SIGCONT);
    _exit(0);
  }
  stopper(const stopper&) = delete;
  auto operator=(const stopper&) -> stopper& = delete;
  ~stopper() { waitpid(child_, nullptr, 0); }

 private:
  pid_t child_;
};

constexpr auto board =
    takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::copy_engines(1), takt::fifo),
                   takt::pool(takt::virtual_sms(1, 1), takt::federated));
/// With a kernel that takes its time on the clock.
constexpr auto chain =
    takt::task_set(takt::task("camera", takt::period(20_ms), takt::cpu(1_ms), takt::kernel(takt::work(1_ms))));
/// Nothing takes time of this machine.
constexpr auto alone = takt::task_set(takt::task("kernel", takt::period(20_ms), takt::kernel(takt::work(2_ms))));

template <class Tasks>
[[nodiscard]] auto run_stopped(const Tasks& tasks, takt::late_handling on_late) -> rt::run_result {
  rt::run_options options;
  options.length = takt::duration{1'000 * ms};
  options.drain = takt::duration{500 * ms};
  options.real_time = options.pin_to_cores = options.lock_memory = false;
  options.lengths = rt::length_choice::upper;
  options.on_late = on_late;
  const stopper stop{300 * ms, 300 * ms};
  return rt::run(board, tasks, takt::dedicate(1), options);
}

void expect_void_during_stop(const rt::run_result& ran) {
  bool found = false;
  for (const auto& s : ran.void_bounds) { found = found || (s.to - s.from >= 250 * ms && s.from < 450 * ms); }
  CHECK(found);
}

}  // namespace

TEST_CASE("a run that is stopped does all that is late, and says that bounds were void") {
  const auto ran = run_stopped(chain, takt::late_handling::catch_up);
  REQUIRE_FALSE(ran.error);
  CHECK(ran.tasks[0].released == 50);
  CHECK(ran.tasks[0].completed == 50);
  CHECK(ran.tasks[0].worst_response >= 250 * ms);
  CHECK(ran.tasks[0].misses >= 10);
  expect_void_during_stop(ran);
}

TEST_CASE("a run that is stopped drops what is late, if that is asked for, and counts it") {
  for (const auto h : {takt::late_handling::skip_late, takt::late_handling::newest_only}) {
    const auto ran = run_stopped(chain, h);
    REQUIRE_FALSE(ran.error);
    CHECK(ran.tasks[0].released == 50);
    CHECK(ran.tasks[0].skipped >= 10);
    CHECK(ran.tasks[0].completed + ran.tasks[0].skipped + ran.tasks[0].unfinished == 50);
    expect_void_during_stop(ran);
  }
}

TEST_CASE("a run on the clock alone does not show a stop in its responses, and says that bounds were void") {
  const auto ran = run_stopped(alone, takt::late_handling::catch_up);
  REQUIRE_FALSE(ran.error);
  CHECK(ran.tasks[0].completed == 50);
  CHECK(ran.tasks[0].worst_response == 2 * ms);
  expect_void_during_stop(ran);
}
