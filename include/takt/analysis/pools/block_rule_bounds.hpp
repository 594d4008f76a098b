// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/pools/block_queue_responses.hpp>
#include <takt/analysis/pools/bounds.hpp>
#include <takt/analysis/pools/responses.hpp>
#include <takt/model/block_kernel.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/rules/block_queue_rule.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/graph/tags.hpp>

namespace takt::inline TAKT_ABI::detail {

template <>
inline constexpr bool is_included<needed_header::graphs> = true;

}  // namespace takt::inline TAKT_ABI::detail

namespace takt::inline TAKT_ABI::analysis {

template <std::size_t MaxSms, std::size_t MaxBlocks>
struct detail::pool_bounds<block_queue_rule<MaxSms, MaxBlocks>> {
  static constexpr void responds(const block_queue_rule<MaxSms, MaxBlocks>& rule, std::span<visit_demand> visits,
                                 std::int32_t units) {
    units == 1 ? block_queue_responses(visits, rule.gpu) : detail::no_responses(visits);
  }
};
template <StreamAssignment Streams, class Enqueues>
struct detail::pool_bounds<fifo_blocks_rule<Streams, Enqueues>> : detail::pool_bounds<block_queue_rule<>> {};

}  // namespace takt::inline TAKT_ABI::analysis
