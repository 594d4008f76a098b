// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "amalthea_model.hpp"

namespace takt::program {

/// Adds the stimuli of a `stimuliModel`. Throws `input_error` where one has no time between two releases.
void read_stimuli(const xml_element& stimuli, amalthea_model& to);
/// Adds the events of an `eventModel` that can release tasks.
void read_events(const xml_element& events, amalthea_model& to);

}  // namespace takt::program
