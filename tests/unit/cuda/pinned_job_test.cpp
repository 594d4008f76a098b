// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/cuda/accelerator.hpp>
#include <takt/cuda/device.hpp>
#include <takt/cuda/pinned_job.hpp>
#include <takt/kernels.hpp>
#include <takt/runtime/event.hpp>
#include <takt/runtime/run.hpp>
#include <takt/takt.hpp>

#include "../../support/limited_wait.hpp"
#include "emulated_grid.hpp"
#include "fixture.hpp"

namespace {

using namespace cuda_tests;
using namespace takt::literals;
using takt::runtime::event;
using takt::runtime::notify;
using device = takt::cuda::cuda_device<fake_cuda_driver>;
using kernel = device::kernel;

/// A pinned kernel of emulated blocks on the streams of a fake driver. `place` says on which SMs the blocks of the n-th
/// launch land.
class emulated_kernel {
 public:
  using placement = std::function<std::vector<std::uint32_t>(int launch, std::int32_t grid)>;

  emulated_kernel(fake_cuda_driver& driver, std::int32_t per_sm, placement place)
      : driver_{&driver}, per_sm_{per_sm}, place_{std::move(place)} {}

  auto begin(std::int64_t count, std::int64_t length) -> bool {
    const auto work = divide_work(count, length, next_job_);
    if (!work || chunks_left() > 0) { return false; }
    work_ = *work;
    ++next_job_;
    memory_.chunks_left[0] = work_.chunks;
    return true;
  }
  void abandon() {
    memory_ = {};
    next_job_ = 0;
  }
  auto start(stream_handle s, const sm_slots& slots, std::int32_t grid) -> result {
    grids.push_back(grid);
    return driver_->run_in(s, [this, slots, grid, n = launches++] {
      memory_.allowed = slots;
      emulated::grid blocks{work_};
      blocks.launch(memory_, 0, place_(n, grid));
      for (std::size_t turn = 0; blocks.running(); ++turn) { blocks.step(memory_, turn % blocks.blocks().size()); }
      chunks_done += std::ranges::count(blocks.done(), 1);
    });
  }
  [[nodiscard]] auto chunks_left() const -> std::uint32_t { return memory_.chunks_left[0]; }
  [[nodiscard]] auto claimed() const -> std::uint32_t { return memory_.claimed[0]; }
  [[nodiscard]] auto virtual_per_sm() const -> std::int32_t { return per_sm_; }

  std::vector<std::int32_t> grids{};
  int launches = 0;
  std::atomic<std::int64_t> chunks_done{0};

 private:
  fake_cuda_driver* driver_;
  std::int32_t per_sm_;
  placement place_;
  pinned_work work_{};
  std::uint32_t next_job_ = 0;
  emulated::memory memory_{};
};
static_assert(PinnedKernel<emulated_kernel>);

constexpr takt::sm_range range{0, 0, 8};
constexpr takt::gpu_record gpu{.sms = 8, .virtual_per_sm = 2};
constexpr std::int64_t chunks = 64;

/// Blocks one after the other on the SMs from `first` on.
auto round_robin(std::int32_t blocks, std::uint32_t first, std::uint32_t sms) -> std::vector<std::uint32_t> {
  std::vector<std::uint32_t> out;
  for (std::int32_t b = 0; b < blocks; ++b) { out.push_back(first + static_cast<std::uint32_t>(b) % sms); }
  return out;
}

struct told_count {
  std::atomic<int> times{0};
  void add() { ++times; }
};

struct outcome {
  std::vector<std::int32_t> grids;
  std::int64_t done = 0;
  std::string fault;
  std::vector<std::string> notes;
  std::int64_t done_before_told = 0;
};

/// One job on a device; in green contexts, or on pinned blocks of the whole device.
auto run_once(bool green, const emulated_kernel::placement& place) -> outcome {
  fake_cuda_driver driver;
  outcome out;
  {
    device d{driver, {range}, {.wish = {.green_contexts = green, .kernels_stay_on_range = true}}};
    auto stream = d.open(range);
    REQUIRE(d.ready());
    emulated_kernel own{driver, 2, place};
    const kernel job = on_device<fake_cuda_driver>(own, chunks, 1, gpu);
    event done;
    stream.launch(job, notify<&event::signal>(&done));
    done.wait();
    out.done_before_told = own.chunks_done;
    out = {.grids = own.grids,
           .done = own.chunks_done,
           .fault = d.failed() ? d.fault_sentence() : "",
           .notes = d.take_notes(),
           .done_before_told = out.done_before_told};
    CHECK(d.take_notes().empty());
  }
  CHECK(driver.live() == 0);
  return out;
}

}  // namespace

