// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/compiler.hpp>

#include <takt/model/critical_section.hpp>
#include <takt/model/workload.hpp>
#include <takt/simulation/calendar.hpp>
#include <takt/simulation/graph/replay_kernels.hpp>
#include <takt/simulation/graph/simulate.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>
#include <takt/simulation/observed_chain.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/result.hpp>
#include <takt/simulation/simulate.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/simulation/simulate_recorded.hpp>
#include <takt/simulation/trace.hpp>
