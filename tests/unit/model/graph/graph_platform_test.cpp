// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>

#include <takt/model/graph/graph_platform.hpp>

namespace {

using takt::model_fault;

auto of(std::int32_t sms, std::int32_t threads_per_sm) -> takt::graph_platform {
  takt::graph_platform p;
  REQUIRE(p.clusters.try_push_back(2));
  p.sms = sms;
  p.threads_per_sm = threads_per_sm;
  return p;
}

/// One graph on the first cluster, whose only node is a kernel with blocks of so many threads.
auto kernel_of(std::int32_t threads) -> takt::graph_table<takt::ticks, 1, 1, 1> {
  takt::graph_table<takt::ticks, 1, 1, 1> t;
  REQUIRE(t.add_graph("g", 100));
  REQUIRE(t.add_node(
      {.name = "k", .kind = takt::node_kind::kernel, .block_length = 1, .blocks = 1, .block_threads = threads}));
  return t;
}

}  // namespace

TEST_CASE("a block fits an SM that has place for all its warps, whole ones") {
  CHECK_FALSE(takt::fits(kernel_of(1024), of(1, 1024)));
  CHECK_FALSE(takt::fits(kernel_of(1000), of(1, 1024)));
  CHECK(takt::fits(kernel_of(1000), of(1, 1000)) == takt::model_error{model_fault::kernel_shape_out_of_range, 0, 0});
  CHECK_FALSE(takt::fits(kernel_of(33), of(1, 64)));
  CHECK(takt::fits(kernel_of(33), of(1, 63)).fault == model_fault::kernel_shape_out_of_range);
}

TEST_CASE("a graph is refused on a platform without its cluster, without a GPU for its kernel, or of a wrong size") {
  const auto t = kernel_of(32);
  CHECK(takt::fits(t, of(0, 0)) == takt::model_error{model_fault::kernel_without_gpu, 0, 0});
  CHECK(takt::fits(t, of(0, 32)).fault == model_fault::platform_size_out_of_range);
  CHECK(takt::fits(t, of(1, 0)).fault == model_fault::platform_size_out_of_range);
  auto wrong = of(1, 32);
  wrong.blocks_per_sm = -1;
  CHECK(takt::fits(t, wrong).fault == model_fault::platform_size_out_of_range);
  wrong = of(1, 32);
  wrong.warp_size = 0;
  CHECK(takt::fits(t, wrong).fault == model_fault::platform_size_out_of_range);
  wrong = of(1, 32);
  wrong.gpus_differ = true;
  CHECK(takt::fits(t, wrong).fault == model_fault::gpus_differ);
  wrong = of(1, 32);
  wrong.clusters[0] = 0;
  CHECK(takt::fits(t, wrong).fault == model_fault::platform_size_out_of_range);
  wrong.clusters.clear();
  CHECK(takt::fits(t, wrong).fault == model_fault::platform_size_out_of_range);
  auto elsewhere = t;
  elsewhere.graphs[0].cluster = 1;
  CHECK(takt::fits(elsewhere, of(1, 32)) == takt::model_error{model_fault::cluster_out_of_range, 0});
  elsewhere.graphs[0].cluster = -1;
  CHECK(takt::fits(elsewhere, of(1, 32)) == takt::model_error{model_fault::cluster_out_of_range, 0});
}
