// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <utility>

#include <takt/model/copy_chunks.hpp>
#include <takt/model/gpu_migration.hpp>
#include <takt/model/stage.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Says how a copy went: pieces moved, and how often engines were asked for.
struct copy_tally {
  std::int64_t chunks = 0;
  std::int64_t acquisitions = 0;

  [[nodiscard]] friend auto operator==(const copy_tally&, const copy_tally&) noexcept -> bool = default;
};

/// Moves a copy chunk by chunk. `lock()` gets its engines, `move(first, length)` moves bytes and returns when they are
/// there. Between two chunks the engines are kept, unless a waiting request should go first; they are free before an
/// exception leaves. Error: `std::invalid_argument` for sizes that are not valid. Source: Elliott 2015, sections
/// 3.2.3.3 and 3.2.3.4.
template <class Lock, class Move>
auto copy_in_chunks(const copy_chunks& size, Lock lock, Move move) -> copy_tally {
  if (!size.valid()) { throw std::invalid_argument{"takt: a copy of less than 0 bytes, or in chunks of less than 1"}; }
  copy_tally out;
  std::int64_t first = 0;
  while (out.chunks < size.count()) {
    auto engines = lock();
    ++out.acquisitions;
    do {
      const std::int64_t length = size.size(out.chunks);
      move(first, length);
      first += length;
      ++out.chunks;
    } while (out.chunks < size.count() && !engines.should_yield());
    std::move(engines).release();
  }
  return out;
}

/// Copies between system memory and the token's GPU.
template <class Token, class Move>
auto copy_in_chunks(Token& token, copy_direction d, const copy_chunks& size, Move move) -> copy_tally {
  return copy_in_chunks(size, [&] { return token.lock(d); }, move);
}

/// Copies from another GPU of the pool to the token's, without a buffer in system memory.
template <class Token, class Move>
auto copy_from_peer(Token& token, std::int32_t source, const copy_chunks& size, Move move) -> copy_tally {
  return copy_in_chunks(size, [&] { return token.lock_peer_copy(source); }, move);
}

/// Carries out what `migration_before` or `migration_after` has planned for the token's GPU, step by step.
/// `move(engines, first, length)` moves bytes of the state with these engines. Error: `std::invalid_argument` for an
/// impossible plan.
template <class Token, class Move>
auto migrate(Token& token, const migration_plan& plan, Move move) -> copy_tally {
  if (!plan.possible) { throw std::invalid_argument{"takt: a migration between GPUs or by a path that is unknown"}; }
  copy_tally out;
  for (const migration_step& step : plan.steps) {
    const copy_tally one = copy_in_chunks(
        step.chunks, [&] { return token.lock_migration(step.engines); },
        [&](std::int64_t first, std::int64_t length) { move(step.engines, first, length); });
    out.chunks += one.chunks;
    out.acquisitions += one.acquisitions;
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::runtime
