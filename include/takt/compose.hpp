// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/compiler.hpp>

// Proofs from the rules of the pools, one by one: of boards that no method is known for, and beside known methods.
#include <takt/takt.hpp>

#include <takt/allocation/compose.hpp>
#include <takt/analysis/compose.hpp>
