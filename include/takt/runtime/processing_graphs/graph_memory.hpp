// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/locking/futex.hpp>
#include <takt/runtime/processing_graphs/link_description.hpp>
#include <takt/runtime/processing_graphs/monitors.hpp>
#include <takt/runtime/shares/descriptor.hpp>

namespace takt::inline v0::runtime::detail {

/// Named memory of several processes (shm_open) while it is made or opened. Its maker holds a lock of the file, which
/// the system takes back when the maker ends: whoever then gets the lock sees whether the maker was done.
class shared_memory {
 public:
  shared_memory() noexcept = default;
  shared_memory(const shared_memory&) = delete;
  auto operator=(const shared_memory&) -> shared_memory& = delete;
  ~shared_memory() { unmap(); }

  [[nodiscard]] auto memory() const noexcept -> void* { return memory_; }
  [[nodiscard]] auto bytes() const noexcept -> std::size_t { return bytes_; }

  /// The file of the name, locked, made if there is none and `mode` is not 0. It is empty if it is new, or its maker
  /// ended before it was made large.
  [[nodiscard]] auto lock(const std::string& name, mode_t mode, ticks until) -> link_status {
    for (;;) {
      file_ = descriptor{shm_open(name.c_str(), O_RDWR | O_CLOEXEC | (mode != 0 ? O_CREAT : 0), mode)};
      if (!file_) {
        const int error = errno;
        if (error != ENOENT) { return system_error("shm_open", error, name); }
        if (now() >= until) { return link_error(link_fault::missing, name); }
        sleep_until(now() + step);
        continue;
      }
      while (flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) { return system_error("flock", errno, name); }
        if (now() >= until) { return link_error(link_fault::time_limit, name); }
        sleep_until(now() + step);
      }
      struct stat facts{};
      if (fstat(file_.get(), &facts) != 0) { return system_error("fstat", errno, name); }
      // Removed in the meantime: the name is another file, or none.
      if (facts.st_nlink == 0) { continue; }
      bytes_ = static_cast<std::size_t>(facts.st_size);
      return {};
    }
  }
  void unlock() noexcept {
    // Not by closing alone: a process that was forked in the meantime has the file, too.
    if (file_) { (void)flock(file_.get(), LOCK_UN); }
    file_.reset();
  }

  /// Zeros of this size, with these rights whatever the mask of the process says. Pre: locked.
  [[nodiscard]] auto resize(std::size_t bytes, mode_t mode, const std::string& name) -> link_status {
    if (fchmod(file_.get(), mode) != 0) { return system_error("fchmod", errno, name); }
    if (ftruncate(file_.get(), 0) != 0) { return system_error("ftruncate", errno, name); }
    // Else a full system would end the process at its first access (SIGBUS).
    if (const int error = posix_fallocate(file_.get(), 0, static_cast<off_t>(bytes)); error != 0) {
      return system_error("posix_fallocate", error, name);
    }
    bytes_ = bytes;
    return {};
  }
  /// Pre: locked, not empty.
  [[nodiscard]] auto map(const std::string& name) -> link_status {
    void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    if (memory == MAP_FAILED) { return system_error("mmap", errno, name); }
    memory_ = memory;
    return {};
  }
  void unmap() noexcept {
    if (void* memory = std::exchange(memory_, nullptr); memory != nullptr) { (void)munmap(memory, bytes_); }
  }

 private:
  static constexpr ticks step = 1'000'000;

  descriptor file_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// An edge in shared memory. What was produced only grows, and what was consumed follows from the jobs of the consumer,
/// so that every step of a graph is one store: nobody is left with half of one.
struct edge_memory {
  text_field<32> name{};
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t produce = 1;
  std::int64_t consume = 1;
  std::int64_t threshold = 1;
  std::int64_t initial = 0;
  std::int64_t token_bytes = 1;
  transport over{};
  std::uint64_t ring_at = 0;  ///< in the memory

  std::atomic<std::int64_t> produced{0};        ///< with the initial ones
  futex_word room{0};                           ///< changes when bytes of a ring are free again
  std::atomic<std::uint32_t> wants_room{0};     ///< the producer sleeps at it
  std::atomic<std::int64_t> sending{0};         ///< number of the job whose bytes may be sent in part
  std::atomic<std::uint32_t> with_consumer{0};  ///< it may hold bytes that the channel has no more

  [[nodiscard]] auto counted() const noexcept -> bool { return counts_tokens(over); }
  /// Tokens that have been produced, with the initial ones, once `jobs` of the producer are complete; -1 if too many.
  [[nodiscard]] auto produced_by(std::int64_t jobs) const noexcept -> std::int64_t {
    std::int64_t out = 0;
    return checked_multiply(produce, jobs, out) && checked_add(out, initial, out) ? out : -1;
  }
  [[nodiscard]] auto has_bytes() const noexcept -> bool { return carries_bytes(over); }
};

template <TokenMonitor Monitor>
struct node_memory {
  text_field<32> name{};
  std::uint64_t users = 0;  ///< of the monitor, a bit per node
  typename Monitor::state monitor{};
  futex_word bell{0};
  std::atomic<std::uint32_t> waiting{0};
  std::atomic<std::int64_t> ready_at{0};  ///< when the last missing token of the last wait came
  std::atomic<std::uint64_t> wakes{0};
  std::atomic<std::uint64_t> found{0};    ///< waits that a look around ended, and no wake-up
  std::atomic<std::int64_t> started{0};   ///< jobs that took their tokens
  std::atomic<std::int64_t> finished{0};  ///< jobs that sent theirs
};

/// The whole graph; rings follow.
template <TokenMonitor Monitor>
struct graph_memory {
  static constexpr std::uint32_t layout = 0x54'4b'47'01;
  static constexpr std::uint32_t being_made = 0x54'4b'47'00;
  static constexpr std::uint64_t head = 64;  ///< bytes that are the same for all monitors

