// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/locking/blocking_bound.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/systems/locked_gpus/analysis/inflated_set.hpp>
#include <takt/systems/locked_gpus/analysis/options.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/requests.hpp>
#include <takt/systems/locked_gpus/tasks/task.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync {

namespace detail {

/// Returns the token section of a task as the jobs that wait for its token see it. It has its own operations, its time
/// on a CPU, its waits for engines, and the interrupts of its operations. It also has its own costs of engine requests,
/// and the release of the token. Source: Elliott 2015, equation 4.5, which leaves the interrupts and the requests out.
template <class Rules, class Task>
[[nodiscard]] constexpr auto token_section_of(const Task& t, const job_requests<typename Task::number>& own,
                                              const blocking_bound<typename Task::number>& engines,
                                              const inflation_charges<typename Task::number>& charges)
    -> blocking_bound<typename Task::number> {
  analysis::detail::blocking_sum<typename Task::number> sum;
  sum.add(own.kernel_time);
  sum.add(own.copy_time());
  sum.add(t.cpu_in_gpu_section);
  sum.add(1, engines);
  if constexpr (!Rules::printed_sections) { sum.add(own.operations(), charges.engine.section); }
  if constexpr (!Rules::printed_requests) { sum.add(own.operations(), charges.engine_request); }
  sum.add(1, charges.token_release);
  return sum.total();
}

}  // namespace detail

/// Holds token sections of all tasks of one GPU cluster, longest first.
template <class Table>
struct ranked_sections {
  using number = typename Table::number;
  struct section {
    std::uint32_t task = 0;
    std::int32_t cpu_cluster = 0;
    number length{};
  };
  inline_vector<section, Table::max_tasks> sections;

  /// Cost: n steps.
  constexpr void add(std::uint32_t task, std::int32_t cpu_cluster, const number& length) {
    // Bound: one per task, at most `max_tasks`.
    sections.unchecked_push_back({task, cpu_cluster, length});
    for (std::size_t at = sections.size() - 1; at > 0 && sections[at - 1].length < length; --at) {
      const section moved = sections[at - 1];
      sections[at - 1] = sections[at];
      sections[at] = moved;
    }
  }
};

namespace detail {

/// Returns how many token sections one request can wait for under the R2DGLP, of `users` tasks with requests. There is
/// none without a limit of tokens, or with a token for each. Where every user can be among the best jobs of the
/// cluster, none is outside the queues. Otherwise a request may wait as a donor first. Source: Elliott 2015, equations
/// 4.34 to 4.38.
[[nodiscard]] constexpr auto r2dglp_sections(const gpusync_configuration& c, std::int64_t users,
                                             token_queue_limit queues) noexcept -> std::int64_t {
  const std::int64_t k = c.replicas();
  if (!c.limits_tokens() || users <= k) { return 0; }
  const auto limit = ceil_divide<std::int64_t>(c.cpu_cluster_size, k);
  if (users > c.cpu_cluster_size) { return 2 * limit - 1; }
  switch (queues) {
    case token_queue_limit::cpus_per_token: return (limit < users ? limit : users) - 1;
    case token_queue_limit::users_per_token: return (users - 1) / k;
  }
  return users - 1;
}

/// Returns the wait of a task's request: the longest sections of the others, each as often as its jobs overlap.
template <class Table>
[[nodiscard]] constexpr auto longest_sections(const ranked_sections<Table>& ranked,
                                              const std::array<std::int64_t, Table::max_tasks>& overlaps,
                                              std::int64_t most) -> blocking_bound<typename Table::number> {
  analysis::detail::blocking_sum<typename Table::number> sum;
  for (std::size_t r = 0; r < ranked.sections.size() && most > 0; ++r) {
    const auto& s = ranked.sections[r];
    const std::int64_t here = overlaps[s.task] < most ? overlaps[s.task] : most;
    sum.add(here, s.length);
    most -= here;
  }
  return sum.total();
}

}  // namespace detail

/// Adds up sections that a request waits for itself under the CK-OMLP. Each CPU of all clusters that share the tokens
/// has at most one incomplete request. So as many sections of a cluster count as it has CPUs, less the task's own.
/// Source: Elliott 2015, equations 4.39 to 4.41, where the last one counts the CPUs of one cluster.
template <class Rules, class Table>
[[nodiscard]] constexpr auto ck_omlp_direct_wait(const gpusync_configuration& c, std::int32_t gpu_cluster,
                                                 std::int32_t cpu_cluster, std::int64_t users,
                                                 const ranked_sections<Table>& ranked,
                                                 const std::array<std::int64_t, Table::max_tasks>& overlaps)
    -> blocking_bound<typename Table::number> {
  analysis::detail::blocking_sum<typename Table::number> sum;
  if (!c.limits_tokens()) { return sum.total(); }
  const std::int64_t sharing = c.counted_cpus(gpu_cluster);
  const std::int64_t fewest = sharing < users ? sharing : users;
  const std::int64_t competing = Rules::printed_direct_blocking ? c.cpu_cluster_size : fewest;
  std::int64_t most = ceil_divide<std::int64_t>(competing, c.replicas()) - 1;
  std::array<std::int32_t, static_cast<std::size_t>(max_gpusync_cpus)> left{};
  for (std::int32_t b = 0; b < c.cpu_clusters(); ++b) {
    left[static_cast<std::size_t>(b)] = c.cpu_cluster_size - (b == cpu_cluster ? 1 : 0);
  }
  for (std::size_t r = 0; r < ranked.sections.size() && most > 0; ++r) {
    const auto& s = ranked.sections[r];
    std::int32_t& quota = left[static_cast<std::size_t>(s.cpu_cluster)];
    std::int64_t here = overlaps[s.task] < most ? overlaps[s.task] : most;
    here = here < quota ? here : quota;
    if (here == 0) { continue; }
    sum.add(here, s.length);
    quota -= static_cast<std::int32_t>(here);
    most -= here;
  }
  return sum.total();
}

/// Holds waits of one job for a token, and for the end of a loan to another job of its CPU cluster.
template <class Number>
struct token_wait {
  blocking_bound<Number> direct{};
  blocking_bound<Number> indirect{};
  std::int64_t sections_ahead = 0;  ///< most of them, under the R2DGLP

  [[nodiscard]] constexpr auto total() const -> blocking_bound<Number> {
    analysis::detail::blocking_sum<Number> sum;
    sum.add(1, direct);
    sum.add(1, indirect);
    return sum.total();
  }
};

namespace detail {

/// Bounds loans under the CK-OMLP. A job with a request or without may lend its priority, from its release, to a job of
/// its cluster until that one's request is complete. Fills `indirect` of every task. Cost: n^2. Source: Elliott 2015,
/// equations 4.42 and 4.43.
template <class Table>
constexpr void add_loans(const Table& table,
                         const std::array<blocking_bound<typename Table::number>, Table::max_tasks>& sections,
                         std::array<token_wait<typename Table::number>, Table::max_tasks>& waits) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    waits[i].indirect = {};
    for (std::size_t j = 0; j < table.size(); ++j) {
      const auto& t = table.tasks[j];
      if (j == i || !t.uses_gpu() || t.cpu_cluster != table.tasks[i].cpu_cluster) { continue; }
      analysis::detail::blocking_sum<typename Table::number> loan;
      loan.add(1, waits[j].direct);
      loan.add(1, sections[j]);
      const auto time = loan.total();
      if (!waits[i].indirect.bounded()) { continue; }
      if (!time.bounded() || waits[i].indirect.time < time.time) { waits[i].indirect = time; }
    }
  }
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis::gpusync
