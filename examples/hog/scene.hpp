// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <opencv2/core.hpp>

namespace takt::hog {

inline const cv::Size frame_size{384, 256};

/// A grey street with pedestrians who walk from frame to frame, the same for the same number on every machine.
[[nodiscard]] auto draw_scene(std::int64_t number) -> cv::Mat;

}  // namespace takt::hog
