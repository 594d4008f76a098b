// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../../../benchmarks/isolation/session.hpp"
#include "../../../benchmarks/isolation/table.hpp"
#include "support/emulated_gpu.hpp"

namespace {

using namespace takt_benchmarks;
using cuda_tests::emulated_gpu;
using cuda_tests::emulated_kernels;
using cuda_tests::fake_machine;
using cuda_tests::gpu_cheats;

auto measured(const gpu_cheats& cheats = {}, const fake_machine& machine = {.sms = 132}) -> isolation_measurement {
  emulated_gpu gpu{machine, cheats};
  emulated_kernels kernels{gpu};
  isolation_options options{.samples = 15, .warm_up = 5'000'000, .commit = "abc"};
  auto out = isolation_session{gpu, kernels, gpu, std::move(options)}.run();
  CHECK(gpu.default_stream_uses() == 0);
  return out;
}

auto good() -> const isolation_measurement& {
  static const isolation_measurement m = measured();
  return m;
}

/// A good measurement with a change.
auto doctored(const std::function<void(isolation_measurement&)>& change) -> isolation_measurement {
  isolation_measurement m = good();
  change(m);
  return m;
}

auto row(isolation_measurement& m, row_kind k) -> row_record& {
  const auto at = std::ranges::find(m.rows, k, &row_record::kind);
  REQUIRE(at != m.rows.end());
  return *at;
}

/// There is no table, and one of the sentences has these words.
void check_refused(const isolation_measurement& m, const std::string& words) {
  const isolation_report r = report_of(m);
  CAPTURE(words);
  CAPTURE(r.text);
  CHECK(r.code != 0);
  CHECK(r.text.find(words) != std::string::npos);
  CHECK(r.text.find('|') == std::string::npos);
}

}  // namespace

TEST_CASE("a good measurement of the isolation benchmark gives a table with every row") {
  CHECK(refusals(good()).empty());
  const isolation_report r = report_of(good());
  CHECK(r.code == 0);
  for (const row_record& each : good().rows) {
    CHECK(each.samples.size() == 15);
    CHECK(each.late == 0);
    CHECK(r.text.find(std::string{"| "} + form_of(each.kind).name + " |") != std::string::npos);
  }
  CHECK(good().rows.size() == 14);
  CHECK(r.text.find("made up 0") != std::string::npos);
  CHECK(r.text.find("commit abc") != std::string::npos);
}

