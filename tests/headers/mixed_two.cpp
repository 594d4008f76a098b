// SPDX-License-Identifier: Apache-2.0
#include <takt/graphs.hpp>
#include <takt/kernels.hpp>
#include <takt/shares.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

#include "mixed.hpp"

auto beside_methods() -> mixed::answer;
auto with_methods() -> mixed::answer;

auto beside_methods() -> mixed::answer {
  return mixed::answer_of(takt::analyze(mixed::board, mixed::tasks, takt::dedicate(4, 0)),
                          takt::analyze(mixed::board, mixed::tasks));
}
auto with_methods() -> mixed::answer {
  return mixed::answer_of(takt::analyze(mixed::board, mixed::tasks, takt::dedicate(4, 0), takt::published_methods),
                          takt::analyze(mixed::board, mixed::tasks, takt::published_methods));
}
