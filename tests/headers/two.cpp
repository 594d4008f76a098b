// SPDX-License-Identifier: Apache-2.0
#include "two_units.hpp"

auto addresses_in_two() -> addresses { return shared_addresses(); }
