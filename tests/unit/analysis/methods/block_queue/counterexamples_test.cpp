// SPDX-License-Identifier: Apache-2.0
// The sets that show what a bound needs, run through the rule of the block queue.
#include <doctest/doctest.h>

#include <algorithm>

#include <takt/analysis/methods/block_queue/as_published.hpp>
#include <takt/analysis/methods/block_queue/multi_resource.hpp>
#include <takt/analysis/methods/block_queue/per_task_streams.hpp>
#include <takt/systems/graphs/figures/capacity_loss.hpp>

#include "support/traces.hpp"
#include "unit/analysis/methods/block_queue/dispatched_kernels.hpp"

using namespace block_tests;
using namespace takt::analysis;
using takt::model_fault;
using takt::per_job_streams;
using takt::rational;
using takt::generation::capacity_counterexample;
using takt::generation::capacity_loss_options;
using takt::generation::per_task_stream_counterexample;

namespace {

constexpr block_placement placements[]{block_placement::even, block_placement::first_fit, block_placement::best_fit};

auto load_of(const auto& table) -> rational {
  rational sum{0};
  for (const auto& k : table.tasks) { sum += takt::block_work(k).value * rational{k.blocks} / k.period; }
  return sum;
}

/// 10 times the responses of the first jobs of the first kernel, epsilon being 1/10.
auto first_responses(const auto& made, block_placement placement, bool stream_per_task, std::size_t count)
    -> std::vector<ticks> {
  const auto jobs = periodic_jobs(made.table, made.first_release, 10, static_cast<std::int64_t>(count) + 2);
  const auto done = dispatch_all(jobs, {made.gpu, placement, stream_per_task});
  return responses_of(jobs, done, 0, count);
}

}  // namespace

TEST_CASE("on streams per task the response of kernel 1 grows by epsilon per job, on streams per job it does not" *
          takt_tests::traces("OVX-21")) {
  const auto made = per_task_stream_counterexample({});
  REQUIRE(made.fault == model_fault::none);
  CHECK(load_of(made.table) == rational{8544, 11});
  CHECK(first_responses(made, block_placement::even, true, 8) == std::vector<ticks>{10, 11, 12, 13, 14, 15, 16, 17});
  const auto free = first_responses(made, block_placement::even, false, 30);
  CHECK(*std::ranges::max_element(free) <= 11);
  CHECK(per_task_stream_response(made.table, made.gpu).status == block_status::not_proven);

  // The load may be ever closer to h; on one SM that the largest block fills, the third kernel has no block.
  const auto close = per_task_stream_counterexample({.epsilon = {1, 1000}});
  CHECK(load_of(close.table) < rational{41});
  const auto full =
      per_task_stream_counterexample({.sms = 1, .threads_per_sm = 64, .largest_block = 64, .unit_block = 32});
  CHECK(full.table.size() == 2);
  CHECK(first_responses(full, block_placement::even, true, 5) == std::vector<ticks>{10, 12, 14, 16, 18});
  for (const auto& wrong : {capacity_loss_options{.unit_block = 48}, capacity_loss_options{.largest_block = 4096},
                            capacity_loss_options{.epsilon = 1}, capacity_loss_options{.sms = 0}}) {
    CHECK(per_task_stream_counterexample(wrong).fault == model_fault::options_out_of_range);
    CHECK(capacity_counterexample(wrong).fault == model_fault::options_out_of_range);
  }
}

