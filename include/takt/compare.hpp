// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/compiler.hpp>

// One workload under every way of sharing the GPU.
#include <takt/takt.hpp>

#include <takt/allocation/compare.hpp>
#include <takt/model/describe.hpp>
#include <takt/rules/policies/policy_words.hpp>
#include <takt/rules/policies/published.hpp>
