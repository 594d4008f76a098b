// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/host/run_choices.hpp>
#include <takt/model/graph/pgm_table.hpp>
#include <takt/rules/graph/release_rule.hpp>
#include <takt/rules/graph/token_counter.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/systems/locked_gpus/host/point_rule.hpp>
#include <takt/systems/locked_gpus/simulation/run_system.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Most edges of one graph, those of its feedback apart.
inline constexpr std::size_t most_graph_edges = 64;

namespace detail {

/// Nodes of one graph are tasks with consecutive numbers, and edges count from the first of them.
struct token_graph {
  std::uint32_t first_task = 0;
  std::uint32_t nodes = 0;
  ticks period = 0;
  ticks first_release = 0;             ///< of its sources; later ones follow every period
  std::size_t jobs = 0;                ///< of each node
  std::vector<token_edge> edges{};     ///< a job waits for their tokens, and is released with the last of them
  std::vector<token_edge> feedback{};  ///< they hold a job back and change nothing else
  std::vector<host::detail::point_rule> order{};  ///< of each node, after the nominal release
  bool in_order_of_arrival = false;  ///< points count from the instant at which a job is put in line instead
};

/// Releases the jobs of nodes as their tokens come, in a run of the engine: see `host::BringsJobs`. Sources are
/// released by the clock with their deadlines, held back or not; all others follow `release_rule`, early ones keep
/// their deadlines. A job is over before the next one of its node takes its tokens. Deadlines are implicit.
/// Pre: times up to the last release are far from overflow; at most `most_graph_edges` of a kind.
/// Cost: per completed job, nodes x edges of its graph.
class graph_releases {
 public:
  /// `graphs` outlives this.
  explicit graph_releases(std::span<const token_graph> graphs) {
    for (const token_graph& g : graphs) {
      TAKT_EXPECTS(g.edges.size() <= most_graph_edges && g.feedback.size() <= most_graph_edges);
      graphs_.push_back(
          {&g, token_counter<most_graph_edges>{g.edges}, token_counter<most_graph_edges>{g.feedback}, {}});
      for (std::uint32_t v = 0; v < g.nodes; ++v) {
        node n{.rule{g.period, g.period}};
        n.is_source = std::ranges::none_of(g.edges, [v](const token_edge& e) { return e.to == v; });
        graphs_.back().nodes.push_back(n);
        graph_of_.push_back(graphs_.size() - 1);
        releases_.emplace_back();
        releases_.back().reserve(g.jobs);
        jobs_.emplace_back();
      }
    }
    for (graph& g : graphs_) { consider(g, 0, nobody); }
  }

  [[nodiscard]] auto next_job() const -> ticks { return due_.empty() ? no_event : due_.back().nominal; }
  auto comes(ticks now, host::coming_job& next) -> bool {
    if (next_job() > now) { return false; }
    next = due_.back();
    due_.pop_back();
    return true;
  }
  /// Pre: it has been released.
  [[nodiscard]] auto of(std::uint32_t task, std::uint64_t job) const -> const host::timed_job& {
    TAKT_EXPECTS(task < jobs_.size() && job < jobs_[task].size());
    return jobs_[task][job];
  }
  void completed(std::uint32_t task, ticks now) {
    graph& g = graphs_[graph_of_[task]];
    const std::uint32_t v = task - g.is->first_task;
    g.nodes[v].busy = false;
    static_cast<void>(g.feedback.complete(v));
    static_cast<void>(g.tokens.complete(v));
    consider(g, now, v);
  }

  /// Returns releases of the jobs of a task so far, in their order.
  [[nodiscard]] auto releases(std::size_t task) const noexcept -> const std::vector<node_release<ticks>>& {
    return releases_[task];
  }

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  struct node {
    release_rule<ticks> rule;
    std::size_t next = 0;  ///< job
    bool busy = false;
    bool has_tokens = false;  ///< of the next job
    bool is_source = false;
    node_release<ticks> upcoming{};
  };
  struct graph {
    const token_graph* is;
    token_counter<most_graph_edges> tokens;
    token_counter<most_graph_edges> feedback;
    std::vector<node> nodes;
  };

  /// A node that has just ended a job finds the tokens that are there; all others have waited for them.
  void consider(graph& g, ticks now, std::uint32_t ended) {
    for (std::uint32_t v = 0; v < g.is->nodes; ++v) {
      node& n = g.nodes[v];
      if (n.busy || n.next == g.is->jobs) { continue; }
      if (!n.has_tokens && !take_tokens(g, n, v, now, v != ended)) { continue; }
      if (!g.feedback.start(v)) { continue; }
      release(g, n, v, now);
    }
  }
  [[nodiscard]] static auto take_tokens(graph& g, node& n, std::uint32_t v, ticks now, bool waited) -> bool {
    if (!g.tokens.start(v)) { return false; }
    n.has_tokens = true;
    if (!n.is_source) {
      static_cast<void>(n.rule.next(now, waited, n.upcoming));
      return true;
    }
    const ticks release = g.is->first_release + static_cast<ticks>(n.next) * g.is->period;
    n.upcoming = {release, release, release + g.is->period};
    return true;
  }
  void release(graph& g, node& n, std::uint32_t v, ticks now) {
    const std::uint32_t task = g.is->first_task + v;
    const ticks start = std::max(now, n.upcoming.eligible);
    priority_point p{0, static_cast<std::int32_t>(task)};
    static_cast<void>(g.is->order[v].point(g.is->in_order_of_arrival ? start : n.upcoming.release, p.point));
    const auto later = [](const host::coming_job& a, const host::coming_job& b) {
      return std::pair{b.nominal, b.task} < std::pair{a.nominal, a.task};
    };
    const host::coming_job job{task, start};
    due_.insert(std::ranges::upper_bound(due_, job, later), job);
    jobs_[task].push_back({start, p});
    releases_[task].push_back(n.upcoming);
    n.busy = true;
    n.has_tokens = false;
    ++n.next;
  }

  std::vector<graph> graphs_;
  std::vector<std::size_t> graph_of_;  ///< by task
  std::vector<std::vector<node_release<ticks>>> releases_;
  std::vector<std::vector<host::timed_job>> jobs_;
  std::vector<host::coming_job> due_;  ///< the next one last
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::simulation
