// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/systems/rtgpu/analysis/methods.hpp>
#include <takt/takt.hpp>
