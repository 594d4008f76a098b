// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>

#include <takt/core/rational.hpp>
#include <takt/systems/locked_gpus/tasks/published_costs.hpp>
#include <takt/systems/locked_gpus/tasks/requests.hpp>
#include "support/traces.hpp"

namespace {

using takt::rational;
using takt::ticks;
using takt::transfer_kind;
namespace costs = takt::published_costs;

TEST_CASE("a latency's percentiles, mean and maximum, from samples in any order" * takt_tests::traces("GSA-2")) {
  takt::latency_distribution<8> d;
  CHECK(d.percentile(1, 2) == 0);
  CHECK(d.add(40, 0));
  CHECK(d.percentile(1, 2) == 0);
  for (const ticks sample : {30, 10, 20, 10}) { CHECK(d.add(sample)); }
  CHECK(d.samples() == 4);
  CHECK(d.max() == 30);
  CHECK(d.percentile(0, 1) == 10);
  CHECK(d.percentile(1, 2) == 10);
  CHECK(d.percentile(501, 1000) == 20);
  CHECK(d.percentile(3, 4) == 20);
  CHECK(d.percentile(999, 1000) == 30);
  CHECK(d.percentile(1, 1) == 30);
  CHECK(d.mean() == 18);  // 17.5
  CHECK_FALSE(d.add(-1));
  CHECK_FALSE(d.add(1, -1));
  CHECK_FALSE(d.add(1, INT64_MAX));
  CHECK(d.add(0));
  CHECK(d.percentile(0, 1) == 0);
  CHECK(d.samples() == 5);
  takt::latency_distribution<1> full;
  CHECK(full.add(5));
  CHECK(full.add(5));
  CHECK_FALSE(full.add(6));
}

TEST_CASE("published interrupts: half of them are short, the 99.9th percentile is far above the mean" *
          takt_tests::traces("GSA-2")) {
  CHECK(costs::top_halves().samples() == 4'500'000);
  CHECK(costs::top_halves().percentile(1, 2) == 7'310);
  CHECK(costs::top_halves().percentile(999, 1000) == 50'000);
  CHECK(costs::top_halves().percentile(99'995, 100'000) == 60'000);
  CHECK(costs::top_halves().max() == 87'190);
  CHECK(costs::bottom_halves().samples() == 4'200'000);
  CHECK(costs::bottom_halves().percentile(999, 1000) == 550'000);
  CHECK(costs::bottom_halves().max() == 1'008'580);
  CHECK(costs::top_halves().mean() >= costs::top_half_mean);
  CHECK(costs::bottom_halves().mean() >= costs::bottom_half_mean);
}

TEST_CASE("costs never fall with the bytes, and reproduce what is printed of 1 MB" * takt_tests::traces("GSA-3")) {
  using costs::bus_load;
  using costs::gpu_distance;
  using costs::memory_placement;
  const auto worst = costs::transfers(bus_load::loaded, memory_placement::local, gpu_distance::near);
  CHECK(worst.time(transfer_kind::out, costs::megabyte) == 1'214'300);
  CHECK(worst.time(transfer_kind::in, costs::megabyte) == 1'181'300);
  CHECK(worst.time(transfer_kind::peer, costs::megabyte) == 175'700);
  for (const auto load : {bus_load::idle, bus_load::loaded}) {
    for (const auto memory : {memory_placement::local, memory_placement::interleaved}) {
      for (const auto distance : {gpu_distance::near, gpu_distance::far}) {
        const auto c = costs::transfers(load, memory, distance);
        for (const auto kind : {transfer_kind::in, transfer_kind::out, transfer_kind::peer}) {
          CHECK(c.time(kind, 0) == 0);
          CHECK(c.time(kind, 1) == c.time(kind, 64 * costs::kilobyte));
          ticks last = 0;
          for (std::int64_t bytes = 1; bytes < 64 * costs::megabyte; bytes = bytes * 3 / 2 + 1) {
            const ticks now = c.time(kind, bytes);
            CHECK(last <= now);
            CHECK(
                now <=
                costs::transfers(bus_load::loaded, memory_placement::interleaved, gpu_distance::far).time(kind, bytes));
            last = now;
          }
        }
      }
    }
  }
  const auto far = costs::transfers(bus_load::idle, memory_placement::local, gpu_distance::far);
  CHECK(far.time(transfer_kind::peer, 4 * costs::megabyte) == 800'000);
  CHECK(costs::cache_loss(memory_placement::local).time(4 * costs::megabyte) == 650'000);
  CHECK(costs::cache_loss(memory_placement::local).time(4 * costs::kilobyte) == 635);
}

TEST_CASE("a curve is exact at its points, rounded up between them, and saturates" * takt_tests::traces("GSA-3")) {
  takt::cost_curve<3> c;
  CHECK(c.time(5) == 0);
  CHECK(c.add({10, 100}));
  CHECK(c.add({13, 110}));
  CHECK_FALSE(c.add({13, 120}));
  CHECK_FALSE(c.add({20, 90}));
  CHECK(c.time(1) == 100);
  CHECK(c.time(10) == 100);
  CHECK(c.time(11) == 104);
  CHECK(c.time(12) == 107);
  CHECK(c.time(13) == 110);
  CHECK(c.time(26) == 220);
  CHECK(c.time(INT64_MAX) == takt::longest_transfer_time);
  CHECK(takt::linear_cost<ticks>{1, INT64_MAX, 1}.time(2) == takt::longest_transfer_time);
  CHECK(takt::linear_cost<ticks>{5, 1, 3}.time(1) == 6);
  CHECK(takt::linear_cost<rational>{5, 1, 3}.time(1) == rational{16, 3});
}

using task = takt::gpusync_task<rational, 2>;
using linear = takt::linear_transfer_costs<rational>;

TEST_CASE("data and state are split into chunks each for itself, the last chunk is smaller" *
          takt_tests::traces("GSA-5")) {
  const linear cost{{takt::linear_cost<rational>{2, 1, 10}, {3, 1, 10}, {1, 1, 25}}};
  task t{.bytes_in = 100, .bytes_out = 250, .bytes_state = 120, .gpu_cluster = 0};
  t.kernels.unchecked_push_back(7);
  takt::gpusync_configuration c{.gpus = 2, .gpu_cluster_size = 2, .dma_chunk = 100};

  auto own = takt::requests_of(c, cost, t);  // no migration
  CHECK(own.chunks_in() == 1);
  CHECK(own.chunks_out() == 3);
  CHECK(own.chunks_state() == 0);
  CHECK(own.operations() == 5);
  CHECK(own.copy_time() == rational(12 + 13 + 13 + 8));

  c.migration = takt::migration_path::peer_to_peer;
  own = takt::requests_of(c, cost, t);
  CHECK(own.chunks_state() == 2);
  CHECK(own.operations() == 7);
  CHECK(own.migration_time() == rational(5) + rational{9, 5});

  c.migration = takt::migration_path::system_memory;
  own = takt::requests_of(c, cost, t);
  CHECK(own.chunks_state() == 2);
  CHECK(own.operations() == 9);
  CHECK(own.migration_time() == rational(12 + 4 + 13 + 5));

  c.gpu_cluster_size = 1;  // a job always finds its state
  CHECK(takt::requests_of(c, cost, t).migration_time() == rational(0));
}

/// The second GPU cluster is behind a slower link.
struct uneven_costs {
  using number = ticks;
  [[nodiscard]] constexpr auto time(transfer_kind, std::int64_t bytes, std::int32_t gpu_cluster) const -> ticks {
    return bytes * (gpu_cluster + 1);
  }
};

TEST_CASE("GPU clusters may have costs of their own" * takt_tests::traces("GSA-51")) {
  const takt::gpusync_configuration c{.gpus = 2, .dma_chunk = 100};
  takt::gpusync_task<ticks, 1> t{.bytes_in = 150, .gpu_cluster = 0};
  CHECK(takt::requests_of(c, uneven_costs{}, t).copy_time() == 150);
  t.gpu_cluster = 1;
  CHECK(takt::requests_of(c, uneven_costs{}, t).copy_time() == 300);
}

}  // namespace
