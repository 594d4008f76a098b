// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync {

enum class guarantee : std::uint8_t {
  bounded_tardiness,  ///< every response is bounded
  deadlines,          ///< every job meets its deadline
};
[[nodiscard]] constexpr auto last_of(guarantee) noexcept -> guarantee { return guarantee::deadlines; }

/// Says how the waits of copies are counted where state moves from GPU to GPU and each GPU has two copy engines.
enum class copy_bound : std::uint8_t {
  best,    ///< the least of the others
  simple,  ///< requests of all token holders of the GPU cluster
  dual,    ///< those of other GPUs only as often as a migration can connect them
  chains,  ///< the dearest combination of blocking chains, with every chunk a full one; `simple` beyond 31 rivals
};
[[nodiscard]] constexpr auto last_of(copy_bound) noexcept -> copy_bound { return copy_bound::chains; }

/// Limits the token queues where no more tasks than the CPUs of the cluster use the tokens. The bounds hold for queues
/// of at most ceil(min(c, n) / k), c being `counted_cpus` and n their users. Where heuristics may fill a longer queue,
/// a request can wait although a token is free.
enum class token_queue_limit : std::uint8_t {
  cpus_per_token,   ///< ceil(c / k), and heuristics choose the queue
  users_per_token,  ///< ceil(n / k)
};
[[nodiscard]] constexpr auto last_of(token_queue_limit) noexcept -> token_queue_limit {
  return token_queue_limit::users_per_token;
}

/// Says where the interrupts of a GPU are handled, as seen from the jobs that use it.
enum class interrupt_place : std::uint8_t {
  as_configured,  ///< on their CPU exactly where `interrupts_stay_local`
  local,
  remote,
};
[[nodiscard]] constexpr auto last_of(interrupt_place) noexcept -> interrupt_place { return interrupt_place::remote; }

namespace detail {

[[nodiscard]] constexpr auto stays_local(interrupt_place place, bool configured) noexcept -> bool {
  switch (place) {
    case interrupt_place::as_configured: return configured;
    case interrupt_place::local: return true;
    case interrupt_place::remote: return false;
  }
  return false;
}

}  // namespace detail

template <ExactNumber Number>
struct options {
  guarantee wanted = guarantee::bounded_tardiness;
  copy_bound copies = copy_bound::best;
  token_queue_limit queues = token_queue_limit::cpus_per_token;
  /// Inflated times and responses are rounded up to multiples of it; 0 for none. Fewer and larger steps.
  Number quantum{};
  std::int32_t passes = 10'000;  ///< of the fixed point, then given up
  interrupt_place interrupts = interrupt_place::as_configured;
  std::int32_t interrupting_engines = 0;  ///< of a GPU; 0: all that the configuration has
};
template <ExactNumber Number>
[[nodiscard]] constexpr auto choices_known(const options<Number>& o) noexcept -> bool {
  return is_known(o.wanted) && is_known(o.copies) && is_known(o.queues) && is_known(o.interrupts);
}
namespace detail {

[[nodiscard]] constexpr auto asks_for_deadlines(guarantee g) noexcept -> bool {
  switch (g) {
    case guarantee::bounded_tardiness: return false;
    case guarantee::deadlines: return true;
  }
  return false;
}

}  // namespace detail
/// Holds the formulas that takt proves or repairs; `as_published` has the printed ones.
struct sound_rules {
  static constexpr bool printed_direct_blocking = false;  ///< CPUs of one cluster where all that share count
  static constexpr bool printed_dual_bound = false;       ///< the longest requests removed, not the most migrations
  static constexpr bool printed_engine_users = false;     ///< caps of 4.16, and none at the execution engine
  static constexpr bool printed_sections = false;         ///< a holder's own interrupts are left out of its section
  static constexpr bool printed_requests = false;         ///< a holder's own requests cost its section nothing
  static constexpr bool printed_unlimited = false;   ///< without a limit of tokens CPUs cap the rivals, and no chains
  static constexpr bool printed_callback = false;    ///< no system call out in equation 4.49
  static constexpr bool printed_interrupts = false;  ///< of as many jobs as a GPU has tokens, if fewer use it too
};

}  // namespace takt::inline TAKT_ABI::analysis::gpusync
