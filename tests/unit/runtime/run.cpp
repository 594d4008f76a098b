// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <range/v3/range/conversion.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>

#include <takt/report/trace_queries.hpp>
#include <takt/runtime.hpp>
#include <takt/runtime/clock.hpp>
#include "support/limited_wait.hpp"
#include "support/mute_device.hpp"
#include "support/traces.hpp"

namespace {

using namespace takt::literals;
using takt::runtime::emulated_device;

constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(4, 2), takt::federated));

constexpr auto pair = takt::task_set(
    takt::task("slow", takt::period(60_ms), takt::cpu(200_us, 300_us), takt::copy(100_us, 200_us, takt::to_device),
               takt::kernel(takt::work(8_ms, 10_ms), takt::interleave(1)), takt::copy(100_us, 200_us, takt::to_host),
               takt::cpu(100_us, 200_us)),
    takt::task("fast", takt::period(25_ms), takt::cpu(100_us, 200_us), takt::copy(500_us, 600_us),
               takt::kernel(takt::work(2_ms, 3_ms), takt::interleave(1)), takt::copy(0_ns), takt::cpu(0_ns, 0_ns)));

struct recording {
  std::vector<takt::slice> slices;
  std::vector<takt::mark> marks;

  void record(const takt::slice& s) { slices.push_back(s); }
  void record(const takt::mark& m) { marks.push_back(m); }
  [[nodiscard]] auto count(takt::mark_kind what, std::uint32_t task) const -> std::uint64_t {
    const auto wanted = [&](const takt::mark& m) { return m.what == what && m.task == task; };
    return static_cast<std::uint64_t>(std::ranges::count_if(marks, wanted));
  }
};

auto options(takt::duration length) -> takt::runtime::run_options {
  takt::runtime::run_options o;
  o.length = length;
  return o;
}

/// The emulated device until its operation of a given number, from 0, which ends as failed.
class failing_device {
 public:
  using kernel = emulated_device::kernel;
  using copy = emulated_device::copy;

  class stream {
   public:
    stream(failing_device& d, emulated_device::stream s) : device_{&d}, own_{s} {}
    void launch(const kernel& k, takt::runtime::completion done) {
      own_.launch(device_->next_fails() ? device_->no_kernel_ : k, done);
    }
    void copy(std::int32_t engine, const failing_device::copy& c, takt::runtime::completion done) {
      own_.copy(engine, device_->next_fails() ? device_->no_copy_ : c, done);
    }

   private:
    failing_device* device_;
    emulated_device::stream own_;
  };

  failing_device(const takt::platform_record& platform, int after) : own_{platform}, left_{after} {}

  [[nodiscard]] auto serves(const takt::platform_record& p) const -> bool { return own_.serves(p); }
  [[nodiscard]] auto open(const takt::sm_range& range) -> stream { return {*this, own_.open(range)}; }
  [[nodiscard]] auto serve_at(std::int32_t priority) -> bool { return own_.serve_at(priority); }
  [[nodiscard]] auto ready() const -> bool { return own_.ready(); }
  [[nodiscard]] static auto name() -> std::string { return "failing"; }
  [[nodiscard]] auto failed() const -> bool { return left_ < 0; }
  [[nodiscard]] static auto fault_sentence() -> std::string { return "no power"; }

 private:
  auto next_fails() -> bool { return --left_ < 0; }

  emulated_device own_;
  std::atomic<int> left_;
  kernel no_kernel_;
  copy no_copy_;
};
static_assert(takt::runtime::Device<failing_device>);
static_assert(takt::runtime::FallibleDevice<failing_device>);
static_assert(!takt::runtime::FallibleDevice<emulated_device>);
static_assert(!takt::runtime::ExaminedDevice<emulated_device>);

auto has_note(const takt::runtime::run_result& r, const std::string& subject) -> bool {
  return std::ranges::any_of(r.notes, [&](const std::string& n) { return n.starts_with(subject); });
}

}  // namespace

