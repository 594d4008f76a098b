// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <takt/analysis/methods/block_queue/as_published.hpp>
#include <takt/analysis/methods/block_queue/capacity.hpp>
#include <takt/analysis/methods/block_queue/separated_enqueues.hpp>
#include <takt/core/rational.hpp>
#include <takt/simulation/graph/replay_kernels.hpp>
#include <takt/systems/graphs/figures/capacity_loss.hpp>
#include "support/traces.hpp"

namespace {

namespace an = takt::analysis;
namespace gen = takt::generation;
namespace sim = takt::simulation;
using takt::block_placement;
using takt::rational;
using takt::ticks;

template <class Number>
struct kernels {
  takt::gpu_shape gpu;
  std::vector<sim::kernel_arrival<Number>> arrivals;

  void add(const Number& time, std::int64_t threads, std::int64_t blocks, const Number& length,
           std::int32_t stream = takt::own_stream) {
    arrivals.push_back({time, {{threads}, blocks, stream}, length});
  }
  /// `observer`: none, or one.
  template <class... Observer>
  [[nodiscard]] auto responses(Observer&... observer) const -> std::vector<Number> {
    const std::span<const sim::kernel_arrival<Number>> view{arrivals};
    const auto run = sim::replay_kernels(gpu, view, observer...);
    REQUIRE(run.fault == takt::model_fault::none);
    std::vector<Number> out;
    for (std::size_t i = 0; i < arrivals.size(); ++i) { out.push_back(run.response(view, i)); }
    return out;
  }
};

/// Responses of the first kernel of a counterexample, all kernels periodic; at one instant in the order of the table.
template <class Set>
[[nodiscard]] auto first_responses(const Set& set, int jobs, bool streams, block_placement placement)
    -> std::vector<rational> {
  kernels<rational> k{{.sms = set.gpu.sms, .each = {set.gpu.threads_per_sm}, .placement = placement}, {}};
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < set.table.size(); ++i) {
    const auto& t = set.table.tasks[i];
    for (int j = 0; j < jobs; ++j) {
      if (i == 0) { first.push_back(k.arrivals.size()); }
      const std::int32_t stream = streams ? static_cast<std::int32_t>(i) : takt::own_stream;
      k.add(set.first_release[i] + rational{j} * t.period, t.threads, t.blocks, t.length, stream);
    }
  }
  const auto all = k.responses();
  std::vector<rational> out;
  for (const std::size_t i : first) { out.push_back(all[i]); }
  return out;
}
[[nodiscard]] auto greatest(const std::vector<rational>& values) -> rational {
  rational out{0};
  for (const rational& v : values) { out = out < v ? v : out; }
  return out;
}

}  // namespace

TEST_CASE("theorem 1: with a stream per task the responses grow by epsilon per job, with one per job they do not" *
          takt_tests::traces("OVX-21")) {
  const auto set = gen::per_task_stream_counterexample({});
  REQUIRE(set.fault == takt::model_fault::none);
  const auto streams = first_responses(set, 40, true, block_placement::even);
  for (int j = 0; j < 40; ++j) { CHECK(streams[static_cast<std::size_t>(j)] == rational{10 + j, 10}); }
  CHECK(greatest(first_responses(set, 40, false, block_placement::even)) <= rational{11, 10});
}

TEST_CASE(
    "theorem 1 with a block that fills the only SM: the third kernel is empty and the responses grow by twice that" *
    takt_tests::traces("OVX-21")) {
  const auto set = gen::per_task_stream_counterexample(
      {.sms = 1, .threads_per_sm = 1024, .largest_block = 1024, .unit_block = 32, .epsilon = {1, 10}});
  REQUIRE(set.fault == takt::model_fault::none);
  CHECK(set.table.size() == 2);
  const auto streams = first_responses(set, 20, true, block_placement::even);
  for (int j = 0; j < 20; ++j) { CHECK(streams[static_cast<std::size_t>(j)] == rational{5 + j, 5}); }
}

TEST_CASE("theorem 2: just above the capacity the responses grow by epsilon per job under even placement" *
          takt_tests::traces("OVX-22")) {
  const auto set = gen::capacity_counterexample({});
  REQUIRE(set.fault == takt::model_fault::none);
  const auto even = first_responses(set, 30, false, block_placement::even);
  for (int j = 0; j < 30; ++j) { CHECK(even[static_cast<std::size_t>(j)] == rational{j + 1, 10}); }
}

