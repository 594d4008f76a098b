// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "engine.hpp"

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

}  // namespace takt::program::sweep
