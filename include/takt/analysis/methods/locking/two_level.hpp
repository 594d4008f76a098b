// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/methods/locking/blocking_bound.hpp>

namespace takt::inline TAKT_ABI::analysis {

// Two levels: a token of a GPU first, then the lock of one engine at a time, held for one operation. Waiting for an
// engine happens inside the token's critical section and lengthens it for everybody who waits for a token.
// Source: Elliott 2015, section 3.2.3.4.

/// Says who may meet at an engine lock: the holders of a GPU's tokens. When state is copied from GPU to GPU, which
/// takes a copy engine of each, it is the holders of all tokens of the GPU cluster.
struct engine_users {
  std::int64_t tokens_per_gpu = 1;
  std::int64_t gpus = 1;
  bool peer_copies = false;
};

/// Returns the waiting for a first-in-first-out engine: one operation of each other token holder.
template <ExactNumber Number>
[[nodiscard]] constexpr auto fifo_engine_wait(const engine_users& users, const Number& longest_operation)
    -> blocking_bound<Number> {
  if (users.tokens_per_gpu < 1 || users.gpus < 1) { return detail::refused<Number>(blocking_status::wrong_input); }
  std::int64_t holders = users.tokens_per_gpu;
  if (users.peer_copies && !checked_multiply(holders, users.gpus, holders)) {
    return detail::refused<Number>(blocking_status::overflow);
  }
  return detail::sections(holders - 1, longest_operation);
}

/// The requests of one token section for one engine, each with its waiting.
template <class Number>
struct engine_requests {
  std::int64_t requests = 0;
  blocking_bound<Number> wait{};
};

/// Returns the length of a token's critical section: its own time on processor and engines, and every wait for an
/// engine. The bounds of the token's protocol take the longest of these as their longest section.
template <ExactNumber Number>
[[nodiscard]] constexpr auto token_section(const Number& own, std::span<const engine_requests<Number>> engines)
    -> blocking_bound<Number> {
  detail::blocking_sum<Number> sum;
  sum.add(own);
  for (std::size_t i = 0; i < engines.size(); ++i) { sum.add(engines[i].requests, engines[i].wait); }
  return sum.total();
}

}  // namespace takt::inline TAKT_ABI::analysis
