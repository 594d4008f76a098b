// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/compiler.hpp>

#include <takt/generation/graph/capacity_loss.hpp>
#include <takt/generation/graph/hog.hpp>
#include <takt/generation/graph/random_loads.hpp>
#include <takt/generation/locked_gpus/published_delays.hpp>
#include <takt/generation/locked_gpus/studied_boards.hpp>
#include <takt/generation/locked_gpus/studied_sets.hpp>
#include <takt/generation/rtgpu_generator.hpp>
#include <takt/generation/shares/application_releases.hpp>
#include <takt/generation/shares/synthetic_platform.hpp>
#include <takt/generation/shares/synthetic_sets.hpp>
#include <takt/generation/whole_kernels.hpp>
