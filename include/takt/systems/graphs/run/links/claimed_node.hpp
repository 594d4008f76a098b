// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <takt/core/number.hpp>
#include <takt/rules/graph/release_rule.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/locking/futex.hpp>
#include <takt/systems/graphs/run/links/bound_edge.hpp>
#include <takt/systems/graphs/run/links/graph_memory.hpp>
#include <takt/systems/graphs/run/links/graph_shape.hpp>
#include <takt/systems/graphs/run/links/link_description.hpp>
#include <takt/systems/graphs/run/links/monitors.hpp>

namespace takt::inline TAKT_ABI::runtime {

template <detail::TokenMonitor Monitor>
class shared_graph;

/// Describes the job of a node that has begun.
struct node_job {
  std::int64_t number = 0;  ///< from 1
  ticks ready = 0;          ///< when its last token came, or when it began if it found all of them
  bool waited = false;      ///< the token-wait flag: it began to wait before its tokens were there
  bool repeated = false;    ///< a claimant before had begun it and did not finish it
};

/// Is a node of a shared graph and its edges, for the one thread that executes its jobs. It is given back at the end of
/// its scope. The claim of a process that was killed can be taken over, and its last job is repeated. This neither
/// loses nor doubles tokens; see docs/processing_graphs.md for bytes.
template <detail::TokenMonitor Monitor>
class claimed_node {
 public:
  claimed_node(const claimed_node&) = delete;
  auto operator=(const claimed_node&) -> claimed_node& = delete;
  claimed_node(claimed_node&&) noexcept = default;
  auto operator=(claimed_node&& other) noexcept -> claimed_node& = delete;
  ~claimed_node() {
    // A forked child has a copy of what is its parent's.
    if (holds()) { graph().claims[node_] = 0; }
  }

  /// False: `status` says why the claim failed.
  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(status_); }
  [[nodiscard]] auto status() const noexcept -> const link_status& { return status_; }

  /// Opens an edge that begins or ends at the node. A producer waits until the consumer has bound a FIFO or a socket.
  [[nodiscard]] auto bind(std::string_view name, ticks until = detail::no_deadline) -> link_status {
    if (!holds()) { return error(link_fault::not_claimed); }
    const auto& s = shape();
    const std::uint32_t e = s.find_edge(name);
    if (e == s.edges_used) { return detail::link_error(link_fault::unknown_name, name); }
    if (s.edges[e].to != node_ && s.edges[e].from != node_) { return detail::link_error(link_fault::not_an_end, name); }
    return bind_ends(e, e + 1, until);
  }
  /// All edges, those into the node first.
  [[nodiscard]] auto bind_all(ticks until = detail::no_deadline) -> link_status {
    if (!holds()) { return error(link_fault::not_claimed); }
    return bind_ends(0, shape().edges_used, until);
  }

  /// Waits until all thresholds are met, and takes the tokens of a job. After `time_limit` it may be called again.
  [[nodiscard]] auto begin_job(ticks until = detail::no_deadline) -> link_status {
    if (!holds()) { return error(link_fault::not_claimed); }
    if (open_) { return error(link_fault::job_open); }
    if (!all_bound()) { return error(link_fault::not_bound); }
    auto& n = graph().nodes[node_];
    if (!took_) {
      const auto next = static_cast<std::int64_t>(static_cast<std::uint64_t>(n.finished.load()) + 1);
      const bool again = job_.number == next;
      job_ = {.number = next, .ready = 0, .waited = again && job_.waited, .repeated = n.started != n.finished};
      if (const link_status s = collect(false, until); !s) { return s; }
      if (job_.repeated) { job_.ready = now(); }
      if (const link_status s = job_.repeated ? link_status{} : take_tokens(until); !s) { return s; }
      took_ = true;
    }
    if (const link_status s = collect(true, until); !s) { return s; }
    for (auto& b : edges_) {
      if (b.consumer) { b.copy_from_ring(*graph_); }
    }
    open_ = true;
    return {};
  }
  /// Begins a job, and says when it may run and is due by a rule: `eligible` for early releasing; a job that waited
  /// beyond its release has release and deadline shifted to its last token (Elliott 2015, section 5.2.3).
  [[nodiscard]] auto begin_job(release_rule<ticks>& rule, node_release<ticks>& out, ticks until = detail::no_deadline)
      -> link_status {
    if (const link_status s = begin_job(until); !s) { return s; }
    return rule.next(job_.ready, job_.waited, out) ? link_status{} : error(link_fault::overflow);
  }
  [[nodiscard]] auto job() const noexcept -> const node_job& { return job_; }

