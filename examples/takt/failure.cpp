// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"

#include <takt/report/fault_words.hpp>

namespace takt::program {

auto refused_at(std::string where, const model_error& error) -> input_error {
  report::fault_words words = report::words_of(error);
  return {std::move(where), std::move(words.problem), std::move(words.allowed),
          error.fault == model_fault::time_overflow};
}

}  // namespace takt::program
