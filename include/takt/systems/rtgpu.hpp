// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/compiler.hpp>

#include <takt/systems/rtgpu/plans/methods.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>
