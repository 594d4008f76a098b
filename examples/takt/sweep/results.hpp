// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "study.hpp"

namespace takt::program::sweep {

/// A result with everything that it takes to repeat it. The bytes depend on the study and its settings alone.
struct result {
  const study* what = nullptr;
  const settings* with = nullptr;
  const experiment* designed = nullptr;
  const tally* counts = nullptr;
};

/// Comment lines with the parameters, a line of heads, and one row per configuration and level. Every count is a whole
/// number of the task sets in the column `sets`.
void write_csv(std::ostream& out, const result& r);

/// The same as one JSON object.
void write_json(std::ostream& out, const result& r);

/// Draws the panels of a study with axes, one legend for all of them, and the parameters below: an SVG file, or a PNG
/// one when the path ends so. Throws `environment_error` when gnuplot is missing or the file cannot be written.
void draw_picture(const result& r, const std::string& path);

}  // namespace takt::program::sweep
