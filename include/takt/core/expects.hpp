// SPDX-License-Identifier: Apache-2.0
#pragma once

// Preconditions: what the comments of headers ask of a caller, as conditions that are checked.
//
// TAKT_PRECONDITIONS says how much is checked, and is the same in all units of a program, because the names of takt are
// others where it is not: units that disagree do not link.
//   0  nothing;
//   1  every TAKT_EXPECTS, which costs a comparison or two (this is the default);
//   2  also every TAKT_EXPECTS_IN_TESTS, which may cost as much as the function itself.
// A condition that does not hold makes a constant expression no constant. At run time takt_precondition_broken is
// called where the program defines it; where it does not, or where that function returns, hosted programs write the
// condition and its place to stderr and abort, and others trap.
#ifndef TAKT_PRECONDITIONS
#define TAKT_PRECONDITIONS 1
#endif

#if TAKT_PRECONDITIONS == 0
#define TAKT_ABI v0_unchecked
#elif TAKT_PRECONDITIONS == 1
#define TAKT_ABI v0
#elif TAKT_PRECONDITIONS == 2
#define TAKT_ABI v0_tested
#else
#error "takt: TAKT_PRECONDITIONS is 0, 1 or 2; see <takt/core/expects.hpp>"
#endif

#ifdef __unix__
#include <cstdio>
#include <cstdlib>
#endif

#ifdef __CUDACC__
#define TAKT_DETAIL_EVERYWHERE __host__ __device__
#else
#define TAKT_DETAIL_EVERYWHERE
#endif

#ifdef __ELF__
/// A program may define this in place of the message and the abort: for bare metal.
extern "C" [[gnu::weak]] void takt_precondition_broken(const char* condition, const char* file, unsigned line);
#endif

namespace takt::inline TAKT_ABI::detail {

/// Called where a precondition does not hold.
[[noreturn, gnu::cold, gnu::noinline]] TAKT_DETAIL_EVERYWHERE inline void precondition_broken(
    const char* condition, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE(),
    const char* function = __builtin_FUNCTION()) {
#ifdef __CUDA_ARCH__
  __trap();
#else
#ifdef __ELF__
  if (&takt_precondition_broken != nullptr) { takt_precondition_broken(condition, file, line); }
#endif
#ifdef __unix__
  std::fprintf(stderr, "takt: the precondition %s of %s does not hold (%s:%u)\n", condition, function, file, line);
  std::abort();
#else
  static_cast<void>(function);
  __builtin_trap();
#endif
#endif
}

}  // namespace takt::inline TAKT_ABI::detail

#define TAKT_DETAIL_CHECKED(...) \
  ((__VA_ARGS__) ? static_cast<void>(0) : ::takt::detail::precondition_broken(#__VA_ARGS__))
// Compiled, and never evaluated.
#define TAKT_DETAIL_UNCHECKED(...) static_cast<void>(sizeof((__VA_ARGS__) ? 1 : 2))

/// A precondition, an expression that is true or false without an effect.
#if TAKT_PRECONDITIONS >= 1
#define TAKT_EXPECTS(...) TAKT_DETAIL_CHECKED(__VA_ARGS__)
#else
#define TAKT_EXPECTS(...) TAKT_DETAIL_UNCHECKED(__VA_ARGS__)
#endif

/// A precondition that is too expensive to check in production.
#if TAKT_PRECONDITIONS >= 2
#define TAKT_EXPECTS_IN_TESTS(...) TAKT_DETAIL_CHECKED(__VA_ARGS__)
#else
#define TAKT_EXPECTS_IN_TESTS(...) TAKT_DETAIL_UNCHECKED(__VA_ARGS__)
#endif
