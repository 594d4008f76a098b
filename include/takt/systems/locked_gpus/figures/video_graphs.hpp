// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/core/number.hpp>
#include <takt/model/graph/data_flow.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/systems/locked_gpus/tasks/task.hpp>
#include <takt/systems/locked_gpus/tasks/transfer.hpp>

namespace takt::inline TAKT_ABI::generation {

/// Seventeen graphs that stabilize videos on six CPUs and one GPU. Periods, base priorities and the names of the nodes
/// are published, and all times of a frame together: CPUs and the execution engine were 96 % and 66 % busy. With a
/// single token, which is then held all the time, a frame's token sections took 4.36 ms (Table 5.6). How that is
/// divided among the nodes, their copies and data flow are made up. Source: Elliott 2015, section 5.5, Tables 5.1, 5.2.
inline constexpr std::size_t video_graph_count = 17;
inline constexpr std::size_t video_node_count = 11;

namespace detail {

/// Says how many graphs have a period and a base priority. Source: Table 5.2.
struct video_rate {
  std::int64_t milliseconds = 0;
  std::int32_t graphs = 0;
  std::int32_t base_priority = 0;
};

}  // namespace detail
inline constexpr std::array<detail::video_rate, 6> video_rates{
    {{20, 2, 75}, {30, 2, 60}, {40, 2, 45}, {60, 5, 30}, {80, 4, 15}, {100, 2, 1}}};

/// Tasks are the nodes, graph by graph, in the order of `video_node_names`; times are in nanoseconds.
struct video_graphs {
  static constexpr std::size_t max_nodes = video_node_count;  ///< of a graph

