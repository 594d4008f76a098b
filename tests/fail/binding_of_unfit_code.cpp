// EXPECT: takt: code of a copy, a kernel or a resource of one.s own is called with the number of the job and a
// SPDX-License-Identifier: Apache-2.0
#include <takt/runtime/bind.hpp>
#include <takt/takt.hpp>

#include "board.hpp"

constexpr auto tasks = takt::task_set(camera);
void decode(std::uint64_t job);

#ifdef TAKT_FIXED
const auto code = takt::codes<tasks>(
    takt::bind<"camera", "kernel">([](std::uint64_t job, takt::runtime::pause_point&) { decode(job); }));
#else
const auto code = takt::codes<tasks>(takt::bind<"camera", "kernel">(decode));
#endif
