// EXPECT: takt: locks<mutex>\(\.\.\.\) takes cpu\(\), copy\(\), kernel\(\) or visit\(\), at least one of them
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

struct queue_mutex {};
struct log_mutex {};

#ifdef TAKT_FIXED
constexpr auto section = takt::locks<queue_mutex>(takt::cpu(1_ms), takt::cpu(2_ms));
#else
constexpr auto section = takt::locks<queue_mutex>(takt::cpu(1_ms), takt::locks<log_mutex>(takt::cpu(2_ms)));
#endif