TEST_CASE("in a green context a pinned job is one launch of a block for each virtual SM of its range") {
  const auto seen = run_once(true, [](int, std::int32_t grid) { return round_robin(grid, 24, 8); });
  CHECK(seen.grids == std::vector<std::int32_t>{16});
  CHECK(seen.done == chunks);
  CHECK(seen.fault.empty());
  CHECK(seen.notes.empty());
}

TEST_CASE("a pinned job whose launch found a slot is not launched again, on the whole device either") {
  const auto seen = run_once(false, [](int, std::int32_t) { return round_robin(64, 0, 32); });
  CHECK(seen.grids == std::vector<std::int32_t>{0});
  CHECK(seen.done == chunks);
  CHECK(seen.fault.empty());
  CHECK(seen.notes.empty());
}

TEST_CASE("a job whose launch found no slot is launched again before anybody is told, and is an overrun") {
  const auto seen = run_once(
      false, [](int launch, std::int32_t) { return launch < 2 ? round_robin(10, 8, 24) : round_robin(64, 0, 32); });
  CHECK(seen.grids.size() == 3);
  CHECK(seen.done_before_told == chunks);
  CHECK(seen.fault.empty());
  REQUIRE(seen.notes.size() == 1);
  CHECK(seen.notes[0] == "range 0 to 7 of GPU 0: 1 of 1 kernels overran, further launches: 2");
}

TEST_CASE("a job that found no slot in any of its launches is a fault of the device, never a success") {
  const auto no_index = [](int, std::int32_t) { return round_robin(10, 8, 24); };
  const auto pinned = run_once(false, no_index);
  CHECK(pinned.grids.size() == takt::cuda::detail::most_pinned_launches);
  CHECK(pinned.done == 0);
  CHECK(pinned.fault.find("job not completed") == 0);
  // In a green context nothing can be on the range beside it, so a second launch would find no more.
  const auto green = run_once(true, [](int, std::int32_t) { return std::vector<std::uint32_t>{max_sms}; });
  CHECK(green.grids.size() == 1);
  CHECK(green.fault.find("job not completed") == 0);
}

TEST_CASE("fewer blocks at work than the range has virtual SMs is an overrun that says how many there were") {
  const auto seen = run_once(true, [](int, std::int32_t) { return round_robin(5, 0, 8); });
  CHECK(seen.done == chunks);
  CHECK(seen.fault.empty());
  REQUIRE(seen.notes.size() == 1);
  CHECK(seen.notes[0] == "range 0 to 7 of GPU 0: 1 of 1 kernels overran, blocks at work at the least: 5 of 16");
}

TEST_CASE("a job that a failure left is given up when the next one begins") {
  fake_cuda_driver driver;
  add_occupy(driver);
  const auto all = [](int, std::int32_t grid) { return round_robin(grid, 0, 8); };
  emulated_kernel own{driver, 2,
                      [&](int n, std::int32_t g) { return n == 0 ? round_robin(1, max_sms, 1) : all(n, g); }};
  const kernel job = on_device<fake_cuda_driver>(own, chunks, 1, gpu);
  const auto use = [&](std::int64_t done_after) {
    device d{driver, {range}};
    auto stream = d.open(range);
    event done;
    stream.launch(job, notify<&event::signal>(&done));
    done.wait();
    CHECK(own.chunks_done == done_after);
    return d.failed();
  };
  CHECK(use(0));
  CHECK_FALSE(use(chunks));
  CHECK_FALSE(use(2 * chunks));
  CHECK(own.launches == 3);
}

