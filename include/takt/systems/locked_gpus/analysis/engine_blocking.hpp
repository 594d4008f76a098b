// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <takt/systems/locked_gpus/analysis/chain_optimum.hpp>
#include <takt/systems/locked_gpus/analysis/options.hpp>
#include <takt/systems/locked_gpus/analysis/request_runs.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync {

inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

/// Says how many other jobs can be ahead of a request in a first-in-first-out engine.
struct engine_rivals {
  std::int64_t execution = 0;   ///< at the execution engine
  std::int64_t direct = 0;      ///< at a copy engine: on the same GPU
  std::int64_t transitive = 0;  ///< anywhere in the GPU cluster
};

/// Other token holders, which are fewer where few tasks or, under the CK-OMLP, few CPUs use the GPU cluster `a`, and
/// none where each task has a GPU for itself.
/// Pre: gpu_tasks > 0. Source: Elliott 2015, section 4.3.4.2; the caps are at most those printed there.
template <class Rules = sound_rules>
[[nodiscard]] constexpr auto rivals_of(const gpusync_configuration& c, std::int32_t a, std::int64_t gpu_tasks) noexcept
    -> engine_rivals {
  TAKT_EXPECTS(gpu_tasks > 0);
  if (c.dedicates_gpus(gpu_tasks)) { return {}; }
  const auto least = [](std::int64_t x, std::int64_t y) { return x < y ? x : y; };
  const std::int64_t holders = c.donates_at_release() && (c.limits_tokens() || Rules::printed_unlimited)
                                   ? least(gpu_tasks, c.sharing_cpus(a))
                                   : gpu_tasks;
  const std::int64_t on_gpu = c.limits_tokens() ? least(holders, c.tokens_per_gpu) : holders;
  const std::int64_t in_cluster = c.limits_tokens() ? least(holders, c.replicas()) : holders;
  engine_rivals out{on_gpu - 1, on_gpu - 1, in_cluster - 1};
  if constexpr (Rules::printed_engine_users) {
    if (c.limits_tokens()) { out.execution = c.tokens_per_gpu - 1; }
    out.transitive = on_gpu * c.gpu_cluster_size - 1;
  }
  return out;
}

/// Holds waits of one job for engines, while it holds its token.
template <class Number>
struct engine_wait {
  blocking_bound<Number> execution{};
  blocking_bound<Number> copies{};
  engine_rivals rivals{};

  // Where state moves from GPU to GPU: the bounds that there are, limits of first-in-first-out queues assumed. With one
  // copy engine `copies` is the simple one, as published, whatever the dual one is.

  blocking_bound<Number> simple{};
  blocking_bound<Number> dual{};
  chain_blocking<Number> chains{};
  bool has_dual = false;
  bool has_chains = false;

  [[nodiscard]] constexpr auto total() const -> blocking_bound<Number> {
    analysis::detail::blocking_sum<Number> sum;
    sum.add(1, execution);
    sum.add(1, copies);
    return sum.total();
  }
};

