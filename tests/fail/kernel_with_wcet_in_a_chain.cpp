// EXPECT: takt: a kernel with wcet\(\) is all of its task: .* copies are part of wcet\(\)
// TAKT-TEST: AP-34 a kernel with wcet() beside copies does not compile, and the message says that they are part of it
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto detect = takt::task("detect", takt::period(40_ms), takt::kernel(takt::wcet(6_ms)));
#else
constexpr auto detect =
    takt::task("detect", takt::period(40_ms), takt::copy(1_ms), takt::kernel(takt::wcet(4_ms)), takt::copy(1_ms));
#endif
