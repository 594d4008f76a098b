// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/hana/front.hpp>

#include <takt/model/platform.hpp>
#include <takt/model/shares/share.hpp>

namespace takt {

/// A GPU whose compute is granted by per cent, and whose memory by units if it is modelled at all.
struct gpu_shares_resource {
  bool limits_memory = false;
  memory_units memory{};

  [[nodiscard]] constexpr auto valid() const noexcept -> bool { return !limits_memory || memory.count() > 0; }
};

[[nodiscard]] constexpr auto gpu_shares() noexcept -> gpu_shares_resource { return {}; }
[[nodiscard]] constexpr auto gpu_shares(memory_units memory) noexcept -> gpu_shares_resource { return {true, memory}; }

/// The GPU of a platform that is nothing else, and its rule.
template <RuleTag Rule>
[[nodiscard]] constexpr auto share_pool_of(const platform<resource_pool<gpu_shares_resource, Rule>>& platform) noexcept
    -> const resource_pool<gpu_shares_resource, Rule>& {
  return boost::hana::front(platform.pools);
}

}  // namespace takt
