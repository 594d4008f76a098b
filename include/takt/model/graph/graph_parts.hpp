// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/duration.hpp>
#include <takt/core/each_once.hpp>
#include <takt/model/facts.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/mutex_key.hpp>
#include <takt/model/segment.hpp>

namespace takt::inline TAKT_ABI {

struct kernel_grid {
  static constexpr std::string_view name = "grid";
  std::int64_t blocks = 1;
  std::int32_t threads = 1;
};
struct kernel_block_length {
  static constexpr std::string_view name = "block_length";
  duration time;
};
struct kernel_launch {
  static constexpr std::string_view name = "launch";
  duration time;
};
struct kernel_await {
  static constexpr std::string_view name = "await";
  duration time;
};

/// A kernel as thread blocks that share the SMs with those of other kernels.
struct grid_kernel {
  using resource = gpu;
  kernel_grid grid;
  duration block_length;
  duration launch;
  duration await;
  bool split = false;  ///< CPU nodes launch and await it
};

template <>
struct detail::fact_access<kernel_grid, grid_kernel> {
  [[nodiscard]] static constexpr auto get(const grid_kernel& k) noexcept -> kernel_grid { return k.grid; }
};
template <>
struct detail::fact_access<kernel_block_length, grid_kernel> {
  [[nodiscard]] static constexpr auto get(const grid_kernel& k) noexcept -> kernel_block_length {
    return {k.block_length};
  }
};

/// States so many blocks of so many threads each.
[[nodiscard]] constexpr auto grid(std::int64_t blocks, std::int32_t threads) noexcept -> kernel_grid {
  return {blocks, threads};
}
/// States the longest time of one block, measured beside the blocks that may share its SM.
[[nodiscard]] constexpr auto block_length(duration upper) noexcept -> kernel_block_length { return {upper}; }
/// States the longest CPU time that hands a kernel to the GPU.
[[nodiscard]] constexpr auto launch(duration upper) noexcept -> kernel_launch { return {upper}; }
/// States the longest CPU time after a kernel's end, until what it computed can be used.
[[nodiscard]] constexpr auto await(duration upper) noexcept -> kernel_await { return {upper}; }

[[nodiscard]] constexpr auto kernel(kernel_grid g, kernel_block_length l) noexcept -> grid_kernel {
  return {g, l.time, {}, {}, false};
}
[[nodiscard]] constexpr auto kernel(kernel_grid g, kernel_block_length l, kernel_launch before,
                                    kernel_await after) noexcept -> grid_kernel {
  return {g, l.time, before.time, after.time, true};
}

struct parallelism_attribute {
  std::int64_t jobs;
};
struct point_attribute {
  duration value;
};

/// At most so many jobs of the node run at a time; without it any number.
[[nodiscard]] constexpr auto parallelism(std::int64_t jobs) noexcept -> parallelism_attribute {
  return {jobs < 1 ? -1 : jobs};
}
/// States what is added to a job's release as its priority under `gel`: the least goes first. Any sign.
[[nodiscard]] constexpr auto relative_point(duration value) noexcept -> point_attribute { return {value}; }

/// Says how a node uses a data object.
enum class data_access : std::uint8_t { read, write };
[[nodiscard]] constexpr auto is_write(data_access e) noexcept -> bool {
  switch (e) {
    case data_access::read: return false;
    case data_access::write: return true;
  }
  return false;
}

struct data_binding {
  std::string_view object;
  data_access access = data_access::read;
};
[[nodiscard]] constexpr auto reads(std::string_view object) noexcept -> data_binding {
  return {object, data_access::read};
}
[[nodiscard]] constexpr auto writes(std::string_view object) noexcept -> data_binding {
  return {object, data_access::write};
}

/// A node with its chain as flat values.
template <std::size_t Segments, std::size_t Bindings>
struct runtime_node {
  static constexpr std::size_t nodes = Segments;
  static constexpr std::size_t edges = Segments - 1 + 2 * Bindings;

