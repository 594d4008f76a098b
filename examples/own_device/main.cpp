// SPDX-License-Identifier: Apache-2.0
// A device of one's own: an FPGA, here of threads, whose regions stand for SMs and whose DMA channel copies.
#include <algorithm>
#include <chrono>
#include <deque>
#include <iostream>

#include <takt/runtime.hpp>
#include <takt/takt.hpp>

namespace {
using namespace std::chrono_literals;
namespace rt = takt::runtime;

struct operation {
  explicit operation(takt::ticks time) : length{time} {}
  static void perform(const operation& o, takt::ticks begin) { rt::sleep_until(rt::later(begin, o.length)); }
  takt::ticks length;
};
using unit = rt::serial_unit<operation>;

class fpga {
 public:
  using kernel = operation;
  using copy = operation;
  struct stream {
    void launch(const operation& k, rt::completion done) const { region->submit(k, done); }
    void copy(std::int32_t /*engine*/, const operation& c, rt::completion done) const { dma->submit(c, done); }
    unit* region;
    unit* dma;
  };

  static auto serves(const takt::platform_record& p) -> bool { return p.copy_engines <= 1 && p.gpus.size() == 1; }
  auto open(const takt::sm_range& /*regions*/) -> stream { return {&regions_.emplace_back(operation::perform), &dma_}; }
  auto serve_at(std::int32_t priority) const -> bool {
    return dma_.serve_at(priority) && std::ranges::all_of(regions_, [&](auto& u) { return u.serve_at(priority); });
  }
  auto ready() const -> bool { return std::ranges::all_of(regions_, &unit::started); }
  static auto name() -> std::string_view { return "FPGA"; }

 private:
  unit dma_{operation::perform};
  std::deque<unit> regions_;
};

constexpr auto tasks = takt::task_set(takt::task("filter", takt::period(20ms), takt::cpu(1ms), takt::copy(1ms),
                                                 takt::kernel(takt::work(6ms)), takt::cpu(1ms)));
constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(4, 1), takt::federated));
constexpr auto verdict = takt::analyze(board, tasks);
}  // namespace
auto main() -> int {
  fpga device;
  const auto seen = rt::run(board, tasks, verdict.plan, device, {.length = 400ms, .expected = rt::expect(verdict)});
  std::cout << seen.tasks[0].completed << " jobs on the " << fpga::name() << ", at most "
            << seen.tasks[0].worst_response / 1000 << " us\n";
  return seen.tasks[0].completed > 0 ? 0 : 1;
}
