// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "amalthea_model.hpp"

namespace takt::program {

/// Adds the event chains that files hold, by their roots, to a model whose tasks are read. A chain with parts side by
/// side, or one about no task, is a note. Throws `input_error` where a chain names what is not there, or contains
/// itself.
void read_chains(const std::vector<xml_element>& roots, amalthea_model& to);

}  // namespace takt::program
