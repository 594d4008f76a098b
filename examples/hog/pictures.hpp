// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <opencv2/core.hpp>

#include <takt/model/trace_record.hpp>

#include "detector.hpp"

namespace takt::hog {

/// Frames side by side, with a frame around whoever was found. False if the file cannot be written.
[[nodiscard]] auto write_detections(const std::string& file, const std::vector<cv::Mat>& frames,
                                    const std::vector<std::vector<found>>& detected) -> bool;

/// What each core and SM did for which of the first invocations.
class frame_trace {
 public:
  explicit frame_trace(std::uint64_t frames, std::uint32_t source, std::uint32_t sink)
      : frames_{frames}, source_{source}, sink_{sink} {}

  void record(const slice& s) {
    if (s.job >= frames_) { return; }
    slices_.push_back({static_cast<std::uint32_t>(s.job), s.task, s.job, s.where, s.start, s.end});
  }
  void record(const mark& m) {
    const bool wanted =
        (m.what == mark_kind::release && m.task == source_) || (m.what == mark_kind::completion && m.task == sink_);
    if (wanted && m.job < frames_) { marks_.push_back({m.what, static_cast<std::uint32_t>(m.job), m.job, m.time}); }
  }
  [[nodiscard]] auto write(const std::string& file, const std::string& title) const -> bool;

 private:
  std::uint64_t frames_;
  std::uint32_t source_;
  std::uint32_t sink_;
  std::vector<slice> slices_;
  std::vector<mark> marks_;
};

}  // namespace takt::hog