TEST_CASE("a run completes jobs, none of them faster than its least lengths") {
  emulated_device device{board.record()};
  const auto result = takt::runtime::run(board, pair, takt::dedicate(2, 1), device, options(300_ms));
  REQUIRE(result.tasks.size() == 2);
  CHECK((result.status() == takt::observation_status::no_miss || result.status() == takt::observation_status::missed));
  const std::array<takt::ticks, 2> least{200'000 + 100'000 + 8'000'000 / 4 + 100'000 + 100'000,
                                         100'000 + 500'000 + 2'000'000 / 2};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& t = result.tasks[i];
    CAPTURE(t.name);
    CHECK(t.completed >= 1);
    CHECK(t.best_response >= least[i]);
    CHECK(t.mean_response() >= t.best_response);
    CHECK(t.worst_response >= t.mean_response());
    CHECK(t.visit_count == 5);
    CHECK(t.skipped == 0);
    CHECK(t.within_bound);
    CHECK_FALSE(t.has_bound);
  }
  CHECK(result.tasks[0].name == "slow");
  CHECK(result.tasks[0].completed + result.tasks[0].unfinished == 5);
  CHECK(result.tasks[1].completed + result.tasks[1].unfinished == 12);
}

TEST_CASE("a run says what the operating system granted") {
  emulated_device device{board.record()};
  const auto result = takt::runtime::run(board, pair, takt::dedicate(2, 1), device, options(10_ms));
  for (const char* subject : {"scheduling: ", "affinity: ", "memory: ", "clock: ", "device: pool 1 on emulated",
                              "device: pool 2 on emulated"}) {
    CAPTURE(subject);
    CHECK(has_note(result, subject));
  }
  CHECK(result.granted.real_time == has_note(result, "scheduling: SCHED_FIFO"));
  CHECK(result.granted.memory_locked == has_note(result, "memory: locked"));
  CHECK(result.granted.clock_resolution > 0);
}

TEST_CASE("a run asks the operating system for nothing when told so") {
  auto modest = options(10_ms);
  modest.real_time = modest.pin_to_cores = modest.lock_memory = false;
  emulated_device device{board.record()};
  const auto result = takt::runtime::run(board, pair, takt::dedicate(2, 1), device, modest);
  CHECK_FALSE(result.granted.real_time);
  CHECK_FALSE(result.granted.pinned);
  CHECK_FALSE(result.granted.memory_locked);
  CHECK(has_note(result, "scheduling: left as it is"));
}

TEST_CASE("each segment starts once its predecessor has ended, on the unit of its kind" *
          takt_tests::traces("RTGPU-33")) {
  emulated_device device{board.record()};
  recording trace;
  const auto result = takt::runtime::run(board, pair, takt::dedicate(2, 1), device, options(200_ms), trace);
  std::map<std::pair<std::uint32_t, std::uint64_t>, takt::slice> last;
  for (const takt::slice& s : trace.slices) {
    CHECK(s.start <= s.end);
    const auto previous = last.find({s.task, s.job});
    if (previous == last.end()) {
      CHECK(s.segment == 0);
      CHECK(s.start >= 0);
    } else {
      CHECK(s.segment == previous->second.segment + 1);
      CHECK(s.start >= previous->second.end);
    }
    last[{s.task, s.job}] = s;
    if (s.where.where == takt::stage::kernel) {
      CHECK(s.where.index == (s.task == 0 ? 0 : 2));
      CHECK(s.where.count == (s.task == 0 ? 2 : 1));
    }
  }
  for (std::uint32_t t = 0; t < 2; ++t) {
    CHECK(trace.count(takt::mark_kind::completion, t) == result.tasks[t].completed);
    CHECK(trace.count(takt::mark_kind::release, t) == result.tasks[t].completed + result.tasks[t].unfinished);
    CHECK(trace.count(takt::mark_kind::miss, t) == result.tasks[t].misses);
  }
}

TEST_CASE("a task's thread consumes no CPU time while its copies and kernels run" * takt_tests::traces("RTGPU-33")) {
  constexpr auto single =
      takt::task_set(takt::task("waits", takt::period(1_s), takt::cpu(0_ns), takt::copy(20_ms, 20_ms),
                                takt::kernel(takt::work(80_ms, 80_ms), takt::interleave(1)), takt::cpu(0_ns)));
  emulated_device device{board.record()};
  takt::ticks before = 0;
  takt::ticks consumed = -1;
  takt::runtime::visit_codes codes;
  codes.cpu(0, 0, [&](std::uint64_t) { before = takt::runtime::thread_time(); }).cpu(0, 3, [&](std::uint64_t) {
    consumed = takt::runtime::thread_time() - before;
  });
  (void)takt::runtime::run(board, single, takt::dedicate(1), device, options(250_ms), codes);
  CHECK(consumed >= 0);
  CHECK(consumed < 30'000'000);
}

