// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

namespace takt::pictures {

/// Example 3: where the jobs of t1 find slot time.
void draw_chunks(std::ostream& svg);

/// Example 4: the longest chunk of each job, and the sporadic task that stands for all of them.
void draw_longest_chunks(std::ostream& svg);

}  // namespace takt::pictures
