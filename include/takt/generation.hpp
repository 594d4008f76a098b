// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/compiler.hpp>

#include <takt/generation/block_workloads.hpp>
#include <takt/generation/generated_name.hpp>
#include <takt/generation/uniform_range.hpp>
#include <takt/generation/uunifast.hpp>
#include <takt/generation/whole_kernels.hpp>
