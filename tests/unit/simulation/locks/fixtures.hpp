// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/priority_mutex.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include "support/lock_programs.hpp"

namespace locking_fixtures {

using takt::job_state;
using takt::model_fault;
using takt::ticks;
using takt::host::lock_result;
using takt_tests::lock_options;
using takt_tests::lock_programs;
using takt_tests::simulate_locks;

using fifo_mutex = takt::fifo_mutex<16>;
using priority_mutex = takt::priority_mutex<16>;
using k_fmlp = takt::k_fmlp<4, 16>;
using r2dglp = takt::r2dglp<4, 16>;
using ck_omlp = takt::ck_omlp<4, 16>;
using bank = takt::host::lock_bank<fifo_mutex, priority_mutex, k_fmlp, r2dglp, ck_omlp>;

/// One mutex whose holders get on as the mechanism says.
[[nodiscard]] inline auto mutex_with(const takt::any_progress& progress) -> bank {
  bank b;
  b.add(fifo_mutex{}, {.progress = progress});
  return b;
}
[[nodiscard]] inline auto bank_with(const bank::any_lock& lock) -> bank {
  bank b;
  b.add(lock);
  return b;
}

/// When the requests of a job were satisfied, in the order of issue.
[[nodiscard]] inline auto grants_of(const lock_result& r, std::size_t job) -> std::vector<ticks> {
  std::vector<ticks> out;
  for (const auto& q : r.requests) {
    if (q.job == job) { out.push_back(q.satisfied); }
  }
  return out;
}
[[nodiscard]] inline auto finishes_of(const lock_result& r) -> std::vector<ticks> {
  std::vector<ticks> out;
  for (const auto& j : r.jobs) { out.push_back(j.finish); }
  return out;
}
[[nodiscard]] inline auto inversions_of(const lock_result& r) -> std::vector<ticks> {
  std::vector<ticks> out;
  for (const auto& j : r.jobs) { out.push_back(j.inversion.oblivious()); }
  return out;
}

}  // namespace locking_fixtures