TEST_CASE("a kernel is asked once for each launch, and not when a copy of its stream has ended") {
  fake_cuda_driver driver;
  device d{driver, {range}};
  auto stream = d.open(range);
  std::atomic<int> asked{0};
  const auto nothing = [](fake_cuda_driver& f, const launch_site& site) { return f.run_in(site.stream, [] {}); };
  const kernel job{nothing, [&] { return launch_report{.next = ++asked < 3 ? launch_next::again : launch_next::done}; },
                   nothing};
  event done;
  stream.launch(job, notify<&event::signal>(&done));
  done.wait();
  CHECK(asked == 3);
  const device_copy time{1'000};
  stream.copy(0, time, notify<&event::signal>(&done));
  done.wait();
  CHECK(asked == 3);
  CHECK_FALSE(d.failed());
}

TEST_CASE("a launch that ended with the device is not asked how, and one without any place is refused") {
  fake_cuda_driver driver;
  int asked = 0;
  {
    device d{driver, {range}};
    auto stream = d.open(range);
    const kernel lost{
        [&](fake_cuda_driver& f, const launch_site& site) { return f.run_in(site.stream, [&] { f.lose(); }); },
        [&] {
          ++asked;
          return launch_report{};
        },
        [](fake_cuda_driver&, const launch_site&) { return result::success; }};
    event done;
    stream.launch(lost, notify<&event::signal>(&done));
    done.wait();
    CHECK(asked == 0);
    CHECK(d.failed());
  }
  fake_cuda_driver other;
  emulated_kernel own{other, 2, [](int, std::int32_t) { return round_robin(64, 0, 32); }};
  device d{other, {range}};
  auto stream = d.open(range);
  const kernel shared = on_device<fake_cuda_driver>(own, chunks, 1, {.sms = 8, .virtual_per_sm = 2, .shared = true});
  event done;
  stream.launch(shared, notify<&event::signal>(&done));
  done.wait();
  CHECK(own.launches == 0);
  REQUIRE(d.fault().has_value());
  CHECK(d.fault()->code == result::invalid_value);
}

TEST_CASE("whichever call fails while a job is launched again, it is told once and everything is given back") {
  const auto use = [](fake_cuda_driver& driver) {
    device d{driver, {range}, {.wish = {.green_contexts = false, .kernels_stay_on_range = true}}};
    auto stream = d.open(range);
    if (!d.ready()) { return true; }
    emulated_kernel own{driver, 2, [](int n, std::int32_t) { return round_robin(64, n < 2 ? 8 : 0, n < 2 ? 24 : 32); }};
    const kernel job = on_device<fake_cuda_driver>(own, chunks, 1, gpu);
    told_count told;
    stream.launch(job, notify<&told_count::add>(&told));
    takt_tests::await([&] { return told.times == 1; });
    CHECK((own.chunks_done == chunks || d.failed()));
    event done;
    const kernel last{1};
    stream.launch(last, notify<&event::signal>(&done));
    done.wait();
    CHECK(told.times == 1);
    return d.failed();
  };
  std::int64_t calls = 0;
  {
    fake_cuda_driver driver;
    add_occupy(driver);
    CHECK_FALSE(use(driver));
    calls = driver.call_count();
  }
  int noticed = 0;
  for (std::int64_t n = 0; n < calls; ++n) {
    CAPTURE(n);
    fake_cuda_driver driver;
    add_occupy(driver);
    driver.fail_call(n, result::out_of_memory);
    try {
      noticed += use(driver) ? 1 : 0;
    } catch (const cuda_error&) { ++noticed; }
    CHECK(driver.live() == 0);
  }
  CHECK(noticed > 10);
}

TEST_CASE("a range that no backend keeps apart from virtual SMs, and an empty one, get no slots") {
  CHECK(takt::cuda::detail::form_on(partition_backend::green_contexts, {0, 0, 0}, gpu, 2).places() == 0);
  CHECK(takt::cuda::detail::form_on(partition_backend::green_contexts, range,
                                    {.sms = 8, .virtual_per_sm = 2, .shared = true}, 2)
            .places() == 0);
  const auto pinned = takt::cuda::detail::form_on(partition_backend::pinned_blocks, {0, 3, 2}, gpu, 2);
  CHECK(pinned.slots == isolated_slots(3, 2, 2));
  CHECK(pinned.grid == 0);
  CHECK(pinned.most_launches == takt::cuda::detail::most_pinned_launches);
  CHECK(takt::cuda::detail::form_on(partition_backend::caller_streams, range, gpu, 2).grid == 16);
  CHECK(takt::cuda::detail::form_on(partition_backend::priority_streams, range, gpu, 2).most_launches == 1);
}

TEST_CASE("what follows from the end of a launch: done, yielded where that was asked, again, or failed") {
  takt::cuda::detail::pinned_attempts attempts{2};
  attempts.launched(16, 64);
  CHECK(attempts.ended(0, 16).next == launch_next::done);
  CHECK_FALSE(attempts.ended(0, 16).is_overrun());
  CHECK(attempts.ended(0, 15).is_overrun());
  CHECK(attempts.ended(3, 0, true).next == launch_next::yielded);
  CHECK(attempts.ended(3, 0).next == launch_next::again);
  attempts.launched(16, 3);
  CHECK(attempts.ended(0, 3).is_overrun());
  CHECK(attempts.ended(0, 3).expected == 3);
  CHECK(attempts.ended(3, 0).next == launch_next::failed);
  CHECK(attempts.ended(3, 0).fault == result::not_ready);
}

TEST_CASE("the least part of its blocks is told, of the jobs since the last time") {
  overrun_record seen;
  seen.note({.claimed = 16, .expected = 16});
  CHECK_FALSE(seen.take("x"));
  seen.note({.claimed = 5, .expected = 16});
  seen.note({.claimed = 1, .expected = 2});
  seen.note({.claimed = 2, .expected = 2});
  CHECK(seen.take("x") == "x: 2 of 3 kernels overran, blocks at work at the least: 5 of 16");
  CHECK_FALSE(seen.take("x"));
  seen.note({.launches = 3, .claimed = 2, .expected = 2});
  CHECK(seen.take("x") == "x: 1 of 1 kernels overran, further launches: 2");
}

TEST_CASE("overruns of a device stand in the notes of a run, which goes on") {
  constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                        takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                        takt::pool(takt::virtual_sms(8, 1), takt::federated));
  constexpr auto tasks = takt::task_set(takt::task("only", takt::period(20_ms), takt::cpu(0_ns, 1_us), takt::copy(0_ns),
                                                   takt::kernel(takt::work(1_ms, 8_ms), takt::interleave(1)),
                                                   takt::copy(0_ns), takt::cpu(0_ns, 1_us)));
  fake_cuda_driver driver;
  add_occupy(driver);
  device d{driver, {range}};
  emulated_kernel own{driver, 1, [](int, std::int32_t) { return round_robin(3, 0, 8); }};
  std::map<takt::runtime::visit_position, kernel> bound;
  bound.insert_or_assign({0, 2}, on_device<fake_cuda_driver>(own, chunks, 1, {.sms = 8}));
  takt::runtime::board_devices devices;
  devices.copies(1, d).kernels(2, d, std::move(bound));
  takt::runtime::run_options o;
  o.length = 50_ms;
  o.lock_memory = false;
  o.real_time = false;
  const auto seen = takt::runtime::run(board, tasks, takt::dedicate(8), devices, o);
  CHECK(seen.device_fault.empty());
  CHECK(own.launches >= 1);
  const auto says = [](const std::string& n) { return n.find("blocks at work at the least: 3 of 8") != n.npos; };
  CHECK(std::ranges::any_of(seen.notes, says));
}

