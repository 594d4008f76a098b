// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace takt::shares_example {

struct serve_options {
  std::string socket;
  std::vector<std::string> applications;
  std::vector<std::uint32_t> users;
  double seconds = 0;
  std::string csv;
  std::string trace;
};
struct client_options {
  std::string socket;
  std::vector<std::string> applications;
  std::string name;
  double seconds = 0;
  double patience = 10;  ///< for a service that does not answer
};

/// Each returns the exit status and throws what is derived from `std::exception` when it cannot go on.
[[nodiscard]] auto serve(const serve_options& options) -> int;
[[nodiscard]] auto run_client(const client_options& options) -> int;
[[nodiscard]] auto demonstrate(const serve_options& options, const std::string& program) -> int;

}  // namespace takt::shares_example
