// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include <takt/runtime/locking/futex.hpp>
#include <takt/systems/graphs/run/links/graph_shape.hpp>
#include <takt/systems/graphs/run/links/link_description.hpp>
#include <takt/systems/graphs/run/links/monitors.hpp>
#include <takt/systems/graphs/run/links/shared_memory.hpp>

namespace takt::inline TAKT_ABI::runtime::detail {

/// Describes an edge in shared memory. What was produced only grows, and what was consumed follows from the jobs of the
/// consumer. So every step of a graph is one store, and no process can leave half of one.
struct edge_memory {
  edge_shape shape{};
  std::atomic<std::int64_t> produced{0};        ///< with the initial ones
  futex_word room{0};                           ///< changes when bytes of a ring are free again
  std::atomic<std::uint32_t> wants_space{0};    ///< the producer sleeps at it
  std::atomic<std::int64_t> sending{0};         ///< number of the job whose bytes may be sent in part
  std::atomic<std::uint32_t> with_consumer{0};  ///< it may hold bytes that the channel has no more
};

template <TokenMonitor Monitor>
struct node_memory {
  node_shape shape{};
  typename Monitor::state monitor{};
  futex_word bell{0};
  std::atomic<std::uint32_t> waiting{0};
  std::atomic<std::int64_t> ready_at{0};  ///< when the last missing token of the last wait came
  std::atomic<std::uint64_t> wakes{0};
  std::atomic<std::uint64_t> found{0};    ///< waits that a look around ended, and no wake-up
  std::atomic<std::int64_t> started{0};   ///< jobs that took their tokens
  std::atomic<std::int64_t> finished{0};  ///< jobs that sent theirs
};

/// Says of memory which format it has.
struct graph_format {
  std::atomic<std::uint32_t> format{0};  ///< written last
};

/// Describes the whole graph; rings follow.
template <TokenMonitor Monitor>
struct graph_memory : graph_format, graph_head {
  static constexpr std::uint32_t layout = 0x54'4b'47'02;
  static constexpr std::uint32_t being_made = 0x54'4b'47'00;
  static constexpr std::uint64_t head = 64;  ///< bytes that are the same for all monitors

