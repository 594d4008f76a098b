// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/mman.h>

#include <takt/core/number.hpp>
#include <takt/runtime/processing_graphs/bound_edge.hpp>
#include <takt/runtime/processing_graphs/claimed_node.hpp>
#include <takt/runtime/processing_graphs/graph_memory.hpp>
#include <takt/runtime/processing_graphs/link_description.hpp>
#include <takt/runtime/processing_graphs/monitors.hpp>

namespace takt::inline v0::runtime {

/// A processing graph in shared memory: made once, found by its name, whose nodes threads and processes claim (PGM-RT,
/// Elliott 2015, section 5.2). Any thread may use it.
template <TokenMonitor Monitor = system_monitor>
class shared_graph {
 public:
  using node = claimed_node<Monitor>;

  /// A graph of this description, or why there is none: see `status`. What a creator left that was killed is replaced.
  [[nodiscard]] static auto create(const graph_description& d, ticks until = 0) -> shared_graph {
    shared_graph out;
    out.status_ = validate(d);
    if (out.status_) { out.status_ = out.make(d, until); }
    if (!out.status_) { out.memory_.reset(); }
    return out;
  }
  /// The graph of this name; one that is not there yet is waited for.
  [[nodiscard]] static auto open(std::string_view name, ticks until = 0) -> shared_graph {
    shared_graph out;
    out.status_ = out.attach(name, until);
    if (!out.status_) { out.memory_.reset(); }
    return out;
  }
  /// Takes a graph and its channels out of the system. Whoever has it open keeps what is open.
  [[nodiscard]] static auto remove(std::string_view name, ticks until = 0) -> link_status {
    shared_graph out;
    const link_status found = out.attach(name, until, true);
    if (!found && found.fault != link_fault::unfinished) { return found; }
    link_status channels = out.remove_channels();
    if (shm_unlink(path_of(name).c_str()) != 0) { channels = detail::system_error("shm_unlink", errno, name); }
    if (out.memory_ != nullptr) { out.memory_->unlock(); }
    return channels;
  }

  /// False: `status` says why.
  [[nodiscard]] explicit operator bool() const noexcept { return memory_ != nullptr; }
  [[nodiscard]] auto status() const noexcept -> const link_status& { return status_; }

  /// The node of this name, if nobody has it who is alive. One thread uses it.
  [[nodiscard]] auto claim(std::string_view name) const -> node {
    auto& m = graph();
    const std::uint32_t v = m.find_node(name);
    if (v == m.nodes_used) { return node{detail::link_error(link_fault::unknown_name, name)}; }
    const detail::process_word own = detail::own_word();
    detail::process_word had = m.claims[v];
    do {
      if (had != 0 && !detail::has_ended(had)) { return node{detail::link_error(link_fault::claimed, name)}; }
    } while (!m.claims[v].compare_exchange_weak(had, own));
    for (std::uint32_t u = 0; u < m.nodes_used; ++u) {
      if ((m.nodes[u].users >> v & 1) != 0) { Monitor::reset(m.nodes[u].monitor, v); }
    }
    m.nodes[v].waiting = 0;
    return node{memory_, v, own};
  }

  [[nodiscard]] auto nodes() const -> std::vector<std::string> { return names(graph().nodes, graph().nodes_used); }
  [[nodiscard]] auto edges() const -> std::vector<std::string> { return names(graph().edges, graph().edges_used); }
  /// The process that has claimed a node and is alive; 0 if there is none, or no such node.
  [[nodiscard]] auto holder(std::string_view name) const -> pid_t {
    const std::uint32_t v = graph().find_node(name);
    const detail::process_word word = v == graph().nodes_used ? 0 : graph().claims[v].load();
    return word == 0 || detail::has_ended(word) ? 0 : detail::process_of(word);
  }
  /// Tokens that no job has taken, at one instant; 0 if there is no such edge.
  [[nodiscard]] auto tokens(std::string_view name) const -> std::int64_t {
    const std::uint32_t e = graph().find_edge(name);
    return e == graph().edges_used ? 0 : std::max<std::int64_t>(0, graph().tokens(graph().edges[e]));
  }
  /// How often producers have woken the consumer; 0, as below, if there is no such node.
  [[nodiscard]] auto wakes(std::string_view name) const -> std::uint64_t { return of_node(name, &node_type::wakes); }
  /// How often the consumer found its tokens without being woken, since a producer was killed between its last token
  /// and the wake-up, or both came at once.
  [[nodiscard]] auto found(std::string_view name) const -> std::uint64_t { return of_node(name, &node_type::found); }
  /// Jobs that are complete.
  [[nodiscard]] auto finished(std::string_view name) const -> std::int64_t {
    return of_node(name, &node_type::finished);
  }

