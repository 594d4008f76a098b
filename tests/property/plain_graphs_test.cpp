// SPDX-License-Identifier: Apache-2.0
#include "property/plain_systems.hpp"

TEST_CASE("graphs under every pair of plain rules keep the bounds of their proofs") {
  plain_systems::judge_part<plain_systems::shape::graphs>(plain_systems::systems_or(250));
}
