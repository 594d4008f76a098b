// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/demand/edf_verdict.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/model/accelerator.hpp>

namespace takt {

/// What a test says of the tasks that compete with one another: of one core, or with `any_core` of all cores at once.
/// A demand test names the window that fails or is the tightest; response times stand with the tasks.
template <class Number>
struct accelerator_part {
  std::int32_t core = any_core;
  analysis::edf_verdict<Number> test{};
};

/// A verdict, and what it follows from. Under EDF a task meets its deadline if its part passes, and none has a bound of
/// its own.
template <class Number, std::size_t MaxTasks>
struct accelerator_verdict : verdict<Number, MaxTasks> {
  inline_vector<accelerator_part<Number>, MaxTasks> parts;
};

}  // namespace takt
