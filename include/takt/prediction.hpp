// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/prediction/gpu_cost_predictor.hpp>
#include <takt/prediction/interleave_table.hpp>
#include <takt/prediction/kernel_fit.hpp>
#include <takt/prediction/least_squares.hpp>
#include <takt/prediction/measured_interleave.hpp>
#include <takt/prediction/token_cost_counter.hpp>
