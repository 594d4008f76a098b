// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea_model.hpp"

namespace takt::program {

/// Adds the operating systems with what their calls take. Returns which one is that of a scheduler, or of an interrupt
/// controller, by its name. Throws `input_error`.
[[nodiscard]] auto read_systems(const std::vector<xml_element>& os, amalthea_model& to)
    -> std::map<std::string, std::size_t>;

/// The name of the call that an item makes, in `amalthea_system::calls`. Pre: it makes one.
[[nodiscard]] auto call_of(const amalthea_item& item, const amalthea_model& model) -> std::string_view;

/// What the operating system does for each job of a task, before and behind what the task does itself.
struct job_calls {
  std::vector<std::string_view> before;
  std::vector<std::string_view> behind;
};
[[nodiscard]] auto calls_of_job(const amalthea_task& t) -> job_calls;

}  // namespace takt::program
