// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <takt/analysis/methods/block_queue/multi_resource.hpp>
#include <takt/analysis/methods/block_queue/per_task_streams.hpp>
#include <takt/core/rational.hpp>
#include <takt/model/segment.hpp>
#include <takt/rules/block_queue_rule.hpp>
#include "support/traces.hpp"

using namespace takt::analysis;
using takt::block_gpu;
using takt::block_kernel;
using takt::per_job_streams;
using takt::rational;
using takt::task_rows;
using takt::thread_time;
using takt::ticks;
using fractions = std::vector<rational>;

namespace {

template <class Bounds>
auto responses(const Bounds& b) {
  return std::vector(b.responses.begin(), b.responses.end());
}

constexpr block_gpu two_sms{.sms = 2};

/// The set of Fig. 7.
template <class Number>
constexpr auto fig_7() {
  task_rows<block_kernel<Number>, 4> t;
  static_cast<void>(t.add({.name = "tau_1", .length = Number(3), .period = Number(5), .blocks = 2, .threads = 1024}));
  static_cast<void>(t.add({.name = "tau_2", .length = Number(1), .period = Number(8), .blocks = 6, .threads = 512}));
  return t;
}
constexpr auto published = fig_7<rational>();

constexpr block_gpu eighty_sms{.sms = 80};
constexpr auto large = [] {
  task_rows<block_kernel<rational>, 4> t;
  static_cast<void>(t.add({.length = 1, .period = 33, .blocks = 800, .threads = 256}));
  static_cast<void>(t.add({.length = {1, 2}, .period = 33, .blocks = 1600, .threads = 64}));
  static_cast<void>(t.add({.length = 2, .period = 33, .blocks = 320, .threads = 128}));
  return t;
}();

static_assert(thread_capacity(large, eighty_sms) == 148'480);
static_assert(separated_enqueue_response(fig_7<ticks>(), two_sms, per_job_streams).responses[0] == 8);
static_assert(block_queue_response(fig_7<ticks>(), two_sms, per_job_streams).responses[1] == 4);  // 23/6, rounded up
static_assert(per_task_stream_response(fig_7<ticks>(), two_sms).bounded());

// Work and time are different things.
static_assert(!std::convertible_to<thread_time<ticks>, ticks> && !std::convertible_to<ticks, thread_time<ticks>>);

}  // namespace

TEST_CASE("a block's length and a kernel's utilisation follow from its work, and blocks are whole warps" *
          takt_tests::traces("OVX-18")) {
  CHECK(takt::block_length(thread_time<rational>{3072}, 1024) == rational{3});
  CHECK(takt::block_length(thread_time<ticks>{3073}, 1024) == 4);  // upwards
  CHECK(takt::block_work(published.tasks[0]) == thread_time<rational>{3072});
  const auto threads_of = [](std::int32_t threads) {
    const auto rule = takt::block_queue_rule<>{.gpu = {.threads_per_sm = 2048}};
    const auto view = rule.view(takt::kernel(takt::grid(2, threads), takt::block_length(takt::duration{3})));
    return view.fault == takt::model_fault::none ? takt::block_visit::of(view.values).threads : 0;
  };
  CHECK(threads_of(33) == 64);
  CHECK(threads_of(1024) == 1024);
  CHECK(threads_of(1025) == 0);
  CHECK(threads_of(0) == 0);
  // A block that no SM has room for is refused, whatever it lacks.
  const auto fault_of = [](const block_kernel<ticks>& k, const block_gpu& gpu) {
    task_rows<block_kernel<ticks>, 1> one;
    static_cast<void>(one.add(k));
    const auto bounds = separated_enqueue_response(one, gpu, per_job_streams);
    CHECK(bounds.status == block_status::invalid_model);
    return bounds.error.fault;
  };
  using takt::model_fault;
  CHECK(fault_of({.length = 1, .period = 4, .threads = 1024}, {.threads_per_sm = 1000}) ==
        model_fault::block_exceeds_sm);
  CHECK(fault_of({.length = 1, .period = 4, .shared_memory = 9}, {.shared_memory = 8}) ==
        model_fault::block_exceeds_sm);
  CHECK(fault_of({.length = 1, .period = 4, .registers = 9}, {.registers = 8}) == model_fault::block_exceeds_sm);
  CHECK(fault_of({.length = 0, .period = 4}, {}) == model_fault::length_not_positive);
  CHECK(fault_of({.length = 1, .period = 0}, {}) == model_fault::period_not_positive);
  CHECK(fault_of({.length = 1, .period = 4, .blocks = 0}, {}) == model_fault::no_block);
  CHECK(fault_of({.length = 1, .period = 4, .jitter = -1}, {}) == model_fault::negative_jitter);
  CHECK(fault_of({.length = 1, .period = 4}, {.sms = 0}) == model_fault::gpu_size_out_of_range);
}

TEST_CASE("the unit block size divides all blocks and the SM's threads" * takt_tests::traces("OVX-20")) {
  CHECK(unit_block_size(published, two_sms) == 512);
  CHECK(unit_block_size(large, eighty_sms) == 64);
  task_rows<block_kernel<ticks>, 1> odd;
  static_cast<void>(odd.add({.length = 1, .period = 4, .threads = 1000}));
  CHECK(unit_block_size(odd, two_sms) == 8);  // through the SM's threads
}

TEST_CASE("the capacity test is exact, and equality passes" * takt_tests::traces("OVX-23")) {
  CHECK(thread_capacity(published, two_sms) == 3072);
  CHECK(capacity_test(published, two_sms) == block_status::bounded);
  const auto with_period = [](const rational& period) {
    task_rows<block_kernel<rational>, 1> t;
    static_cast<void>(t.add({.length = 1, .period = period, .blocks = 3, .threads = 512}));
    return capacity_test(t, block_gpu{.sms = 1, .threads_per_sm = 512});
  };
  CHECK(with_period(3) == block_status::bounded);
  CHECK(with_period({2'999'999'999, 1'000'000'000}) == block_status::load_exceeds_capacity);
  const task_rows<block_kernel<ticks>, 1> none;
  CHECK(capacity_test(none, two_sms) == block_status::bounded);
  // In nanoseconds, beyond what fractions of 64 bits hold.
  task_rows<block_kernel<ticks>, 3> fine;
  for (const ticks prime : {1'000'000'007, 1'000'000'009, 1'000'000'021}) {
    static_cast<void>(fine.add({.length = 300'000'000, .period = prime, .blocks = 2, .threads = 1024}));
  }
  CHECK(capacity_test(fine, two_sms) == block_status::bounded);
  CHECK(separated_enqueue_response(fine, two_sms, per_job_streams).bounded());
  for (auto& k : fine.tasks) { k.blocks = 5; }
  CHECK(capacity_test(fine, two_sms) == block_status::load_exceeds_capacity);
}

TEST_CASE("Theorem 3 on the published set and on a large GPU, with its hypotheses" * takt_tests::traces("OVX-27")) {
  thread_time<rational> lemma;
  REQUIRE(takt::analysis::detail::carry_in_bound(published, two_sms, lemma));
  CHECK(lemma == thread_time<rational>{9216});
  REQUIRE(backlog_bound(published, two_sms, per_job_streams, lemma));
  CHECK(lemma == thread_time<rational>{18'432});
  CHECK(responses(separated_enqueue_response(published, two_sms, per_job_streams)) == fractions{8, {41, 6}});

  REQUIRE(takt::analysis::detail::carry_in_bound(large, eighty_sms, lemma));
  CHECK(lemma == thread_time<rational>{327'168});
  REQUIRE(backlog_bound(large, eighty_sms, per_job_streams, lemma));
  CHECK(lemma == thread_time<rational>{665'088});
  CHECK(responses(separated_enqueue_response(large, eighty_sms, per_job_streams)) ==
        fractions{{3177, 580}, {23'103, 4640}, {3757, 580}});

  auto heavy = published;
  heavy.tasks[0].period = rational{2};
  CHECK(separated_enqueue_response(heavy, two_sms, per_job_streams).status == block_status::load_exceeds_capacity);
  // 32 slots of 64 threads each suffice for blocks of 64 threads or more, 16 do not.
  CHECK(separated_enqueue_response(large, {.sms = 80, .block_slots = 32}, per_job_streams).bounded());
  CHECK(separated_enqueue_response(large, {.sms = 80, .block_slots = 16}, per_job_streams).status ==
        block_status::other_resource_binds);
  // Times that do not fit are no bound.
  task_rows<block_kernel<ticks>, 1> huge;
  static_cast<void>(huge.add({.length = std::numeric_limits<ticks>::max() / 2,
                              .period = std::numeric_limits<ticks>::max(),
                              .blocks = 4,
                              .threads = 1024}));
  CHECK(separated_enqueue_response(huge, two_sms, per_job_streams).status == block_status::overflow);
}

TEST_CASE("jobs in flight and a knapsack of running blocks sharpen Theorem 3, and the least bound is taken" *
          takt_tests::traces("OVX-X2")) {
  CHECK(responses(outstanding_response(published, two_sms, per_job_streams)) == fractions{5, {23, 6}});
  CHECK(responses(block_queue_response(published, two_sms, per_job_streams)) == fractions{5, {23, 6}});
  CHECK(responses(knapsack_response(large, eighty_sms, per_job_streams)) ==
        fractions{{1349, 290}, {19'271, 4640}, {1639, 290}});
  CHECK(responses(outstanding_response(large, eighty_sms, per_job_streams)) ==
        fractions{{1899, 580}, {12'879, 4640}, {2479, 580}});
  const auto least = min_of(separated_enqueue_response(large, eighty_sms, per_job_streams),
                            knapsack_response(large, eighty_sms, per_job_streams),
                            outstanding_response(large, eighty_sms, per_job_streams));
  CHECK(responses(block_queue_response(large, eighty_sms, per_job_streams)) == responses(least));
  // Where a block waits, three others run: two of the first kernel, and one of the second.
  task_rows<block_kernel<rational>, 2> narrow;
  static_cast<void>(narrow.add({.length = 3, .period = 30, .blocks = 2, .threads = 1}));
  static_cast<void>(narrow.add({.length = 2, .period = 30, .blocks = 3, .threads = 1}));
  CHECK(responses(knapsack_response(narrow, {.sms = 4, .threads_per_sm = 1}, per_job_streams)) ==
        fractions{{29, 4}, {13, 2}});
  // Beyond the capacity jobs pile up, and that is noticed.
  task_rows<block_kernel<rational>, 1> over;
  static_cast<void>(over.add({.length = 3, .period = 2, .blocks = 2, .threads = 2048}));
  CHECK(outstanding_response(over, {.sms = 1}, per_job_streams).status == block_status::not_proven);
}

TEST_CASE("jitter of the enqueue adds its share of the work, and none adds nothing" * takt_tests::traces("OVX-X3")) {
  auto late = published;
  late.tasks[0].jitter = rational{5};  // one period: one more job of the first kernel
  const auto bounds = separated_enqueue_response(late, two_sms, per_job_streams);
  CHECK(responses(bounds) == fractions{10, {53, 6}});
  late.tasks[0].jitter = rational{1, 2};
  CHECK(responses(separated_enqueue_response(late, two_sms, per_job_streams)) == fractions{{41, 5}, {211, 30}});
}

TEST_CASE("streams per task are proven when no job waits in its stream, and not proven otherwise" *
          takt_tests::traces("OVX-X4")) {
  const auto proven = per_task_stream_response(fig_7<rational>(), two_sms);
  CHECK(responses(proven) == fractions{5, {23, 6}});
  auto quick = fig_7<rational>();
  quick.tasks[0].period = rational{49, 10};
  CHECK(per_task_stream_response(quick, two_sms).status == block_status::not_proven);
  auto late = fig_7<rational>();
  late.tasks[0].jitter = rational{1, 10};  // the next job may find this one unfinished
  CHECK(per_task_stream_response(late, two_sms).status == block_status::not_proven);
}

TEST_CASE("owners with one kernel at a time need neither separation nor capacity" * takt_tests::traces("OVX-X8")) {
  task_rows<block_kernel<rational>, 4> t;
  // Two owners: one alternates between a long and a short kernel.
  static_cast<void>(t.add({.length = 3, .period = 1, .blocks = 2, .threads = 1024, .owner = 0}));
  static_cast<void>(t.add({.length = 1, .period = 1, .blocks = 6, .threads = 512, .owner = 0}));
  static_cast<void>(t.add({.length = 1, .period = 1, .blocks = 6, .threads = 512, .owner = 1}));
  CHECK(separated_enqueue_response(t, two_sms, per_job_streams).status == block_status::load_exceeds_capacity);
  // Backlog 6144 + 3072 on 3072 threads.
  CHECK(responses(takt::analysis::detail::owner_response(t, two_sms)) == fractions{5, {23, 6}, {23, 6}});
  t.tasks[1].owner = takt::no_owner;
  CHECK(takt::analysis::detail::owner_response(t, two_sms).error.fault == takt::model_fault::owner_missing);
}

TEST_CASE("sets whose blocks may wait for slots or memory go to the bound of several resources" *
          takt_tests::traces("OVX-X6 OVX-30")) {
  const block_gpu small{.sms = 1, .threads_per_sm = 2048, .block_slots = 4, .shared_memory = 100};
  task_rows<block_kernel<rational>, 2> t;
  static_cast<void>(t.add({.length = 1, .period = 10, .blocks = 4, .threads = 64, .shared_memory = 10}));
  static_cast<void>(t.add({.length = 2, .period = 10, .blocks = 1, .threads = 64, .shared_memory = 50}));
  CHECK(!takt::analysis::detail::only_threads_bind(t, small));
  CHECK(separated_enqueue_response(t, small, per_job_streams).status == block_status::other_resource_binds);
  // w = 1/4 and 1/2, three resources: (2 * 3 + 4/4 + 1 - w L) / (1/2) + L.
  CHECK(responses(multi_resource_response(t, small, per_job_streams)) == fractions{{33, 2}, 16});
  const auto best = block_queue_response(t, small, per_job_streams);
  REQUIRE(best.bounded());
  CHECK(best.responses[0] <= multi_resource_response(t, small, per_job_streams).responses[0]);
  // Without those limits threads decide.
  CHECK(takt::analysis::detail::only_threads_bind(t, {.sms = 1}));
  CHECK(responses(block_queue_response(t, {.sms = 1}, per_job_streams)) ==
        responses(min_of(knapsack_response(t, {.sms = 1}, per_job_streams),
                         outstanding_response(t, {.sms = 1}, per_job_streams))));
}
