// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <takt/analysis/graph/timing.hpp>
#include <takt/core/number.hpp>
#include <takt/model/graph/graph_fault.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/runtime/graph/graph_options.hpp>
#include <takt/runtime/run_result.hpp>

namespace takt::runtime {

enum class graph_run_status : std::uint8_t {
  within_bounds,  ///< nothing was seen above its bound, where there is one
  exceeded,       ///< a response was longer than its bound
  invalid_model,  ///< nothing ran: see `error`
  unbounded,      ///< nothing ran: see `analysis`; without bounds there are no offsets and no sizes
  wrong_binding,  ///< nothing ran: code or a use names nothing of its kind
  no_threads,     ///< nothing ran: too many threads, or the system gave too few
};

[[nodiscard]] constexpr auto name_of(graph_run_status s) noexcept -> std::string_view {
  switch (s) {
    case graph_run_status::within_bounds: return "within-bounds";
    case graph_run_status::exceeded: return "exceeded";
    case graph_run_status::invalid_model: return "invalid-model";
    case graph_run_status::unbounded: return "unbounded";
    case graph_run_status::wrong_binding: return "wrong-binding";
    case graph_run_status::no_threads: return "no-threads";
  }
  return "";
}

/// Times that were seen.
struct seen_times {
  std::int64_t count = 0;
  ticks worst = 0;
  ticks best = 0;
  ticks sum = 0;
  bool has_bound = false;
  ticks bound = 0;
  std::vector<ticks> all;  ///< only with `keep_responses`

  [[nodiscard]] auto mean() const noexcept -> ticks { return count == 0 ? 0 : sum / count; }
  [[nodiscard]] auto within_bound() const noexcept -> bool { return !has_bound || worst <= bound; }
  void add(ticks t, bool keep) {
    best = count == 0 || t < best ? t : best;
    worst = count == 0 || worst < t ? t : worst;
    sum += t;
    ++count;
    if (keep) { all.push_back(t); }
  }
};

/// A node of the refined graphs. Responses count from the nominal release and are below 0 for jobs that end before it.
struct graph_node_seen {
  std::string name;
  node_part part = node_part::whole;
  std::uint32_t graph = 0;
  std::int64_t instances = 0;
  std::int64_t priority = 0;  ///< under `by_system` and SCHED_FIFO
  seen_times response;
  seen_times execution;   ///< from the start to the end, on a processor or in the queue of the GPU
  std::int64_t late = 0;  ///< jobs whose inputs came after their nominal release
  ticks worst_lateness = 0;
};

struct graph_seen {
  std::string name;
  std::int64_t copies = 0;
  std::int64_t delivered = 0;  ///< invocations that ended, in order
  std::int64_t skipped = 0;
  ticks worst_release_latency = 0;  ///< from the time of an invocation to its input's call
  seen_times end_to_end;
};

struct graph_run_result {
  graph_run_status status = graph_run_status::within_bounds;
  graph_error error{};
  analysis::graph_status analysis = analysis::graph_status::bounded;
  std::vector<graph_seen> graphs;      ///< in the given order
  std::vector<graph_node_seen> nodes;  ///< by position in the refined table
  std::optional<graph_overrun> first_overrun;
  system_grant granted{};
  std::vector<std::string> notes;  ///< sentences on how far the run can be trusted
};

}  // namespace takt::runtime
