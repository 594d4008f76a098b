// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/compiler.hpp>

#include <takt/generation/whole_kernels.hpp>
#include <takt/systems/graphs/figures/capacity_loss.hpp>
#include <takt/systems/graphs/figures/hog.hpp>
#include <takt/systems/graphs/figures/random_loads.hpp>
#include <takt/systems/locked_gpus/figures/published_delays.hpp>
#include <takt/systems/locked_gpus/figures/studied_boards.hpp>
#include <takt/systems/locked_gpus/figures/studied_sets.hpp>
#include <takt/systems/rtgpu/figures/rtgpu_generator.hpp>
#include <takt/systems/shares/figures/application_releases.hpp>
#include <takt/systems/shares/figures/synthetic_platform.hpp>
#include <takt/systems/shares/figures/synthetic_sets.hpp>
