// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace takt::program {

/// The program that makes a PNG of an SVG.
inline constexpr const char* png_maker = "rsvg-convert";
[[nodiscard]] auto png_maker_is_installed() -> bool;

/// Lets `draw` write SVG, and keeps what the program makes of it. Throws `environment_error`. Pre: it is installed.
void write_png(const std::string& path, const std::function<void(std::ostream&)>& draw);

}  // namespace takt::program
