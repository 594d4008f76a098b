// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <opencv2/core.hpp>

namespace takt::hog {

/// Histograms of oriented gradients (Dalal and Triggs 2005) with the layout of OpenCV's descriptor: windows of 64 x 128
/// pixels, blocks of 2 x 2 cells of 8 x 8 pixels every 8 pixels, 9 orientations.
inline constexpr int cell = 8;
inline constexpr int block_side = 16;
inline constexpr int orientations = 9;
inline constexpr int block_values = 4 * orientations;
inline const cv::Size window{64, 128};

/// What is known of one scale of one frame. The stages fill it from above to below; those of blocks can be called for
/// some of the rows of blocks.
struct level_data {
  cv::Mat image;
  cv::Mat magnitude;               ///< two floats per pixel, for the two nearest orientations
  cv::Mat orientation;             ///< these
  std::vector<float> blocks;       ///< `block_values` of each, row by row
  std::vector<std::uint8_t> hits;  ///< of each window position, row by row
  std::vector<float> scores;
};

struct found {
  cv::Rect box;  ///< in the frame
  double score = 0;
};

class detector {
 public:
  detector();

  /// Each scale is 1.05 times as coarse as the one before.
  [[nodiscard]] static auto scale_of(std::size_t level) -> double;
  [[nodiscard]] static auto size_of(std::size_t level, cv::Size frame) -> cv::Size;
  [[nodiscard]] static auto blocks_of(cv::Size image) -> cv::Size;

  static void resize(const cv::Mat& frame, std::size_t level, level_data& out);
  void gradient(level_data& data) const;
  /// The rows of blocks from `first` to before `last`.
  void histogram(level_data& data, int first, int last) const;
  static void normalize(level_data& data, int first, int last);
  /// Windows whose top is in those rows.
  void classify(level_data& data, int first, int last) const;

  [[nodiscard]] static auto collect(const std::vector<level_data>& levels) -> std::vector<found>;

 private:
  struct share {
    float weight = 0;
    int offset = 0;  ///< of the cell's histogram
  };
  struct pixel_shares {
    std::array<share, 4> cells{};
    std::size_t count = 0;
  };

  std::vector<float> weights_;
  float bias_ = 0;
  std::array<pixel_shares, std::size_t{block_side} * block_side> shares_{};
};

}  // namespace takt::hog
