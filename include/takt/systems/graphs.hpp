// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/graphs.hpp>
#include <takt/systems/graphs/analysis/methods.hpp>
#include <takt/takt.hpp>
