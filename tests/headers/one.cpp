// SPDX-License-Identifier: Apache-2.0
#include "two_units.hpp"

auto main() -> int { return shared_addresses() == addresses_in_two() ? 0 : 1; }