TEST_CASE("no two copies of a run overlap on an engine" * takt_tests::traces("RTGPU-34")) {
  constexpr auto copies = takt::task_set(
      takt::task("a", takt::period(4_ms), takt::cpu(0_ns), takt::copy(1_ms, 1_ms),
                 takt::kernel(takt::work(0_ns), takt::interleave(1)), takt::copy(500_us), takt::cpu(0_ns)),
      takt::task("b", takt::period(5_ms), takt::cpu(0_ns), takt::copy(1_ms, 1_ms),
                 takt::kernel(takt::work(0_ns), takt::interleave(1)), takt::copy(500_us), takt::cpu(0_ns)),
      takt::task("c", takt::period(7_ms), takt::cpu(0_ns), takt::copy(1_ms, 2_ms),
                 takt::kernel(takt::work(0_ns), takt::interleave(1)), takt::cpu(0_ns)));
  emulated_device device{board.record()};
  recording trace;
  (void)takt::runtime::run(board, copies, takt::dedicate(1, 1, 1), device, options(150_ms), trace);
  auto on_engine = trace.slices | takt::views::slices_on(takt::stage::copy) | ranges::to<std::vector<takt::slice>>;
  std::ranges::sort(
      on_engine, [](const auto& x, const auto& y) { return x.start != y.start ? x.start < y.start : x.end < y.end; });
  CHECK(on_engine.size() >= 10);
  for (std::size_t i = 1; i < on_engine.size(); ++i) { CHECK(on_engine[i].start >= on_engine[i - 1].end); }
}

TEST_CASE("the engine goes to the waiting copy of highest priority, whatever the order of arrival" *
          takt_tests::traces("RTGPU-34")) {
  constexpr auto three_cores =
      takt::platform(takt::pool(takt::processors(3), takt::fixed_priority),
                     takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)));
  // The last one has the engine when the others ask, the more important one last.
  constexpr auto copies = takt::task_set(
      takt::task("most", takt::period(100_ms), takt::priority(0), takt::on_core(0), takt::cpu(20_ms), takt::copy(5_ms)),
      takt::task("less", takt::period(100_ms), takt::priority(1), takt::on_core(1), takt::cpu(2_ms), takt::copy(5_ms)),
      takt::task("least", takt::period(100_ms), takt::priority(2), takt::on_core(2), takt::cpu(0_ns),
                 takt::copy(60_ms)));
  emulated_device device{three_cores.record()};
  auto o = options(500_ms);
  o.lengths = takt::runtime::length_choice::upper;
  recording trace;
  (void)takt::runtime::run(three_cores, copies, takt::plan<3>{}, device, o, trace);
  std::map<std::pair<std::uint32_t, std::uint64_t>, takt::ticks> asked;
  std::map<std::pair<std::uint32_t, std::uint64_t>, int> pieces;
  for (const takt::slice& s : trace.slices) {
    if (s.segment == 0) { asked[{s.task, s.job}] = std::max(asked[{s.task, s.job}], s.end); }
  }
  int overtaken = 0;
  for (const takt::slice& a : trace.slices) {
    if (a.segment == 0) { continue; }
    CHECK(++pieces[{a.task, a.job}] == 1);
    for (const takt::slice& b : trace.slices) {
      if (b.segment == 0 || a.task <= b.task || b.start < a.end) { continue; }
      CHECK(asked[{b.task, b.job}] >= a.start);  // b is more important, and has had to wait for a
    }
    for (const takt::slice& b : trace.slices) {
      const bool after = b.segment == 1 && b.task > a.task && b.start >= a.end;
      overtaken += after && asked[{b.task, b.job}] < asked[{a.task, a.job}] && b.task == 1 ? 1 : 0;
    }
  }
  CHECK(overtaken > 0);
}

