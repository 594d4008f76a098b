// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/compiler.hpp>

// Exhaustive checks of locking protocols: every sequence of events of a few clients.
#include <takt/checking/blocking_game.hpp>
#include <takt/checking/donation_game.hpp>
#include <takt/checking/locking_checker.hpp>
#include <takt/checking/longest_delay.hpp>
