// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/study/counters.hpp>
#include <takt/study/study.hpp>
#include <takt/study/thousandths.hpp>

namespace takt::program::sweep {

using namespace studies;

inline constexpr std::int64_t most_sets = unit::most_sets;

/// The studies of each family, in the order in which they are listed.
[[nodiscard]] auto rtgpu_studies() -> std::vector<study>;
[[nodiscard]] auto accelerator_studies() -> std::vector<study>;
[[nodiscard]] auto openvx_studies() -> std::vector<study>;
[[nodiscard]] auto wamp2s_studies() -> std::vector<study>;
[[nodiscard]] auto wamp2s_network_studies() -> std::vector<study>;
[[nodiscard]] auto gpusync_studies() -> std::vector<study>;
[[nodiscard]] auto gpusync_fairness_studies() -> std::vector<study>;
[[nodiscard]] auto gpusync_runtime_studies() -> std::vector<study>;
[[nodiscard]] auto gpusync_video_studies() -> std::vector<study>;

/// Throws that takt itself is at fault, unless all is well.
void require(bool well, std::string_view otherwise);

}  // namespace takt::program::sweep
