// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>

#include "semihosting.hpp"

auto run() -> bool;

extern "C" {
extern std::uint32_t data_begin;
extern std::uint32_t data_end;
extern const std::uint32_t data_image;
extern std::uint32_t bss_begin;
extern std::uint32_t bss_end;
extern std::uint32_t stack_top;

[[noreturn]] void fault() { semihosting::leave(false); }

[[noreturn]] void reset() {
  const std::uint32_t* from = &data_image;
  for (std::uint32_t* to = &data_begin; to != &data_end; ++to) { *to = *from++; }
  for (std::uint32_t* to = &bss_begin; to != &bss_end; ++to) { *to = 0; }
  semihosting::leave(run());
}
}

namespace {

using handler = void (*)();

struct vector_table {
  std::uint32_t* stack;
  std::array<handler, 6> handlers;
};

[[gnu::section(".vectors"), gnu::used]] const vector_table vectors{&stack_top,
                                                                   {reset, fault, fault, fault, fault, fault}};

}  // namespace