TEST_CASE("just above the capacity responses grow without bound under even placement" * takt_tests::traces("OVX-22")) {
  const auto made = capacity_counterexample({});
  REQUIRE(made.fault == model_fault::none);
  CHECK(load_of(made.table) == rational{12'608, 5});
  CHECK(thread_capacity(made.table, made.gpu) == 2112);
  CHECK(separated_enqueue_response(made.table, made.gpu, made.streams).status == block_status::load_exceeds_capacity);
  CHECK(first_responses(made, block_placement::even, false, 6) == std::vector<ticks>{1, 2, 3, 4, 5, 6});

  // A rest of the SM takes a kernel of its own; one SM leaves packing no choice; several do.
  const capacity_loss_options uneven{.sms = 1, .threads_per_sm = 12, .largest_block = 8, .unit_block = 2};
  CHECK(capacity_counterexample(uneven).table.size() == 3);
  for (const auto placement : placements) {
    CHECK(first_responses(capacity_counterexample(uneven), placement, false, 5) == std::vector<ticks>{1, 2, 3, 4, 5});
  }
  const auto packed = capacity_counterexample({.sms = 2, .threads_per_sm = 8, .largest_block = 4, .unit_block = 1});
  const auto responses = first_responses(packed, block_placement::first_fit, false, 100);
  CHECK(*std::ranges::max_element(responses) <= 4);
}

TEST_CASE("a bound for m' threads says nothing about m, so the rest must really be occupied" *
          takt_tests::traces("OVX-28")) {
  const std::vector<job> packed{{2, 2, 2, 2, 0}, {3, 2, 2, 6, 1}, {5, 5, 1, 4, 2}};
  const block_gpu six{.sms = 2, .threads_per_sm = 6};
  CHECK(dispatch_all(packed, {restricted_to(six, 5), block_placement::first_fit}).responses[2] == 4);
  CHECK(dispatch_all(packed, {six, block_placement::first_fit}).responses[2] == 8);
  const std::vector<job> even{{0, 3, 2, 2, 0}, {1, 4, 1, 6, 1}, {2, 2, 1, 3, 2},
                              {4, 2, 2, 5, 3}, {5, 5, 1, 6, 4}, {5, 3, 2, 4, 5}};
  CHECK(dispatch_all(even, {restricted_to(six, 5)}).responses[4] == 9);
  CHECK(dispatch_all(even, {six}).responses[4] == 10);
  // A shorter block may delay another kernel as well.
  CHECK(dispatch_all({{0, 4, 1, 2, 0}, {1, 3, 2, 4, 1}, {2, 5, 1, 3, 2}}, {six}).responses ==
        std::vector<ticks>{2, 4, 3});
  CHECK(dispatch_all({{0, 4, 1, 1, 0}, {1, 3, 2, 4, 1}, {2, 5, 1, 3, 2}}, {six}).responses ==
        std::vector<ticks>{1, 4, 6});
  // The unit block is that of m' too.
  takt::task_rows<takt::block_kernel<ticks>, 2> t;
  static_cast<void>(t.add({.length = 1, .period = 40, .blocks = 8, .threads = 256}));
  static_cast<void>(t.add({.length = 1, .period = 40, .blocks = 8, .threads = 64}));
  const block_gpu gpu{.sms = 2};
  CHECK(unit_block_size(t, gpu) == 64);
  CHECK(unit_block_size(t, restricted_to(gpu, 1999)) == 1);
  CHECK(thread_capacity(t, restricted_to(gpu, 1999)) == 2 * (1999 - 256 + 1));
  CHECK(separated_enqueue_response(t, gpu, per_job_streams).responses[0] <
        separated_enqueue_response(t, restricted_to(gpu, 1024), per_job_streams).responses[0]);
}

TEST_CASE("block slots that Theorem 3 does not count make responses grow above the printed bound" *
          takt_tests::traces("OVX-30")) {
  const block_gpu gpu{.sms = 1, .block_slots = 32};
  takt::task_rows<takt::block_kernel<rational>, 3> t;
  static_cast<void>(t.add({.length = 1, .period = {3, 2}, .blocks = 64, .threads = 32}));
  CHECK(as_published::separated_enqueue_response(t, gpu, per_job_streams).responses[0] == rational{95, 32});
  CHECK(separated_enqueue_response(t, gpu, per_job_streams).status == block_status::other_resource_binds);
  CHECK(block_queue_response(t, gpu, per_job_streams).status == block_status::load_exceeds_capacity);
  const auto jobs = periodic_jobs(t, {}, 2, 20);
  const auto responses = dispatch_all(jobs, {gpu}).responses;
  for (std::size_t j = 0; j < responses.size(); ++j) { CHECK(responses[j] == static_cast<ticks>(4 + j)); }
}

TEST_CASE("enqueues before the nominal release that are not a period apart break Theorem 3") {
  takt::task_rows<takt::block_kernel<ticks>, 2> t;
  static_cast<void>(t.add({.name = "A", .length = 1, .period = 2}));
  static_cast<void>(t.add({.name = "B", .length = 1, .period = 2}));
  const block_gpu gpu{.sms = 1, .threads_per_sm = 1};
  const auto bounds = separated_enqueue_response(t, gpu, per_job_streams);
  REQUIRE(bounds.bounded());
  CHECK(bounds.responses[1] == 2);
  CHECK(dispatch_all({{4, 1, 1, 1, 0}, {4, 1, 1, 1, 0}, {4, 1, 1, 1, 0}, {4, 1, 1, 1, 1}}, {gpu}).responses[3] == 4);
}
