// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <sys/types.h>

#include <takt/core/number.hpp>
#include <takt/systems/graphs/run/links/bound_edge.hpp>
#include <takt/systems/graphs/run/links/claimed_node.hpp>
#include <takt/systems/graphs/run/links/graph_memory.hpp>
#include <takt/systems/graphs/run/links/graph_shape.hpp>
#include <takt/systems/graphs/run/links/link_description.hpp>
#include <takt/systems/graphs/run/links/monitors.hpp>
#include <takt/systems/graphs/run/links/shared_memory.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Is a processing graph in shared memory: made once, found by its name, whose nodes threads and processes claim
/// (PGM-RT, Elliott 2015, section 5.2). Any thread may use it.
template <detail::TokenMonitor Monitor = system_monitor>
class shared_graph {
 public:
  using node = claimed_node<Monitor>;

  /// A graph of this description, or why there is none: see `status`. What a creator left that was killed is replaced.
  [[nodiscard]] static auto create(const graph_description& d, ticks until = 0) -> shared_graph {
    shared_graph out;
    out.status_ = validate(d);
    if (out.status_) { out.status_ = out.make(d, until); }
    if (!out.status_) { out.graph_.reset(); }
    return out;
  }
  /// Returns the graph of this name; one that is not there yet is waited for. Its owner can do what it likes to this
  /// process: it is the effective user, root or one of `trusted`.
  [[nodiscard]] static auto open(std::string_view name, ticks until = 0, std::span<const uid_t> trusted = {})
      -> shared_graph {
    shared_graph out;
    out.status_ = out.attach(name, until, trusted);
    if (!out.status_) { out.graph_.reset(); }
    return out;
  }
  /// Removes a graph and its channels from the system. Processes that have it open keep what is open.
  [[nodiscard]] static auto remove(std::string_view name, ticks until = 0) -> link_status {
    shared_graph out;
    const link_status found = out.attach(name, until, {}, true);
    if (!found && found.fault != link_fault::unfinished) { return found; }
    link_status channels = out.remove_channels();
    if (shm_unlink(path_of(name).c_str()) != 0) { channels = detail::system_error("shm_unlink", errno, name); }
    if (out.graph_ != nullptr) { out.graph_->file.unlock(); }
    return channels;
  }

  /// False: `status` says why.
  [[nodiscard]] explicit operator bool() const noexcept { return graph_ != nullptr; }
  [[nodiscard]] auto status() const noexcept -> const link_status& { return status_; }

  /// Returns the node of this name, if no live process has it. One thread uses it.
  [[nodiscard]] auto claim(std::string_view name) const -> node {
    auto& m = memory();
    const std::uint32_t v = shape().find_node(name);
    if (v == shape().nodes_used) { return node{detail::link_error(link_fault::unknown_name, name)}; }
    const detail::process_word own = detail::own_word();
    detail::process_word had = m.claims[v];
    do {
      if (had != 0 && !detail::has_ended(had)) { return node{detail::link_error(link_fault::claimed, name)}; }
    } while (!m.claims[v].compare_exchange_weak(had, own));
    for (std::uint32_t u = 0; u < shape().nodes_used; ++u) {
      if ((shape().nodes[u].users >> v & 1) != 0) { Monitor::reset(m.nodes[u].monitor, v); }
    }
    m.nodes[v].waiting = 0;
    return node{graph_, v, own};
  }

  [[nodiscard]] auto nodes() const -> std::vector<std::string> { return names(shape().nodes, shape().nodes_used); }
  [[nodiscard]] auto edges() const -> std::vector<std::string> { return names(shape().edges, shape().edges_used); }
  /// Returns the live process that has claimed a node; 0 if there is none, or no such node.
  [[nodiscard]] auto holder(std::string_view name) const -> pid_t {
    const std::uint32_t v = shape().find_node(name);
    const detail::process_word word = v == shape().nodes_used ? 0 : memory().claims[v].load();
    return word == 0 || detail::has_ended(word) ? 0 : detail::process_of(word);
  }
  /// Returns how many tokens no job has taken, at one instant; 0 if there is no such edge.
  [[nodiscard]] auto tokens(std::string_view name) const -> std::int64_t {
    const std::uint32_t e = shape().find_edge(name);
    return e == shape().edges_used ? 0 : std::max<std::int64_t>(0, graph_->tokens(e));
  }
  /// Returns how often producers have woken the consumer; 0, as below, if there is no such node.
  [[nodiscard]] auto wakes(std::string_view name) const -> std::uint64_t { return of_node(name, &node_type::wakes); }
  /// Returns how often the consumer found its tokens without being woken, since a producer was killed between its last
  /// token and the wake-up, or both came at once.
  [[nodiscard]] auto found(std::string_view name) const -> std::uint64_t { return of_node(name, &node_type::found); }
  /// Returns how many jobs are complete.
  [[nodiscard]] auto finished(std::string_view name) const -> std::int64_t {
    return of_node(name, &node_type::finished);
  }