  std::atomic<std::uint32_t> format{0};  ///< written last
  std::uint32_t monitor = 0;
  std::uint64_t bytes = 0;
  std::uint64_t processes = 0;  ///< namespace of the claims
  std::uint32_t mode = 0;
  std::uint32_t nodes_used = 0;
  std::uint32_t edges_used = 0;
  text_field<32> name{};
  text_field<48> folder{};
  std::array<std::atomic<process_word>, graph_description::max_nodes> claims{};
  std::array<node_memory<Monitor>, graph_description::max_nodes> nodes{};
  std::array<edge_memory, graph_description::max_edges> edges{};

  [[nodiscard]] auto find_node(std::string_view wanted) const noexcept -> std::uint32_t {
    std::uint32_t v = 0;
    while (v < nodes_used && text_of(nodes[v].name) != wanted) { ++v; }
    return v;
  }
  [[nodiscard]] auto find_edge(std::string_view wanted) const noexcept -> std::uint32_t {
    std::uint32_t e = 0;
    while (e < edges_used && text_of(edges[e].name) != wanted) { ++e; }
    return e;
  }
  /// What an edge holds that no job has begun with.
  [[nodiscard]] auto tokens(const edge_memory& e) const noexcept -> std::int64_t {
    return e.produced - nodes[e.to].started * e.consume;
  }
  /// Whether the counted edges into a node hold their thresholds.
  [[nodiscard]] auto enabled(std::uint32_t node) const noexcept -> bool {
    for (std::uint32_t e = 0; e < edges_used; ++e) {
      if (edges[e].to == node && edges[e].counted() && tokens(edges[e]) < edges[e].threshold) { return false; }
    }
    return true;
  }
  [[nodiscard]] auto ring(const edge_memory& e) noexcept -> std::byte* {
    return reinterpret_cast<std::byte*>(this) + e.ring_at;  // NOLINT(*-reinterpret-cast): bytes behind the graph
  }
};

[[nodiscard]] inline auto ring_bytes(const transport& t) noexcept -> std::uint64_t {
  const auto* ring = std::get_if<shared_ring>(&t);
  return ring == nullptr ? 0 : static_cast<std::uint64_t>(ring->capacity + 63) / 64 * 64;
}

template <TokenMonitor Monitor>
[[nodiscard]] auto memory_needed(const graph_description& d) noexcept -> std::uint64_t {
  std::uint64_t out = (sizeof(graph_memory<Monitor>) + 63) / 64 * 64;
  for (const described_link& e : d.edges) { out += ring_bytes(e.over); }
  return out;
}

/// Writes a graph into fresh memory, all but its format. Pre: valid. Gives a number of the system, 0 for success.
template <TokenMonitor Monitor>
[[nodiscard]] auto write_graph(graph_memory<Monitor>& m, const graph_description& d) -> int {
  m.monitor = Monitor::number;
  m.bytes = memory_needed<Monitor>(d);
  m.processes = pid_namespace();
  m.mode = static_cast<std::uint32_t>(d.mode);
  m.nodes_used = static_cast<std::uint32_t>(d.nodes.size());
  m.edges_used = static_cast<std::uint32_t>(d.edges.size());
  put_text(m.name, d.name);
  put_text(m.folder, d.folder);
  for (std::size_t v = 0; v < d.nodes.size(); ++v) {
    put_text(m.nodes[v].name, d.nodes[v]);
    m.nodes[v].users = std::uint64_t{1} << v;
    if (const int error = Monitor::setup(m.nodes[v].monitor); error != 0) { return error; }
  }
  std::uint64_t ring_at = (sizeof(graph_memory<Monitor>) + 63) / 64 * 64;
  for (std::size_t i = 0; i < d.edges.size(); ++i) {
    const described_link& from = d.edges[i];
    edge_memory& e = m.edges[i];
    put_text(e.name, from.name);
    e.from = m.find_node(from.from);
    e.to = m.find_node(from.to);
    e.produce = from.produce;
    e.consume = from.consume;
    e.threshold = from.needed();
    e.initial = from.initial;
    e.produced = from.initial;
    e.token_bytes = from.token_bytes;
    e.over = from.over;
    e.ring_at = ring_at;
    ring_at += ring_bytes(from.over);
    m.nodes[e.to].users |= std::uint64_t{1} << e.from;
  }
  return 0;
}

/// Whether memory of another process is a graph that this program can use.
template <TokenMonitor Monitor>
[[nodiscard]] auto graph_fault_of(const graph_memory<Monitor>& m, std::uint64_t bytes) noexcept -> link_fault {
  const std::uint32_t format = m.format;
  if (format != m.layout && format != m.being_made) {
    return format == 0 ? link_fault::unfinished : link_fault::other_layout;
  }
  if (m.monitor != Monitor::number) { return link_fault::other_monitor; }
  if (m.bytes != bytes || bytes < sizeof(m) || m.nodes_used > m.nodes.size() || m.edges_used > m.edges.size()) {
    return link_fault::other_layout;
  }
  if (m.processes != pid_namespace()) { return link_fault::other_namespace; }
  for (std::uint32_t i = 0; i < m.edges_used; ++i) {
    const edge_memory& e = m.edges[i];
    if (e.from >= m.nodes_used || e.to >= m.nodes_used || e.over.index() >= std::variant_size_v<transport> ||
        e.ring_at > bytes || ring_bytes(e.over) > bytes - e.ring_at) {
      return link_fault::other_layout;
    }
  }
  return format == m.layout ? link_fault::none : link_fault::unfinished;
}

}  // namespace takt::inline v0::runtime::detail
