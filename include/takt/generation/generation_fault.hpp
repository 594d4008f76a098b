// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace takt::generation {

enum class generation_fault : std::uint8_t { none, bad_options, does_not_fit, overflow };

}  // namespace takt::generation
