// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "amalthea_model.hpp"

namespace takt::program {

/// Adds where tasks run, their priorities, the rule of the cores and the semaphores. Pre: units and tasks are read.
void read_schedulers(const std::vector<xml_element>& os, const std::vector<xml_element>& mapping, amalthea_model& to);

/// A priority under the attribute. Throws `input_error`.
[[nodiscard]] auto priority_in(const xml_element& e, const char* attribute) -> std::int64_t;

}  // namespace takt::program
