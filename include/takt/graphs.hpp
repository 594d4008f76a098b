// SPDX-License-Identifier: Apache-2.0
#pragma once

// Graphs whose jobs may overlap, under global rules, and GPUs whose blocks have one queue.
#include <takt/takt.hpp>

#include <takt/analysis/pools/block_rule_bounds.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/rules/block_queue_rule.hpp>
#include <takt/rules/graph/tags.hpp>
