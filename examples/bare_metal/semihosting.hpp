// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// The debugger's console, which QEMU serves.
namespace semihosting {

void write(const char* text);
void write(std::int64_t number);
[[noreturn]] void leave(bool passed);

}  // namespace semihosting
