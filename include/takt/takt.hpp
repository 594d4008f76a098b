// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/allocation/allocate.hpp>
#include <takt/allocation/search.hpp>
#include <takt/analysis/analyze.hpp>
#include <takt/core/duration.hpp>
#include <takt/core/rational.hpp>
#include <takt/core/version.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/task_set.hpp>
#include <takt/rules/tags.hpp>
