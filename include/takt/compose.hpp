// SPDX-License-Identifier: Apache-2.0
#pragma once

// Proofs of boards that no published method knows, from the rules of their pools, one by one.
#include <takt/takt.hpp>

#include <takt/analysis/compose.hpp>
