// EXPECT: takt: this header needs exceptions and run-time type information
// FLAGS: -fno-rtti
// SPDX-License-Identifier: Apache-2.0
#ifdef TAKT_FIXED
#include <takt/rules/locking/k_fmlp.hpp>
#else
#include <takt/runtime/locking/named_locks.hpp>
#endif
