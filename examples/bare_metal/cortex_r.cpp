// SPDX-License-Identifier: Apache-2.0
// What runs before `run` on a Cortex-R5: a stack, and data where the program expects them.
#include <cstdint>

#include "semihosting.hpp"

auto run() -> bool;

extern "C" {
extern std::uint32_t bss_begin;
extern std::uint32_t bss_end;

[[noreturn, gnu::used]] void begin() {
  for (std::uint32_t* to = &bss_begin; to != &bss_end; ++to) { *to = 0; }
  semihosting::leave(run());
}

[[gnu::naked, gnu::section(".vectors")]] void reset() {
  asm volatile(
      "ldr sp, =stack_top\n"
      "b begin\n");
}
}
