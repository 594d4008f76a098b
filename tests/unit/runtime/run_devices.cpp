// SPDX-License-Identifier: Apache-2.0
// Boards of pools on devices.
#include <takt/kernels.hpp>
#include <takt/runtime/executor/run.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <takt/allocation/analyze.hpp>
#include <takt/analysis/any_board.hpp>
#include <takt/model/to_runtime_tasks.hpp>
#include <takt/report/trace_queries.hpp>
#include <takt/runtime/emulated_device.hpp>
#include <takt/runtime/executor/decided_device.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/accelerators/run/emulated_accelerator.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>
#include "support/limited_wait.hpp"
#include "support/longer_runs.hpp"
#include "support/manual_device.hpp"
#include "support/mute_device.hpp"
#include "support/trace_checker.hpp"

namespace {

namespace rt = takt::runtime;
using namespace takt::literals;
using takt::observation_status;
using takt_tests::seen_in_some_run;

auto plain(takt::duration length) -> rt::run_options {
  rt::run_options out;
  out.length = length;
  out.real_time = out.pin_to_cores = out.lock_memory = false;
  return out;
}
auto has_note(const rt::run_result& r, std::string_view start) -> bool {
  for (const std::string& n : r.notes) {
    if (n.starts_with(start)) { return true; }
  }
  return false;
}

/// Blocks that sleep, and when each of them did.
class recorder {
 public:
  [[nodiscard]] auto kernel(std::uint32_t task, std::int64_t blocks, takt::ticks length) -> rt::wave_kernel {
    const auto block = [this, task, length](std::int64_t) {
      const takt::ticks since = rt::now();
      rt::sleep_until(rt::later(since, length));
      add({task, 1, 0, {takt::stage::kernel, 0, 0, 1}, since, rt::now()});
    };
    return {blocks, block, 0};
  }
  [[nodiscard]] auto blocks_of(std::uint32_t task) -> std::size_t {
    std::size_t n = 0;
    for (const takt::slice& s : seen_) { n += s.task == task ? 1U : 0U; }
    return n;
  }
  /// Whether blocks of two tasks ran at once.
  [[nodiscard]] auto mixed() const -> bool {
    for (const takt::slice& a : seen_) {
      for (const takt::slice& b : seen_) {
        if (a.task != b.task && a.start < b.end && b.start < a.end) { return true; }
      }
    }
    return false;
  }

 private:
  void add(const takt::slice& s) {
    const std::lock_guard lock{mutex_};
    seen_.push_back(s);
  }
  std::mutex mutex_;
  std::vector<takt::slice> seen_;
};

constexpr auto cores = takt::pool(takt::processors(2), takt::g_edf);
constexpr auto kernel_of(takt::duration wcet, takt::duration wave) {
  return takt::visit<takt::gpu>(takt::wcet(wcet), takt::preemption_cost(wave));
}
constexpr auto both = takt::task_set(
    takt::task("long", takt::period(60_ms), takt::cpu(100_us), kernel_of(24_ms, 1_ms), takt::cpu(100_us)),
    takt::task("short", takt::period(15_ms), takt::cpu(100_us), kernel_of(2_ms, 1_ms), takt::cpu(100_us)));

/// The most pieces in which a job of "long" had the first core of the GPU, none unless some job was completed.
template <class Rule>
auto pieces_under(const Rule& rule, takt::duration length, std::int32_t levels, std::int64_t of_long) -> std::size_t {
  CAPTURE(rule.name);
  const auto board = takt::erase<6>(takt::platform(cores, takt::pool(takt::virtual_sms(2, 1), rule)));
  const auto described = takt::to_runtime_tasks(both);
  rt::emulated_accelerator gpu{{.cores = 2, .preemption_levels = levels}};
  recorder blocks;
  rt::board_devices devices;
  devices.kernels(1, gpu, {{{0, 1}, blocks.kernel(0, of_long, 1'000'000)}, {{1, 1}, blocks.kernel(1, 4, 1'000'000)}});
  takt::trace seen;
  const auto ran = rt::run(board, described.tasks, takt::plan<2, 6>{}, devices, plain(length), seen);
  REQUIRE_FALSE(ran.error);
  REQUIRE(ran.tasks.size() == 2);
  CHECK(ran.tasks[0].released == static_cast<std::uint64_t>(length.count() / (60_ms).count()));
  CHECK(ran.tasks[1].released == static_cast<std::uint64_t>(length.count() / (15_ms).count()));
  CHECK(has_note(ran, "device: pool 1 on emulated accelerator"));
  const bool in_turn = levels == 1;  // cores go from level to level each by itself
  CHECK((blocks.mixed() == false || !in_turn));
  CHECK(blocks.blocks_of(1) >= 4 * ran.tasks[1].completed);
  CHECK(trace_checker::complaint(seen, described.tasks, {.gpus = {{.cores_apart = true, .one_job = in_turn}}}) == "");
  std::map<std::uint64_t, std::size_t> pieces;
  for (const takt::slice& s : seen.slices() | takt::views::of_visit(0, 1)) {
    pieces[s.job] += s.where.index == 0 ? 1U : 0U;
  }
  std::size_t most = 0;
  for (const auto& [job, count] : pieces) { most = std::max(most, count); }
  return ran.completed() > 0 ? most : 0;
}
template <class Rule>
void keeps_its_unit(const Rule& rule) {
  CHECK(seen_in_some_run(180_ms, [&](takt::duration length) {
    const std::size_t pieces = pieces_under(rule, length, 1, 48);
    CHECK(pieces <= 1);
    return pieces == 1;
  }));
}
template <class Rule>
void gives_its_unit_back(const Rule& rule, std::int32_t levels = 1) {
  // Blocks for the whole run, so that the other task meets it there whenever it comes.
  CHECK(seen_in_some_run(180_ms, [&](takt::duration length) {
    return pieces_under(rule, length, levels, 2 * length.count() / (1_ms).count()) > 1;
  }));
}

/// Emulated, but after so many operations nothing works.
class failing_device : public rt::emulated_device {
 public:
  struct stream {
    failing_device* device;
    rt::emulated_device::stream inner;
    void launch(const rt::emulated_kernel& k, rt::completion done) {
      device->count();
      inner.launch(k, done);
    }
    void copy(std::int32_t engine, const rt::emulated_copy& c, rt::completion done) {
      device->count();
      inner.copy(engine, c, done);
    }
  };
  failing_device(const takt::platform_record& p, int good) : rt::emulated_device{p}, left_{good} {}
  [[nodiscard]] auto open(const takt::sm_range& r) -> stream { return {this, rt::emulated_device::open(r)}; }
  [[nodiscard]] auto failed() const -> bool { return left_ < 0; }
  [[nodiscard]] static auto fault_sentence() -> std::string { return "no power"; }

