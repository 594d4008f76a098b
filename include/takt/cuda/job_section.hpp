// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include <takt/runtime/locking/lock_claim.hpp>

namespace takt::cuda {

/// A job that asks for its token with its first GPU call and keeps it until its end, so that jobs without such a call
/// compete for nothing. Source: Elliott 2015, section 5.4.3.
template <class Pool>
class job_section {
 public:
  /// Of the calling thread. Pre: the pool outlives it. Error: as for `Pool::begin_job`.
  explicit job_section(Pool& pool, const runtime::lock_call& call = {}) : job_{pool.begin_job(call)} {}

  /// Waits, suspended, the first time. Error: as for the pool's token.
  [[nodiscard]] auto token() -> typename Pool::token& {
    if (!token_) { token_.emplace(std::move(job_).acquire_token()); }
    return *token_;
  }
  [[nodiscard]] auto has_token() const noexcept -> bool { return token_.has_value(); }

 private:
  typename Pool::job job_;
  std::optional<typename Pool::token> token_;
};

}  // namespace takt::cuda
