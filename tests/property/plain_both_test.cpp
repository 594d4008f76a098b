// SPDX-License-Identifier: Apache-2.0
#include "property/plain_systems.hpp"

TEST_CASE("chains and graphs in one workload keep the bounds of their proofs under every pair of plain rules") {
  plain_systems::judge_part<plain_systems::shape::both>(plain_systems::systems_or(250));
}
