// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"

#include <fmt/format.h>

#include <takt/report/fault_words.hpp>

#include "json_value.hpp"

namespace takt::program {

auto line_of(const input_error& e) -> std::string {
  const std::string place = e.where.empty() ? "" : one_line(e.where, longest_message) + ": ";
  return fmt::format("{}{}: expected {}", place, one_line(e.problem, longest_message),
                     one_line(e.allowed, longest_message));
}

auto refused_at(std::string where, const model_error& error) -> input_error {
  report::fault_words words = report::words_of(error);
  return {std::move(where), std::move(words.problem), std::move(words.allowed),
          error.fault == model_fault::time_overflow};
}

}  // namespace takt::program
