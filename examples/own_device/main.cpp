// SPDX-License-Identifier: Apache-2.0
// A device of one's own: an FPGA, here of threads, whose regions stand for SMs and whose DMA channel copies.
#include <algorithm>
#include <deque>
#include <iostream>

#include <takt/runtime.hpp>
#include <takt/systems/explain.hpp>
#include <takt/systems/rtgpu.hpp>

using namespace takt::literals;
namespace rt = takt::runtime;

class fpga {
 public:
  using kernel = rt::emulated_kernel;
  using copy = rt::emulated_kernel;
  struct stream {
    void launch(const rt::emulated_kernel& k, rt::completion done) const { region->submit(k, done); }
    void copy(std::int32_t /*engine*/, const rt::emulated_kernel& c, rt::completion d) const { dma->submit(c, d); }
    rt::emulated_unit* region;
    rt::emulated_unit* dma;
  };
  static auto serves(const takt::platform_record& p) -> bool { return p.copy_engines <= 1 && p.gpus.size() == 1; }
  auto open(const takt::sm_range& /*regions*/) -> stream { return {&regions_.emplace_back(1), &dma_}; }
  auto serve_at(std::int32_t priority) const -> bool {
    return dma_.serve_at(priority) && std::ranges::all_of(regions_, [&](auto& u) { return u.serve_at(priority); });
  }
  auto ready() const -> bool { return std::ranges::all_of(regions_, &rt::emulated_unit::started); }
  static auto name() -> std::string_view { return "FPGA"; }

 private:
  rt::emulated_unit dma_{1};  // a thread that does one operation after the other
  std::deque<rt::emulated_unit> regions_;
};

constexpr auto tasks = takt::task_set(takt::task("filter", takt::period(20_ms), takt::cpu(1_ms), takt::copy(1_ms),
                                                 takt::kernel(takt::work(6_ms)), takt::cpu(1_ms)));
constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(4, 1), takt::federated));
constexpr auto verdict = takt::analyze(board, tasks, takt::rtgpu_methods);

auto main() -> int {
  fpga device;
  const auto seen = rt::run(board, tasks, verdict.plan, device, {.length = 400_ms, .expected = rt::expect(verdict)});
  takt::explain(std::cout, board, tasks, verdict, seen);
  return seen.tasks[0].completed > 0 ? 0 : 1;
}
