// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace takt::program {

/// What a user put in place of a file's rules; empty: the file's own.
struct rule_wishes {
  std::string policy;
  std::string cpus;

  [[nodiscard]] auto any() const noexcept -> bool { return !policy.empty() || !cpus.empty(); }
};

}  // namespace takt::program
