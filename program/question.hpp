// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <takt/allocation/search.hpp>

namespace takt::program {

/// What a user may ask beyond the verdict itself, and whether it was asked. Most policies leave no choice.
struct question {
  std::optional<std::string> given_method{};
  std::optional<search_method> given_search{};
};

}  // namespace takt::program
