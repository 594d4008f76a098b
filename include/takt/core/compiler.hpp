// SPDX-License-Identifier: Apache-2.0
#pragma once

// Older compilers crash on the library, or do not know its language: a file that is not there ends them before they do.
// Apple counts the versions of its clang by itself.
#if __cplusplus < 202002L
#error "takt: this is C++20; compile with -std=c++20"
#include <takt/core/needs_cxx_20>
#elif defined(__clang__) && !defined(__apple_build_version__) && __clang_major__ < 16
#error "takt: this clang is too old; g++ 12 or clang 16 is needed, or a newer one"
#include <takt/core/needs_a_newer_compiler>
#elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#error "takt: this g++ is too old; g++ 12 or clang 16 is needed, or a newer one"
#include <takt/core/needs_a_newer_compiler>
#endif
