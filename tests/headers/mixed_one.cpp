// SPDX-License-Identifier: Apache-2.0
#include "mixed.hpp"

auto with_compose() -> mixed::answer;

namespace {

auto without_compose() -> mixed::answer {
  return {takt::analyze(mixed::board, mixed::tasks, takt::plan<2>{}).tasks[1].bound.exists,
          takt::analyze(mixed::board, mixed::tasks).tasks[1].bound.exists};
}

}  // namespace

auto main() -> int {
  const auto without = without_compose();
  const auto with = with_compose();
  return !without.under_a_plan && !without.under_a_search && with.under_a_plan && with.under_a_search ? 0 : 1;
}