 private:
  using memory_type = detail::graph_memory<Monitor>;
  using node_type = detail::node_memory<Monitor>;

  [[nodiscard]] static auto path_of(std::string_view name) -> std::string { return "/takt." + std::string{name}; }
  [[nodiscard]] auto graph() const noexcept -> memory_type& { return *static_cast<memory_type*>(memory_->memory()); }

  template <class Named>
  [[nodiscard]] static auto names(const Named& all, std::size_t used) -> std::vector<std::string> {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < used; ++i) { out.emplace_back(detail::text_of(all[i].name)); }
    return out;
  }
  template <class Number>
  [[nodiscard]] auto of_node(std::string_view name, std::atomic<Number> node_type::* count) const -> Number {
    const std::uint32_t v = graph().find_node(name);
    return v == graph().nodes_used ? Number{0} : (graph().nodes[v].*count).load();
  }

  [[nodiscard]] auto make(const graph_description& d, ticks until) -> link_status {
    memory_ = std::make_shared<detail::shared_memory>();
    link_status s = memory_->lock(path_of(d.name), d.mode, until);
    if (!s) { return s; }
    if (memory_->bytes() != 0) {
      s = map(d.name);
      if (s) { return detail::link_error(link_fault::exists, d.name); }
      if (s.fault != link_fault::unfinished) { return s; }
      s = remove_channels();
      if (!s) { return s; }
      memory_->unmap();
    }
    s = memory_->resize(detail::memory_needed<Monitor>(d), d.mode, d.name);
    if (s) { s = memory_->map(d.name); }
    if (s) { s = fill(d); }
    if (!s) { (void)shm_unlink(path_of(d.name).c_str()); }
    memory_->unlock();
    return s;
  }
  [[nodiscard]] auto fill(const graph_description& d) const -> link_status {
    memory_type* m = std::construct_at(static_cast<memory_type*>(memory_->memory()));
    if (const int error = detail::write_graph(*m, d); error != 0) {
      return detail::system_error("pthread_mutex_init", error, d.name);
    }
    m->format = memory_type::being_made;
    link_status s;
    std::uint32_t made = 0;
    for (; s && made < m->edges_used; ++made) { s = detail::channel_place{*m, m->edges[made]}.make(); }
    if (s) {
      m->format = memory_type::layout;
      return s;
    }
    (void)remove_channels(made - 1);  // the last one was refused, maybe since it is somebody else's
    return s;
  }
  [[nodiscard]] auto attach(std::string_view name, ticks until, bool keep_lock = false) -> link_status {
    if (!detail::is_link_name(name)) { return detail::link_error(link_fault::name, name); }
    memory_ = std::make_shared<detail::shared_memory>();
    link_status s = memory_->lock(path_of(name), 0, until);
    if (s) { s = memory_->bytes() == 0 ? detail::link_error(link_fault::unfinished, name) : map(name); }
    if (!keep_lock) { memory_->unlock(); }
    return s;
  }
  [[nodiscard]] auto map(std::string_view name) const -> link_status {
    if (memory_->bytes() < memory_type::head) { return detail::link_error(link_fault::other_layout, name); }
    if (link_status s = memory_->map(std::string{name}); !s) { return s; }
    const link_fault fault = detail::graph_fault_of(graph(), memory_->bytes());
    return fault == link_fault::none ? link_status{} : detail::link_error(fault, name);
  }
  /// Of the first edges. Pre: locked, and either no memory or one that passed the check.
  [[nodiscard]] auto remove_channels(std::uint32_t first = graph_description::max_edges) const -> link_status {
    link_status out;
    if (memory_->memory() == nullptr || graph().format == 0) { return out; }
    for (std::uint32_t e = 0; e < std::min(first, graph().edges_used); ++e) {
      const link_status s = detail::channel_place{graph(), graph().edges[e]}.remove();
      if (out) { out = s; }
    }
    return out;
  }

  std::shared_ptr<detail::shared_memory> memory_;
  link_status status_;
};

}  // namespace takt::inline v0::runtime