TEST_CASE("a task has one stream for its copies and its kernels" * takt_tests::traces("RTGPU-33")) {
  class counting : public emulated_device {
   public:
    using emulated_device::emulated_device;
    [[nodiscard]] auto open(const takt::sm_range& range) -> stream {
      opened.push_back(range.count);
      return emulated_device::open(range);
    }
    std::vector<std::int32_t> opened;
  };
  constexpr auto copies_only = takt::task("only", takt::period(50_ms), takt::cpu(1_us), takt::copy(1_us));
  constexpr auto three =
      takt::task_set(takt::task("a", takt::period(50_ms), takt::cpu(1_us), takt::copy(1_us),
                                takt::kernel(takt::work(1_us), takt::interleave(1)), takt::copy(1_us), takt::cpu(1_us)),
                     copies_only,
                     takt::task("c", takt::period(50_ms), takt::cpu(1_us),
                                takt::kernel(takt::work(1_us), takt::interleave(1)), takt::cpu(1_us)));
  counting device{board.record()};
  CHECK(takt::runtime::run(board, three, takt::dedicate(2, 0, 1), device, options(10_ms)).error == takt::model_error{});
  CHECK(device.opened == std::vector<std::int32_t>{2, 1, 0});
}

TEST_CASE("kernels of different tasks overlap only on different SMs") {
  emulated_device device{board.record()};
  recording trace;
  (void)takt::runtime::run(board, pair, takt::dedicate(2, 2), device, options(200_ms), trace);
  std::vector<takt::slice> kernels;
  std::ranges::copy_if(trace.slices, std::back_inserter(kernels),
                       [](const takt::slice& s) { return s.where.where == takt::stage::kernel; });
  CHECK(kernels.size() >= 2);
  for (const takt::slice& a : kernels) {
    for (const takt::slice& b : kernels) {
      const bool same_time = a.start < b.end && b.start < a.end;
      const bool same_sms =
          a.where.index < b.where.index + b.where.count && b.where.index < a.where.index + a.where.count;
      if (&a != &b && same_time) { CHECK_FALSE(same_sms); }
    }
  }
}

TEST_CASE("bound code runs in place of emulated lengths, in chain order") {
  emulated_device device{board.record()};
  std::vector<int> input(1000);
  std::vector<int> on_device(1000);
  std::vector<int> output(1000);
  std::uint64_t jobs = 0;
  bool right = true;
  const takt::runtime::emulated_copy in{on_device.data(), input.data(), input.size() * sizeof(int)};
  const takt::runtime::emulated_copy out{output.data(), on_device.data(), output.size() * sizeof(int)};
  const auto add = [&](std::int64_t i) { on_device[static_cast<std::size_t>(i)] += static_cast<int>(i); };
  takt::runtime::board_devices devices;
  devices.copies(1, device, {{{0, 1}, in}, {{0, 3}, out}});
  devices.kernels(2, device, {{{0, 2}, takt::runtime::emulated_kernel{1000, add}}});
  takt::runtime::visit_codes codes;
  codes.cpu(0, 0, [&](std::uint64_t job) { std::ranges::fill(input, static_cast<int>(job)); });
  codes.cpu(0, 4, [&](std::uint64_t job) {
    ++jobs;
    for (std::size_t i = 0; i < output.size(); ++i) { right = right && output[i] == static_cast<int>(job + i); }
  });
  const auto result = takt::runtime::run(board, pair, takt::dedicate(2, 1), devices, options(200_ms), codes);
  CHECK(jobs >= 1);
  CHECK(jobs >= result.tasks[0].completed);
  CHECK(right);
}