  task_rows<gpusync_task<ticks>, video_graph_count * video_node_count> tasks;
  graph_table<ticks, video_graph_count * video_node_count, video_graph_count * 16, video_graph_count> graphs;
  std::array<std::int32_t, video_graph_count> base_priorities{};  ///< under fixed priorities; the higher goes first
};

namespace detail {

inline constexpr std::int64_t video_frame = 640 * 480 * 4;
inline constexpr std::int64_t video_features = 16'384;

/// Microseconds on average.
struct video_node {
  std::string_view name;
  ticks cpu = 0;  ///< outside of the token section, which begins with the first call of the GPU
  ticks cpu_in_section = 0;
  std::array<ticks, 3> kernels{};
  std::int64_t bytes_in = 0;
  std::int64_t bytes_out = 0;
  bool gpu = true;
};
inline constexpr std::array<video_node, video_node_count> video_nodes{{
    {"Read Frame", 3500, 158, {}, video_frame, 0},
    {"Duplicate Color Image", 300, 158, {60}},
    {"Convert To Grayscale", 300, 158, {120}},
    {"Harris Feature Tracker", 1200, 158, {300, 200}, 0, video_features},
    {"Compute Image Pyramid", 600, 158, {120, 60, 40}},
    {"Compute Optical Flow", 1500, 158, {300, 300}, 0, video_features},
    {"Compute Homography", 3000, 0, {}, 0, 0, false},
    {"Homography Filter", 400, 0, {}, 0, 0, false},
    {"Smooth Homography", 500, 0, {}, 0, 0, false},
    {"Warp Perspective", 500, 158, {284}, 64, 0},
    {"Display Stabilized Image", 2503, 158, {}, 0, video_frame},
}};

}  // namespace detail

inline constexpr auto video_node_names = [] {
  std::array<std::string_view, video_node_count> out{};
  for (std::size_t v = 0; v < out.size(); ++v) { out[v] = detail::video_nodes[v].name; }
  return out;
}();

/// Says which node reads and writes what. Nodes count from the first of their graph.
inline constexpr std::array<object_access, 26> video_accesses{{
    {"frame", 0, 0, false, true},         {"frame", 1, 1, true, false},         {"frame", 2, 2, true, false},
    {"color copy", 1, 1, false, true},    {"color copy", 9, 9, true, false},    {"gray", 2, 2, false, true},
    {"gray", 3, 3, true, false},          {"gray", 4, 4, true, false},          {"pyramid", 4, 4, false, true},
    {"pyramid", 5, 5, true, false},       {"flow", 5, 5, false, true},          {"flow", 6, 6, true, false},
    {"homography", 6, 6, false, true},    {"homography", 7, 7, true, false},    {"filtered", 7, 7, false, true},
    {"filtered", 8, 8, true, false},      {"smoothed", 8, 8, false, true},      {"smoothed", 9, 9, true, false},
    {"stable", 9, 9, false, true},        {"stable", 10, 10, true, false},      {"last features", 3, 3, false, true},
    {"last features", 5, 5, true, false}, {"last pyramid", 4, 4, false, true},  {"last pyramid", 5, 5, true, false},
    {"last filtered", 7, 7, false, true}, {"last filtered", 8, 8, true, false},
}};
/// Lists which of these are read one frame later.
inline constexpr std::array<delayed_object, 3> video_delays{
    {{"last features", 1}, {"last pyramid", 1}, {"last filtered", 1}}};

struct video_times {
  std::int64_t spread_percent = 25;  ///< the longest times are so much above the average ones
  std::int64_t cpu_percent = 100;    ///< of the published CPU time, outside of token sections
};

/// Pre: 0 <= spread_percent < 100, 0 <= cpu_percent <= 1000.
[[nodiscard]] constexpr auto make_video_graphs(const video_times& times = {}) -> video_graphs {
  TAKT_EXPECTS(0 <= times.spread_percent && times.spread_percent < 100 && 0 <= times.cpu_percent &&
               times.cpu_percent <= 1000);
  video_graphs out;
  const auto longest = [&](ticks microseconds) { return microseconds * 10 * (100 + times.spread_percent); };
  std::size_t number = 0;
  for (const detail::video_rate& rate : video_rates) {
    for (std::int32_t g = 0; g < rate.graphs; ++g) {
      const ticks period = rate.milliseconds * 1'000'000;
      out.base_priorities[number++] = rate.base_priority;
      static_cast<void>(out.graphs.add_graph("video stabilization", period));
      const auto first = static_cast<std::uint32_t>(out.graphs.nodes.size());
      for (const detail::video_node& n : detail::video_nodes) {
        graph_node<ticks> node;
        node.name = n.name;
        const ticks inside = longest(n.cpu_in_section);
        node.wcet = inside + longest(n.cpu) * times.cpu_percent / 100;
        static_cast<void>(out.graphs.add_node(node));
        gpusync_task<ticks> task{.name = n.name,
                                 .wcet = node.wcet,
                                 .period = period,
                                 .deadline = period,
                                 .cpu_in_gpu_section = inside,
                                 .bytes_in = n.bytes_in,
                                 .bytes_out = n.bytes_out,
                                 .gpu_cluster = n.gpu ? 0 : no_cluster};
        for (const ticks k : n.kernels) {
          if (k > 0) { task.kernels.unchecked_push_back(longest(k)); }  // Bound: those of a video node.
        }
        static_cast<void>(out.tasks.add(task));
      }
      auto uses = video_accesses;
      for (object_access& use : uses) {
        use.first += first;
        use.last += first;
      }
      static_cast<void>(derive_edges(out.graphs, std::span<const object_access>{uses},
                                     std::span<const delayed_object>{video_delays}));
    }
  }
  return out;
}

/// Returns costs of copies on the bus of the machine, at half a nanosecond per byte on average. This is between the
/// published times of 1 MB on an idle and on a loaded one.
[[nodiscard]] constexpr auto video_copy_costs(const video_times& times = {}) -> linear_transfer_costs<ticks> {
  const linear_cost<ticks> each{.setup = 10'000 * (100 + times.spread_percent) / 100,
                                .numerator = 100 + times.spread_percent,
                                .denominator = 200};
  linear_transfer_costs<ticks> out;
  out.kinds = {each, each, each};
  return out;
}

}  // namespace takt::inline TAKT_ABI::generation
