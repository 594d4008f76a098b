// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "../json_value.hpp"
#include "study.hpp"

namespace takt::program::sweep {

/// A study of a file in the format takt-study/1, with the values that the file gives.
struct described_study {
  study what;
  settings with;
  std::map<std::string, std::string> places;  ///< in the file of parameters
};

/// `find(name)` gives the studies of this program, and throws. Throws `input_error`.
[[nodiscard]] auto read_study(const json_value& document, const std::function<const study&(const std::string&)>& find)
    -> described_study;

}  // namespace takt::program::sweep