  /// Returns the bytes of `threshold` tokens of the job that has begun, the oldest first; it takes those of `consume`.
  /// Empty without a job, and if the edge has no bytes for the node.
  [[nodiscard]] auto received(std::string_view edge) const noexcept -> std::span<const std::byte> {
    const auto* b = find(*this, edge, true);
    return b == nullptr || !open_ ? std::span<const std::byte>{} : std::span<const std::byte>{b->bytes};
  }
  /// Returns room for the bytes of `produce` tokens, to be filled before `finish_job`.
  [[nodiscard]] auto to_send(std::string_view edge) noexcept -> std::span<std::byte> {
    auto* b = find(*this, edge, false);
    return b == nullptr ? std::span<std::byte>{} : std::span<std::byte>{b->bytes};
  }

  /// Sends the tokens of the job over each edge, and ends it. After `time_limit` it may be called again, and goes on
  /// where it stopped.
  [[nodiscard]] auto finish_job(ticks until = detail::no_deadline) -> link_status {
    if (!holds()) { return error(link_fault::not_claimed); }
    if (!open_) { return error(link_fault::no_job); }
    for (auto& b : edges_) {
      if (b.consumer || b.complete) { continue; }
      const link_status s = send(b, until);
      if (!s) { return s; }
      b.complete = true;
    }
    graph().nodes[node_].finished = job_.number;
    for (auto& b : edges_) { b.end_job(*graph_); }
    open_ = took_ = false;
    return {};
  }

 private:
  friend class shared_graph<Monitor>;
  using edge_type = detail::bound_edge;
  using graph_type = detail::attached_graph<Monitor>;

  static constexpr ticks watch = detail::link_watch;

  explicit claimed_node(const link_status& s) : status_{s} {}
  claimed_node(std::shared_ptr<const graph_type> graph, std::uint32_t node, detail::process_word word)
      : graph_{std::move(graph)}, node_{node}, word_{word} {}

  [[nodiscard]] auto graph() const noexcept -> detail::graph_memory<Monitor>& { return graph_->memory(); }
  [[nodiscard]] auto shape() const noexcept -> const detail::graph_shape& { return graph_->shape; }
  [[nodiscard]] auto name() const noexcept -> std::string_view { return detail::text_of(shape().nodes[node_].name); }
  [[nodiscard]] auto holds() const noexcept -> bool {
    return graph_ != nullptr && graph().claims[node_] == word_ && detail::process_of(word_) == getpid();
  }
  [[nodiscard]] auto error(link_fault fault) const noexcept -> link_status {
    return detail::link_error(fault, graph_ == nullptr ? std::string_view{} : name());
  }
  [[nodiscard]] auto seat_at(std::uint32_t consumer) const noexcept -> monitor_seat {
    return {.own = node_, .all = shape().nodes[consumer].users, .claims = graph().claims.data()};
  }
  [[nodiscard]] auto refused(int error_number) const noexcept -> link_status {
    return error_number == ETIMEDOUT ? error(link_fault::time_limit)
                                     : detail::system_error("the monitor", error_number, name());
  }
  template <class Self>
  [[nodiscard]] static auto find(Self& self, std::string_view edge, bool consumer) noexcept {
    const auto at = std::ranges::find_if(self.edges_, [&](const edge_type& b) {
      return b.consumer == consumer && detail::text_of(self.shape().edges[b.edge].name) == edge;
    });
    return at == self.edges_.end() ? nullptr : &*at;
  }
  [[nodiscard]] auto bind_ends(std::uint32_t first, std::uint32_t last, ticks until) -> link_status {
    for (const bool consumer : {true, false}) {
      for (std::uint32_t e = first; e < last; ++e) {
        if ((consumer ? shape().edges[e].to : shape().edges[e].from) != node_) { continue; }
        if (consumer && open_) { return error(link_fault::job_open); }
        if (const link_status s = bind_end(e, consumer, until); !s) { return s; }
      }
    }
    return {};
  }
  [[nodiscard]] auto bind_end(std::uint32_t e, bool consumer, ticks until) -> link_status {
    detail::bound_edge fresh{.edge = e, .consumer = consumer};
    if (const link_status s = fresh.open(*graph_, until); !s) { return s; }
    const auto at =
        std::ranges::find_if(edges_, [&](const edge_type& b) { return b.edge == e && b.consumer == consumer; });
    if (at == edges_.end()) {
      edges_.push_back(std::move(fresh));
      return {};
    }
    // Bound again: what was to be sent stays.
    if (!consumer) { fresh.bytes = std::move(at->bytes); }
    fresh.complete = at->complete;
    *at = std::move(fresh);
    return {};
  }
  [[nodiscard]] auto all_bound() const noexcept -> bool {
    std::size_t ends = 0;
    for (std::uint32_t e = 0; e < shape().edges_used; ++e) {
      ends += std::size_t{shape().edges[e].from == node_} + std::size_t{shape().edges[e].to == node_};
    }
    return ends == edges_.size();
  }

