// SPDX-License-Identifier: Apache-2.0
// Code that pages of docs/ show and that no example or test has as it stands there. It has to compile; it is not run.
#include <cstdint>
#include <utility>

#include <takt/analysis/any_board.hpp>
#include <takt/kernels.hpp>
#include <takt/model/to_runtime_tasks.hpp>
#include <takt/runtime.hpp>
#include <takt/runtime/executor/run.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/accelerators/run/emulated_accelerator.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

namespace {

using namespace takt::literals;

// excerpt: time slices
constexpr auto slices = takt::pool(takt::virtual_sms(6, 2), takt::time_slices(1024_us, 200_us));      // slice, switch
constexpr auto runlist = takt::pool(takt::virtual_sms(6, 2), takt::runlist_slices(1024_us, 200_us));  // a fixed order
constexpr auto own = takt::kernel(takt::wcet(3_ms), takt::in_context(0), takt::own_slice(2_ms));      // whose, how long
// end of excerpt

constexpr auto tasks = takt::task_set(takt::task("plan", takt::period(20_ms), takt::cpu(1_ms), takt::copy(1_ms),
                                                 takt::kernel(takt::work(2_ms), takt::interleave(1))),
                                      takt::task("see", takt::period(40_ms), takt::cpu(1_ms), takt::copy(1_ms),
                                                 takt::kernel(takt::work(4_ms), takt::interleave(1))));
constexpr auto small_board =
    takt::platform(takt::pool(takt::processors(1), takt::fixed_priority), takt::pool(takt::copy_engines(1), takt::fifo),
                   takt::pool(takt::virtual_sms(4, 1), takt::nonpreemptive(takt::fixed_priority)));

auto on_any_board(const decltype(takt::to_runtime_tasks(tasks))& described, int gpus) {
  // excerpt: any board
  takt::any_board<4, 256> board;  // at most 4 pools, and 256 visits of all tasks
  board.add(takt::pool(takt::processors(12), takt::edf));
  board.add(takt::pool(takt::copy_engines(2), takt::fifo));
  for (int gpu = 0; gpu < gpus; ++gpu) {
    board.add(takt::pool(takt::virtual_sms(16, 2), takt::locked(takt::k_fmlp_order, 2)));
  }
  const auto verdict =
      takt::analyze(board, described.tasks, takt::published_methods);  // finds cores, GPUs, SMs and priorities
  const auto seen = takt::simulate(board, described.tasks, verdict.plan);
  // end of excerpt
  return std::pair{verdict, seen};
}

struct tiles {
  void prepare(std::uint64_t /*job*/) {}
  auto more(std::uint64_t /*job*/) -> bool { return --left_ > 0; }
  void next(std::uint64_t /*job*/) {}
  int left_ = 10;
};

auto code_and_devices(tiles& work, const takt::runtime::run_options& options, takt::trace& recorder) {
  const auto& board = small_board;
  const auto verdict = takt::analyze(board, tasks, takt::published_methods);
  // excerpt: code and devices
  namespace rt = takt::runtime;
  rt::visit_codes codes;
  codes.cpu(0, 0, [&](std::uint64_t job) { work.prepare(job); });      // a processor
  codes.on_unit(0, 1, [&](std::uint64_t job, rt::pause_point& here) {  // an engine, a GPU, a resource of one's own
    while (work.more(job)) {
      work.next(job);
      if (!here.pass()) { return; }  // the run is over
    }
  });

  const auto block = [](std::int64_t /*index*/) {};
  rt::emulated_accelerator gpu{{.cores = 4, .preemption_levels = 1}};
  rt::board_devices devices;
  devices.kernels(2, gpu, {{{1, 2}, rt::wave_kernel{64, block}}});  // pool 2; visit 2 of task 1 is the user's kernel
  const auto ran = rt::run(board, tasks, verdict.plan, devices, options, recorder, codes);
  // end of excerpt
  return ran;
}

[[maybe_unused]] constexpr auto shown = std::pair{&on_any_board, &code_and_devices};

}  // namespace
