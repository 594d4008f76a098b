// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "result_files.hpp"

namespace takt::program::sweep {

/// Draws the panels of a study with axes, one legend for all of them, and the parameters below: an SVG file, or a PNG
/// one when the path ends so. Throws `environment_error` when gnuplot is missing or the file cannot be written.
void draw_picture(const result& r, const std::string& path);

}  // namespace takt::program::sweep
