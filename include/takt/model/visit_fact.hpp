// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Lists what may be known of a visit. A fact that is not known differs from one that is 0.
enum class visit_fact : std::uint8_t {
  time,
  work,
  overhead,
  interleave,
  times_on_sms,
  grid,
  block_length,
  wcet,
  preemption_cost,
  wcet_by_share,
  pinning,
  context,
  slice,
  bytes,
  state,
};
[[nodiscard]] constexpr auto last_of(visit_fact) noexcept -> visit_fact { return visit_fact::state; }

/// Returns the name that files and errors use.
[[nodiscard]] constexpr auto name_of(visit_fact f) noexcept -> std::string_view {
  switch (f) {
    case visit_fact::time: return "time";
    case visit_fact::work: return "work";
    case visit_fact::overhead: return "overhead";
    case visit_fact::interleave: return "interleave";
    case visit_fact::times_on_sms: return "time_on";
    case visit_fact::grid: return "blocks";
    case visit_fact::block_length: return "length";
    case visit_fact::wcet: return "wcet";
    case visit_fact::preemption_cost: return "preemption_cost";
    case visit_fact::wcet_by_share: return "wcet_by_share";
    case visit_fact::pinning: return "width";
    case visit_fact::context: return "context";
    case visit_fact::slice: return "slice";
    case visit_fact::bytes: return "bytes";
    case visit_fact::state: return "state";
  }
  return "";
}

class known_facts {
 public:
  constexpr void add(visit_fact f) noexcept { bits_ |= bit(f); }
  constexpr void remove(visit_fact f) noexcept { bits_ &= ~bit(f); }
  [[nodiscard]] constexpr auto has(visit_fact f) const noexcept -> bool { return (bits_ & bit(f)) != 0; }
  [[nodiscard]] constexpr auto empty() const noexcept -> bool { return bits_ == 0; }

  [[nodiscard]] friend constexpr auto operator==(const known_facts&, const known_facts&) noexcept -> bool = default;

 private:
  [[nodiscard]] static constexpr auto bit(visit_fact f) noexcept -> std::uint32_t {
    return std::uint32_t{1} << static_cast<unsigned>(f);
  }
  std::uint32_t bits_ = 0;
};

/// Facts any one of which would give a time that nothing gives; none where no fact would. `first` is the one that says
/// it best.
struct lacking_facts {
  known_facts one_of{};
  visit_fact first = visit_fact::time;

  [[nodiscard]] constexpr explicit operator bool() const noexcept { return !one_of.empty(); }
  [[nodiscard]] friend constexpr auto operator==(const lacking_facts&, const lacking_facts&) noexcept -> bool = default;
};

/// Returns these facts; the first one says it best.
template <class... Facts>
[[nodiscard]] constexpr auto lacks(visit_fact first, Facts... others) noexcept -> lacking_facts {
  lacking_facts out{.one_of = {}, .first = first};
  out.one_of.add(first);
  (out.one_of.add(others), ...);
  return out;
}

}  // namespace takt::inline TAKT_ABI
