// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "amalthea_metamodel.hpp"
#include "located_xml.hpp"

namespace takt::program {

/// A kind of element, attribute or reference that a model has and a task-set file has not.
struct audited_kind {
  std::string name;  ///< "Task.priority", "DelayConstraint", or "unknown: ..." of what no table has
  treatment how = treatment::harmless;
  std::size_t count = 0;
  std::size_t first_line = 0;
  std::string why;  ///< it can make the system slower
};

/// All kinds in the order of their first lines. What a kind contains is not listed. Throws `input_error` where the
/// table says that a model with such an element is refused.
[[nodiscard]] auto audit(const xml_element& root) -> std::vector<audited_kind>;

}  // namespace takt::program
