// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

namespace takt::program {

/// The table of the metamodel as Markdown, one row for each class that has something of its own, as the docs have it.
void print_metamodel(std::ostream& out);

}  // namespace takt::program
