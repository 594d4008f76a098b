// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/kernels.hpp>
#include <takt/systems/accelerators/analysis/methods.hpp>
#include <takt/takt.hpp>
