// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/model/model_error.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/share.hpp>

namespace takt::inline TAKT_ABI {

/// A GPU whose compute is granted by per cent, and whose memory by units if it is modelled at all.
struct gpu_shares_resource {
  static constexpr auto board_header = detail::needed_header::shares;
  using runs_kernels = void;
  bool limits_memory = false;
  memory_units memory{};

  [[nodiscard]] constexpr auto valid() const noexcept -> bool { return !limits_memory || memory.count() > 0; }
};

[[nodiscard]] constexpr auto gpu_shares() noexcept -> gpu_shares_resource { return {}; }
[[nodiscard]] constexpr auto gpu_shares(memory_units memory) noexcept -> gpu_shares_resource { return {true, memory}; }

/// Returns the first application whose memory does not fit beside that of those before it.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto fits(const application_set<MaxTasks>& table, const gpu_shares_resource& gpu)
    -> model_error {
  std::int64_t sum = 0;
  for (std::uint32_t i = 0; gpu.limits_memory && i < table.size(); ++i) {
    sum += table.tasks[i].memory.count();
    if (sum > gpu.memory.count()) {
      return {.fault = model_fault::memory_exceeded,
              .task = i,
              .name = table.tasks[i].name,
              .value = table.tasks[i].memory.count(),
              .limit = gpu.memory.count(),
              .has_value = true,
              .has_limit = true};
    }
  }
  return {};
}

/// Returns the GPU and its rule, of a platform that has nothing else.
template <RuleTag Rule>
[[nodiscard]] constexpr auto share_pool_of(const platform<resource_pool<gpu_shares_resource, Rule>>& platform) noexcept
    -> const resource_pool<gpu_shares_resource, Rule>& {
  return platform.only_pool();
}

}  // namespace takt::inline TAKT_ABI
