// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace takt::program {

/// What is wrong with a name for a picture, empty if nothing is: it ends in .svg or .png. Throws `environment_error`
/// where the program that makes a PNG is not installed.
[[nodiscard]] auto picture_fault(const std::string& path) -> std::string;

/// Lets `draw` write SVG, and keeps that, or what rsvg-convert makes of it for a name that ends in .png. Throws
/// `environment_error`. Pre: there is no fault of the name.
void write_picture(const std::string& path, const std::function<void(std::ostream&)>& draw);

}  // namespace takt::program
