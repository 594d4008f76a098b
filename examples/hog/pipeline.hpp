// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <opencv2/core.hpp>

#include <takt/core/number.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/runtime/graph/graph_options.hpp>

#include "detector.hpp"

namespace takt::hog {

inline constexpr std::size_t levels = 13;
enum stage_of_level : std::size_t { resize, gradient, histogram, normalize, classify };
inline constexpr std::size_t stages = 5;
inline constexpr std::size_t collect_node = levels * stages;
inline constexpr std::array<std::string_view, stages + 1> stage_names{"resize",    "gradient", "histogram",
                                                                      "normalize", "classify", "collect"};

[[nodiscard]] constexpr auto node_of(std::size_t level, std::size_t stage) -> std::uint32_t {
  return static_cast<std::uint32_t>(level * stages + stage);
}
/// The stage of a run-time node; `stages` for the last node.
[[nodiscard]] constexpr auto stage_of(std::uint32_t node) -> std::size_t {
  return node == collect_node ? stages : node % stages;
}

using hog_graph = takt::graph_table<ticks, collect_node + 1, levels * stages, 1>;

/// Where the stages run that work on blocks: on CPUs, or as kernels.
enum class variant : std::uint8_t { processors, kernels };
[[nodiscard]] constexpr auto is_kernel(variant v, std::size_t stage) -> bool {
  return v == variant::kernels && (stage == histogram || stage == normalize || stage == classify);
}
inline constexpr int rows_per_block = 4;  ///< rows of the detector's blocks in a thread block
inline constexpr std::int32_t block_size = 256;
inline constexpr ticks launch_time = 10'000;  ///< also of an await; on the host both are empty calls

/// CPU times per run-time node: of a job, or of a thread block of one.
using samples = std::array<std::vector<ticks>, collect_node + 1>;

class pipeline {
 public:
  /// With room for `copies` invocations at a time.
  pipeline(std::vector<cv::Mat> frames, std::size_t copies);

  /// Runs all stages of all frames one after the other, and measures them.
  [[nodiscard]] auto measure(variant v, std::size_t rounds) -> samples;
  /// What is found in a frame without any pipelining.
  [[nodiscard]] auto expected(std::size_t frame) const -> const std::vector<found>& { return expected_[frame]; }
  /// Whether this detector and OpenCV's find the same windows on every level of every frame.
  [[nodiscard]] auto agrees_with_opencv() -> bool;

  /// Code for all nodes. `this` outlives it. Invocation j works on frame j mod frames.
  [[nodiscard]] auto code(variant v) -> runtime::graph_code;
  /// Invocations whose result differed from `expected`.
  [[nodiscard]] auto wrong() const -> std::int64_t { return wrong_; }
  [[nodiscard]] auto frames() const -> const std::vector<cv::Mat>& { return frames_; }

 private:
  struct copy {
    cv::Mat frame;
    std::vector<level_data> data{levels};
    std::vector<found> result;
  };
  void run(std::size_t level, std::size_t stage, copy& c, int first, int last) const;

  detector detector_;
  std::vector<cv::Mat> frames_;
  std::vector<copy> copies_;
  std::vector<std::vector<found>> expected_;
  std::atomic<std::int64_t> wrong_{0};
};

/// The graph with the given percentile of the measured times: a chain of five nodes per level, and one that collects.
[[nodiscard]] auto make_graph(const samples& measured, std::int32_t per_mille, variant v, ticks period) -> hog_graph;
/// A period at which neither the processors nor the kernels are used by more than 60 percent.
[[nodiscard]] auto moderate_period(const samples& measured, std::int32_t per_mille, variant v, std::int32_t processors)
    -> ticks;

}  // namespace takt::hog
