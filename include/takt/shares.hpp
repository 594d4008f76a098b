// SPDX-License-Identifier: Apache-2.0
#pragma once

// GPUs that are granted by shares, lasting ones and such as follow the needs of jobs.
#include <takt/takt.hpp>

#include <takt/analysis/pools/share_rule_bounds.hpp>
#include <takt/rules/lasting_shares.hpp>
#include <takt/rules/needed_shares.hpp>
#include <takt/rules/share_tags.hpp>
