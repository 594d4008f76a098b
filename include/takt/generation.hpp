// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/generation/accelerator_generator.hpp>
#include <takt/generation/rtgpu_generator.hpp>
