// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::studies {

/// Is thrown when what was asked for cannot be: a value of a parameter, or a member of `run_options`.
struct refusal : std::invalid_argument {
  refusal(std::string of, std::string wrong, std::string instead)
      : std::invalid_argument{of + ": " + wrong + ": " + instead},
        name{std::move(of)},
        problem{std::move(wrong)},
        allowed{std::move(instead)} {}

  std::string name;  ///< of the parameter or member
  std::string problem;
  std::string allowed;
};

/// Is thrown when the system refuses something: a file that cannot be written, a program that is not there.
struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace takt::inline TAKT_ABI::studies
