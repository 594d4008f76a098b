// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <thread>

#include <takt/study/session.hpp>

#include "study.hpp"

namespace takt::program::sweep {

/// The processes that mpirun started. Each ends when the process that started it is gone. Pre: there is one object at a
/// time.
class ranks {
 public:
  /// Throws `environment_error` where the program was built without MPI.
  ranks();
  ranks(const ranks&) = delete;
  auto operator=(const ranks&) -> ranks& = delete;
  ranks(ranks&&) = delete;
  auto operator=(ranks&&) -> ranks& = delete;
  ~ranks();

  [[nodiscard]] auto is_first() const -> bool;
  /// As `studies::run`, on so many threads of each rank. The first one hands out blocks, and has what was found; the
  /// others have nothing. Throws as that does, and `failure` with what another rank throws.
  [[nodiscard]] auto run(const study& what, const settings& with, const run_options& o) -> std::optional<result>;

 private:
  std::jthread watch_;
};

}  // namespace takt::program::sweep
