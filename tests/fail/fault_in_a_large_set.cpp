// EXPECT: "p"
// EXPECT: takt: two tasks, or two nodes of a graph, have the same name
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

// What is printed above the sentence must not grow with the set.
#define HALF takt::copy(100_us), takt::kernel(takt::work(200_us)), takt::copy(100_us), takt::cpu(50_us)
#define TASK(name, p) takt::task(name, takt::period(p), takt::deadline(p), takt::cpu(50_us), HALF, HALF)
#define FOUR(a, b, c, d, p) TASK(a, p), TASK(b, p), TASK(c, p), TASK(d, p)

#ifdef TAKT_FIXED
constexpr auto last = takt::task("t", takt::period(100_ms), takt::deadline(99_ms), takt::cpu(1_ms));
#else
constexpr auto last = takt::task("p", takt::period(100_ms), takt::deadline(99_ms), takt::cpu(1_ms));
#endif

constexpr auto tasks = takt::task_set(FOUR("a", "b", "c", "d", 20_ms), FOUR("e", "f", "g", "h", 30_ms),
                                      FOUR("i", "j", "k", "l", 40_ms), FOUR("m", "n", "o", "p", 50_ms), last);