TEST_CASE("the isolation benchmark measures what a device of known times does") {
  const auto median = [](row_kind k, std::int32_t sms, takt::ticks job_sample::* which) {
    return percentile(times_of(good().find(k, sms)->samples, which), 50);
  };
  // A launch takes 4 to 5 us there, a job on 8 SMs 20.75 us, a wait 5 to 6 us, and a block 38.4 us.
  for (const row_kind k :
       {row_kind::green_alone, row_kind::pinned_alone, row_kind::both_green, row_kind::both_pinned}) {
    CHECK(median(k, 8, &job_sample::start) >= 4'000);
    CHECK(median(k, 8, &job_sample::start) <= 5'100);
    CHECK(median(k, 8, &job_sample::end) >= 29'750);
    CHECK(median(k, 8, &job_sample::end) <= 32'000);
  }
  CHECK(good().load_length >= 1'000'000);
  // Half of its length is left of the load at least.
  CHECK(median(row_kind::same_priority, 0, &job_sample::start) > 500'000);
  CHECK(median(row_kind::lower_priority, 0, &job_sample::start) > 5'100);
  for (const row_kind k : {row_kind::lower_priority, row_kind::shrink, row_kind::yield}) {
    for (const job_sample& s : std::ranges::find(good().rows, k, &row_record::kind)->samples) {
      CHECK(s.start <= 38'400 + 6'100);
    }
  }
  const row_record* both = good().find(row_kind::both_green, 8);
  CHECK(both->foreground == emulated_gpu::range(0, 8));
  CHECK(both->background == emulated_gpu::range(8, 124));
  const double rate = static_cast<double>(both->steps_done) / static_cast<double>(both->load_time);
  const double alone = static_cast<double>(good().load_alone_steps) / static_cast<double>(good().load_alone_time);
  CHECK(rate / alone == doctest::Approx(124.0 / 132).epsilon(0.01));
}

TEST_CASE("what a device cannot have is left out of the table with its reason") {
  const isolation_measurement old = measured({}, {.version = 12'020, .sms = 132});
  CHECK(old.find(row_kind::green_alone, 8) == nullptr);
  const isolation_report r = report_of(old);
  CHECK(r.code == 0);
  CHECK(r.text.find("Left out: green contexts of 32 SMs: streams of green contexts need") != std::string::npos);
  const isolation_measurement small = measured({}, {.sms = 32});
  CHECK(small.find(row_kind::both_pinned, 8) != nullptr);
  CHECK(small.find(row_kind::both_pinned, 32) == nullptr);
  CHECK(report_of(small).text.find("Left out: partitions of 32 SMs, as the device has 32") != std::string::npos);
}

TEST_CASE("a background that stalls is refused") {
  check_refused(measured({.load_stalls = true}), "both green (8 SMs): the load made no progress during 15 of 15");
  check_refused(doctored([](auto& m) {
                  job_sample& s = row(m, row_kind::yield).samples[3];
                  s.after = s.before;
                }),
                "load yields (8 SMs): the load made no progress during 1 of 15 samples");
}

TEST_CASE("a job is not requested when the load is nearly over") {
  const isolation_measurement m = measured({.host_sleeps_each = 1'009});
  std::int64_t late = 0;
  for (const row_record& r : m.rows) {
    if (!form_of(r.kind).loaded) { continue; }
    CAPTURE(form_of(r.kind).name);
    late += r.late;
    CHECK(r.samples.size() == 15);
    const std::uint64_t of_one_load = r.steps_launched / (r.samples.size() + static_cast<std::size_t>(r.late));
    for (const job_sample& s : r.samples) { CHECK(4 * s.before <= 3 * of_one_load); }
    CHECK(r.steps_done == r.steps_launched);
  }
  CHECK(late > 0);
}

TEST_CASE("a background that did not do all of its work is refused") {
  check_refused(doctored([](auto& m) { --row(m, row_kind::both_pinned).steps_done; }),
                "both pinned (8 SMs): the load did ");
  check_refused(doctored([](auto& m) { row(m, row_kind::both_pinned).late = 16; }),
                "the load was nearly over before the request in 16 tries");
  check_refused(doctored([](auto& m) { m.load_alone_steps = 0; }), "the load alone has no rate");
}

TEST_CASE("a load that holds up nobody is refused") {
  check_refused(measured({.load_is_none = true}), "the load is no load");
}

TEST_CASE("partitions that overlap are refused, and those of another size than promised") {
  check_refused(measured({.parts_overlap = true}), "both green (32 SMs): foreground and background shared 1 SMs");
  check_refused(doctored([](auto& m) { row(m, row_kind::both_green).foreground.reset(7); }),
                "both green (8 SMs): the foreground used 7 SMs where 8 were promised");
  check_refused(doctored([](auto& m) { row(m, row_kind::both_pinned).background.set(200); }),
                "both pinned (8 SMs): the background used 125 SMs where 124 were promised");
  check_refused(doctored([](auto& m) { row(m, row_kind::green_alone).promised_foreground = 0; }),
                "nobody says how many SMs the foreground was promised");
  check_refused(doctored([](auto& m) { row(m, row_kind::both_green).promised_background = 0; }),
                "nobody says how many SMs the background was promised");
}

TEST_CASE("a measurement that cannot tell overlapping kernels from disjoint ones is refused") {
  CHECK(good().control[0] == emulated_gpu::range(0, 8));
  CHECK(good().control[1] == emulated_gpu::range(4, 8));
  check_refused(doctored([](auto& m) { m.control[1] = emulated_gpu::range(8, 8); }),
                "two kernels whose SMs overlap on purpose were not told from disjoint ones");
}

TEST_CASE("an element of the output that is wrong, or was not looked at, is refused") {
  check_refused(measured({.one_too_few = true}), "alone: 15 of 245760 output elements are wrong");
  check_refused(measured({.stale_probe = true}), "alone again: 245760 of 245760 output elements are wrong");
  check_refused(measured({.stale_load = true}), "both green (8 SMs): ");
  check_refused(doctored([](auto& m) { --row(m, row_kind::shrink).jobs_checked; }),
                "load shrinks (8 SMs): the output of 14 jobs was checked, but 15 were timed");
}

TEST_CASE("a device that is another at the end than at the start is refused") {
  check_refused(measured({.later_clock = 0.94}), "the SM clock was 1.755 GHz at the start and 1.650 GHz at the end");
  CHECK(refusals(measured({.later_clock = 0.96})).empty());
  const auto slower = [](double factor) {
    return doctored([factor](auto& m) {
      for (job_sample& s : row(m, row_kind::alone_again).samples) {
        s.end = static_cast<takt::ticks>(static_cast<double>(s.end) * factor);
      }
    });
  };
  check_refused(slower(1.15), "alone again: the median end is");
  CHECK(refusals(slower(1.05)).empty());
  check_refused(doctored([](auto& m) {
                  for (job_sample& s : row(m, row_kind::alone_again).samples) { s.start = s.start * 8 / 10; }
                }),
                "alone again: the median start is");
}

TEST_CASE("clocks that do not agree on a millisecond are refused") {
  check_refused(measured({.event_timer = 1.03}), "by events: more than 2 % apart");
  const auto spins = [](takt::ticks spin_record::* which) {
    return doctored([which](auto& m) {
      for (spin_record& s : m.last_spins) { s.*which = 970'000; }
    });
  };
  check_refused(spins(&spin_record::host), "a spin of 1 ms took 0.970 ms by the host's clock: more than 2 % apart");
  check_refused(spins(&spin_record::device), "a spin of 1 ms took 0.970 ms by the device's timer: more than 2 % apart");
  check_refused(doctored([](auto& m) { m.last_spins.clear(); }), "the clocks were not compared");
}

TEST_CASE("fewer than 2,000 samples have no P99") {
  const auto with = [](std::size_t n) {
    return table_of(doctored([n](auto& m) {
      row_record& r = row(m, row_kind::alone);
      r.samples = std::vector<job_sample>(n, {.start = 4'200, .end = 14'700});
    }));
  };
  CHECK(with(2'000).find("| alone | all | 2000 | 4.2 | 4.2 | 4.2 | 14.7 | 14.7 | 14.7 |") != std::string::npos);
  CHECK(with(1'999).find("| alone | all | 1999 | 4.2 | 1999 samples | 4.2 | 14.7 | 1999 samples | 14.7 |") !=
        std::string::npos);
}

TEST_CASE("a measurement that lacks a part is refused") {
  check_refused(doctored([](auto& m) { m.commit.clear(); }), "nobody says which commit was measured");
  check_refused(doctored([](auto& m) { m.device.sms = 0; }), "the device has no name or no SMs");
  check_refused(doctored([](auto& m) { row(m, row_kind::alone).samples.clear(); }), "alone: there are no samples");
  check_refused(doctored([](auto& m) { row(m, row_kind::shrink).samples[0].end = 1; }),
                "load shrinks (8 SMs): 1 jobs ended before they started");
  const auto without = [](row_kind k) {
    return doctored([k](auto& m) { std::erase_if(m.rows, [k](const row_record& r) { return r.kind == k; }); });
  };
  check_refused(without(row_kind::yield), "there is no row \"load yields\"");
  check_refused(without(row_kind::both_green), "green context, no load (32 SMs): the same beside a load was not");
  check_refused(without(row_kind::green_alone), "both green (8 SMs): the same without a load was not measured");
  check_refused(doctored([](auto& m) { std::erase_if(m.rows, [](const auto& r) { return form_of(r.kind).green; }); }),
                "rows of green contexts are missing, and nobody says why");
}

TEST_CASE("a driver that fails ends the isolation benchmark with the call, and all is given back") {
  emulated_gpu gpu;
  emulated_kernels kernels{gpu};
  {
    isolation_session session{gpu, kernels, gpu, {.samples = 2, .warm_up = 1'000, .commit = "abc"}};
    gpu.fail_next("create_green", takt::cuda::result::invalid_resource_configuration);
    CHECK_THROWS_WITH_AS((void)session.run(), doctest::Contains("create_green"), takt::cuda::cuda_error);
  }
  CHECK(gpu.live() == 0);
}

TEST_CASE("elements of the isolation benchmark are those of the rounds that a kernel does, and never the poison") {
  const auto loop = [](std::uint32_t x, std::uint32_t rounds) {
    for (std::uint32_t i = 0; i < rounds; ++i) { x = x * multiplier + increment; }
    return x;
  };
  for (const std::uint32_t i : {0U, 1U, 255U, probe_elements - 1}) { CHECK(probe_element(i) == loop(i, probe_rounds)); }
  for (const std::uint32_t block : {0U, 1U, 26'399U}) {
    std::uint32_t sum = 0;
    for (std::uint32_t t = 0; t < block_threads; ++t) {
      sum += loop(block * block_threads + t, load_steps * step_rounds);
    }
    CHECK(load_element(block) == sum);
  }
  bool poisoned = false;
  for (std::uint32_t i = 0; i < probe_elements; ++i) { poisoned = poisoned || probe_element(i) == poison; }
  for (std::uint32_t b = 0; b < 65'536; ++b) { poisoned = poisoned || load_element(b) == poison; }
  CHECK_FALSE(poisoned);
}

TEST_CASE("work is made long by measured time") {
  std::vector<std::int64_t> tried;
  const auto time_of = [&](std::int64_t amount) {
    tried.push_back(amount);
    return std::optional<takt::ticks>{500 + 3 * amount};
  };
  const auto found = work_that_takes(1'000'000, 8, 1'000'000, time_of);
  REQUIRE(found);
  CHECK(500 + 3 * *found >= 1'000'000);
  CHECK(500 + 3 * *found <= 1'150'000);
  CHECK(tried.size() < 12);
  CHECK(work_that_takes(400, 8, 1'000'000, time_of) == 8);
  CHECK_FALSE(work_that_takes(1'000'000, 8, 100'000, time_of));
  CHECK_FALSE(work_that_takes(1, 8, 100'000, [](std::int64_t) { return std::optional<takt::ticks>{}; }));
  CHECK_FALSE(work_that_takes(1, 8, 100'000, [](std::int64_t) { return std::optional<takt::ticks>{0}; }));
}

TEST_CASE("times beside a long kernel that had ended do not count, and more than a tenth of them spoil the rest") {
  samples_beside s;
  CHECK(s.problem() == "there are no samples");
  for (takt::ticks t = 1; t <= 9; ++t) { s.add(t, true); }
  s.add(100, false);
  CHECK(s.problem() == "");
  CHECK(s.times().size() == 9);
  CHECK(s.rejected() == 1);
  s.add(100, false);
  CHECK(s.problem() == "the long kernel had ended in 2 of 11 samples, which are more than a tenth");
}
