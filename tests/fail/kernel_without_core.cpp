// EXPECT: "detect"
// EXPECT: takt: a kernel has no core, and its rule tells cores apart
// SPDX-License-Identifier: Apache-2.0
#include <takt/kernels.hpp>
#include <takt/takt.hpp>

#include <takt/systems/methods.hpp>

using namespace takt::literals;

[[nodiscard]] constexpr auto kernels() {
  takt::task_rows<takt::accelerator_task<takt::ticks>, 1> out;
  takt::accelerator_task<takt::ticks> detect{.name = "detect", .wcet = 6, .period = 40, .deadline = 40};
  detect.width = takt::kernel_width::one_core;
#ifdef TAKT_FIXED
  detect.core = 0;
#endif
  out.add(detect);
  return out;
}
constexpr auto sms = takt::platform(takt::pool(takt::accelerator(2, 2), takt::gang(takt::edf)));
constexpr auto verdict = takt::analyze(sms, kernels(), takt::published_methods);