 private:
  void count() { --left_; }
  std::atomic<int> left_;
};
static_assert(rt::Device<failing_device> && rt::FallibleDevice<failing_device>);

constexpr auto chains = takt::task_set(
    takt::task("a", takt::period(20_ms), takt::cpu(100_us), takt::copy(500_us),
               takt::kernel(takt::work(4_ms), takt::interleave(1)), takt::copy(500_us), takt::cpu(100_us)),
    takt::task("b", takt::period(10_ms), takt::cpu(100_us), takt::kernel(takt::work(2_ms), takt::interleave(1)),
               takt::cpu(100_us)));
constexpr auto board =
    takt::platform(takt::pool(takt::processors(2), takt::g_edf), takt::pool(takt::copy_engines(1), takt::fifo),
                   takt::pool(takt::virtual_sms(4, 1), takt::federated));

}  // namespace

TEST_CASE("an accelerator carries out what the server of a GPU decides: kernels have it one after the other") {
  SUBCASE("to their ends") {
    keeps_its_unit(takt::fifo);
    keeps_its_unit(takt::nonpreemptive(takt::edf));
    keeps_its_unit(takt::locked(takt::fifo_order));
  }
  SUBCASE("in pieces, where the rule takes the GPU back") {
    gives_its_unit_back(takt::levels(takt::edf, takt::preemption_cost_model::ideal));
    gives_its_unit_back(takt::levels(takt::edf), 2);
    gives_its_unit_back(takt::gang(takt::edf));
    gives_its_unit_back(takt::time_slices(2_ms, 100_us));
  }
}