  /// Receives the bytes of the job over all channels whose bytes are counted, or all others.
  [[nodiscard]] auto collect(bool counted, ticks until) -> link_status {
    std::vector<pollfd> lacking;
    for (bool past = false;; past = now() >= until) {
      lacking.clear();
      for (auto& b : edges_) {
        if (!b.consumer || !b.has_channel() || shape().edges[b.edge].counted() != counted) { continue; }
        if (const link_status s = b.receive(*graph_); !s) { return s; }
        if (b.moved < b.bytes.size()) { lacking.push_back({b.channel.file(), POLLIN, 0}); }
      }
      if (lacking.empty()) { return {}; }
      if (past) { return error(link_fault::time_limit); }
      job_.waited = job_.waited || !counted;
      if (const link_status s = detail::poll_until(lacking, until, name()); !s) { return s; }
      job_.ready = counted ? job_.ready : now();
    }
  }
  /// Waits at the monitor. A producer that was killed between its last token and its wake-up is noticed after a while.
  [[nodiscard]] auto take_tokens(ticks until) -> link_status {
    auto& n = graph().nodes[node_];
    monitor_seat seat = seat_at(node_);
    for (bool asked = false, past = false, slept_in = false;; past = now() >= until) {
      if (const int failed = Monitor::enter(n.monitor, seat, until); failed != 0) { return refused(failed); }
      if (graph_->enabled(node_)) {
        if (slept_in) { ++n.found; }
        if (asked && n.waiting == 0) {
          job_.ready = std::max(job_.ready, n.ready_at.load());
        } else if (asked || job_.ready == 0) {
          job_.ready = now();
        }
        n.waiting = 0;
        n.started = job_.number;
        Monitor::leave(n.monitor, seat);
        return {};
      }
      n.waiting = past ? 0 : 1;
      const std::uint32_t rings = n.bell;
      Monitor::leave(n.monitor, seat);
      if (past) { return error(link_fault::time_limit); }
      asked = true;
      job_.waited = true;
      slept_in = !detail::futex_wait(n.bell, rings, std::min(until, later(now(), watch)), detail::all_processes);
    }
  }
  [[nodiscard]] auto send(edge_type& b, ticks until) -> link_status {
    const detail::edge_shape& e = shape().edges[b.edge];
    const std::int64_t total = e.produced_by(job_.number);
    if (total < 0) { return detail::link_error(link_fault::overflow, detail::text_of(e.name)); }
    if (graph().edges[b.edge].produced == total) { return {}; }  // by a claimant before
    if (const link_status s = b.send(*graph_, job_.number, until); !s) { return s; }
    return deliver(b.edge, total, until);
  }
  /// Counts tokens, and wakes the consumer if they were the last it lacked.
  [[nodiscard]] auto deliver(std::uint32_t edge, std::int64_t total, ticks until) -> link_status {
    auto& e = graph().edges[edge];
    const std::uint32_t to = shape().edges[edge].to;
    if (!shape().edges[edge].counted()) {
      e.produced = total;
      return {};
    }
    auto& c = graph().nodes[to];
    monitor_seat seat = seat_at(to);
    if (const int failed = Monitor::enter(c.monitor, seat, until); failed != 0) { return refused(failed); }
    e.produced = total;
    const bool wakes = c.waiting != 0 && graph_->enabled(to);
    if (wakes) {
      c.ready_at = now();
      ++c.wakes;
      c.waiting = 0;
      ++c.bell;
    }
    Monitor::leave(c.monitor, seat);
    if (wakes) { detail::futex_wake(&c.bell, detail::all_processes); }
    return {};
  }

  std::shared_ptr<const graph_type> graph_;
  std::uint32_t node_ = 0;
  detail::process_word word_ = 0;
  link_status status_;
  std::vector<edge_type> edges_;
  node_job job_;
  bool open_ = false;
  bool took_ = false;  // the tokens of the next job, but not yet all of its bytes
};

}  // namespace takt::inline TAKT_ABI::runtime
