// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <takt/cuda/measure/counters.hpp>
#include <takt/cuda/measure/cupti_counters.hpp>
#include <takt/prediction/corun/indicators.hpp>

namespace {

namespace cuda = takt::cuda;
using cuda::result;
using strings = std::vector<std::string>;

/// A device that has every metric but `lacking`, takes its counters in `passes` and fails at one call.
struct recorded_counters {
  std::map<std::string, double> value{};  ///< 0 where not named
  strings lacking{};
  std::int32_t passes = 1;
  std::string failing{};
  std::int32_t failing_time = 1;  ///< which of these calls

  strings calls{};
  strings configured{};
  bool in_range = false;

  void note(const std::string& call) {
    calls.push_back(call);
    if (call == failing && std::ranges::count(calls, call) == failing_time) {
      throw cuda::cuda_error{cuda::failure{result::unknown, call}};
    }
  }
  auto has(const char* metric) const -> bool { return std::ranges::count(lacking, std::string{metric}) == 0; }
  void configure(std::span<const char* const> metrics) {
    configured.assign(metrics.begin(), metrics.end());
    note("configure");
  }
  void begin() {
    note("begin");
    in_range = true;
  }
  auto end() -> bool {
    note("end");
    in_range = false;
    return std::ranges::count(calls, std::string{"end"}) == passes;
  }
  void read(std::span<double> values) {
    note("read");
    REQUIRE(values.size() == configured.size());
    for (std::size_t i = 0; i < values.size(); ++i) { values[i] = value[configured[i]]; }
  }
  void abandon() noexcept {
    calls.emplace_back("abandon");
    configured.clear();
    in_range = false;
  }
};
static_assert(cuda::CounterSource<recorded_counters>);

/// 10, 20, ... in the order of the indicators, over 5 ns.
auto busy() -> recorded_counters {
  recorded_counters out;
  for (std::size_t i = 0; i < takt::workload_indicators; ++i) {
    out.value[cuda::detail::indicator_metrics[i]] = 10.0 * static_cast<double>(i + 1);
  }
  out.value[cuda::detail::time_metric] = 5;
  return out;
}

auto message(recorded_counters& source, result of_job = result::success, std::int32_t most_passes = 64) -> std::string {
  try {
    (void)cuda::count_solo_run(source, [&] { return of_job; }, most_passes);
  } catch (const cuda::cuda_error& e) { return e.what(); }
  return {};
}

}  // namespace

TEST_CASE("counters of a solo run become the predictor's rates, each under its own indicator") {
  recorded_counters source = busy();
  std::int32_t jobs = 0;
  const cuda::counted_run run = cuda::count_solo_run(source, [&] {
    CHECK(source.in_range);
    ++jobs;
    return result::success;
  });
  CHECK(jobs == 1);
  CHECK(run.passes == 1);
  CHECK(run.time == 5);
  CHECK(run.profile == takt::workload_profile<>{2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22});
  CHECK(source.calls == strings{"configure", "begin", "end", "read", "abandon"});
}

TEST_CASE("the metrics are all different, and reads, writes, loads and stores are not confused") {
  using enum takt::workload_indicator;
  const auto metric = [](takt::workload_indicator i) {
    return std::string_view{cuda::detail::indicator_metrics[static_cast<std::size_t>(i)]};
  };
  strings all{cuda::detail::time_metric};
  all.insert(all.end(), cuda::detail::indicator_metrics.begin(), cuda::detail::indicator_metrics.end());
  std::ranges::sort(all);
  CHECK(std::ranges::adjacent_find(all) == all.end());

  CHECK(metric(instructions).find("inst_executed") != std::string_view::npos);
  CHECK(metric(warps).find("warps_active") != std::string_view::npos);
  CHECK(metric(l2_reads).find("lts__t_sectors_op_read") == 0);
  CHECK(metric(l2_writes).find("lts__t_sectors_op_write") == 0);
  CHECK(metric(global_loads).find("op_global_ld") != std::string_view::npos);
  CHECK(metric(global_stores).find("op_global_st") != std::string_view::npos);
  CHECK(metric(shared_loads).find("wavefronts_mem_shared_op_ld") != std::string_view::npos);
  CHECK(metric(shared_stores).find("wavefronts_mem_shared_op_st") != std::string_view::npos);
  CHECK(metric(shared_load_conflicts).find("conflicts_pipe_lsu_mem_shared_op_ld") != std::string_view::npos);
  CHECK(metric(shared_store_conflicts).find("conflicts_pipe_lsu_mem_shared_op_st") != std::string_view::npos);
  CHECK(metric(texture_loads).find("texture") != std::string_view::npos);
}

TEST_CASE("a job runs once per pass, and too many passes are refused") {
  recorded_counters source = busy();
  source.passes = 4;
  std::int32_t jobs = 0;
  const auto run = cuda::count_solo_run(source, [&] {
    ++jobs;
    return result::success;
  });
  CHECK(jobs == 4);
  CHECK(run.passes == 4);
  CHECK(run.profile[0] == 2);

  recorded_counters just_enough = busy();
  just_enough.passes = 3;
  CHECK(message(just_enough, result::success, 3).empty());
  recorded_counters endless = busy();
  endless.passes = -1;
  CHECK(message(endless, result::success, 3) == "count_solo_run: the counters need more than 3 passes");
  CHECK(std::ranges::count(endless.calls, "begin") == 3);
  CHECK(endless.calls.back() == "abandon");
}

