// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <takt/analysis/verdict.hpp>
#include <takt/report/table.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/systems/locked_gpus/report/words.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/platform.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

inline constexpr std::array scheduler_words{word_for<cpu_scheduler>{"g-edf", cpu_scheduler::earliest_deadline},
                                            word_for<cpu_scheduler>{"g-fl", cpu_scheduler::fair_lateness},
                                            word_for<cpu_scheduler>{"rate-monotonic", cpu_scheduler::shortest_period},
                                            word_for<cpu_scheduler>{"fixed-priority", cpu_scheduler::given_priority}};

[[nodiscard]] constexpr auto protocol_word(const gpusync_configuration& c) -> std::string_view {
  return c.donates_at_release() ? "ck-omlp" : "r2dglp";
}

/// Pre: `fault_of(c)` found nothing.
inline void describe_configuration(const gpusync_configuration& c, verdict_summary& out) {
  TAKT_EXPECTS(fault_of(c) == model_fault::none);
  const std::string policy{word_in(scheduler_words, c.scheduler)};
  const std::string order{word_in(service_words, c.engines)};
  const std::string protocol{protocol_word(c)};
  tree cpus;
  cpus.add("count", c.cpus).add("clusters", c.cpu_clusters()).add("policy", policy);
  tree gpu;
  gpu.add("sharing", "tokens").add("count", c.gpus).add("clusters", c.gpu_clusters());
  gpu.add("tokens_per_gpu", c.tokens_per_gpu).add("protocol", protocol).add("engine_order", order);
  gpu.add("uncontended", word_of(c.uncontended)).add("copy_engines", c.copy_engines).add("dma_chunk", c.dma_chunk);
  out.platform.add("cpus", std::move(cpus)).add("gpus", tree{tree::array{std::move(gpu)}});
  const std::string tokens = c.limits_tokens() ? plural(c.tokens_per_gpu, "token") : "any number of tokens";
  out.platform_words = {
      plural(c.cpu_clusters(), "cluster") + " of " + plural(c.cpu_cluster_size, "core") + " (" + policy + ")",
      plural(c.gpu_clusters(), "cluster") + " of " + plural(c.gpu_cluster_size, "GPU") + " with " + tokens +
          " each under " + protocol,
      plural(c.copy_engines, "copy engine") + " per GPU (" + order + ")"};
}

/// Returns what keeps tasks from having bounds.
[[nodiscard]] inline auto gpusync_obstacle(obstacle why) -> std::string {
  switch (why) {
    case obstacle::none:
    case obstacle::deadline:
    case obstacle::invalid_model: return {};
    case obstacle::processors:
      return "No bounds are known: with all that jobs wait for, the CPUs are asked for too much.";
    case obstacle::gpu: return "No bounds are known: the kernels can ask for more time than the GPUs have.";
    case obstacle::copies: return "No bounds are known: the copies can ask for more time than the copy engines have.";
    case obstacle::tokens: return "No bounds are known: nothing is known of the waits for tokens.";
    case obstacle::history: return "No bounds are known: a job waits for the past for too long.";
    case obstacle::interrupts: return "No bounds are known: interrupts leave no time for jobs on a cluster.";
    case obstacle::passes: return "No bounds are known: they still grew when the analysis was ended.";
    case obstacle::overflow: return "What the times add up to overflows 64-bit nanoseconds.";
  }
  return {};
}

/// Returns whether a bound is one of the published method, which knows its own time and its waits.
[[nodiscard]] inline auto has_own_terms(const task_summary& row) -> bool {
  return std::ranges::any_of(row.terms, [](const term<ticks>& t) {
    return t.what == term_kind::cpu || t.what == term_kind::gpu || t.what == term_kind::copy;
  });
}

}  // namespace detail

/// Returns a verdict on tasks that lock GPUs with its reasons: what each response consists of, by the
/// verdict. Rows may have been held to deadlines. Pre: `v` is about these tasks on this platform.
template <GpusyncPlatform P, class Table, std::size_t N, std::size_t M>
  requires std::same_as<typename P::number, ticks> && std::same_as<typename Table::number, ticks>
[[nodiscard]] auto summarize(const P& platform, const Table& tasks, const verdict<ticks, N, M>& v) -> verdict_summary {
  verdict_summary out = detail::begin_summary(v);
  const gpusync_configuration& c = platform.configuration();
  out.bounds_late_jobs = !c.scheduler.task_level;
  if (out.tasks.empty()) { return out; }
  TAKT_EXPECTS(out.tasks.size() == tasks.size());
  detail::describe_configuration(c, out);
  fact cluster{.head = "cluster"};
  fact gpus{.head = "GPUs"};
  fact cpu{.head = "CPU ms"};
  fact kernels{.head = "GPU ms"};
  fact engine{.head = "engine wait ms"};
  fact token{.head = "token wait ms"};
  tree gpu_clusters{tree::object{}};
  for (std::uint32_t i = 0; i < out.tasks.size(); ++i) {
    const auto& t = tasks.tasks[i];
    task_summary& row = out.tasks[i];
    const bool known = detail::has_own_terms(row);
    const auto waits_for = [&](term_kind what) {
      return known ? in_milliseconds(v.tasks[i].parts.sum(what)) : std::string{"-"};
    };
    const std::int32_t on = i < v.plan.shares.size() ? v.plan.shares[i].gpu : t.gpu_cluster;
    if (t.uses_gpu()) { gpu_clusters.add(row.name, on); }
    cluster.cells.push_back(std::to_string(i < v.plan.cores.size() ? v.plan.cores[i] : t.cpu_cluster));
    gpus.cells.push_back(t.uses_gpu() ? std::to_string(on) : "-");
    cpu.cells.push_back(in_milliseconds(t.wcet));
    kernels.cells.push_back(in_milliseconds(t.gpu_time()));
    engine.cells.push_back(waits_for(term_kind::engine_wait));
    token.cells.push_back(waits_for(term_kind::token_wait));
  }
  out.facts = {std::move(cluster), std::move(gpus),   std::move(cpu),
               std::move(kernels), std::move(engine), std::move(token)};
  out.plan = detail::plan_members(v.plan, out);
  out.plan.add("gpu", std::move(gpu_clusters));
  if (auto words = detail::gpusync_obstacle(v.why); !words.empty()) { out.findings.push_back(std::move(words)); }
  if (v.bounded() && !v.schedulable()) {
    out.notes.emplace_back("every response is bounded, so no job is later than its bound");
  }
  out.assumptions.emplace_back("Jobs of a task are released at least its period apart.");
  out.assumptions.emplace_back("No job takes longer on a CPU or in a kernel than its times say, nor moves more bytes.");
  out.assumptions.emplace_back("Copies and overheads of the system take no longer than the platform says.");
  return out;
}

}  // namespace takt::inline TAKT_ABI::report
