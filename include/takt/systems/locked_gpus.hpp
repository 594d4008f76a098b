// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/systems/locked_gpus/analysis/methods.hpp>
#include <takt/systems/locked_gpus/tasks/gpusync_visits.hpp>
#include <takt/systems/locked_gpus/tasks/platform.hpp>
#include <takt/systems/locked_gpus/tasks/task.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>
