// SPDX-License-Identifier: Apache-2.0
#include <takt/compose.hpp>

#include "mixed.hpp"

auto with_compose() -> mixed::answer;

auto with_compose() -> mixed::answer {
  return {takt::analyze(mixed::board, mixed::tasks, takt::plan<2>{}).tasks[1].bound.exists,
          takt::analyze(mixed::board, mixed::tasks).tasks[1].bound.exists};
}
