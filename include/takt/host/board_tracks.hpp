// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/core/inline_vector.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/board_stations.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/rules/unit_traits.hpp>

namespace takt::inline TAKT_ABI::host {

/// Names the tracks of a trace for the units of a board's pools. Tracks of own resources follow those of copy engines.
template <std::size_t MaxPools>
class board_tracks {
 public:
  template <class Board>
    requires(Board::pool_count <= MaxPools)
  constexpr explicit board_tracks(const Board& board) {
    // Bound: one of each per pool.
    std::int32_t gpus = 0;
    std::int32_t engines = 0;
    board.each([&](const auto& p) { engines = copies(p) && engines < units(p) ? units(p) : engines; });
    board.each([&](const auto& p) {
      using facts = takt::detail::pool_facts<std::remove_cvref_t<decltype(p)>>;
      track first{stage::copy, 0, 0, 1};
      if (facts::is_processors(p)) {
        first.where = stage::cpu;
      } else if (facts::runs_kernels(p)) {
        first = {stage::kernel, gpus++, 0, 1, kind_of(p)};
      } else if (!copies(p)) {
        first.index = engines;
        first.kind = unit_kind::own_resource;
        engines += units(p);
      }
      first_.unchecked_push_back(first);
      const std::int32_t sms = facts::runs_kernels(p) ? facts::gpu(p).sms : 0;
      sms_.unchecked_push_back(sms > 0 || !facts::runs_kernels(p) ? sms : units(p));
    });
  }

  /// Pre: the station is one of the board's. A negative unit stands for all SMs, and where units are shares it is the
  /// share itself.
  [[nodiscard]] constexpr auto of(const board_station& s, std::int32_t unit) const -> track {
    TAKT_EXPECTS(s.pool < first_.size());
    track out = first_[s.pool];
    if (out.kind == unit_kind::share) {
      out.percent = static_cast<std::uint8_t>(unit);
    } else if (unit < 0) {
      out.count = sms_[s.pool];
    } else {
      out.index += s.unit + unit;
    }
    return out;
  }

  /// SMs of the GPU that a station is of, 0 if it is of none or has no SMs. Pre: as above.
  [[nodiscard]] constexpr auto sms(const board_station& s) const -> std::int32_t {
    TAKT_EXPECTS(s.pool < sms_.size());
    return sms_[s.pool];
  }

 private:
  template <class Pool>
  [[nodiscard]] static constexpr auto copies(const Pool& p) -> bool {
    using facts = takt::detail::pool_facts<Pool>;
    if constexpr (facts::template may_serve<copy_segment>) { return facts::template serves_visits<copy_segment>(p); }
    return false;
  }
  /// Returns what kind the units of a pool of kernels are.
  template <class Pool>
  [[nodiscard]] static constexpr auto kind_of(const Pool& p) -> unit_kind {
    using facts = takt::detail::pool_facts<Pool>;
    const unit_traits traits = takt::detail::traits_of_pool(p);
    if (traits.sizes_shares) { return unit_kind::share; }
    if (traits.queues_blocks || traits.distinguishes_cores) { return unit_kind::numbered; }
    const bool divides = facts::hands_sms(p) || facts::hands_percents(p) || facts::has_tokens(p);
    return !divides && (facts::one_unit(p) || units(p) == 1) ? unit_kind::whole : unit_kind::part;
  }
  template <class Pool>
  [[nodiscard]] static constexpr auto units(const Pool& p) -> std::int32_t {
    return takt::detail::pool_facts<Pool>::units(p);
  }

  inline_vector<track, MaxPools> first_;
  inline_vector<std::int32_t, MaxPools> sms_;
};

}  // namespace takt::inline TAKT_ABI::host
