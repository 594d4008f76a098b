// SPDX-License-Identifier: Apache-2.0
//
// Configurations as types, and a set that is analysed by the compiler.
#include <cstddef>
#include <utility>

#include <takt/allocation/analyze.hpp>
#include <takt/systems/locked_gpus/analysis/analyze.hpp>
#include <takt/systems/locked_gpus/analysis/pipeline.hpp>
#include <takt/systems/locked_gpus/tasks/published_costs.hpp>
#include <takt/systems/locked_gpus/tasks/study.hpp>
#include <takt/systems/methods.hpp>

namespace {

using takt::ticks;

static_assert(takt::studied_configurations.size() == 57);
static_assert(takt::find_studied("(P,P,1)") == 0 && takt::find_studied("(G,G,3)") == 56);
static_assert(takt::find_studied("(C,C2P2P,2)") < 57 && takt::find_studied("(C,P,inf)") < 57);
static_assert(takt::find_studied("(P,G,inf)") == 57);

template <std::size_t... I>
[[nodiscard]] constexpr auto are_platforms(std::index_sequence<I...> /*all*/) -> bool {
  return (takt::GpusyncPlatform<takt::gpusync_platform<takt::studied_configurations[I].value>> && ...);
}
static_assert(are_platforms(std::make_index_sequence<57>{}));

[[nodiscard]] constexpr auto ck_omlp_count() -> int {
  int count = 0;
  for (const auto& c : takt::studied_configurations) {
    count += c.value.protocol() == takt::token_protocol::ck_omlp ? 1 : 0;
  }
  return count;
}
static_assert(ck_omlp_count() == 18);

// excerpt: configuration
constexpr takt::gpusync_configuration pair{.cpus = 2,
                                           .cpu_cluster_size = 2,
                                           .gpus = 2,
                                           .gpu_cluster_size = 2,
                                           .tokens_per_gpu = 2,
                                           .migration = takt::migration_path::peer_to_peer,
                                           .scheduler = takt::cpu_scheduler::earliest_deadline,
                                           .dma_chunk = 100};
using pair_platform = takt::gpusync_platform<pair>;
// end of excerpt
static_assert(takt::GpusyncPlatform<pair_platform>);
static_assert(takt::GpusyncPlatform<takt::gpusync_board<takt::transfer_curves<4>>>);
static_assert(!takt::GpusyncPlatform<takt::gpusync_configuration>);
static_assert(takt::detail::TransferCosts<takt::transfer_curves<4>> && !takt::detail::TransferCosts<int>);
static_assert(takt::analysis::gpusync::detail::PipelineBlocking<takt::analysis::gpusync::r2dglp_queued, ticks>);
static_assert(!takt::analysis::gpusync::detail::PipelineBlocking<int, ticks>);

// excerpt: tasks
[[nodiscard]] constexpr auto three_tasks() {
  takt::task_rows<takt::gpusync_task<ticks, 1>, 3> out;
  for (const ticks kernel : {30, 40, 50}) {
    takt::gpusync_task<ticks, 1> t{.wcet = 20, .period = 2000, .deadline = 2000};
    t.kernels.unchecked_push_back(kernel);
    t.bytes_in = t.bytes_state = 200;
    t.cpu_in_gpu_section = 5;
    t.gpu_cluster = 0;
    out.add(t);
  }
  return out;
}

constexpr pair_platform costly{{{takt::linear_cost<ticks>{2, 1, 10}, {3, 1, 10}, {1, 1, 25}}}, {.schedule = 1}};
constexpr auto verdict = takt::analysis::analyze_by<takt::published>(costly, three_tasks());
static_assert(verdict.schedulable());
// end of excerpt
constexpr auto evidence = takt::analysis::gpusync::evidence_of(costly, three_tasks(), takt::plan<3>{});
static_assert(evidence.terms(2).sum() == verdict.tasks[2].bound.value);
static_assert(evidence.terms(2).kernels == 50 && evidence.terms(2).token_wait == 0);

}  // namespace
