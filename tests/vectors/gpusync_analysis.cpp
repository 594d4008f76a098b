// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <takt/report/fault_text.hpp>
#include <takt/systems/locked_gpus/analysis/analysis.hpp>
#include <takt/systems/locked_gpus/analysis/as_published.hpp>
#include <takt/systems/locked_gpus/analysis/chain_optimum.hpp>
#include <takt/systems/locked_gpus/tasks/validate.hpp>

#include "suite.hpp"

namespace takt_vectors {
namespace {

namespace an = takt::analysis::gpusync;
using takt::analysis::blocking_bound;

constexpr std::size_t most_tasks = 64;
constexpr std::size_t most_kernels = 16;
using table = takt::task_rows<takt::gpusync_task<exact, most_kernels>, most_tasks>;
using platform = takt::gpusync_board<takt::linear_transfer_costs<exact>>;

/// A time, 0 where it is absent.
[[nodiscard]] auto number_in(const field& object, const char* name) -> exact { return object.value(name, exact(0)); }
[[nodiscard]] auto text(const exact& value) -> json { return value.str(); }
[[nodiscard]] auto text(const blocking_bound<exact>& bound) -> json { return text(bound.time); }

// Blocking chains.

[[nodiscard]] auto chains_of(const field& query) -> an::detail::blocking_chain_table {
  return an::detail::blocking_chains(query.at("g").get<std::int32_t>(), query.at("rho").get<std::int32_t>(),
                                     query.value("maxlen", an::max_chain_length));
}

[[nodiscard]] auto rows_of(const an::detail::chain_set& set, const an::detail::per_copy<exact>& lengths) -> json {
  struct row {
    exact time;
    an::detail::blocking_chain chain;
  };
  std::vector<row> rows;
  for (std::int32_t m = 0; m <= set.most_peer(); ++m) {
    for (std::int32_t o = 0; o <= set.most_out(); ++o) {
      for (std::int32_t i = 0; i <= set.most_in(m, o); ++i) {
        if (m + o + i > 0) { rows.push_back({lengths.out * o + lengths.in * i + lengths.peer * m, {o, i, m}}); }
      }
    }
  }
  std::sort(rows.begin(), rows.end(), [](const row& a, const row& b) {
    if (a.time != b.time) { return b.time < a.time; }
    return std::tie(a.chain.out, a.chain.in, a.chain.peer) < std::tie(b.chain.out, b.chain.in, b.chain.peer);
  });
  json out = json::array();
  for (const auto& [time, c] : rows) {
    const auto letters = [](char letter, std::int32_t count) {
      return std::string(static_cast<std::size_t>(count), letter);
    };
    out.push_back(
        {json{c.out, c.in, c.peer}, letters('I', c.in) + letters('O', c.out) + letters('M', c.peer), text(time)});
  }
  return out;
}

[[nodiscard]] auto chains(const field& input) -> answer {
  const field query = input.at("chains");
  const auto found = chains_of(query);
  const an::detail::per_copy<exact> lengths{number_in(query, "XO"), number_in(query, "XI"), number_in(query, "XP")};
  return {json{{"out", rows_of(found.out, lengths)},
               {"in", rows_of(found.in, lengths)},
               {"mig", rows_of(found.migration, lengths)}},
          {}};
}

[[nodiscard]] auto ilp(const field& input) -> answer {
  const field query = input.at("ilp");
  const auto counts = [&](const char* out, const char* in, const char* peer) {
    return an::detail::per_copy<std::int64_t>{query.at(out).get<std::int64_t>(), query.at(in).get<std::int64_t>(),
                                              query.at(peer).get<std::int64_t>()};
  };
  const auto found =
      an::detail::chain_optimum<exact>(chains_of(query), counts("NO", "NI", "NS"), counts("RO", "RI", "RP"),
                                       {number_in(query, "XO"), number_in(query, "XI"), number_in(query, "XP")});
  if (!found.exact || found.overflow) { return {json{}, "the optimum was not found"}; }
  return {json{{"bCE", text(found.time)}}, {}};
}

// Whole sets.

/// Nothing where it is absent.
[[nodiscard]] auto cost_in(const field& dma, const char* name) -> takt::linear_cost<exact> {
  const auto [setup, each] = dma.value(name, std::array<exact, 2>{});
  return {setup, static_cast<std::int64_t>(numerator(each)), static_cast<std::int64_t>(denominator(each))};
}

[[nodiscard]] auto overheads_in(const field& o) -> takt::gpusync_overheads<exact> {
  return {.schedule = number_in(o, "sch"),
          .context_switch = number_in(o, "cxs"),
          .cache_loss = number_in(o, "cpd"),
          .interrupt_cache_loss = number_in(o, "cid"),
          .tick = number_in(o, "tck"),
          .tick_quantum = number_in(o, "Q"),
          .release = number_in(o, "rel"),
          .event_latency = number_in(o, "ev"),
          .ipi = number_in(o, "ipi"),
          .system_call_in = number_in(o, "sci"),
          .system_call_out = number_in(o, "sco"),
          .lock = number_in(o, "lk"),
          .unlock = number_in(o, "ulk"),
          .top_half = number_in(o, "top"),
          .bottom_half = number_in(o, "bot")};
}

void read_association(const field& map, takt::gpusync_configuration& out) {
  auto& served = out.association.cpu_clusters;
  map.must_fit(map.size() <= served.size(), served.size());
  for (std::size_t a = 0; a < map.size(); ++a) {
    for (const field b : map.at(a)) {
      const auto cluster = b.get<int>();
      if (cluster < 0 || cluster >= out.cpu_clusters()) { b.refuse("is no CPU cluster"); }
      served[a] |= std::uint64_t{1} << cluster;
    }
  }
}

[[nodiscard]] auto platform_in(const field& p, takt::cpu_scheduler scheduler) -> platform {
  platform out;
  auto& c = out.shape;
  c.cpus = p.at("m").get<std::int32_t>();
  c.cpu_cluster_size = p.at("c").get<std::int32_t>();
  c.gpus = p.at("h").get<std::int32_t>();
  c.gpu_cluster_size = p.at("g").get<std::int32_t>();
  const field rho = p.at("rho");
  c.tokens_per_gpu = rho.leaf() == "inf" ? takt::unlimited_tokens : rho.get<std::int32_t>();
  c.copy_engines = p.value("n_ce", 2);
  c.migration = p.word("migration", takt::migration_path::none,
                       {{"none", takt::migration_path::none},
                        {"sysmem", takt::migration_path::system_memory},
                        {"p2p", takt::migration_path::peer_to_peer}});
  c.tokens = p.word("allocator", c.tokens,
                    {{"ckomlp", takt::token_protocol::ck_omlp}, {"r2dglp", takt::token_protocol::r2dglp}});
  c.engines = p.word("engine_lock", takt::service_order::first_come,
                     {{"fifo", takt::service_order::first_come}, {"prio", takt::service_order::priority}});
  c.scheduler = scheduler;
  c.dma_chunk = p.value("chunk", std::int64_t{1} << 20);
  if (p.contains("gpu_cpu_map")) { read_association(p.at("gpu_cpu_map"), c); }
  const field dma = p.at("dma");
  out.costs.kinds = {cost_in(dma, "I"), cost_in(dma, "O"), cost_in(dma, "P")};
  if (p.contains("overheads")) { out.overheads = overheads_in(p.at("overheads")); }
  return out;
}

[[nodiscard]] auto options_in(const field& p, const field& o) -> an::options<exact> {
  an::options<exact> out;
  out.wanted =
      o.word("mode", out.wanted, {{"srt", an::guarantee::bounded_tardiness}, {"hrt", an::guarantee::deadlines}});
  out.copies = o.word("ce_analysis", an::copy_bound::best,
                      {{"best", an::copy_bound::best},
                       {"simple", an::copy_bound::simple},
                       {"dual", an::copy_bound::dual},
                       {"ilp", an::copy_bound::chains}});
  out.queues =
      o.word("nu", out.queues,
             {{"fqlen", an::token_queue_limit::cpus_per_token}, {"balanced", an::token_queue_limit::users_per_token}});
  out.quantum = number_in(o, "quantum");
  if (p.contains("ipi_local")) {
    out.interrupts = p.at("ipi_local").get<bool>() ? an::interrupt_place::local : an::interrupt_place::remote;
  }
  out.interrupting_engines = p.value("lambda", 0);
  return out;
}

/// Only a task with a GPU cluster has GPU work.
[[nodiscard]] auto tasks_in(const field& input) -> table {
  table out;
  for (const field t : input) {
    table::task_type task{.name = t.at("id").text(),
                          .wcet = number_in(t, "e"),
                          .period = t.at("p").get<exact>(),
                          .deadline = t.value("d", t.at("p").get<exact>()),
                          .cpu_cluster = t.value("cpu_cluster", 0)};
    if (t.contains("gpu_cluster")) {
      task.gpu_cluster = t.at("gpu_cluster").get<std::int32_t>();
      task.cpu_in_gpu_section = number_in(t, "egpu");
      task.bytes_in = t.value("zI", std::int64_t{0});
      task.bytes_out = t.value("zO", std::int64_t{0});
      task.bytes_state = t.value("zS", std::int64_t{0});
      const field kernels = t.list_or_empty("kernels");
      for (const field k : kernels) { kernels.must_fit(task.kernels.try_push_back(k.get<exact>()), most_kernels); }
    }
    input.must_fit(out.add(task), most_tasks);
  }
  return out;
}

void add_gpu_keys(json& out, const platform& p, const table& tasks, const table::task_type& t,
                  const an::task_bounds<exact>& b) {
  const auto& c = p.configuration();
  out["ugpu"] = text((b.own.kernel_time + t.cpu_in_gpu_section + b.own.copy_time()) / t.period);
  out["bEE"] = text(b.engines.execution);
  out["bCE"] = text(b.engines.copies);
  out["bE"] = text(b.engines.total());
  out["LK"] = text(b.section);
  out["y"] = {b.engines.rivals.execution, b.engines.rivals.direct, b.engines.rivals.transitive};
  out["nu"] = c.protocol() == takt::token_protocol::r2dglp ? json(b.tokens.sections_ahead) : json{};
  exact kernel = 0;
  exact copy = 0;
  std::int64_t users = 0;
  for (const auto& other : tasks.tasks) {
    if (!other.uses_gpu() || other.gpu_cluster != t.gpu_cluster) { continue; }
    ++users;
    for (const auto& k : other.kernels) { kernel = std::max(kernel, k); }
  }
  copy = std::max(b.own.in.full_time, b.own.out.full_time);
  if (an::detail::moves_between_gpus(c)) { copy = std::max(copy, b.own.state_peer.full_time); }
  const auto coarse = an::coarse_engine_waits(c, users, b.own, kernel, copy);
  out["coarse_bEE"] = text(coarse.execution);
  out["coarse_bIO"] = text(coarse.copies);
  out["coarse_bP2P"] = text(coarse.migrations);
  if (!an::detail::moves_between_gpus(c)) { return; }
  json& detail = out["ce_detail"];
  detail["simple"] = text(b.engines.simple);
  if (b.engines.has_dual) { detail["dual"] = text(b.engines.dual); }
  if (b.engines.has_chains) { detail["ilp"] = text(b.engines.chains.time); }
}

[[nodiscard]] auto report(const platform& p, const table& tasks, const an::set_bounds<table>& found) -> json {
  json out;
  out["schedulable"] = found.schedulable();
  out["s"] = json::array();
  for (const auto& c : found.clusters) {
    out["s"].push_back(c.status == takt::analysis::gel_status::bounded ? text(c.s) : json{});
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto& t = tasks.tasks[i];
    const auto& b = found.tasks[i];
    json& one = out["tasks"][std::string{t.name}];
    one["u"] = text((t.wcet + b.own.kernel_time + b.own.copy_time()) / t.period);
    one["xmit"] = text(b.own.copy_time());
    one["S"] = text(b.own.migration_time());
    one["N"] = {b.own.chunks_in(), b.own.chunks_out(), b.own.chunks_state()};
    one["gamma"] = b.own.operations();
    one["bK"] = text(b.tokens.total());
    one["bK_indirect"] = text(b.tokens.indirect);
    if (b.is_inflated) {
      one["e_inflated"] = text(b.inflated.wcet);
      one["irq_hits"] = static_cast<std::int64_t>(numerator(b.top_halves));
    }
    if (b.response.exists) {
      one["lateness"] = text(b.lateness);
      one["response"] = text(b.response.value);
    }
    if (t.uses_gpu()) { add_gpu_keys(one, p, tasks, t, b); }
  }
  return out;
}

[[nodiscard]] auto analysis(const field& input) -> answer {
  const field options = input.object_or_empty("options");
  const auto scheduler =
      options.word("sched", takt::cpu_scheduler::fair_lateness,
                   {{"FL", takt::cpu_scheduler::fair_lateness}, {"EDF", takt::cpu_scheduler::earliest_deadline}});
  const platform p = platform_in(input.at("platform"), scheduler);
  const table tasks = tasks_in(input.at("tasks"));
  // Cases with unlimited tokens for several CPU clusters, which takt refuses, hold the formulas all the same.
  const auto error = takt::validate_gpusync(p, tasks);
  if (error && error.fault != takt::model_fault::unlimited_across_clusters) {
    return {json{}, "refused: " + std::string{takt::describe(error.fault).problem}};
  }
  const auto given = options_in(input.at("platform"), options);
  const bool printed = options.word("variant", false, {{"sound", false}, {"paper", true}});
  const auto found = printed ? an::analyze_set<an::as_published::rules>(p, tasks, given)
                             : an::analyze_set<an::as_published::free_requests>(p, tasks, given);
  return {report(p, tasks, found), {}};
}

}  // namespace

void add_gpusync_analysis(suite& kinds) {
  kinds["chains"] = chains;
  kinds["ilp"] = ilp;
  kinds["analysis"] = analysis;
}

}  // namespace takt_vectors
