// EXPECT: takt: code of a processor is called with the number of the job, a std::uint64_t, and this code is
// SPDX-License-Identifier: Apache-2.0
#include <takt/runtime/bind.hpp>
#include <takt/takt.hpp>

#include "board.hpp"

constexpr auto tasks = takt::task_set(camera);
void decode(std::uint64_t job);

#ifdef TAKT_FIXED
const auto code = takt::codes<tasks>(takt::bind<"camera", "cpu">(decode));
#else
const auto code = takt::codes<tasks>(
    takt::bind<"camera", "cpu">([](std::uint64_t job, takt::runtime::pause_point&) { decode(job); }));
#endif