TEST_CASE("an accelerator launches again what is left where no yield was asked, and reports what it gives up") {
  struct notices {
    std::atomic<int> complete{0};
    std::atomic<int> yielded{0};
    static void take(void* o, takt::kernel_id, takt::runtime::launch_end how) {
      auto& own = *static_cast<notices*>(o);
      ++(how == takt::runtime::launch_end::complete ? own.complete : own.yielded);
    }
  };
  fake_cuda_driver driver;
  {
    cuda_accelerator<fake_cuda_driver> d{driver, 0, 8};
    notices heard;
    REQUIRE(d.open({.streams = {.cores = 1, .levels = 1}, .kernels = 1, .ended = {notices::take, &heard}}));
    int launches = 0;
    int good_after = 3;
    const accelerator_kernel<fake_cuda_driver> own{{.begin = [] {},
                                                    .launch =
                                                        [&](fake_cuda_driver& f, const accelerator_site& site) {
                                                          ++launches;
                                                          return f.run_in(site.stream, [] {});
                                                        },
                                                    .ask_to_yield = [] {},
                                                    .ended =
                                                        [&] {
                                                          const bool good = launches >= good_after;
                                                          return launch_report{
                                                              .next = good           ? launch_next::done
                                                                      : launches < 5 ? launch_next::again
                                                                                     : launch_next::failed,
                                                              .fault = result::not_ready,
                                                              .launches = static_cast<std::uint32_t>(launches),
                                                              .claimed = 2,
                                                              .expected = 2};
                                                        }}};
    d.load(0, own, 0);
    d.submit(0, {.core = 0, .level = 0});
    takt_tests::await([&] { return heard.complete == 1; });
    CHECK(launches == 3);
    CHECK_FALSE(d.failed());
    launches = 0;
    good_after = 100;
    d.load(0, own, 1);
    d.submit(0, {.core = 0, .level = 0});
    takt_tests::await([&] { return heard.complete == 2; });
    CHECK(launches == 5);
    CHECK(heard.yielded == 0);
    REQUIRE(d.failed());
    CHECK(d.fault_sentence().find("job not completed") == 0);
    d.close();
    CHECK(d.take_notes() == std::vector<std::string>{"kernel 0: 1 of 1 kernels overran, further launches: 2"});
  }
  CHECK(driver.live() == 0);
}

TEST_CASE("an accelerator that is closed launches nothing again and tells nobody") {
  constexpr int many = 50'000;
  fake_cuda_driver driver;
  add_occupy(driver);
  std::atomic<int> launches{0};
  std::atomic<int> told{0};
  cuda_accelerator<fake_cuda_driver> d{driver, 0, 8};
  const auto tell = [](void* o, takt::kernel_id, takt::runtime::launch_end) { ++*static_cast<std::atomic<int>*>(o); };
  REQUIRE(d.open({.streams = {.cores = 1, .levels = 1}, .kernels = 1, .ended = {tell, &told}}));
  const accelerator_kernel<fake_cuda_driver> endless{
      {.begin = [] {},
       .launch = [&](fake_cuda_driver& f, const accelerator_site& site) { return f.run_in(site.stream, [] {}); },
       .ask_to_yield = [] {},
       .ended = [&] { return launch_report{.next = ++launches < many ? launch_next::again : launch_next::done}; }}};
  d.load(0, endless, 0);
  d.submit(0, {.core = 0, .level = 0});
  takt_tests::await([&] { return launches > 3; });
  d.close();
  CHECK(launches < many);
  CHECK(told == 0);
}