TEST_CASE("a job that outlasts the run is cut and counted, not awaited") {
  constexpr auto endless =
      takt::task_set(takt::task("burns", takt::period(3'600_s), takt::deadline(10_ms), takt::cpu(3'600_s, 3'600_s)),
                     takt::task("copies", takt::period(3'600_s), takt::cpu(0_ns), takt::copy(3'000_s, 3'000_s),
                                takt::kernel(takt::work(3'000_s, 3'000_s), takt::interleave(1)), takt::cpu(0_ns)));
  emulated_device device{board.record()};
  auto longest = options(50_ms);
  longest.lengths = takt::runtime::length_choice::upper;
  const auto result = takt::runtime::run(board, endless, takt::dedicate(0, 1), device, longest);
  CHECK(result.status() == takt::observation_status::missed);
  CHECK(result.tasks[0].completed == 0);
  CHECK(result.tasks[0].unfinished == 1);
  CHECK(result.tasks[0].misses == 1);
  CHECK(result.tasks[1].unfinished == 1);
  CHECK(result.tasks[1].misses == 0);
}

TEST_CASE("real-time priority is what the result says, follows task priority, and ends with the run") {
  constexpr auto two = takt::task_set(takt::task("low", takt::period(200_ms), takt::cpu(1_ms)),
                                      takt::task("high", takt::period(10_ms), takt::cpu(1_ms)));
  const auto priority_of = [](pthread_t thread) {
    int policy = 0;
    sched_param parameters{};
    (void)pthread_getschedparam(thread, &policy, &parameters);
    return policy == SCHED_FIFO ? parameters.sched_priority : 0;
  };
  std::atomic<bool> low_runs = false;
  pthread_t low_thread{};
  int low = 0;
  int low_at_end = -1;
  int high = 0;
  int low_beside_high = 0;
  takt::runtime::visit_codes codes;
  codes.cpu(1, 0, [&](std::uint64_t) {
    if (!low_runs) { return; }
    high = priority_of(pthread_self());
    low_beside_high = priority_of(low_thread);
  });
  codes.cpu(0, 0, [&](std::uint64_t) {
    low_thread = pthread_self();
    low = priority_of(low_thread);
    low_runs = true;
    const takt::ticks give_up = takt::runtime::now() + 20'000'000'000;
    while ((low_at_end = priority_of(pthread_self())) != 0 && takt::runtime::now() < give_up) {}
  });
  emulated_device device{board.record()};
  const auto result = takt::runtime::run(board, two, takt::dedicate(0, 0), device, options(50_ms), codes);
  CHECK((low > 0) == result.granted.real_time);
  if (result.granted.real_time) { CHECK(high > low_beside_high); }
  CHECK(low_at_end == 0);
}

TEST_CASE("a platform with more cores than the machine is run, and the result says so") {
  constexpr auto many_cores = takt::platform(takt::pool(takt::processors(2'001), takt::fixed_priority));
  constexpr auto far =
      takt::task_set(takt::task("far away", takt::period(20_ms), takt::on_core(2'000), takt::cpu(1_us)));
  const auto result = takt::runtime::run(many_cores, far, takt::plan<1>{}, options(10_ms));
  CHECK(result.tasks[0].completed + result.tasks[0].unfinished == 1);
  CHECK(has_note(result, "affinity: the platform has more cores") == result.granted.pinned);
}

TEST_CASE("releases that find the previous job unfinished are queued or skipped") {
  constexpr auto overloaded =
      takt::task_set(takt::task("late", takt::period(5_ms), takt::cpu(0_ns),
                                takt::kernel(takt::work(24_ms, 24_ms), takt::interleave(1)), takt::cpu(0_ns)));
  emulated_device device{board.record()};
  auto o = options(101_ms);
  const auto queued = takt::runtime::run(board, overloaded, takt::dedicate(1), device, o);
  CHECK(queued.tasks[0].skipped == 0);
  CHECK(queued.tasks[0].completed + queued.tasks[0].unfinished == 21);
  CHECK(queued.tasks[0].misses >= queued.tasks[0].completed);
  o.on_late = takt::late_handling::skip_late;
  const auto skipped = takt::runtime::run(board, overloaded, takt::dedicate(1), device, o);
  CHECK(skipped.tasks[0].skipped >= 1);
  CHECK(skipped.tasks[0].completed + skipped.tasks[0].unfinished + skipped.tasks[0].skipped == 21);
}

TEST_CASE("a run refuses what cannot run") {
  emulated_device device{board.record()};
  const auto no_share = takt::runtime::run(board, pair, takt::dedicate(1, 0), device, options(10_ms));
  CHECK(no_share.status() == takt::observation_status::invalid_model);
  CHECK(no_share.error.fault == takt::model_fault::plan_does_not_fit);
  CHECK(no_share.error.task == 1);
  const auto too_much = takt::runtime::run(board, pair, takt::dedicate(3, 2), device, options(10_ms));
  CHECK(too_much.error.fault == takt::model_fault::plan_does_not_fit);
  emulated_device smaller{{.cores = 1, .copy_engines = 1, .gpus = {}}};
  const auto lacking = takt::runtime::run(board, pair, takt::dedicate(1, 1), smaller, options(10_ms));
  CHECK(lacking.status() == takt::observation_status::wrong_device);
  takt::runtime::visit_codes wrong;
  wrong.cpu(0, 1, [](std::uint64_t) {});
  const auto misbound = takt::runtime::run(board, pair, takt::dedicate(1, 1), device, options(10_ms), wrong);
  CHECK(misbound.status() == takt::observation_status::wrong_binding);
}

TEST_CASE(
    "a device that fails ends the run there: the status and a sentence say so, and every release is counted once") {
  for (const int after : {0, 1, 2, 5, 9}) {
    CAPTURE(after);
    failing_device device{board.record(), after};
    recording trace;
    auto long_one = options(60_s);
    long_one.real_time = long_one.pin_to_cores = long_one.lock_memory = false;
    const auto result = takt::runtime::run(board, pair, takt::dedicate(2, 1), device, long_one, trace);
    CHECK(result.status() == takt::observation_status::device_failed);
    CHECK(takt::name_of(result.status()) == "device-failed");
    CHECK(result.device_fault == "no power");
    CHECK(has_note(result, "device: failed: no power"));
    CHECK(result.end < long_one.length.count());
    const std::array<takt::ticks, 2> periods{60'000'000, 25'000'000};
    std::uint64_t unfinished = 0;
    for (std::uint32_t i = 0; i < 2; ++i) {
      const auto& t = result.tasks[i];
      const auto released = static_cast<std::uint64_t>((result.end + periods[i] - 1) / periods[i]);
      CHECK(t.completed + t.unfinished == released);
      CHECK(trace.count(takt::mark_kind::release, i) == released);
      CHECK(trace.count(takt::mark_kind::completion, i) == t.completed);
      unfinished += t.unfinished;
    }
    CHECK(unfinished >= 1);
    // Every job that is counted as complete has as many operations of its own as its chain, all before the fault.
    CHECK(3 * result.tasks[0].completed + 2 * result.tasks[1].completed <= static_cast<std::uint64_t>(after));
    const auto again = takt::runtime::run(board, pair, takt::dedicate(2, 1), device, options(10_ms));
    CHECK(again.status() == takt::observation_status::device_failed);
    CHECK(again.tasks.empty());
  }
}

TEST_CASE("a failing device cuts CPU time that is emulated, and tasks that sleep until their next release") {
  constexpr auto set =
      takt::task_set(takt::task("fails", takt::period(60_s), takt::cpu(0_ns),
                                takt::kernel(takt::work(2_ms, 2_ms), takt::interleave(1)), takt::cpu(0_ns)),
                     takt::task("burns", takt::period(60_s), takt::deadline(59_s), takt::cpu(50_s, 50_s)),
                     takt::task("sleeps", takt::period(50_s), takt::cpu(0_ns)));
  failing_device device{board.record(), 0};
  auto long_one = options(60_s);
  long_one.real_time = long_one.pin_to_cores = long_one.lock_memory = false;
  const auto result = takt::runtime::run(board, set, takt::dedicate(1, 0, 0), device, long_one);
  CHECK(result.status() == takt::observation_status::device_failed);
  CHECK(result.tasks[0].unfinished == 1);
  CHECK(result.tasks[1].unfinished == 1);
  CHECK(result.tasks[2].completed + result.tasks[2].unfinished == 1);
}

TEST_CASE("a device that never answers ends a run of chains, so long after the bound of the visit that it has") {
  takt_tests::mute_device device;
  auto o = options(60_s);
  o.patience = 30_ms;
  const auto result = takt::runtime::run(board, pair, takt::dedicate(2, 1), device, o);
  CHECK(result.status() == takt::observation_status::device_silent);
  CHECK(result.device_fault.find("visit 1 of") != std::string::npos);
  CHECK(result.end >= (30_ms).count());
  CHECK(result.end < o.length.count());
  CHECK(result.tasks[0].completed + result.tasks[1].completed == 0);
}

TEST_CASE("work that outlasts a run and its patience stays until the device is done with it") {
  std::atomic<int> blocks = 0;
  std::atomic<bool> over = false;
  {
    emulated_device device{board.record()};
    {
      auto o = options(5_ms);
      o.patience = 1_ms;
      takt::runtime::board_devices devices;
      const auto wait = [&blocks, &over, one = std::make_shared<int>(1)](std::int64_t) {
        takt_tests::await([&over] { return over.load(); });
        blocks += *one;
      };
      devices.kernels(2, device, {{{1, 2}, takt::runtime::emulated_kernel{2, wait}}});
      const auto result = takt::runtime::run(board, pair, takt::dedicate(2, 1), devices, o);
      CHECK(result.tasks[1].completed == 0);
    }
    over = true;
  }
  CHECK(blocks % 2 == 0);
}

TEST_CASE("what disturbs timed runs is in the result when asked, and its notes") {
  emulated_device device{board.record()};
  auto o = options(10_ms);
  CHECK(takt::runtime::run(board, pair, takt::dedicate(2, 1), device, o).findings.empty());
  o.check_machine = true;
  const auto told = takt::runtime::run(board, pair, takt::dedicate(2, 1), device, o);
  CHECK(std::ranges::count(told.findings, "SCHED_FIFO", &takt::runtime::machine_finding::what) == 1);
  CHECK(has_note(told, "machine: "));
  CHECK(told.end == 10'000'000);
}

TEST_CASE("a table runs as a typed set does") {
  takt::task_table<takt::ticks, 4, 16> table;
  table.add_task("from a file", 20'000'000, 20'000'000);
  table.add_segment({.where = takt::stage::cpu, .time = {50'000, 100'000}});
  constexpr auto one_core = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority));
  const auto result = takt::runtime::run(one_core, table, takt::plan<4>{}, options(50_ms));
  CHECK(result.tasks[0].completed + result.tasks[0].unfinished == 3);
  CHECK(result.tasks[0].completed >= 1);
}

TEST_CASE("a run places and orders tasks as its plan says, and refuses a plan that it would not follow") {
  constexpr auto two_cores = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority));
  constexpr auto set = takt::task_set(takt::task("a", takt::period(20_ms), takt::cpu(100_us)),
                                      takt::task("b", takt::period(30_ms), takt::cpu(100_us)));
  emulated_device device{two_cores.record()};
  CHECK(takt::runtime::run(two_cores, set, takt::plan<2>{}, device, options(50_ms)).status() ==
        takt::observation_status::wrong_device);  // it has nothing to do there
  takt::plan<2> p;
  p.cores.unchecked_push_back(1);
  p.cores.unchecked_push_back(0);
  recording trace;
  (void)takt::runtime::run(two_cores, set, p, options(50_ms), trace);
  REQUIRE_FALSE(trace.slices.empty());
  for (const takt::slice& s : trace.slices) { CHECK(s.where.index == (s.task == 0 ? 1 : 0)); }

  p.cores[0] = 2;
  const auto outside = takt::runtime::run(two_cores, set, p, options(50_ms));
  CHECK(outside.error == takt::fault_at(takt::model_fault::core_out_of_range, 0, 0));
  CHECK(outside.error.name == "a");
  p.cores[0] = 1;
  p.percents.unchecked_push_back(50);
  CHECK(takt::runtime::run(two_cores, set, p, options(50_ms)).error.fault == takt::model_fault::plan_part_unused);
}

TEST_CASE("the first deadline that passed is in the observation") {
  constexpr auto late =
      takt::task_set(takt::task("late", takt::period(20_ms), takt::deadline(5_ms), takt::cpu(0_ns),
                                takt::kernel(takt::work(20_ms, 20_ms), takt::interleave(1)), takt::cpu(0_ns)),
                     takt::task("fine", takt::period(20_ms), takt::cpu(0_ns)));
  emulated_device device{board.record()};
  const auto result = takt::runtime::run(board, late, takt::dedicate(1, 0), device, options(50_ms));
  CHECK(result.status() == takt::observation_status::missed);
  CHECK(result.tasks[0].first_miss == 5'000'000);
  CHECK(result.tasks[0].released == 3);
  CHECK(result.tasks[0].misses == 3);
  CHECK(result.tasks[0].late == result.tasks[0].completed);
}
