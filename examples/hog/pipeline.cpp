// SPDX-License-Identifier: Apache-2.0
#include "pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <opencv2/objdetect.hpp>

#include <takt/core/checked.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/graph/measured_times.hpp>

#include "scene.hpp"

namespace takt::hog {

namespace {

[[nodiscard]] auto block_rows(std::size_t level) -> int {
  return detector::blocks_of(detector::size_of(level, frame_size)).height;
}
[[nodiscard]] auto thread_blocks(std::size_t level) -> std::int64_t {
  return ceil_divide<std::int64_t>(block_rows(level), rows_per_block);
}

/// Names live as long as the program.
[[nodiscard]] auto node_name(std::size_t level, std::size_t stage) -> std::string_view {
  static const auto names = [] {
    std::vector<std::string> all;
    for (std::size_t l = 0; l < levels; ++l) {
      for (std::size_t s = 0; s < stages; ++s) { all.push_back(std::string{stage_names[s]} + ' ' + std::to_string(l)); }
    }
    return all;
  }();
  return names[node_of(level, stage)];
}

[[nodiscard]] auto same(const std::vector<found>& a, const std::vector<found>& b) -> bool {
  return std::ranges::equal(a, b, [](const found& x, const found& y) { return x.box == y.box; });
}

}  // namespace

pipeline::pipeline(std::vector<cv::Mat> frames, std::size_t copies) : frames_{std::move(frames)}, copies_(copies) {
  const auto work = [this](copy& c, const cv::Mat& frame) {
    frame.copyTo(c.frame);
    for (std::size_t level = 0; level < levels; ++level) {
      for (std::size_t s = 0; s < stages; ++s) { run(level, s, c, 0, block_rows(level)); }
    }
    c.result = detector::collect(c.data);
  };
  for (const cv::Mat& frame : frames_) {
    work(copies_.front(), frame);
    expected_.push_back(copies_.front().result);
  }
  // Touches the memory of every copy, so that no run has to.
  for (copy& c : copies_) { work(c, frames_.front()); }
}

void pipeline::run(std::size_t level, std::size_t stage, copy& c, int first, int last) const {
  level_data& data = c.data[level];
  switch (static_cast<stage_of_level>(stage)) {
    case resize: detector::resize(c.frame, level, data); break;
    case gradient: detector_.gradient(data); break;
    case histogram: detector_.histogram(data, first, last); break;
    case normalize: detector::normalize(data, first, last); break;
    case classify: detector_.classify(data, first, last); break;
  }
}

auto pipeline::measure(variant v, std::size_t rounds) -> samples {
  samples out;
  copy& c = copies_.front();
  const auto timed = [&out](std::uint32_t node, auto work) {
    const ticks before = runtime::thread_time();
    work();
    out[node].push_back(runtime::thread_time() - before);
  };
  for (std::size_t round = 0; round < rounds; ++round) {
    frames_[round % frames_.size()].copyTo(c.frame);
    for (std::size_t level = 0; level < levels; ++level) {
      for (std::size_t s = 0; s < stages; ++s) {
        const int rows = block_rows(level);
        const int step = is_kernel(v, s) ? rows_per_block : rows;
        for (int row = 0; row < rows; row += step) {
          timed(node_of(level, s), [&] { run(level, s, c, row, std::min(rows, row + step)); });
        }
      }
    }
    timed(collect_node, [&] { c.result = detector::collect(c.data); });
  }
  return out;
}

auto pipeline::agrees_with_opencv() -> bool {
  cv::HOGDescriptor reference;
  reference.setSVMDetector(cv::HOGDescriptor::getDefaultPeopleDetector());
  copy& c = copies_.front();
  for (const cv::Mat& frame : frames_) {
    frame.copyTo(c.frame);
    for (std::size_t level = 0; level < levels; ++level) {
      for (std::size_t s = 0; s < stages; ++s) { run(level, s, c, 0, block_rows(level)); }
      const level_data& data = c.data[level];
      std::vector<cv::Point> places;
      // A window whose score is next to 0 may fall on either side.
      constexpr double slack = 0.01;
      reference.detect(data.image, places, slack, {cell, cell}, {});
      const int columns = (data.image.cols - window.width) / cell + 1;
      std::vector<std::uint8_t> theirs(data.hits.size());
      for (const cv::Point& p : places) { theirs[static_cast<std::size_t>(p.y / cell * columns + p.x / cell)] = 1; }
      for (std::size_t i = 0; i < theirs.size(); ++i) {
        const double score = data.scores[i];
        if (std::abs(score - slack) > slack && (theirs[i] != 0) != (score > slack)) { return false; }
      }
    }
  }
  return true;
}

auto pipeline::code(variant v) -> runtime::graph_code {
  using runtime::graph_job;
  runtime::graph_code out;
  const auto copy_of = [this](const graph_job& j) -> copy& { return copies_[static_cast<std::size_t>(j.copy)]; };
  const auto frame_of = [this](const graph_job& j) { return static_cast<std::size_t>(j.number) % frames_.size(); };
  out.input(0, [this, copy_of, frame_of](const graph_job& j) { frames_[frame_of(j)].copyTo(copy_of(j).frame); });
  for (std::size_t level = 0; level < levels; ++level) {
    for (std::size_t s = 0; s < stages; ++s) {
      const std::uint32_t node = node_of(level, s);
      const int rows = block_rows(level);
      if (is_kernel(v, s)) {
        out.kernel(node, [this, copy_of, level, s, rows](const graph_job& j, std::int64_t block) {
          const int first = static_cast<int>(block) * rows_per_block;
          run(level, s, copy_of(j), first, std::min(rows, first + rows_per_block));
        });
        out.cpu(node, [](const graph_job&) {}, 0, node_part::launch);
        out.cpu(node, [](const graph_job&) {}, 0, node_part::await);
      } else {
        out.cpu(node, [this, copy_of, level, s, rows](const graph_job& j) { run(level, s, copy_of(j), 0, rows); });
      }
    }
  }
  out.cpu(collect_node, [copy_of](const graph_job& j) { copy_of(j).result = detector::collect(copy_of(j).data); });
  out.output(0, [this, copy_of, frame_of](const graph_job& j) {
    if (!same(copy_of(j).result, expected_[frame_of(j)])) { ++wrong_; }
  });
  return out;
}

auto make_graph(const samples& measured, std::int32_t per_mille, variant v, ticks period) -> hog_graph {
  hog_graph out;
  static_cast<void>(out.add_graph("pedestrians", period));
  for (std::size_t level = 0; level < levels; ++level) {
    for (std::size_t s = 0; s < stages; ++s) {
      graph_node<ticks> n;
      n.name = node_name(level, s);
      const ticks time = runtime::percentile(measured[node_of(level, s)], per_mille);
      if (is_kernel(v, s)) {
        n.kind = node_kind::kernel;
        n.split = true;
        n.launch = n.await = launch_time;
        n.block_length = time;
        n.blocks = thread_blocks(level);
        n.block_threads = block_size;
      } else {
        n.wcet = time;
      }
      static_cast<void>(out.add_node(n));
      if (s > 0) { static_cast<void>(out.add_edge(node_of(level, s - 1), node_of(level, s))); }
    }
  }
  graph_node<ticks> last;
  last.name = stage_names[stages];
  last.wcet = runtime::percentile(measured[collect_node], per_mille);
  static_cast<void>(out.add_node(last));
  for (std::size_t level = 0; level < levels; ++level) {
    static_cast<void>(out.add_edge(node_of(level, classify), collect_node));
  }
  return out;
}

auto moderate_period(const samples& measured, std::int32_t per_mille, variant v, std::int32_t processors) -> ticks {
  ticks on_processors = runtime::percentile(measured[collect_node], per_mille);
  ticks in_kernels = 0;
  for (std::size_t level = 0; level < levels; ++level) {
    for (std::size_t s = 0; s < stages; ++s) {
      const ticks time = runtime::percentile(measured[node_of(level, s)], per_mille);
      on_processors += is_kernel(v, s) ? 2 * launch_time : time;
      in_kernels += is_kernel(v, s) ? thread_blocks(level) * time : 0;
    }
  }
  constexpr ticks step = 5'000'000;
  const ticks least = std::max(on_processors / processors, in_kernels) * 10 / 6;
  return (least / step + 1) * step;
}

}  // namespace takt::hog
