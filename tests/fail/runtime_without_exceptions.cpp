// EXPECT: takt: this header needs exceptions and run-time type information
// FLAGS: -fno-exceptions -fno-rtti
// SPDX-License-Identifier: Apache-2.0
#ifdef TAKT_FIXED
#include <takt/simulation.hpp>
#else
#include <takt/runtime.hpp>
#endif