TEST_CASE(
    "pinned kernels go to their cores of an accelerator, and kernels without work of the user's take their time") {
  const auto pinned = [](takt::duration wcet, std::int32_t sm) {
    return takt::visit<takt::gpu>(takt::wcet(wcet), takt::preemption_cost(1_ms), takt::on_sm(sm));
  };
  const auto set = takt::task_set(takt::task("left", takt::period(20_ms), takt::cpu(100_us), pinned(4_ms, 0)),
                                  takt::task("right", takt::period(20_ms), takt::cpu(100_us), pinned(4_ms, 1)),
                                  takt::task("both", takt::period(60_ms), takt::cpu(100_us), kernel_of(9_ms, 1_ms)));
  const auto gangs = takt::platform(cores, takt::pool(takt::accelerator(2), takt::gang(takt::edf)));
  const auto described = takt::to_runtime_tasks(set);
  CHECK(seen_in_some_run(180_ms, [&](takt::duration length) {
    rt::emulated_accelerator gpu{{.cores = 2, .preemption_levels = 1}};
    rt::board_devices devices;
    devices.kernels(1, gpu);
    auto options = plain(length);
    options.lengths = rt::length_choice::upper;
    takt::trace seen;
    const auto ran = rt::run(gangs, set, takt::plan<3, 6>{}, devices, options, seen);
    REQUIRE_FALSE(ran.error);
    REQUIRE(ran.ended == observation_status::no_miss);
    REQUIRE(ran.tasks.size() == 3);
    const bool has_completed = ran.tasks[0].completed > 0;
    CHECK((!has_completed || ran.tasks[0].best_response >= (4_ms).count()));
    CHECK(trace_checker::complaint(seen, described.tasks, {.gpus = {{.cores_apart = true}}}) == "");
    for (const takt::slice& a : seen.slices()) {
      if (a.where.where == takt::stage::kernel && a.task < 2) { CHECK(a.where.index == static_cast<int>(a.task)); }
      for (const takt::slice& b : seen.slices()) {
        const bool kernels = a.where.where == takt::stage::kernel && b.where.where == takt::stage::kernel;
        if (kernels && a.task == 2 && b.task != 2) { CHECK((a.end <= b.start || b.end <= a.start)); }
      }
    }
    return has_completed;
  }));
}

TEST_CASE("a device with streams serves copies and kernels on SMs of their own, and moves the user's bytes") {
  const auto verdict = takt::analyze(board, chains, takt::published_methods);
  REQUIRE(verdict.schedulable());
  rt::emulated_device device{rt::detail::record_of(board)};
  const std::array<int, 4> from{1, 2, 3, 4};
  CHECK(seen_in_some_run(100_ms, [&](takt::duration length) {
    std::array<int, 4> to{};
    std::atomic<int> blocks{0};
    rt::board_devices devices;
    devices.copies(1, device, {{{0, 1}, rt::emulated_copy{to.data(), from.data(), sizeof from}}});
    devices.kernels(2, device, {{{0, 2}, rt::emulated_kernel{8, [&](std::int64_t) { blocks += to[3] == 4 ? 1 : 0; }}}});
    takt::trace seen;
    const auto ran = rt::run(board, chains, verdict.plan, devices, plain(length), seen);
    REQUIRE_FALSE(ran.error);
    REQUIRE(ran.ended == observation_status::no_miss);
    CHECK((ran.tasks[0].completed == 0 || to == from));
    CHECK(blocks >= 8 * static_cast<int>(ran.tasks[0].completed));
    const auto described = takt::to_runtime_tasks(chains);
    CHECK(trace_checker::complaint(seen, described.tasks, {}) == "");
    return ran.tasks[0].completed > 0;
  }));
}

TEST_CASE("a run on devices refuses what they cannot serve, and bindings that name nothing") {
  const auto verdict = takt::analyze(board, chains, takt::published_methods);
  rt::emulated_accelerator whole{{.cores = 4, .preemption_levels = 1}};
  rt::emulated_device device{rt::detail::record_of(board)};
  const auto status = [&](rt::board_devices& d) {
    return rt::run(board, chains, verdict.plan, d, plain(10_ms)).status();
  };
  rt::board_devices no_sms_of_their_own;
  no_sms_of_their_own.kernels(2, whole);
  CHECK(status(no_sms_of_their_own) == observation_status::wrong_device);
  rt::board_devices no_gpu;
  no_gpu.kernels(1, device);
  CHECK(status(no_gpu) == observation_status::wrong_device);
  rt::board_devices no_pool;
  no_pool.kernels(3, device);
  CHECK(status(no_pool) == observation_status::wrong_binding);
  rt::board_devices no_kernel;
  no_kernel.kernels(2, device, {{{0, 1}, rt::emulated_kernel{1}}});
  CHECK(status(no_kernel) == observation_status::wrong_binding);
  rt::emulated_device smaller{{.cores = 1, .copy_engines = 1, .gpus = {}}};
  rt::board_devices too_small;
  too_small.kernels(2, smaller);
  CHECK(status(too_small) == observation_status::wrong_device);

  // Streams do not give back what they have begun.
  const auto levels = takt::platform(cores, takt::pool(takt::virtual_sms(4, 1), takt::levels(takt::edf)));
  rt::board_devices no_yield;
  no_yield.kernels(1, device);
  CHECK(rt::run(levels, both, takt::plan<2, 6>{}, no_yield, plain(10_ms)).status() == observation_status::wrong_device);
}