TEST_CASE("theorem 2 needs even placement on several SMs, where packing placements do not let the responses grow" *
          takt_tests::traces("OVX-22")) {
  struct instance {
    gen::capacity_loss_options sizes;
    rational packed;  ///< worst of 200 jobs
  };
  for (const auto& [sizes, packed] :
       {instance{{.sms = 2, .threads_per_sm = 8, .largest_block = 4, .unit_block = 1, .epsilon = {1, 10}}, {2, 5}},
        instance{{.sms = 3, .threads_per_sm = 12, .largest_block = 4, .unit_block = 2, .epsilon = {1, 10}}, {9, 10}}}) {
    const auto set = gen::capacity_counterexample(sizes);
    CHECK(greatest(first_responses(set, 200, false, block_placement::even)) == rational{20});
    CHECK(greatest(first_responses(set, 200, false, block_placement::first_fit)) == packed);
    CHECK(greatest(first_responses(set, 200, false, block_placement::best_fit)) == packed);
  }
  const auto single = gen::capacity_counterexample(
      {.sms = 1, .threads_per_sm = 8, .largest_block = 4, .unit_block = 1, .epsilon = {1, 10}});
  for (const auto p : {block_placement::even, block_placement::first_fit, block_placement::best_fit}) {
    CHECK(greatest(first_responses(single, 200, false, p)) == rational{20});
  }
}

TEST_CASE("a GPU of fewer threads answers for no other: with one thread more, kernels respond later" *
          takt_tests::traces("OVX-28")) {
  const auto packed = [](std::int64_t threads) {
    kernels<ticks> k{{.sms = 2, .each = {threads}, .placement = block_placement::first_fit}, {}};
    k.add(2, 2, 2, 2);
    k.add(3, 2, 2, 6);
    k.add(5, 5, 1, 4);
    return k.responses();
  };
  CHECK(packed(5)[2] == 4);
  CHECK(packed(6)[2] == 8);
  const auto even = [](std::int64_t threads) {
    kernels<ticks> k{{.sms = 2, .each = {threads}}, {}};
    k.add(0, 3, 2, 2);
    k.add(1, 4, 1, 6);
    k.add(2, 2, 1, 3);
    k.add(4, 2, 2, 5);
    k.add(5, 5, 1, 6);
    k.add(5, 3, 2, 4);
    return k.responses();
  };
  CHECK(even(5)[0] == 2);
  CHECK(even(5)[4] == 9);
  CHECK(even(6)[4] == 10);
}

TEST_CASE("a shorter block lengthens others, so that full execution is no worst case" * takt_tests::traces("OVX-28")) {
  const auto with_first = [](ticks length) {
    kernels<ticks> k{{.sms = 2, .each = {6}}, {}};
    k.add(0, 4, 1, length);
    k.add(1, 3, 2, 4);
    k.add(2, 5, 1, 3);
    return k.responses();
  };
  CHECK(with_first(2) == std::vector<ticks>{2, 4, 3});
  CHECK(with_first(1) == std::vector<ticks>{1, 4, 6});
}

TEST_CASE("released early without a separation, a kernel ends beyond theorem 3's bound after its nominal release" *
          takt_tests::traces("OVX-29")) {
  takt::task_rows<takt::block_kernel<ticks>, 2> table;
  REQUIRE(table.add({.name = "a", .length = 1, .period = 2}));
  REQUIRE(table.add({.name = "b", .length = 1, .period = 2}));
  const auto bounds = an::separated_enqueue_response(table, {.sms = 1, .threads_per_sm = 1}, takt::per_job_streams);
  REQUIRE(bounds.bounded());
  CHECK(bounds.responses[1] == 2);
  kernels<ticks> k{{.sms = 1, .each = {1}}, {}};
  for (int job = 0; job < 3; ++job) { k.add(4, 1, 1, 1); }
  k.add(4, 1, 1, 1);
  CHECK(k.responses()[3] == 4);
}

TEST_CASE("released early a period apart but out of order, a kernel ends beyond the bound after its nominal release" *
          takt_tests::traces("OVX-29")) {
  takt::task_rows<takt::block_kernel<ticks>, 1> table;
  REQUIRE(table.add({.name = "a", .length = 4, .period = 9, .blocks = 1, .threads = 4}));
  const auto bounds = an::separated_enqueue_response(table, {.sms = 1, .threads_per_sm = 4}, takt::per_job_streams);
  REQUIRE(bounds.bounded());
  CHECK(bounds.responses[0] == 4);
  kernels<ticks> k{{.sms = 1, .each = {4}}, {}};
  k.add(34, 4, 1, 4);
  k.add(36, 4, 1, 4);
  constexpr ticks nominal = 36;
  CHECK(36 + k.responses()[1] - nominal == 6);
}