TEST_CASE("a failure of any call of a counter source is passed on and leaves no configuration") {
  for (const std::string call : {"configure", "begin", "end", "read"}) {
    recorded_counters source = busy();
    source.failing = call;
    CHECK(message(source).starts_with(call + ": "));
    CHECK(source.calls.back() == "abandon");
    CHECK(std::ranges::count(source.calls, "abandon") == 1);
    CHECK_FALSE(source.in_range);
    CHECK(source.configured.empty());

    source.failing.clear();
    source.calls.clear();
    CHECK(message(source).empty());
  }
  recorded_counters later = busy();
  later.passes = 3;
  later.failing = "begin";
  later.failing_time = 2;
  CHECK(message(later).starts_with("begin: "));
  CHECK(later.calls == strings{"configure", "begin", "end", "begin", "abandon"});
}

TEST_CASE("a job that fails or throws under the counters leaves no open range") {
  recorded_counters source = busy();
  CHECK(message(source, result::illegal_address) == "the job to be counted, in pass 1: error 700");
  CHECK(source.calls == strings{"configure", "begin", "abandon"});

  recorded_counters thrown = busy();
  const auto job = []() -> result { throw std::runtime_error{"job"}; };
  CHECK_THROWS_WITH_AS((void)cuda::count_solo_run(thrown, job), "job", std::runtime_error);
  CHECK(thrown.calls == strings{"configure", "begin", "abandon"});
}

TEST_CASE("counters that a device lacks are named, and none is taken as 0") {
  recorded_counters source = busy();
  source.lacking = {cuda::detail::indicator_metrics[2], cuda::detail::time_metric};
  CHECK(message(source) ==
        "count_solo_run: the device has no counter lts__t_sectors_op_read.sum, gpu__time_duration.sum");
  CHECK(source.calls.empty());
}

TEST_CASE("values that are no counts and a device that did nothing give no profile") {
  for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const char* metric : {cuda::detail::indicator_metrics[10], cuda::detail::time_metric}) {
      recorded_counters source = busy();
      source.value[metric] = bad;
      CHECK(message(source) == std::string{"count_solo_run: no value was read for "} + metric);
    }
  }
  for (const double time : {0.0, 0.5, 1e300}) {
    recorded_counters source = busy();
    source.value[cuda::detail::time_metric] = time;
    CHECK(message(source) == "count_solo_run: the device did no work in the time of the job");
  }
  recorded_counters idle_units = busy();
  idle_units.value[cuda::detail::indicator_metrics[10]] = 0;
  CHECK(message(idle_units).empty());
}

// CUPTI's own library for metrics is not to be loaded beside AddressSanitizer.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TAKT_TESTS_WITHOUT_CUPTI
#endif
#endif
#if __has_include(<cupti_profiler_host.h>) && __has_include(<cupti_range_profiler.h>) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(TAKT_TESTS_WITHOUT_CUPTI)

TEST_CASE("CUPTI knows every metric of the predictor on every chip that it configures without a device") {
  try {
    (void)cuda::cupti_library{};
  } catch (const cuda::cuda_error& e) {
    CHECK(e.code() == result::missing_driver);
    MESSAGE("no CUPTI to load: " << std::string{e.what()});
    return;
  }
  const cuda::cupti_library cupti;
  std::vector<const char*> metrics{cuda::detail::indicator_metrics.begin(), cuda::detail::indicator_metrics.end()};
  metrics.push_back(cuda::detail::time_metric);
  std::size_t configured = 0;
  for (const std::string& chip : cuda::chips_of(cupti)) {
    cuda::detail::cupti_host host{cupti, chip};
    bool known = false;
    try {
      known = host.has(metrics[0]);
    } catch (const cuda::cuda_error& e) {
      CHECK(e.code() == cuda::detail::of_cupti(CUPTI_ERROR_NOT_SUPPORTED));
      continue;
    }
    CAPTURE(chip);
    CHECK(known);
    for (const char* m : metrics) { CHECK(host.has(m)); }
    CHECK_FALSE(host.has("takt__no_such_metric.sum"));
    auto image = host.configure(metrics);
    CHECK(host.passes(image) >= 1);
    CHECK(host.passes(image) <= 16);
    CHECK_THROWS_AS((void)host.configure(std::array{metrics[0], "takt__no_such_metric.sum"}), cuda::cuda_error);
    image = host.configure(std::array{metrics[0]});
    CHECK(host.passes(image) == 1);
    ++configured;
  }
  CHECK(configured > 0);
}

TEST_CASE("CUPTI's errors keep their names, stay apart from the driver's and say what to do about a permission") {
  using cuda::detail::of_cupti;
  CHECK(takt::cuda::detail::of_cupti(CUPTI_SUCCESS) == result::success);
  CHECK(takt::cuda::detail::of_cupti(CUPTI_ERROR_INVALID_PARAMETER) != result::invalid_value);
  CHECK_FALSE(cuda::detail::is_loss(takt::cuda::detail::of_cupti(CUPTI_ERROR_UNKNOWN)));
  CHECK_THROWS_WITH_AS(cuda::cupti_library{"/no/such/file"},
                       doctest::Contains("dlopen: /no/such/file cannot be loaded; install CUPTI"), cuda::cuda_error);
  CHECK_THROWS_WITH_AS(cuda::cupti_library{"libc.so.6"}, doctest::Contains("lacks cuptiProfilerInitialize, "),
                       cuda::cuda_error);
  try {
    const cuda::cupti_library cupti;
    const std::string words = cupti.explain(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
    CHECK(words.find("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES") == 0);
    CHECK(words.find("NVreg_RestrictProfilingToAdminUsers=0") != std::string::npos);
    CHECK_THROWS_WITH_AS((void)cuda::detail::cupti_host(cupti, "no chip").configure(cuda::detail::indicator_metrics),
                         doctest::Contains("cuptiProfilerHostInitialize: CUPTI_ERROR_"), cuda::cuda_error);
  } catch (const cuda::cuda_error& e) { CHECK(e.code() == result::missing_driver); }
}

#endif
