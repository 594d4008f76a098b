// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/compiler.hpp>

#include <takt/prediction/corun/error_metrics.hpp>
#include <takt/prediction/corun/fuzzy_predictor.hpp>
#include <takt/prediction/corun/progress_threshold.hpp>
#include <takt/prediction/corun/sample_recorder.hpp>
#include <takt/prediction/corun/scaled_predictor.hpp>
#include <takt/prediction/corun/table_predictor.hpp>
#include <takt/prediction/gpu_cost_predictor.hpp>
#include <takt/prediction/interleave_table.hpp>
#include <takt/prediction/kernel_fit.hpp>
#include <takt/prediction/kernel_profile.hpp>
#include <takt/prediction/launch_overheads.hpp>
#include <takt/prediction/least_squares.hpp>
#include <takt/prediction/measured_interleave.hpp>
#include <takt/prediction/set_laws.hpp>
#include <takt/prediction/token_cost_counter.hpp>
