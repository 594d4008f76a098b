// EXPECT: takt: code is bound to a task or a segment that the set does not have
// SPDX-License-Identifier: Apache-2.0
#include <takt/runtime/bind.hpp>
#include <takt/takt.hpp>

#include "board.hpp"

constexpr auto tasks = takt::task_set(camera);
void decode(std::uint64_t job);

#ifdef TAKT_FIXED
const auto code = takt::codes<tasks>(takt::bind<"camera", "cpu 2">(decode));
#else
const auto code = takt::codes<tasks>(takt::bind<"camera", "cpu 3">(decode));
#endif