TEST_CASE("a launch that is complete is not made again by a host that has yet to hear of it") {
  using worker = rt::detail::launch_worker<takt_test::manual_device>;
  takt_test::manual_device device{1, 1};
  rt::pool_to_serve pool;
  pool.lanes.emplace_back();
  const worker::kernels none;
  worker* self = nullptr;
  int heard = 0;
  const auto done = [&](std::uint32_t, takt::ticks) {
    ++heard;
    self->start({});  // as under shares that change, or when the unit comes back
  };
  worker w{device, pool, 1, 0, none, {done, [](std::uint32_t) {}}};
  self = &w;
  w.assign({});
  w.start({});
  (void)device.next();
  w.notify(rt::launch_end::complete, 0);
  CHECK(heard == 1);
  CHECK(device.left() == 0);
  w.assign({});
  w.start({});
  CHECK(device.left() == 1);
}

TEST_CASE("a device that fails ends the run there, and the result has its sentence") {
  const auto verdict = takt::analyze(board, chains, takt::published_methods);
  for (const int good : {0, 1, 4}) {
    CAPTURE(good);
    failing_device device{rt::detail::record_of(board), good};
    rt::board_devices devices;
    devices.copies(1, device).kernels(2, device);
    const auto ran = rt::run(board, chains, verdict.plan, devices, plain(60_s));
    CHECK(ran.status() == observation_status::device_failed);
    CHECK(ran.device_fault == "no power");
    CHECK(has_note(ran, "device: failed: no power"));
    CHECK(ran.end < (60_s).count());
    REQUIRE(ran.tasks.size() == 2);
    for (const auto& t : ran.tasks) { CHECK(t.completed + t.unfinished == t.released); }
    CHECK(3 * ran.tasks[0].completed + ran.tasks[1].completed <= static_cast<std::uint64_t>(good));
    rt::board_devices once_more;
    once_more.kernels(2, device);
    const auto again = rt::run(board, chains, verdict.plan, once_more, plain(10_ms));
    CHECK(again.status() == observation_status::device_failed);
    CHECK(again.tasks.empty());
  }
}

TEST_CASE("a device that neither fails nor answers ends the run, after the bound of the visit that it has") {
  const auto verdict = takt::analyze(board, chains, takt::published_methods);
  auto options = plain(60_s);
  options.patience = 30_ms;
  SUBCASE("with streams") {
    takt_tests::mute_device device;
    rt::board_devices devices;
    devices.kernels(2, device);
    const auto ran = rt::run(board, chains, verdict.plan, devices, options);
    CHECK(ran.status() == observation_status::device_silent);
    CHECK(takt::name_of(ran.status()) == "device-silent");
    CHECK(has_note(ran, "device: silent: no answer"));
    const bool names_visit = ran.device_fault.find("visit 1 of b") != std::string::npos ||
                             ran.device_fault.find("visit 2 of a") != std::string::npos;
    CHECK(names_visit);
    CHECK(ran.end >= (30_ms).count());
    CHECK(ran.end < (60_s).count());
    CHECK(ran.completed() == 0);
  }
  SUBCASE("of whole kernels") {
    takt_test::manual_device device{2, 1};
    const auto levels = takt::platform(cores, takt::pool(takt::virtual_sms(2, 1), takt::levels(takt::edf)));
    rt::board_devices devices;
    devices.kernels(1, device);
    const auto ran = rt::run(levels, both, takt::plan<2, 6>{}, devices, options);
    CHECK(ran.status() == observation_status::device_silent);
    CHECK(ran.end >= (30_ms).count());
    CHECK(device.closed == 1);
  }
}

TEST_CASE("a kernel that is done is not launched again while that is told, though its unit is taken and given back") {
  takt_test::manual_device device{2, 1};
  rt::decided_device<takt_test::manual_device> pool{device, std::make_shared<char>(), {}};
  rt::pool_to_serve whole{.board = {}, .is_gpu = true, .trace_capacity = 8, .lanes = {{.task = 0}}};
  whole.board.gpus.unchecked_push_back({.sms = 2, .virtual_per_sm = 2});
  REQUIRE(pool.serves(whole));
  REQUIRE(pool.open(whole));
  rt::visit_worker* worker = nullptr;
  std::atomic<int> done = 0;
  const auto made = pool.worker(0, {.done =
                                        [&](std::uint32_t /*visit*/, takt::ticks /*time*/) {
                                          worker->stop();
                                          worker->start({.unit = 0});
                                          ++done;
                                        },
                                    .paused = [](std::uint32_t /*visit*/) {}});
  worker = made.get();
  for (int job = 1; job <= 2; ++job) {
    worker->assign({.visit = 0, .length = 1});
    worker->start({.unit = 0});
    CHECK(device.next().what == takt::detail::accelerator_command_kind::submit);
    device.end(0);
    takt_tests::await([&] { return done == job; });
    CHECK(device.left() == 0);
  }
  pool.close();
}