  std::array<graph_node<ticks>, Segments> chain{};
  std::array<data_binding, Bindings> bindings{};
};

namespace detail {

/// A node with sections among its parts.
template <class Node, class... Parts>
struct locking_node : Node {};

template <class P>
inline constexpr std::size_t node_segments =
    std::same_as<P, cpu_segment> || std::same_as<P, copy_segment> || std::same_as<P, grid_kernel> ? 1 : 0;
template <class Mutex, class... Segments>
inline constexpr std::size_t node_segments<critical_section<Mutex, Segments...>> =
    ((node_segments<Segments> == 1) && ...) ? sizeof...(Segments) : 0;

template <class P>
concept NodeSegment = detail::node_segments<P> > 0;
template <class P>
concept NodeAttribute = std::same_as<P, parallelism_attribute> || std::same_as<P, point_attribute>;
template <class P>
concept NodePart = NodeSegment<P> || NodeAttribute<P> || std::same_as<P, data_binding>;

struct node_builder {
  graph_node<ticks>* next;
  data_binding* binding;
  std::uint32_t sections = 0;

  template <class Mutex, class... Segments>
  constexpr void add(const critical_section<Mutex, Segments...>& s) {
    graph_node<ticks>* n = next;
    s.each([this](const auto& inside) { this->add(inside); });
    for (; n != next; ++n) {
      n->mutex = mutex_key::of<Mutex>();
      n->section = sections;
    }
    ++sections;
  }

  constexpr void add(const cpu_segment& s) {
    next->kind = node_kind::processor;
    next->wcet = s.time.upper.count();
    ++next;
  }
  constexpr void add(const copy_segment& s) {
    next->kind = node_kind::copy;
    next->wcet = s.time.upper.count();
    ++next;
  }
  constexpr void add(const grid_kernel& k) {
    next->kind = node_kind::kernel;
    next->split = k.split;
    next->block_length = k.block_length.count();
    next->blocks = k.grid.blocks;
    next->block_threads = k.grid.threads;
    next->launch = k.launch.count();
    next->await = k.await.count();
    ++next;
  }
  constexpr void add(const data_binding& b) { *binding++ = b; }
  template <NodeAttribute A>
  constexpr void add(const A& /*for the whole chain*/) {}
};

constexpr void apply(graph_node<ticks>& n, const parallelism_attribute& p) { n.parallelism = p.jobs; }
constexpr void apply(graph_node<ticks>& n, const point_attribute& p) { n.point = p.value.count(); }
template <class P>
  requires(!NodeAttribute<P>)
constexpr void apply(graph_node<ticks>& /*node*/, const P& /*no attribute*/) {}

}  // namespace detail

/// Makes a node of a graph from its name and, in any order, its attributes, the data objects that it reads and writes,
/// and its chain. Segments are in order of execution. Without a segment it is a junction, which takes no time.
template <class... Parts>
[[nodiscard]] constexpr auto node(std::string_view name, const Parts&... parts) {
  constexpr bool well_formed = (detail::NodePart<Parts> && ... && true);
  constexpr bool once = ((!detail::NodeAttribute<Parts> || detail::times_among<Parts, Parts...> == 1) && ... && true);
  static_assert(
      well_formed,
      "takt: a node takes cpu(), copy(), kernel(grid(), block_length()), locks<mutex>() of these, parallelism(), "
      "relative_point(), reads() and writes(). See docs/errors.md#E63");
  static_assert(once, "takt: a node says the same thing twice; give each attribute once. See docs/errors.md#E96");
  if constexpr (well_formed && once) {
    constexpr std::size_t segments = (detail::node_segments<Parts> + ... + 0);
    constexpr std::size_t bindings = (std::size_t{std::same_as<Parts, data_binding>} + ... + 0);
    runtime_node<(segments > 0 ? segments : 1), bindings> out;
    if constexpr (segments == 0) { out.chain[0].kind = node_kind::junction; }
    detail::node_builder builder{out.chain.data(), out.bindings.data()};
    (builder.add(parts), ...);
    for (auto& n : out.chain) {
      n.name = name;
      (detail::apply(n, parts), ...);
    }
    if constexpr ((detail::is_critical_section<Parts> || ...)) {
      return detail::locking_node<decltype(out), Parts...>{out};
    } else {
      return out;
    }
  }
}

}  // namespace takt::inline TAKT_ABI
