// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/compiler.hpp>

// The doors come first: a compiler lists every file on the way to one above the message about a wrong model.
#include <takt/model/model_error.hpp>
#include <takt/model/task.hpp>

#include <takt/model/critical_section.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/task_set.hpp>
#include <takt/model/workload.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/locking/mutex_orders.hpp>
#include <takt/rules/tags.hpp>
#include <takt/rules/time_slices.hpp>

#include <takt/analysis/analyze.hpp>
#include <takt/analysis/require.hpp>

#include <takt/allocation/analyze.hpp>
#include <takt/core/duration.hpp>
#include <takt/core/rational.hpp>
#include <takt/core/version.hpp>