namespace detail {

[[nodiscard]] constexpr auto moves_between_gpus(const gpusync_configuration& c) noexcept -> bool {
  switch (c.migration) {
    case migration_path::none:
    case migration_path::system_memory: return false;
    case migration_path::peer_to_peer: return c.migrates();
  }
  return false;
}

/// Returns rivals * requests, which is far below the limit: at most 2^11 * 2^20.
[[nodiscard]] constexpr auto product(std::int64_t rivals, std::int64_t requests) noexcept -> std::int64_t {
  return rivals * requests;
}

/// Returns how many of the own requests are printed to wait transitively: until the longest requests that they may wait
/// for include every migration.
template <class Table>
[[nodiscard]] constexpr auto printed_groups(const engine_rivals& rivals, const rival_requests<Table>& others,
                                            std::int64_t all) noexcept -> std::int64_t {
  const std::int64_t last = rivals.transitive > 0 ? others.until_last(copy_requests, peer_requests) : 0;
  const std::int64_t groups = last <= rivals.transitive ? 1 : ceil_divide(last, rivals.transitive);
  return groups < all ? groups : all;
}

/// State moves from GPU to GPU. A copy waits for those on its own GPU. It waits transitively for those of other GPUs
/// only if a migration connects them. This is one of its own, or one of another job, which connects one request of this
/// one. Differs from Elliott 2015, equations 4.17 to 4.19, which remove the longest requests until no migration is
/// left.
template <class Rules, class Table>
[[nodiscard]] constexpr auto dual_engine_wait(const job_requests<typename Table::number>& own,
                                              const engine_rivals& rivals, const rival_requests<Table>& others)
    -> blocking_bound<typename Table::number> {
  const std::int64_t all = own.copies();
  const std::int64_t hosts = own.chunks_in() + own.chunks_out();
  const std::int64_t sound = own.chunks_state() + others.count(peer_requests, hosts);
  const std::int64_t connected = Rules::printed_dual_bound ? printed_groups(rivals, others, all) : sound;
  return others.longest(copy_requests, product(rivals.transitive, connected) + product(rivals.direct, all - connected));
}

template <class Table>
[[nodiscard]] constexpr auto chain_wait(const job_requests<typename Table::number>& own,
                                        const blocking_chain_table& chains, const typename Table::number& charge,
                                        const rival_requests<Table>& others) -> chain_blocking<typename Table::number> {
  const per_copy<std::int64_t> limits{others.count(out_requests, no_limit / 2), others.count(in_requests, no_limit / 2),
                                      others.count(peer_requests, no_limit / 2)};
  return chain_optimum<typename Table::number>(
      chains, {own.chunks_out(), own.chunks_in(), own.chunks_state()}, limits,
      {own.out.full_time + charge, own.in.full_time + charge, own.state_peer.full_time + charge});
}

/// Waits under first-in-first-out engines. `chains` may be null: no chain bound then. `charge` is that of the runs.
/// Cost: passes over the runs, and that of `chain_optimum`. Source: Elliott 2015, equations 4.15 to 4.33.
template <class Rules, class Table>
[[nodiscard]] constexpr auto fifo_engine_waits(const gpusync_configuration& c, copy_bound wanted,
                                               const job_requests<typename Table::number>& own,
                                               const engine_rivals& rivals, const rival_requests<Table>& others,
                                               const blocking_chain_table* chains, const typename Table::number& charge)
    -> engine_wait<typename Table::number> {
  using number = typename Table::number;
  engine_wait<number> out;
  out.rivals = rivals;
  out.execution = others.longest(kernel_requests, detail::product(rivals.execution, own.kernels));
  const std::int64_t in = own.chunks_in() + own.state_in.count();
  const std::int64_t back = own.chunks_out() + own.state_out.count();
  if (!detail::moves_between_gpus(c)) {
    if (c.copy_engines == 1) {
      out.copies = others.longest(in_requests | out_requests, detail::product(rivals.direct, in + back));
    } else {
      analysis::detail::blocking_sum<number> sum;
      sum.add(1, others.longest(in_requests, detail::product(rivals.direct, in)));
      sum.add(1, others.longest(out_requests, detail::product(rivals.direct, back)));
      out.copies = sum.total();
    }
    return out;
  }
  out.simple = others.longest(copy_requests, detail::product(rivals.transitive, own.copies()));
  out.copies = out.simple;
  out.has_dual = true;
  out.dual = detail::dual_engine_wait<Rules>(own, rivals, others);
  if (c.copy_engines < 2) { return out; }
  if (chains != nullptr) {
    out.has_chains = true;
    out.chains = detail::chain_wait(own, *chains, charge, others);
  }
  const blocking_bound<number> by_chains{out.chains.time,
                                         out.chains.overflow ? blocking_status::overflow : blocking_status::bounded, 0};
  const blocking_bound<number> known_chains = out.has_chains ? by_chains : out.simple;
  switch (wanted) {
    case copy_bound::best: out.copies = lesser(lesser(out.simple, out.dual), known_chains); break;
    case copy_bound::simple: break;
    case copy_bound::dual: out.copies = out.dual; break;
    case copy_bound::chains: out.copies = known_chains; break;
  }
  return out;
}

}  // namespace detail

/// Longest waits from counts and the longest section of each kind alone. Source: Elliott 2015, equations 4.6 to 4.10.
template <class Number>
struct coarse_engine_wait {
  blocking_bound<Number> execution{};
  blocking_bound<Number> copies{};
  blocking_bound<Number> migrations{};
};

/// `longest_kernel` of the GPU cluster, `longest_copy` of a full chunk of any kind that occurs there.
template <ExactNumber Number>
[[nodiscard]] constexpr auto coarse_engine_waits(const gpusync_configuration& c, std::int64_t gpu_tasks,
                                                 const job_requests<Number>& own, const Number& longest_kernel,
                                                 const Number& longest_copy) -> coarse_engine_wait<Number> {
  const std::int64_t on_gpu = c.limits_tokens() ? c.tokens_per_gpu : gpu_tasks;
  const std::int64_t rivals = detail::moves_between_gpus(c) ? on_gpu * c.gpu_cluster_size - 1 : on_gpu - 1;
  coarse_engine_wait<Number> out;
  out.execution = analysis::detail::sections((on_gpu - 1) * own.kernels, longest_kernel);
  out.copies = analysis::detail::sections((own.copies() - own.state_peer.count()) * rivals, longest_copy);
  out.migrations = analysis::detail::sections(own.state_peer.count() * rivals, longest_copy);
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis::gpusync
