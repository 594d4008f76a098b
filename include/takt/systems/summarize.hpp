// SPDX-License-Identifier: Apache-2.0
#pragma once

// A verdict of any system as plain values: `report::summarize(platform, tasks, verdict)`.
#include <takt/report/summarize_composed.hpp>
#include <takt/systems/accelerators/report/summarize.hpp>
#include <takt/systems/graphs/report/summarize.hpp>
#include <takt/systems/locked_gpus/report/summarize.hpp>
#include <takt/systems/rtgpu/report/summarize.hpp>
#include <takt/systems/shares/report/summarize.hpp>