 private:
  using memory_type = detail::graph_memory<Monitor>;
  using node_type = detail::node_memory<Monitor>;

  [[nodiscard]] static auto path_of(std::string_view name) -> std::string { return "/takt." + std::string{name}; }
  [[nodiscard]] auto memory() const noexcept -> memory_type& { return graph_->memory(); }
  [[nodiscard]] auto shape() const noexcept -> const detail::graph_shape& { return graph_->shape; }

  template <class Named>
  [[nodiscard]] static auto names(const Named& all, std::size_t used) -> std::vector<std::string> {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < used; ++i) { out.emplace_back(detail::text_of(all[i].name)); }
    return out;
  }
  template <class Number>
  [[nodiscard]] auto of_node(std::string_view name, std::atomic<Number> node_type::* count) const -> Number {
    const std::uint32_t v = shape().find_node(name);
    return v == shape().nodes_used ? Number{0} : (memory().nodes[v].*count).load();
  }

  [[nodiscard]] auto make(const graph_description& d, ticks until) -> link_status {
    graph_ = std::make_shared<detail::attached_graph<Monitor>>();
    detail::shared_memory& file = graph_->file;
    link_status s = file.lock(path_of(d.name), d.mode, until);
    if (!s) { return s; }
    if (file.bytes() != 0) {
      s = map(d.name);
      if (s) { return detail::link_error(link_fault::exists, d.name); }
      if (s.fault != link_fault::unfinished) { return s; }
      s = remove_channels();
      if (!s) { return s; }
      file.unmap();
    }
    s = file.resize(detail::memory_needed<Monitor>(d), d.mode, d.name);
    if (s) { s = file.map(d.name); }
    if (s) { s = fill(d); }
    if (!s) { (void)shm_unlink(path_of(d.name).c_str()); }
    file.unlock();
    return s;
  }
  [[nodiscard]] auto fill(const graph_description& d) const -> link_status {
    graph_->shape = detail::shape_of<Monitor>(d);
    memory_type* m = std::construct_at(static_cast<memory_type*>(graph_->file.memory()));
    if (const int error = detail::write_graph(*m, shape()); error != 0) {
      return detail::system_error("pthread_mutex_init", error, d.name);
    }
    m->format = memory_type::being_made;
    link_status s;
    std::uint32_t made = 0;
    for (; s && made < shape().edges_used; ++made) { s = place_of(made).make(); }
    if (s) {
      m->format = memory_type::layout;
      return s;
    }
    (void)remove_channels(made - 1);  // the last one was refused, maybe since it is somebody else's
    return s;
  }
  [[nodiscard]] auto attach(std::string_view name, ticks until, std::span<const uid_t> trusted, bool keep_lock = false)
      -> link_status {
    if (!detail::is_link_name(name)) { return detail::link_error(link_fault::name, name); }
    graph_ = std::make_shared<detail::attached_graph<Monitor>>();
    graph_->trusted = detail::trusted_users{trusted};
    detail::shared_memory& file = graph_->file;
    link_status s = file.lock(path_of(name), 0, until, graph_->trusted);
    if (s) { s = file.bytes() == 0 ? detail::link_error(link_fault::unfinished, name) : map(name); }
    if (!keep_lock) { file.unlock(); }
    return s;
  }
  /// Copies what does not change, and checks the copy.
  [[nodiscard]] auto map(std::string_view name) const -> link_status {
    detail::shared_memory& file = graph_->file;
    if (file.bytes() < memory_type::head) { return detail::link_error(link_fault::other_layout, name); }
    if (link_status s = file.map(std::string{name}); !s) { return s; }
    graph_->shape = detail::read_shape(memory(), file.bytes());
    const link_fault fault = detail::graph_fault_of<Monitor>(shape(), name, file.bytes());
    return fault == link_fault::none ? link_status{} : detail::link_error(fault, name);
  }
  [[nodiscard]] auto place_of(std::uint32_t edge) const -> detail::channel_location {
    return {shape(), shape().edges[edge], graph_->trusted};
  }
  /// Opens the first edges. Pre: locked, and either no memory or one that passed the check.
  [[nodiscard]] auto remove_channels(std::uint32_t first = graph_description::max_edges) const -> link_status {
    link_status out;
    if (graph_->file.memory() == nullptr || shape().format == 0) { return out; }
    TAKT_EXPECTS(shape().edges_used <= shape().edges.size());
    for (std::uint32_t e = 0; e < std::min(first, shape().edges_used); ++e) {
      const link_status s = place_of(e).remove();
      if (out) { out = s; }
    }
    return out;
  }

  std::shared_ptr<detail::attached_graph<Monitor>> graph_;
  link_status status_;
};

}  // namespace takt::inline TAKT_ABI::runtime
