// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/prediction/corun/estimate_log.hpp>
#include <takt/systems/shares/figures/changing_load.hpp>

#include "support/traces.hpp"
#include "synthetic_training.hpp"

namespace {

using namespace takt;
using generation::synthetic_benchmarks;

using takt::test::applications;
using takt::test::profiles;
constexpr std::size_t changes = 5;
using model = co_run_model<12, 128>;
using job = generation::loaded_job<applications, changes + 1>;
using errors_of_job = inline_vector<progress_error, changes + 1>;

auto trained_model(std::size_t self) -> model {
  auto o = takt::test::usual_options();
  o.training_samples = 1200;
  model out;
  REQUIRE(train<12>(takt::test::samples_of(self, 1500), o, out).status == training_status::trained);
  return out;
}

auto errors_in(const job& segments, std::size_t self, const model& predictor,
               const std::vector<workload_profile<>>& all) -> errors_of_job {
  std::vector<ticks> lengths;
  std::vector<double> times;
  for (const auto& segment : segments) {
    lengths.push_back(segment.length);
    times.push_back(predictor.estimate(input_of<11>(all, segment.shares, self)).time);
  }
  return takt::detail::remaining_time_errors<changes + 1>(lengths, times);
}

}  // namespace

TEST_CASE("an estimate log gives each estimate its error relative to the response time" *
          takt_tests::traces("WAMP-41")) {
  estimate_log<2> log;
  log.started(100);
  CHECK(log.estimated(100, 0, 50));
  CHECK(log.estimated(150, 0.4, 150));
  CHECK_FALSE(log.estimated(160, 0.5, 1));
  const auto errors = log.finished(300);
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].progress == 0);
  CHECK(errors[0].error == doctest::Approx(0.75));
  CHECK(errors[1].progress == 0.4);
  CHECK(errors[1].error == 0);
  CHECK(log.finished(120).size() == 1);
  CHECK(log.finished(100).empty());
}

TEST_CASE("loads that stay as predicted leave no error, others the distance of Eq. 11" *
          takt_tests::traces("WAMP-41")) {
  const std::array<ticks, 2> lengths{10, 30};
  const auto right = takt::detail::remaining_time_errors<4>(lengths, std::array{40.0, 40.0});
  CHECK(right[0].error == 0);
  CHECK(right[1].error == 0);
  // Expected 20, then half done with 40 for the whole: 20 left, but 30 come.
  const auto wrong = takt::detail::remaining_time_errors<4>(lengths, std::array{20.0, 40.0});
  CHECK(wrong[0].error == doctest::Approx(0.5));
  CHECK(wrong[1].progress == doctest::Approx(0.5));
  CHECK(wrong[1].error == doctest::Approx(0.25));
}

TEST_CASE("over five changes of load the error of the remaining time falls from its first estimate on" *
          takt_tests::traces("WAMP-41 WAMP-42")) {
  const auto all = profiles();
  random_stream random{1};
  for (const std::size_t self : {std::size_t{4}, std::size_t{7}}) {  // lavaMD's and myocyte's stand-ins
    CAPTURE(synthetic_benchmarks[self].name);
    const model predictor = trained_model(self);
    std::array<double, changes + 1> mean{};
    std::vector<progress_error> samples;
    constexpr int jobs = 400;
    for (int n = 0; n < jobs; ++n) {
      job segments;
      REQUIRE(generation::draw_loaded_job(synthetic_benchmarks, self, changes, random, segments));
      const auto errors = errors_in(segments, self, predictor, all);
      REQUIRE(errors.size() == changes + 1);
      for (std::size_t j = 0; j < errors.size(); ++j) {
        mean[j] += errors[j].error / jobs;
        samples.push_back(errors[j]);
      }
    }
    CHECK(std::ranges::max_element(mean) == mean.begin());
    for (std::size_t j = 1; j < mean.size(); ++j) { CHECK(mean[j] < mean[j - 1]); }
    CHECK(mean[changes] < mean[0] / 2);

    const double threshold = pick_threshold(samples, 0.01).value_or(-1);
    CHECK(threshold > 0);
    CHECK(threshold < 1);
    double late = 0;
    int count = 0;
    for (const progress_error& s : samples) {
      if (s.progress > threshold) {
        late += s.error;
        ++count;
      }
    }
    CHECK(late < 0.01 * count);
  }
}

TEST_CASE("a predictor that is always wrong by the same part stays as wrong to the end of the job" *
          takt_tests::traces("WAMP-42")) {
  for (const double factor : {0.98, 1.02}) {
    const std::array<ticks, 4> lengths{250'000, 250'000, 250'000, 250'000};
    const std::array<double, 4> times{factor * 1e6, factor * 1e6, factor * 1e6, factor * 1e6};
    const auto errors = takt::detail::remaining_time_errors<4>(lengths, times);
    REQUIRE(errors.size() == 4);
    for (const progress_error& e : errors) { CHECK(e.error == doctest::Approx(0.02).epsilon(1e-3)); }
    CHECK(pick_threshold(errors, 0.01) == 1);
  }
}

TEST_CASE("a job with more changes than it has room for, or of no application, is not drawn") {
  random_stream random{2};
  job segments;
  CHECK(generation::draw_loaded_job(synthetic_benchmarks, 0, changes, random, segments));
  CHECK(segments.size() == changes + 1);
  CHECK_FALSE(generation::draw_loaded_job(synthetic_benchmarks, 0, changes + 1, random, segments));
  CHECK(segments.empty());
  CHECK_FALSE(generation::draw_loaded_job(synthetic_benchmarks, 0, 1'000'000, random, segments));
  CHECK_FALSE(generation::draw_loaded_job(synthetic_benchmarks, applications, 1, random, segments));
}

template <std::size_t Count>
concept DrawsLoads =
    requires(const std::array<generation::synthetic_application, Count>& set, random_stream& random,
             generation::loaded_job<Count, 2>& out) { generation::draw_loaded_job(set, 0, 1, random, out); };
static_assert(DrawsLoads<2> && DrawsLoads<60> && !DrawsLoads<1> && !DrawsLoads<61>);

TEST_CASE("in a loaded job one other comes or leaves at a time, and it has all of its work done") {
  random_stream random{2};
  for (int n = 0; n < 200; ++n) {
    const auto self = static_cast<std::size_t>(random.below(applications));
    job segments;
    REQUIRE(generation::draw_loaded_job(synthetic_benchmarks, self, changes, random, segments));
    REQUIRE(segments.size() == changes + 1);
    double progress = 0;
    for (std::size_t j = 0; j < segments.size(); ++j) {
      const auto& shares = segments[j].shares;
      std::int32_t sum = 0;
      int changed = 0;
      for (std::size_t k = 0; k < applications; ++k) {
        sum += shares[k];
        changed += j > 0 && (shares[k] > 0) != (segments[j - 1].shares[k] > 0) ? 1 : 0;
      }
      CHECK(sum <= 100);
      CHECK(changed == (j > 0 ? 1 : 0));
      CHECK(shares[self] >= 10);
      CHECK(shares[self] <= 40);
      progress += static_cast<double>(segments[j].length) /
                  static_cast<double>(generation::synthetic_co_run_time(synthetic_benchmarks, self, shares));
    }
    CHECK(progress == doctest::Approx(1).epsilon(1e-3));
    CHECK(progress >= 1 - 1e-9);
  }
}
