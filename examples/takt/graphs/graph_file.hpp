// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/tuple.hpp>

#include <takt/core/number.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform.hpp>
#include <takt/rules/gel.hpp>
#include <takt/rules/graph/tags.hpp>

#include "../failure.hpp"
#include "../files/workload_file.hpp"

namespace takt::program {

inline constexpr std::size_t max_graphs = 32;
inline constexpr std::size_t max_graph_nodes = 192;
inline constexpr std::size_t max_graph_edges = 512;
using file_graphs = graph_table<ticks, max_graph_nodes, max_graph_edges, max_graphs>;
using refined_graphs = refined_table<file_graphs>;

/// What a file says of a graph beyond the library's model.
struct graph_wish {
  bool limited = false;  ///< has a deadline; without one, any bound will do
  ticks deadline = 0;
};

/// A file of graphs, and of tasks, each of which is a graph that is a chain. The table's names point into `from`.
struct graph_file {
  std::string name;
  std::string policy;  ///< as the file says it
  std::string list;    ///< "/graphs", or "/tasks" where there are no graphs
  graph_platform platform;
  file_graphs table;  ///< in the order of the file, graphs before tasks
  std::vector<graph_wish> wishes;
  std::vector<std::string> notes;
  std::vector<std::string> node_at;  ///< places in the file of what stands in the table
  std::vector<std::string> edge_at;
  std::unique_ptr<workload_file> from;
};

/// Pre: the shape of the file is `graphs`. Throws `input_error` when something is wrong with the model.
[[nodiscard]] auto graphs_of(std::unique_ptr<workload_file> from) -> std::unique_ptr<graph_file>;

/// The line of the format for a fault that the library found.
[[nodiscard]] auto explain_fault(const graph_file& file, const model_error& error) -> input_error;

namespace detail {

/// Calls `f` with the platform whose processors have a rule.
template <class Rule, class F>
void with_processors(const graph_file& file, const Rule& rule, F f) {
  const graph_platform& p = file.platform;
  const std::int32_t each = p.clusters[0];
  const auto cpus = pool(processors(each * static_cast<std::int32_t>(p.clusters.size())), clustered(rule, each));
  const auto gpu = pool(block_slots(p.sms, p.threads_per_sm, p.blocks_per_sm).with_warps_of(p.warp_size),
                        fifo_blocks(per_job_streams, guarded));
  const auto engines = pool(copy_engines(p.copy_engines), fifo);
  if (p.sms > 0 && p.copy_engines > 0) { return f(platform(cpus, gpu, engines)); }
  if (p.sms > 0) { return f(platform(cpus, gpu)); }
  if (p.copy_engines > 0) { return f(platform(cpus, engines)); }
  f(platform(cpus));
}

}  // namespace detail

/// The rules of processors that a file can name.
inline constexpr auto cpu_rules = boost::hana::make_tuple(
    boost::hana::make_pair(std::string_view{"g-fl"}, g_fl), boost::hana::make_pair(std::string_view{"g-edf"}, g_edf),
    boost::hana::make_pair(std::string_view{"g-fifo"}, g_fifo), boost::hana::make_pair(std::string_view{"gel"}, gel));

/// The policy of the processors of a file.
[[nodiscard]] inline auto policy_of(const graph_file& file) -> gel_policy {
  gel_policy found{};
  boost::hana::for_each(cpu_rules, [&](const auto& entry) {
    if (boost::hana::first(entry) == file.policy) { found = boost::hana::second(entry).policy; }
  });
  return found;
}

/// Calls `f` with the platform that the file describes.
template <class F>
void with_graph_platform(const graph_file& file, F f) {
  boost::hana::for_each(cpu_rules, [&](const auto& entry) {
    if (boost::hana::first(entry) == file.policy) { detail::with_processors(file, boost::hana::second(entry), f); }
  });
}

}  // namespace takt::program
