// SPDX-License-Identifier: Apache-2.0
#include "semihosting.hpp"

#include <array>
#include <cstddef>

namespace semihosting {

namespace {

constexpr std::uintptr_t write_text = 0x04;
constexpr std::uintptr_t exit_program = 0x18;
constexpr std::uintptr_t stopped_by_application = 0x20026;
constexpr std::uintptr_t stopped_by_error = 0x20023;

void call(std::uintptr_t operation, std::uintptr_t argument) {
  register std::uintptr_t r0 asm("r0") = operation;  // NOLINT
  register std::uintptr_t r1 asm("r1") = argument;   // NOLINT
#if __ARM_ARCH_PROFILE == 'M'
  asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
#else
  asm volatile("svc 0x123456" : "+r"(r0) : "r"(r1) : "memory", "lr");
#endif
}

}  // namespace

void write(const char* text) { call(write_text, reinterpret_cast<std::uintptr_t>(text)); }

void write(std::int64_t number) {
  std::array<char, 21> digits{};
  std::size_t at = digits.size() - 1;
  for (; number > 0 || at == digits.size() - 1; number /= 10) { digits[--at] = static_cast<char>('0' + number % 10); }
  write(digits.data() + at);
}

void leave(bool passed) {
  call(exit_program, passed ? stopped_by_application : stopped_by_error);
  for (;;) {}
}

}  // namespace semihosting
