// SPDX-License-Identifier: Apache-2.0
#include "shapes.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace takt::program {

namespace {

using std::string_view;

template <std::size_t N>
[[nodiscard]] auto is_one_of(string_view word, const std::array<string_view, N>& all) -> bool {
  return std::ranges::find(all, word) != all.end();
}

constexpr std::array<string_view, 4> graph_policies{"g-fl", "g-edf", "g-fifo", "gel"};
constexpr std::array<string_view, 4> section_policies{"g-fl", "g-edf", "g-rate-monotonic", "g-fixed-priority"};
constexpr std::array<string_view, 2> section_protocols{"r2dglp", "ck-omlp"};
constexpr std::int32_t max_graph_clusters = 32;
constexpr std::int32_t max_graph_sms = 128;
constexpr std::size_t max_graph_tasks = 32;
constexpr std::size_t max_graph_visits = 192;
constexpr std::size_t max_kernels_of_section = 16;

/// What a queue of blocks and clusters of CPUs serve, and no more than the tables of graphs hold.
[[nodiscard]] auto has_graphs(const workload_file& file) -> bool {
  const bool visits = std::ranges::all_of(file.tasks.visits, [](const described_visit& v) {
    const bool timed = v.where == visit_place::gpu
                           ? v.known.has(visit_fact::grid) && v.known.has(visit_fact::block_length)
                           : v.known.has(visit_fact::time);
    return timed && !v.in_section;
  });
  const bool jitter = std::ranges::any_of(file.tasks.tasks, [](const described_task& t) { return t.jitter > 0; });
  const std::int32_t sms = file.board.gpus.empty() ? 0 : file.board.gpus[0].sms;
  return visits && !jitter && is_one_of(file.rules.cpus, graph_policies) && cluster_count(file) <= max_graph_clusters &&
         sms <= max_graph_sms && file.tasks.size() <= max_graph_tasks && file.tasks.visits.size() <= max_graph_visits &&
         (file.rules.copies.empty() || file.rules.copies == "fifo");
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

/// Clusters whose tasks lock GPUs with engines of their own.
[[nodiscard]] auto has_sections(const workload_file& file) -> bool {
  return is_one_of(file.rules.cpus, section_policies) && is_one_of(file.rules.gpus.protocol, section_protocols) &&
         file.rules.copies.empty() &&
         std::ranges::all_of(file.tasks.tasks, [&](const described_task& t) { return has_one_section(file.tasks, t); });
}

}  // namespace

auto shape_of(const workload_file& file) -> file_shape {
  const string_view sharing = file.board.gpus.empty() ? "" : file.rules.gpus.sharing;
  const bool one_gpu = file.board.gpus.size() == 1;
  if (!file.board.own.empty()) { return file_shape::other; }
  if (sharing == "tokens" && is_global(file.rules.cpus)) {
    return has_sections(file) ? file_shape::sections : file_shape::other;
  }
  if ((sharing == "fifo-blocks" && one_gpu) || (sharing.empty() && is_global(file.rules.cpus))) {
    return has_graphs(file) ? file_shape::graphs : file_shape::other;
  }
  return file_shape::other;
}

}  // namespace takt::program
