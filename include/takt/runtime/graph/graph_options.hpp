// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/runtime/run_options.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// A job of a run-time node.
struct graph_job {
  std::uint32_t graph = 0;
  std::uint32_t node = 0;   ///< `graph_node::owner`, or one of the two below
  std::int64_t number = 0;  ///< of the invocation, from 0
  std::int64_t copy = 0;    ///< of the graph's data objects
  std::int64_t copies = 1;

  /// Returns the copy that the job of `lag` invocations before worked on.
  [[nodiscard]] constexpr auto past(std::int64_t lag) const noexcept -> std::int64_t {
    return (copy + copies - lag % copies) % copies;
  }
};

namespace detail {

inline constexpr std::uint32_t input_node = no_index - 1;
inline constexpr std::uint32_t output_node = no_index - 2;

}  // namespace detail

/// Holds the user's own code. It must not throw. A segment without code takes its longest time, or less: see `lengths`.
///
/// A run cannot interrupt bound code: it ends only after the calls in progress have.
class graph_code {
 public:
  using job_body = std::function<void(const graph_job&)>;
  using block_body = std::function<void(const graph_job&, std::int64_t block)>;
  /// Run-time node, position in its chain, and part.
  using position = std::tuple<std::uint32_t, std::uint32_t, node_part>;

  /// Sets code of a CPU segment, or of the launch or the await of a kernel.
  auto cpu(std::uint32_t node, job_body body, std::uint32_t segment = 0, node_part part = node_part::whole)
      -> graph_code& {
    jobs_[{node, segment, part}] = std::move(body);
    return *this;
  }
  /// Sets code of a kernel, which is called once for every block.
  auto kernel(std::uint32_t node, block_body body, std::uint32_t segment = 0) -> graph_code& {
    blocks_[{node, segment, node_part::kernel}] = std::move(body);
    return *this;
  }
  /// Sets code of a copy, whatever makes it on the platform.
  auto copy(std::uint32_t node, job_body body, std::uint32_t segment = 0) -> graph_code& {
    copies_[{node, segment, node_part::whole}] = std::move(body);
    return *this;
  }
  /// Sets code that is called before all sources of a graph, at each invocation.
  auto input(std::uint32_t graph, job_body body) -> graph_code& {
    inputs_[graph] = std::move(body);
    return *this;
  }
  /// Sets code that is called after all sinks of a graph, in the order of invocations.
  auto output(std::uint32_t graph, job_body body) -> graph_code& {
    outputs_[graph] = std::move(body);
    return *this;
  }

  [[nodiscard]] auto jobs() const noexcept -> const std::map<position, job_body>& { return jobs_; }
  [[nodiscard]] auto copies() const noexcept -> const std::map<position, job_body>& { return copies_; }
  [[nodiscard]] auto blocks() const noexcept -> const std::map<position, block_body>& { return blocks_; }
  [[nodiscard]] auto inputs() const noexcept -> const std::map<std::uint32_t, job_body>& { return inputs_; }
  [[nodiscard]] auto outputs() const noexcept -> const std::map<std::uint32_t, job_body>& { return outputs_; }
  /// Returns the code of a node that is no kernel; null without code.
  [[nodiscard]] auto body_of(const position& p) const -> const job_body* {
    for (const auto* bodies : {&jobs_, &copies_}) {
      if (const auto found = bodies->find(p); found != bodies->end()) { return &found->second; }
    }
    return nullptr;
  }

 private:
  std::map<position, job_body> jobs_;
  std::map<position, job_body> copies_;
  std::map<position, block_body> blocks_;
  std::map<std::uint32_t, job_body> inputs_;
  std::map<std::uint32_t, job_body> outputs_;
};

/// Says that a run-time node, `input_node` or `output_node` of a graph reads or writes a data object.
struct graph_use {
  std::uint32_t graph = 0;
  std::string_view object{};
  std::uint32_t node = 0;
};

/// A job whose inputs came later than its nominal release: a bound of a node before it was exceeded.
struct graph_overrun {
  std::uint32_t node = 0;  ///< position in the refined table
  std::int64_t job = 0;
  ticks time = 0;  ///< since the start of the run
  ticks lateness = 0;
};

/// A graph is invoked once per period until `length` has passed; every invocation is then run to its end. Those that
/// find no room are subject to `overrun`. Expectations are of graphs and, as visits, of their nodes.
struct graph_run_options : run_options {
  std::int64_t invocations = std::int64_t{1} << 40;  ///< of each graph, at most
  bool early_release = true;       ///< jobs start before their nominal release if their inputs are there
  std::int32_t block_threads = 1;  ///< threads of the host that run the code of blocks
  /// Copies of the data objects of each graph, besides those that its longest history needs. With 0 there are as many
  /// as invocations can be under way by the plan, and an invocation waits until the one that had its copy is over.
  /// Otherwise tokens against the edges and among the uses of each object hold back a writer of a copy that is still in
  /// use. What is above `most_instances` counts as that.
  std::int64_t copies = 0;
  std::vector<graph_use> uses{};
  bool keep_responses = false;  ///< of all invocations and jobs, for statistics
  /// Is called on the thread that noticed it, once per node: keep it short.
  std::function<void(const graph_overrun&)> on_overrun{};
};

/// Invocations of a graph in a run, at most.
[[nodiscard]] inline auto invocations_of(const graph_run_options& options, ticks period) -> std::int64_t {
  const ticks length = options.length.count();
  return length > 0 ? std::clamp<std::int64_t>(options.invocations, 0, (length - 1) / period + 1) : 0;
}

}  // namespace takt::inline TAKT_ABI::runtime
