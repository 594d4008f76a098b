// SPDX-License-Identifier: Apache-2.0
#pragma once

// A verdict of any system as plain values: `report::summarize(platform, tasks, verdict)`.
#include <takt/report/summarize_accelerator.hpp>
#include <takt/report/summarize_chains.hpp>
#include <takt/report/summarize_composed.hpp>
#include <takt/report/summarize_gpusync.hpp>
#include <takt/report/summarize_graphs.hpp>
#include <takt/report/summarize_shares.hpp>
