// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/index_set.hpp>
#include <takt/host/sections_around.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI::host {

/// Is a set of pools of tokens, maybe with more pools: each bit stands for all pools of one number modulo 64.
using pool_bits = std::uint64_t;
namespace detail {

inline constexpr pool_bits every_pool = ~pool_bits{0};

}  // namespace detail
[[nodiscard]] constexpr auto bit_of(std::uint32_t pool) noexcept -> pool_bits { return pool_bits{1} << pool % 64; }

namespace detail {

/// Holds which sections ask, wait or hold, of which pool, and how many do by task and by pool.
template <std::size_t N, std::size_t V>
class section_states {
 public:
  constexpr explicit section_states(const visit_table<N, V>& table) : table_{&table}, of_{table} {}

  [[nodiscard]] constexpr auto of(std::uint32_t task) const noexcept -> const auto& { return of_[task]; }
  [[nodiscard]] constexpr auto holds(std::size_t s) const noexcept -> bool { return states_[s] == state::holds; }
  [[nodiscard]] constexpr auto is_idle(std::size_t s) const noexcept -> bool { return states_[s] == state::idle; }
  [[nodiscard]] constexpr auto asks(std::size_t s) const noexcept -> bool { return states_[s] == state::asks; }
  [[nodiscard]] constexpr auto waits(std::size_t s) const noexcept -> bool { return states_[s] == state::waits; }
  /// Returns the pool that it waits for, holds or gave back last. Pre: s < V, and it does not ask.
  [[nodiscard]] constexpr auto pool(std::size_t s) const noexcept -> std::uint32_t {
    TAKT_EXPECTS(s < V && !asks(s));
    return pools_[s];
  }
  /// Returns all that wait, in the order of the table.
  [[nodiscard]] constexpr auto waiting() const noexcept -> const index_set<V>& { return waiting_; }
  /// Returns how many wait for that pool, or more. Pre: as above.
  [[nodiscard]] constexpr auto rivals(std::size_t s) const noexcept -> std::uint32_t {
    TAKT_EXPECTS(s < V && !asks(s));
    return rivals_[pools_[s] % 64];
  }

  // How many of a task do.

  [[nodiscard]] constexpr auto asking(std::uint32_t task) const noexcept -> std::uint32_t { return asking_[task]; }
  [[nodiscard]] constexpr auto waiting(std::uint32_t task) const noexcept -> std::uint32_t { return waiting_of_[task]; }
  [[nodiscard]] constexpr auto holding(std::uint32_t task) const noexcept -> std::uint32_t { return holding_[task]; }
  /// Returns of which pools its sections hold tokens.
  [[nodiscard]] constexpr auto held(std::uint32_t task) const noexcept -> pool_bits { return held_[task]; }

  /// Returns the pool of the token that came last of those around a visit, `unassigned_unit` where there are not
  /// several.
  [[nodiscard]] constexpr auto latest_pool(const visit_record& x) const noexcept -> std::int32_t {
    if (holding_[x.task] < 2) { return unassigned_unit; }
    std::size_t around = 0;
    std::uint32_t last = 0;
    for (std::uint32_t s = of_[x.task].first; s < of_[x.task].end; ++s) {
      if (!holds(s) || !contains(table_->sections[s], x)) { continue; }
      if (around++ == 0 || grants_[last] < grants_[s]) { last = s; }
    }
    return around > 1 ? static_cast<std::int32_t>(pools_[last]) : unassigned_unit;
  }

  // From one state to the next.

  constexpr void ask(std::uint32_t s) noexcept {
    states_[s] = state::asks;
    ++asking_[task_of(s)];
  }
  constexpr void wait(std::uint32_t s, std::uint32_t pool) noexcept {
    states_[s] = state::waits;
    pools_[s] = pool;
    --asking_[task_of(s)];
    ++waiting_of_[task_of(s)];
    ++rivals_[pool % 64];
    waiting_.insert(s);
  }
  constexpr void hold(std::uint32_t s) noexcept {
    states_[s] = state::holds;
    --waiting_of_[task_of(s)];
    --rivals_[pools_[s] % 64];
    waiting_.erase(s);
    grants_[s] = ++grant_count_;
    ++holding_[task_of(s)];
    held_[task_of(s)] |= bit_of(pools_[s]);
  }
  constexpr void release(std::uint32_t s) noexcept {
    states_[s] = state::idle;
    const std::uint32_t i = task_of(s);
    held_[i] = 0;
    if (--holding_[i] == 0) { return; }
    for (std::uint32_t r = of_[i].first; r < of_[i].end; ++r) {
      if (holds(r) && task_of(r) == i) { held_[i] |= bit_of(pools_[r]); }
    }
  }

 private:
  enum class state : std::uint8_t { idle, asks, waits, holds };
  [[nodiscard]] constexpr auto task_of(std::uint32_t s) const noexcept -> std::uint32_t {
    return table_->sections[s].task;
  }

  const visit_table<N, V>* table_;
  task_sections<N> of_;
  state states_[V]{};
  std::uint32_t pools_[V]{};
  index_set<V> waiting_{};
  std::uint32_t rivals_[64]{};  ///< that wait, by pool
  std::uint32_t asking_[N]{};
  std::uint32_t waiting_of_[N]{};
  std::uint32_t holding_[N]{};
  pool_bits held_[N]{};
  std::uint64_t grants_[V]{};  ///< when each came
  std::uint64_t grant_count_ = 0;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::host
