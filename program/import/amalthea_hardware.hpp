// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "amalthea_model.hpp"

namespace takt::program {

/// Adds the processing units of an `hwModel`. Throws `input_error` where one has no clock or no definition.
void read_hardware(const xml_element& hw, amalthea_model& to);

}  // namespace takt::program
