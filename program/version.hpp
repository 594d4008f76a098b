// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <fmt/format.h>

#include <takt/core/version.hpp>

namespace takt::program {

[[nodiscard]] inline auto version_words() -> std::string {
  return fmt::format("{}.{}.{}", version_major, version_minor, version_patch);
}

}  // namespace takt::program