  std::array<std::atomic<process_word>, graph_description::max_nodes> claims{};
  std::array<node_memory<Monitor>, graph_description::max_nodes> nodes{};
  std::array<edge_memory, graph_description::max_edges> edges{};
};

template <TokenMonitor Monitor>
[[nodiscard]] auto memory_needed(const graph_description& d) noexcept -> std::uint64_t {
  std::uint64_t out = (sizeof(graph_memory<Monitor>) + 63) / 64 * 64;
  for (const link_description& e : d.edges) { out += ring_bytes(e.over); }
  return out;
}

/// Returns the shape of a graph from its description. Pre: valid.
template <TokenMonitor Monitor>
[[nodiscard]] auto shape_of(const graph_description& d) -> graph_shape {
  graph_shape out{{.monitor = Monitor::number,
                   .bytes = memory_needed<Monitor>(d),
                   .processes = pid_namespace(),
                   .mode = static_cast<std::uint32_t>(d.mode),
                   .nodes_used = static_cast<std::uint32_t>(d.nodes.size()),
                   .edges_used = static_cast<std::uint32_t>(d.edges.size())},
                  graph_memory<Monitor>::layout};
  put_text(out.name, d.name);
  put_text(out.folder, d.folder);
  for (std::size_t v = 0; v < d.nodes.size(); ++v) {
    put_text(out.nodes[v].name, d.nodes[v]);
    out.nodes[v].users = std::uint64_t{1} << v;
  }
  std::uint64_t ring_at = (sizeof(graph_memory<Monitor>) + 63) / 64 * 64;
  for (std::size_t i = 0; i < d.edges.size(); ++i) {
    const link_description& from = d.edges[i];
    edge_shape& e = out.edges[i];
    put_text(e.name, from.name);
    e.from = out.find_node(from.from);
    e.to = out.find_node(from.to);
    e.produce = from.produce;
    e.consume = from.consume;
    e.threshold = from.needed();
    e.initial = from.initial;
    e.token_bytes = from.token_bytes;
    e.over = from.over;
    e.ring_at = ring_at;
    ring_at += ring_bytes(from.over);
    out.nodes[e.to].users |= std::uint64_t{1} << e.from;
  }
  return out;
}

/// Writes a graph into fresh memory, all but its format. Gives a number of the system, 0 for success.
template <TokenMonitor Monitor>
[[nodiscard]] auto write_graph(graph_memory<Monitor>& m, const graph_shape& s) -> int {
  static_cast<graph_head&>(m) = s;
  for (std::uint32_t v = 0; v < s.nodes_used; ++v) {
    m.nodes[v].shape = s.nodes[v];
    if (const int error = Monitor::setup(m.nodes[v].monitor); error != 0) { return error; }
  }
  for (std::uint32_t e = 0; e < s.edges_used; ++e) {
    m.edges[e].shape = s.edges[e];
    m.edges[e].produced = s.edges[e].initial;
  }
  return 0;
}

/// Reads what does not change of memory that others can write, once. Pre: `bytes` of it are mapped, `head` at least.
template <TokenMonitor Monitor>
[[nodiscard]] auto read_shape(const graph_memory<Monitor>& m, std::uint64_t bytes) -> graph_shape {
  TAKT_EXPECTS(graph_memory<Monitor>::head <= bytes);
  graph_shape out;
  out.format = m.format;
  out.monitor = m.monitor;
  out.bytes = m.bytes;
  if (bytes >= sizeof(m)) {
    static_cast<graph_head&>(out) = m;
    for (std::size_t v = 0; v < m.nodes.size(); ++v) { out.nodes[v] = m.nodes[v].shape; }
    for (std::size_t e = 0; e < m.edges.size(); ++e) { out.edges[e] = m.edges[e].shape; }
  }
  // What was read is not read again in place of the copy.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return out;
}

/// Checks whether memory of another process, of which this has been read, is a graph of this name that this program can
/// use: one that it could have made itself.
template <TokenMonitor Monitor>
[[nodiscard]] auto graph_fault_of(const graph_shape& s, std::string_view name, std::uint64_t bytes) -> link_fault {
  using memory = graph_memory<Monitor>;
  if (s.format != memory::layout && s.format != memory::being_made) {
    return s.format == 0 ? link_fault::unfinished : link_fault::other_layout;
  }
  if (s.monitor != Monitor::number) { return link_fault::other_monitor; }
  if (s.bytes != bytes || bytes < sizeof(memory) || s.nodes_used > s.nodes.size() || s.edges_used > s.edges.size()) {
    return link_fault::other_layout;
  }
  if (s.processes != pid_namespace()) { return link_fault::other_namespace; }
  for (std::uint32_t i = 0; i < s.edges_used; ++i) {
    const edge_shape& e = s.edges[i];
    if (e.from >= s.nodes_used || e.to >= s.nodes_used || e.over.index() >= std::variant_size_v<transport>) {
      return link_fault::other_layout;
    }
  }
  const graph_description d = description_of(s);
  if (d.name != name || !validate(d) || memory_needed<Monitor>(d) != bytes) { return link_fault::other_layout; }
  const graph_shape own = shape_of<Monitor>(d);
  for (std::uint32_t i = 0; i < s.edges_used; ++i) {
    if (own.edges[i].ring_at != s.edges[i].ring_at) { return link_fault::other_layout; }
  }
  for (std::uint32_t v = 0; v < s.nodes_used; ++v) {
    if (own.nodes[v].users != s.nodes[v].users) { return link_fault::other_layout; }
  }
  return s.format == memory::layout ? link_fault::none : link_fault::unfinished;
}

/// Is a graph as one process uses it: the memory, and the shape that was checked.
template <TokenMonitor Monitor>
class attached_graph {
 public:
  shared_memory file;
  trusted_users trusted;
  graph_shape shape;

  [[nodiscard]] auto memory() const noexcept -> graph_memory<Monitor>& {
    return *static_cast<graph_memory<Monitor>*>(file.memory());
  }
  /// Returns what an edge holds that no job has begun with. A count that was spoilt harms nothing else.
  [[nodiscard]] auto tokens(std::uint32_t edge) const noexcept -> std::int64_t {
    const edge_shape& e = shape.edges[edge];
    const auto taken =
        static_cast<std::uint64_t>(memory().nodes[e.to].started.load()) * static_cast<std::uint64_t>(e.consume);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(memory().edges[edge].produced.load()) - taken);
  }
  /// Returns whether the counted edges into a node hold their thresholds.
  [[nodiscard]] auto enabled(std::uint32_t node) const noexcept -> bool {
    for (std::uint32_t i = 0; i < shape.edges_used; ++i) {
      const edge_shape& e = shape.edges[i];
      if (e.to == node && e.counted() && tokens(i) < e.threshold) { return false; }
    }
    return true;
  }
  /// Returns how many bytes of an edge its consumer is done with.
  [[nodiscard]] auto consumed_bytes(std::uint32_t edge) const noexcept -> std::uint64_t {
    const edge_shape& e = shape.edges[edge];
    return static_cast<std::uint64_t>(memory().nodes[e.to].finished.load()) *
           static_cast<std::uint64_t>(e.consume * e.token_bytes);
  }
  [[nodiscard]] auto ring(std::uint32_t edge) const noexcept -> std::byte* {
    return static_cast<std::byte*>(file.memory()) + shape.edges[edge].ring_at;
  }
};

}  // namespace takt::inline TAKT_ABI::runtime::detail
