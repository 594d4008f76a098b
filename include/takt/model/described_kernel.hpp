// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/number.hpp>
#include <takt/model/described_tasks.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/model/stage.hpp>

namespace takt {

/// A kernel of which run time knows the facts. Pre: what it points to outlives it; `row` and `samples` are there where
/// the facts are known.
struct described_kernel {
  using resource = gpu;
  const described_visit* visit = nullptr;
  const wcet_row* row = nullptr;
  const interval<ticks>* samples = nullptr;
};

}  // namespace takt
