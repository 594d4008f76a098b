// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/compiler.hpp>

// One workload under every way of sharing the GPU.
#include <takt/graphs.hpp>
#include <takt/kernels.hpp>
#include <takt/shares.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

#include <takt/allocation/compare.hpp>
#include <takt/model/to_runtime_tasks.hpp>
#include <takt/rules/policies/policy_keywords.hpp>
#include <takt/rules/policies/published.hpp>