TEST_CASE("theorem 3 as printed covers kernels whose responses grow where block slots run out" *
          takt_tests::traces("OVX-30")) {
  takt::task_rows<takt::block_kernel<rational>, 1> table;
  REQUIRE(table.add({.name = "small", .length = 1, .period = {3, 2}, .blocks = 64, .threads = 32}));
  const takt::block_gpu gpu{.sms = 1, .threads_per_sm = 2048, .block_slots = 32};
  const auto printed = an::as_published::separated_enqueue_response(table, gpu, takt::per_job_streams);
  REQUIRE(printed.bounded());
  CHECK(printed.responses[0] == rational{95, 32});
  CHECK_FALSE(an::separated_enqueue_response(table, gpu, takt::per_job_streams).bounded());
  kernels<rational> k{{.sms = 1, .each = {.threads = 2048, .blocks = 32}}, {}};
  for (int j = 0; j < 20; ++j) { k.add(rational{3 * j, 2}, 32, 64, 1); }
  const auto responses = k.responses();
  for (int j = 0; j < 20; ++j) { CHECK(responses[static_cast<std::size_t>(j)] == rational{4 + j, 2}); }
}

TEST_CASE("each instant is busy or non-busy, never both, and lemmas 1 and 2 hold while kernels run" *
          takt_tests::traces("OVX-24")) {
  takt::task_rows<takt::block_kernel<ticks>, 2> table;
  REQUIRE(table.add({.name = "k1", .length = 3, .period = 5, .blocks = 2, .threads = 1024}));
  REQUIRE(table.add({.name = "k2", .length = 1, .period = 8, .blocks = 6, .threads = 512}));
  const takt::block_gpu gpu{.sms = 2, .threads_per_sm = 2048};
  takt::thread_time<ticks> carry_in;
  takt::thread_time<ticks> backlog;
  REQUIRE(an::detail::carry_in_bound(table, gpu, carry_in));
  REQUIRE(an::backlog_bound(table, gpu, takt::per_job_streams, backlog));
  CHECK(carry_in.value == 9216);
  CHECK(backlog.value == 18432);
  kernels<ticks> k{{.sms = 2, .each = {2048}}, {}};
  for (int j = 0; j < 16; ++j) { k.add(5 * j, 1024, 2, 3); }
  for (int j = 0; j < 10; ++j) { k.add(8 * j, 512, 6, 1); }
  sim::lemma_checks checks{
      {an::detail::largest_block_size(table), an::unit_block_size(table, gpu), carry_in.value, backlog.value}};
  const auto responses = k.responses(checks);
  CHECK(checks.instants() > checks.non_busy_instants());
  CHECK(checks.non_busy_instants() > 0);
  CHECK(checks.class_violations() == 0);
  CHECK(checks.carry_in_violations() == 0);
  CHECK(checks.backlog_violations() == 0);
  CHECK(checks.worst_backlog() > 0);
  const auto bounds = an::separated_enqueue_response(table, gpu, takt::per_job_streams);
  for (std::size_t i = 0; i < responses.size(); ++i) { CHECK(responses[i] <= bounds.responses[i < 16 ? 0 : 1]); }

  sim::lemma_checks strict{
      {an::detail::largest_block_size(table), an::unit_block_size(table, gpu), 0, checks.worst_backlog() - 1}};
  static_cast<void>(k.responses(strict));
  CHECK(strict.carry_in_violations() > 0);
  CHECK(strict.backlog_violations() > 0);
}

TEST_CASE("a replay refuses kernels that cannot run, and times that do not fit" * takt_tests::traces("OVX-17")) {
  const auto fault_of = [](const kernels<ticks>& k) {
    return sim::replay_kernels<4, 2>(k.gpu, std::span<const sim::kernel_arrival<ticks>>{k.arrivals}).fault;
  };
  kernels<ticks> k{{.sms = 1, .each = {4}}, {}};
  k.add(0, 5, 1, 1);
  CHECK(fault_of(k) == takt::model_fault::malformed);
  k.arrivals.clear();
  k.add(0, 1, 1, 0);
  CHECK(fault_of(k) == takt::model_fault::malformed);
  k.arrivals.clear();
  k.add(1, 1, 1, std::numeric_limits<ticks>::max());
  CHECK(fault_of(k) == takt::model_fault::time_overflow);
  k.arrivals.clear();
  for (int i = 0; i < 5; ++i) { k.add(0, 4, 1, 1); }
  CHECK(fault_of(k) == takt::model_fault::too_many_kernels);
  k.gpu.sms = 3;
  CHECK(fault_of(k) == takt::model_fault::malformed);
}
