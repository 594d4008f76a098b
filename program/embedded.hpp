// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Files of the source tree, byte by byte, that the program carries.
namespace takt::program {

extern const std::string_view schema_file;
extern const std::string_view template_file;

}  // namespace takt::program
