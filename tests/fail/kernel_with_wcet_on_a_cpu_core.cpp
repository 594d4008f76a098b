// EXPECT: takt: a kernel with wcet\(\) is all of its task
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto detect = takt::task("detect", takt::period(40_ms), takt::kernel(takt::wcet(6_ms), takt::on_sm(1)));
#else
constexpr auto detect = takt::task("detect", takt::period(40_ms), takt::on_core(1), takt::kernel(takt::wcet(6_ms)));
#endif
