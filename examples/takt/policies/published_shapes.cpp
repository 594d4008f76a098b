// SPDX-License-Identifier: Apache-2.0
#include "published_shapes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/known/described/graphs.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/rules/policies/policy_words.hpp>
#include <takt/rules/policies/tokens.hpp>

#include "../fields.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::array<string_view, 4> graph_rules{"g-fl", "g-edf", "g-fifo", "gel"};
constexpr std::array<string_view, 5> section_rules{"g-fl", "g-edf", "g-rate-monotonic", "g-deadline-monotonic",
                                                   "g-fixed-priority"};
constexpr std::array<string_view, 2> section_policies{tokens_r2dglp_policy::name, tokens_ck_omlp_policy::name};
constexpr std::int32_t max_graph_sms = 128;
constexpr std::size_t max_kernels_of_section = 16;

template <std::size_t N>
[[nodiscard]] auto is_one_of(string_view word, const std::array<string_view, N>& all) -> bool {
  return std::ranges::find(all, word) != all.end();
}

/// CPU time around at most one stretch of copies, kernels and CPU time that holds a token.
[[nodiscard]] auto has_one_section(const file_tasks& tasks, const described_task& t) -> bool {
  bool inside = false;
  bool ended = false;
  std::size_t kernels = 0;
  for (std::uint32_t p = 0; p < t.visit_count; ++p) {
    const described_visit& v = tasks.visits[t.first_visit + p];
    if (v.predecessors != (p == 0 ? 0 : visit_mask{1} << (p - 1))) { return false; }
    ended = ended || (inside && !v.in_section);
    inside = v.in_section;
    const bool timed = v.where == visit_place::gpu ? v.known.has(visit_fact::wcet)
                       : v.where == visit_place::copy_engine
                           ? v.known.has(visit_fact::bytes) && v.direction != copy_direction::unspecified
                           : v.known.has(visit_fact::time);
    if (!timed || (inside && ended) || (!inside && v.where != visit_place::processor)) { return false; }
    kernels += v.where == visit_place::gpu ? 1U : 0U;
  }
  return t.jitter == 0 && kernels <= max_kernels_of_section;
}

[[nodiscard]] auto cost_of(const transfer_cost& cost) -> linear_cost<ticks> {
  return {.setup = cost.setup, .numerator = 1000, .denominator = cost.bytes_per_us};
}

}  // namespace

auto has_graphs(const workload_file& file) -> bool {
  const bool queue = file.board.gpus.empty() || file.rules.gpus.sharing == "fifo-blocks";
  const bool visits = std::ranges::all_of(file.tasks.visits, [](const described_visit& v) {
    const bool timed = v.where == visit_place::gpu
                           ? v.known.has(visit_fact::grid) && v.known.has(visit_fact::block_length)
                           : v.known.has(visit_fact::time);
    return timed && !v.in_section;
  });
  const bool jitter = std::ranges::any_of(file.tasks.tasks, [](const described_task& t) { return t.jitter > 0; });
  const std::int32_t sms = file.board.gpus.empty() ? 0 : file.board.gpus[0].sms;
  return queue && visits && !jitter && is_one_of(file.rules.cpus, graph_rules) && file.board.own.empty() &&
         file.board.gpus.size() <= 1 && sms <= max_graph_sms &&
         cluster_count(file) <= static_cast<std::int32_t>(max_clusters) &&
         file.tasks.visits.size() <= analysis::most_described_nodes &&
         (file.rules.copies.empty() || file.rules.copies == "fifo");
}

auto locked_engines(const workload_file& file, string_view policy, string_view cpus, bool own)
    -> std::optional<gpusync_board<>> {
  if (!is_one_of(split_policy(policy).name, section_policies) || !is_one_of(cpus, section_rules) ||
      file.board.gpus.empty() || !file.board.own.empty() || !file.rules.copies.empty()) {
    return {};
  }
  const gpu_facts& facts = file.gpus[0];
  const bool stated = own || facts.copy_engines || facts.copies;
  const bool fits =
      std::ranges::all_of(file.tasks.tasks, [&](const auto& t) { return has_one_section(file.tasks, t); });
  if (!stated || !fits) { return {}; }
  const sharing_rule& rule = file.rules.gpus;
  gpusync_board<> out;
  auto& shape = out.shape;
  shape.gpus = static_cast<std::int32_t>(file.board.gpus.size());
  shape.gpu_cluster_size = shape.gpus / rule.clusters.value_or(1);
  if (rule.engine_order == "priority") { shape.engines = service_order::priority; }
  if (rule.migration == "peer-to-peer") { shape.migration = migration_path::peer_to_peer; }
  if (rule.migration == "system-memory") { shape.migration = migration_path::system_memory; }
  if (rule.uncontended == "dedicated") { shape.uncontended = uncontended_gpus::dedicated; }
  if (facts.copy_engines) { shape.copy_engines = *facts.copy_engines; }
  if (const auto& copies = facts.copies) {
    if (copies->chunk > 0) { shape.dma_chunk = copies->chunk; }
    out.costs.kinds = {cost_of(*copies->to_device), cost_of(*copies->to_host),
                       cost_of(copies->peer.value_or(*copies->to_device))};
  }
  if (file.overheads) { out.overheads = *file.overheads; }
  return out;
}

}  // namespace takt::program
