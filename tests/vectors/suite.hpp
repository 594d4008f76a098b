// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "compare.hpp"

namespace takt_vectors {

/// What takt computes for a case, and what is wrong with it beyond the comparison with `expected`, if anything.
struct answer {
  json value;
  std::optional<std::string> complaint;
};

/// One function per kind of case, from its input. An exception is a failed case.
using suite = std::map<std::string, std::function<answer(const json& input)>>;

[[nodiscard]] auto accelerator_platform_suite() -> suite;
[[nodiscard]] auto rtgpu_suite() -> suite;

/// Kinds of `gpusync_design`, by the part of the library that answers them.
void add_gpusync_bounds(suite& kinds);
void add_gpusync_locking(suite& kinds);
void add_gpusync_mechanisms(suite& kinds);

}  // namespace takt_vectors
