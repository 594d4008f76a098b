// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/shares.hpp>
#include <takt/systems/shares/analysis/methods.hpp>
#include <takt/takt.hpp>
