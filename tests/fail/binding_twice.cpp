// EXPECT: takt: two pieces of code are bound to one segment
// SPDX-License-Identifier: Apache-2.0
#include <takt/runtime/bind.hpp>
#include <takt/takt.hpp>

#include "board.hpp"

constexpr auto tasks = takt::task_set(camera);
struct go {
  void operator()(std::uint64_t job) const;
};

#ifdef TAKT_FIXED
const auto code = takt::codes<tasks>(takt::bind<"camera", "cpu">(go{}), takt::bind<"camera", "cpu 2">(go{}));
#else
const auto code = takt::codes<tasks>(takt::bind<"camera", "cpu">(go{}), takt::bind<"camera", "cpu 1">(go{}));
#endif
