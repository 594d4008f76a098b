// SPDX-License-Identifier: Apache-2.0
#include "gpusync_file.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include <takt/model/locked_gpus/validate.hpp>
#include <takt/report/fault_text.hpp>

#include "../fields.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::array schedulers{named_value{"g-fl", cpu_scheduler::fair_lateness},
                                named_value{"g-edf", cpu_scheduler::earliest_deadline},
                                named_value{"g-rate-monotonic", cpu_scheduler::shortest_period},
                                named_value{"g-fixed-priority", cpu_scheduler::given_priority}};
constexpr std::array token_protocols{named_value{"r2dglp", token_protocol::r2dglp},
                                     named_value{"ck-omlp", token_protocol::ck_omlp}};

[[nodiscard]] auto cost_of(const transfer_cost& cost) -> linear_cost<ticks> {
  return {.setup = cost.setup, .numerator = 1000, .denominator = cost.bytes_per_us};
}

void read_gpus(const workload_file& from, gpusync_file& out) {
  const sharing_rule& rule = from.rules.gpus;
  auto& shape = out.board.shape;
  shape.gpus = static_cast<std::int32_t>(from.board.gpus.size());
  shape.gpu_cluster_size = shape.gpus / rule.clusters.value_or(1);
  if (rule.tokens_per_gpu) { shape.tokens_per_gpu = *rule.tokens_per_gpu; }
  shape.tokens = value_named(rule.protocol, token_protocols);
  if (rule.engine_order == "priority") { shape.engines = service_order::priority; }
  if (rule.migration == "peer-to-peer") { shape.migration = migration_path::peer_to_peer; }
  if (rule.migration == "system-memory") { shape.migration = migration_path::system_memory; }
  if (rule.uncontended == "dedicated") { shape.uncontended = uncontended_gpus::dedicated; }
  if (from.gpus[0].copy_engines) { shape.copy_engines = *from.gpus[0].copy_engines; }
  const auto& copies = from.gpus[0].copies;
  if (!copies) { return; }
  if (copies->chunk > 0) { shape.dma_chunk = copies->chunk; }
  auto& kinds = out.board.costs.kinds;
  kinds[0] = cost_of(*copies->to_device);
  kinds[1] = cost_of(*copies->to_host);
  kinds[2] = copies->peer ? cost_of(*copies->peer) : kinds[0];
}

/// The CPU time of a task in and outside of its section, its kernels, and the bytes of its copies.
void read_task(const workload_file& from, std::size_t i, gpusync_file& out) {
  const described_task& of = from.tasks.tasks[i];
  file_sections::task_type t;
  t.name = of.name;
  t.period = of.period;
  t.deadline = of.deadline;
  t.priority = of.priority;
  t.cpu_cluster = of.core == any_core ? 0 : of.core;
  out.limited.push_back(of.limited);
  for (std::uint32_t p = 0; p < of.visit_count; ++p) {
    const described_visit& v = from.tasks.visits[of.first_visit + p];
    const bool on_cpu = v.where == visit_place::processor;
    if (on_cpu && (!checked_add(t.wcet, v.time.upper, t.wcet) ||
                   (v.in_section && !checked_add(t.cpu_in_gpu_section, v.time.upper, t.cpu_in_gpu_section)))) {
      throw input_error{from.task_at[i], "has CPU times that overflow 64-bit nanoseconds", "shorter times", true};
    }
    if (v.where == visit_place::copy_engine) { (v.direction == to_host ? t.bytes_out : t.bytes_in) += v.bytes; }
    if (v.where != visit_place::gpu) { continue; }
    t.gpu = true;
    static_cast<void>(t.kernels.push_back(v.wcet));
    if (v.known.has(visit_fact::state)) { t.bytes_state += v.state; }
  }
  const auto& shape = out.board.shape;
  if (from.more[i].gpu_cluster) { t.gpu_cluster = *from.more[i].gpu_cluster; }
  for (std::int32_t a = 0; t.gpu && t.gpu_cluster == no_cluster && a < shape.gpu_clusters(); ++a) {
    if (shape.serves(a, t.cpu_cluster)) { t.gpu_cluster = a; }
  }
  out.table.add(t);
}

/// Where a key of the format stands for a field of the library.
[[nodiscard]] auto place_of(string_view field) -> std::string {
  if (field == "tokens_per_gpu" || field == "copy_engines") { return fmt::format("/platform/gpus/0/{}", field); }
  if (field == "tokens" || field == "association") { return "/platform/gpus/0/protocol"; }
  if (field == "dma_chunk") { return "/platform/gpus/0/dma/chunk"; }
  return field == "overheads" ? "/platform/overheads" : field == "tasks" ? "/tasks" : "/platform";
}

[[nodiscard]] auto place_in_task(string_view field) -> string_view {
  if (field == "cpu_cluster") { return "/cluster"; }
  if (field == "gpu_cluster") { return "/gpu/cluster"; }
  if (field == "bytes" || field == "cpu_in_gpu_section") { return "/gpu"; }
  if (field == "period") { return "/period"; }
  if (field == "deadline") { return "/deadline"; }
  return field == "priority" ? "/priority" : field == "wcet" ? "/cpu" : "";
}

}  // namespace

auto explain_fault(const model_error& error) -> input_error {
  const string_view field = describe(error.fault).field;
  const std::string where =
      error.task == nowhere ? place_of(field) : step_into("/tasks", error.task) + std::string(place_in_task(field));
  auto out = refused_at(where, error);
  if (field == "tokens") { out.problem = "tokens " + out.problem; }
  return out;
}

auto sections_of(std::unique_ptr<workload_file> from) -> std::unique_ptr<gpusync_file> {
  auto out = std::make_unique<gpusync_file>();
  out->name = from->name;
  auto& shape = out->board.shape;
  shape.scheduler = value_named(from->rules.cpus, schedulers);
  shape.cpus = from->board.processors;
  shape.cpu_cluster_size = shape.cpus / cluster_count(*from);
  read_gpus(*from, *out);
  if (from->overheads) { out->board.overheads = *from->overheads; }
  if (const auto fault = fault_of(shape); fault != model_fault::none) { throw explain_fault({fault}); }
  for (std::size_t i = 0; i < from->tasks.size(); ++i) { read_task(*from, i, *out); }
  out->notes = from->notes;
  out->from = std::move(from);
  if (const auto error = validate_gpusync(out->board, out->table)) { throw explain_fault(error); }
  return out;
}

}  // namespace takt::program
