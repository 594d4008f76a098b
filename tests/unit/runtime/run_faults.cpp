// SPDX-License-Identifier: Apache-2.0
// Devices that lose what they should say, and kernels that take longer than they may.
#include <takt/kernels.hpp>
#include <takt/runtime/executor/run.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

#include <doctest/doctest.h>

#include <takt/analysis/any_board.hpp>
#include <takt/model/to_runtime_tasks.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/accelerators/run/emulated_accelerator.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>
#include "support/trace_checker.hpp"
#include "support/watchdog.hpp"

namespace {

namespace rt = takt::runtime;
using namespace takt::literals;
using takt::observation_status;
using takt::ticks;

/// An accelerator that says nothing of the end of one launch, the `lost`-th that ends.
class lossy_accelerator {
 public:
  using kernel = rt::emulated_accelerator::kernel;

  lossy_accelerator(const takt::accelerator_record& record, std::int64_t lost) : real_{record}, left_{lost - 1} {}

  [[nodiscard]] auto serves(const takt::stream_layout& streams) const noexcept -> bool { return real_.serves(streams); }
  [[nodiscard]] auto open(rt::accelerator_setup setup) -> bool {
    told_ = setup.ended;
    setup.ended = {[](void* self, takt::kernel_id k, rt::launch_end how) {
                     auto& own = *static_cast<lossy_accelerator*>(self);
                     if (own.left_.fetch_sub(1) != 0) { own.told_(k, how); }
                   },
                   this};
    return real_.open(setup);
  }
  void close() { real_.close(); }
  void load(takt::kernel_id k, const kernel& body, std::uint64_t job) { real_.load(k, body, job); }
  void submit(takt::kernel_id k, const takt::kernel_placement& where) { real_.submit(k, where); }
  void request_yield(takt::kernel_id k) { real_.request_yield(k); }
  [[nodiscard]] auto serve_at(std::int32_t priority) -> bool { return real_.serve_at(priority); }
  template <class Recorder>
  [[nodiscard]] auto replay(Recorder& recorder, ticks origin) const -> std::uint64_t {
    return real_.replay(recorder, origin);
  }
  [[nodiscard]] static auto name() noexcept -> std::string_view { return "lossy accelerator"; }

 private:
  rt::emulated_accelerator real_;
  rt::launch_observer told_{};
  std::atomic<std::int64_t> left_;
};

auto plain(takt::duration length) -> rt::run_options {
  rt::run_options out;
  out.length = length;
  out.real_time = out.pin_to_cores = out.lock_memory = false;
  return out;
}

constexpr auto cores = takt::pool(takt::processors(2), takt::g_edf);
constexpr auto kernel_of(takt::duration wcet, takt::duration wave) {
  return takt::visit<takt::gpu>(takt::wcet(wcet), takt::preemption_cost(wave));
}
constexpr auto three = takt::task_set(
    takt::task("long", takt::period(20_ms), takt::cpu(20_us), kernel_of(2_ms, 500_us), takt::cpu(20_us)),
    takt::task("middle", takt::period(12_ms), takt::cpu(20_us), kernel_of(1_ms, 500_us), takt::cpu(20_us)),
    takt::task("short", takt::period(5_ms), takt::cpu(20_us), kernel_of(300_us, 300_us), takt::cpu(20_us)));

template <class Rule, class F>
void under(const Rule& rule, const F& f) {
  CAPTURE(rule.name);
  f(takt::erase<9>(takt::platform(cores, takt::pool(takt::virtual_sms(2, 1), rule))));
}
/// Every rule whose server an accelerator follows.
template <class F>
void under_each_rule(const F& f) {
  under(takt::levels(takt::edf), f);
  under(takt::gang(takt::fixed_priority), f);
  under(takt::nonpreemptive(takt::edf), f);
  under(takt::locked(takt::fifo_order, 1), f);
}
void check_counts(const rt::run_result& r) {
  for (const auto& t : r.tasks) { CHECK(t.completed + t.skipped + t.unfinished == t.released); }
}

}  // namespace

TEST_CASE("a device that loses the end of a launch ends the run as silent, whichever launch it is, and nothing hangs") {
  const takt_tests::watchdog guard{120'000'000'000};
  const auto described = takt::to_runtime_tasks(three);
  under_each_rule([&](const auto& board) {
    for (const std::int64_t lost : {1, 2, 5, 9}) {
      CAPTURE(lost);
      lossy_accelerator gpu{{.cores = 2, .preemption_levels = 1}, lost};
      rt::board_devices devices;
      devices.kernels(1, gpu);
      auto options = plain(60_s);
      options.patience = 50_ms;
      takt::trace seen;
      const auto ran = rt::run(board, described.tasks, takt::plan<3, 9>{}, devices, options, seen);
      REQUIRE_FALSE(ran.error);
      CHECK(ran.ended == observation_status::device_silent);
      CHECK(ran.device_fault.find("no answer") == 0);
      CHECK(ran.end < options.length.count());
      check_counts(ran);
      CHECK(trace_checker::complaint(seen, described.tasks, {.gpus = {{.cores_apart = true, .one_job = true}}}) == "");
      CHECK(trace_checker::disagreement(seen, ran) == "");
    }
  });
}

TEST_CASE(
    "kernels that take longer than they may delay others and overtake nobody, and jobs above their bounds are dropped") {
  const takt_tests::watchdog guard{120'000'000'000};
  const auto described = takt::to_runtime_tasks(three);
  under_each_rule([&](const auto& board) {
    for (const auto handling : {rt::violation_handling::report, rt::violation_handling::drop}) {
      std::atomic<std::int32_t> running = 0;
      std::atomic<std::int32_t> most = 0;
      const auto block = [&](std::int64_t) {  // of 12, which together take six times the longest time
        const std::int32_t now_here = ++running;
        for (std::int32_t m = most; m < now_here && !most.compare_exchange_weak(m, now_here);) {}
        rt::sleep_until(rt::now() + 1'000'000);
        --running;
      };
      rt::emulated_accelerator gpu{{.cores = 2, .preemption_levels = 1}};
      rt::board_devices devices;
      devices.kernels(1, gpu, {{{0, 1}, {12, block, 0}}});
      auto options = plain(150_ms);
      options.at_violation = handling;
      options.on_late = takt::late_handling::skip_late;
      for (const auto& t : described.tasks.tasks) {
        options.expected.push_back({.response = {t.period, true}, .visits = {}});
      }
      options.expected[0].visits = {{}, {(2_ms).count(), true}, {}};
      takt::trace seen;
      const auto ran = rt::run(board, described.tasks, takt::plan<3, 9>{}, devices, options, seen);
      REQUIRE_FALSE(ran.error);
      CHECK(ran.ended == observation_status::no_miss);
      CHECK_FALSE(ran.tasks[0].within_bound);
      CHECK(ran.first_violation.has_value());
      CHECK((rt::detail::abandons_job(handling) ? ran.tasks[0].completed == 0 : ran.completed() > 0));
      CHECK(most <= 2);
      CHECK(running == 0);
      check_counts(ran);
      CHECK(trace_checker::complaint(seen, described.tasks, {.gpus = {{.cores_apart = true, .one_job = true}}}) == "");
      CHECK(trace_checker::disagreement(seen, ran) == "");
    }
  });
}
