// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/fixed_string.hpp>
#include <takt/core/number.hpp>
#include <takt/model/graph/graph_table.hpp>

namespace takt::inline TAKT_ABI::generation {

/// Replaces the pedestrian detection graphs (HOG) of Yang et al. 2018, section 5. The shape of the graph, its 13
/// scales, its period and its block sizes are theirs; the times and grids are made up, since none are printed.
inline constexpr std::size_t hog_levels = 13;
inline constexpr std::size_t hog_nodes = 3 + 5 * hog_levels;
inline constexpr std::size_t hog_edges = 1 + 6 * hog_levels;
inline constexpr ticks hog_period = 33'000'000;

template <std::size_t Cameras>
using hog_table = graph_table<ticks, Cameras * hog_nodes, Cameras * hog_edges, Cameras>;

namespace detail {

struct hog_kernel {
  std::int32_t threads = 0;
  std::int64_t blocks = 0;  ///< of the largest scale, before the factor 42 / 100
  ticks length = 0;
};
inline constexpr hog_kernel hog_resize{256, 400, 260'000};
inline constexpr hog_kernel hog_gradient{256, 400, 330'000};
inline constexpr hog_kernel hog_histogram{64, 1300, 900'000};
inline constexpr hog_kernel hog_normalize{256, 300, 260'000};
inline constexpr hog_kernel hog_classify{64, 1500, 700'000};

/// max(1, floor(42 / 100 blocks (20 / 21)^(2 level))).
[[nodiscard]] constexpr auto hog_blocks(std::int64_t blocks, std::size_t level) -> std::int64_t {
  __extension__ using wide = unsigned __int128;
  wide top = static_cast<wide>(blocks) * 42;
  wide bottom = 100;
  for (std::size_t l = 0; l < level; ++l) {
    top *= 400;
    bottom *= 441;
  }
  const auto whole = static_cast<std::int64_t>(top / bottom);
  return whole < 1 ? 1 : whole;
}

[[nodiscard]] constexpr auto hog_node(std::string_view name, const hog_kernel& k, std::size_t level)
    -> graph_node<ticks> {
  graph_node<ticks> n;
  n.name = name;
  n.kind = node_kind::kernel;
  n.split = true;
  n.block_length = k.length;
  n.blocks = hog_blocks(k.blocks, level);
  n.block_threads = k.threads;
  n.launch = 90'000;
  n.await = 60'000;
  return n;
}
[[nodiscard]] constexpr auto hog_node(std::string_view name, ticks wcet) -> graph_node<ticks> {
  graph_node<ticks> n;
  n.name = name;
  n.wcet = wcet;
  return n;
}

using hog_name = fixed_string<11>;
/// Returns "resize 00" and so on: nodes keep views of them.
[[nodiscard]] constexpr auto hog_names(std::string_view what) -> std::array<hog_name, hog_levels> {
  std::array<hog_name, hog_levels> out{};
  for (std::size_t l = 0; l < hog_levels; ++l) {
    for (std::size_t i = 0; i < what.size(); ++i) { out[l].text[i] = what[i]; }
    out[l].text[what.size()] = static_cast<char>('0' + l / 10);
    out[l].text[what.size() + 1] = static_cast<char>('0' + l % 10);
  }
  return out;
}
inline constexpr auto hog_resize_names = hog_names("resize ");
inline constexpr auto hog_features_names = hog_names("features ");
inline constexpr auto hog_classify_names = hog_names("classify ");

}  // namespace detail

/// Adds the graph of a camera: color -> scales -> per scale (resize -> features -> classify) -> collect, in
/// nanoseconds. Its nodes are the coarse ones; `features` is a chain of three kernels. False when full.
template <std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto add_hog_graph(graph_table<ticks, N, E, G>& table, std::string_view name,
                                           std::int32_t cluster = 0) -> bool {
  bool fits = table.add_graph(name, hog_period, cluster);
  fits = fits && table.add_node(detail::hog_node("color", 3'200'000));
  fits = fits && table.add_node(detail::hog_node("scales", 300'000));
  const auto scales = static_cast<std::uint32_t>(table.nodes.size() - 1);
  fits = fits && table.add_edge(scales - 1, scales);
  std::array<std::uint32_t, hog_levels> last{};
  for (std::size_t l = 0; l < hog_levels; ++l) {
    const auto first = static_cast<std::uint32_t>(table.nodes.size());
    const auto features = detail::hog_features_names[l].view();
    fits = fits && table.add_node(detail::hog_node(detail::hog_resize_names[l].view(), detail::hog_resize, l)) &&
           table.add_node(detail::hog_node(features, detail::hog_gradient, l)) &&
           table.extend_node(detail::hog_node(features, detail::hog_histogram, l)) &&
           table.extend_node(detail::hog_node(features, detail::hog_normalize, l)) &&
           table.add_node(detail::hog_node(detail::hog_classify_names[l].view(), detail::hog_classify, l)) &&
           table.add_edge(scales, first) && table.add_edge(first, first + 1) && table.add_edge(first + 3, first + 4);
    last[l] = first + 4;
  }
  fits = fits && table.add_node(detail::hog_node("collect", 3'800'000));
  for (std::size_t l = 0; l < hog_levels; ++l) {
    fits = fits && table.add_edge(last[l], static_cast<std::uint32_t>(table.nodes.size() - 1));
  }
  return fits;
}

/// Returns the graphs of so many cameras, in turn on `clusters` clusters.
template <std::size_t Cameras>
  requires(Cameras >= 1 && Cameras <= 9)
[[nodiscard]] constexpr auto hog_graphs(std::int32_t clusters = 1) -> hog_table<Cameras> {
  constexpr std::array<std::string_view, 9> names{"camera 1", "camera 2", "camera 3", "camera 4", "camera 5",
                                                  "camera 6", "camera 7", "camera 8", "camera 9"};
  hog_table<Cameras> out;
  for (std::size_t c = 0; c < Cameras; ++c) {
    static_cast<void>(add_hog_graph(out, names[c], static_cast<std::int32_t>(c) % clusters));
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::generation
