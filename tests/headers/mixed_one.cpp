// SPDX-License-Identifier: Apache-2.0
#include "mixed.hpp"

auto beside_methods() -> mixed::answer;
auto with_methods() -> mixed::answer;

auto main() -> int {
  const auto plan = takt::dedicate(4, 0);
  const auto alone =
      mixed::answer_of(takt::analyze(mixed::board, mixed::tasks, plan), takt::analyze(mixed::board, mixed::tasks));
  return alone == beside_methods() && alone.method != with_methods().method ? 0 : 1;
}
