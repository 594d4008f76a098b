// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <takt/cuda/machine.hpp>
#include <takt/cuda/partition.hpp>

#include "support/fake_cuda_driver.hpp"
#include "support/traces.hpp"

namespace {

using namespace cuda_tests;
using takt::runtime::severity;
using ranges = std::vector<takt::sm_range>;

auto level_of(const takt::runtime::machine_findings& all, const std::string& what) -> std::optional<severity> {
  const auto found = std::ranges::find(all, what, &takt::runtime::machine_finding::what);
  return found == all.end() ? std::nullopt : std::optional{found->level};
}

auto env_of(const std::map<std::string, std::string>& values) -> environment {
  return [values](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional{found->second};
  };
}

}  // namespace

TEST_CASE("the machine is asked for what it can do") {
  fake_cuda_driver driver{{.devices = 2, .sms = 132, .copy_engines = 3}};
  const auto m = query_machine(driver);
  CHECK(driver.live() == 0);
  CHECK(m.driver_version == 12'080);
  REQUIRE(m.gpus.size() == 2);
  CHECK(m.gpus[0].sms == 132);
  CHECK(m.gpus[0].copy_engines == 3);
  CHECK(m.gpus[0].coscheduled.unit == 8);
  CHECK(m.gpus[0].coscheduled.groups == 16);
  CHECK(m.gpus[0].single.unit == 2);
  CHECK(m.gpus[0].single.groups == 66);
  CHECK(m.gpus[1].peers == std::vector<bool>{true, false});
  CHECK(driver.count_of("retain_primary") == 0);
  const device_context<fake_cuda_driver> c{driver, 1};
  const priority_levels levels = query_levels(c.ref());
  CHECK(levels.count == 6);
  CHECK(levels.priority_of(0) == 0);
  CHECK(levels.priority_of(5) == -5);
}

TEST_CASE("the strongest way to keep ranges apart is chosen, with the reason against a stronger one") {
  fake_cuda_driver driver;
  auto m = query_machine(driver);
  const ranges fit{{0, 0, 16}, {0, 16, 16}};
  const auto best = choose_backend(m, 0, fit);
  CHECK(best.possible);
  CHECK(best.backend == partition_backend::green_contexts);
  CHECK(best.split.unit == 8);
  CHECK_FALSE(best.split.ignore_coscheduling);
  CHECK(best.reason.empty());

  const ranges odd{{0, 0, 12}};
  CHECK_FALSE(choose_backend(m, 0, odd).possible);
  const auto pinned = choose_backend(m, 0, odd, {.kernels_stay_on_range = true});
  CHECK(pinned.possible);
  CHECK(pinned.backend == partition_backend::pinned_blocks);
  CHECK(pinned.reason == "a range of 12 SMs is no multiple of 8");
  const auto weak = choose_backend(m, 0, odd, {.isolation_is_a_must = false});
  CHECK(weak.possible);
  CHECK(weak.backend == partition_backend::priority_streams);
  const ranges many{{0, 0, 16}, {0, 16, 24}};
  CHECK(choose_backend(m, 0, many).reason.starts_with("the ranges need 5 groups of 8 SMs, and the driver makes 4;"));
  const auto fine = choose_backend(m, 0, odd, {.ignore_coscheduling = true});
  CHECK(fine.backend == partition_backend::green_contexts);
  CHECK(fine.split.unit == 2);
  CHECK(fine.split.ignore_coscheduling);
  CHECK(choose_backend(m, 0, fit, {.primary_context = false}).reason.find("primary context") != std::string::npos);
  CHECK(choose_backend(m, 0, fit, {.virtual_sms = true}).reason.find("virtual") != std::string::npos);
  CHECK(choose_backend(m, 0, fit, {.limited_by_mps = true}).reason.find("MPS") != std::string::npos);
  CHECK_FALSE(choose_backend(m, 0, fit, {.green_contexts = false}).possible);

  m.driver_version = 12'040;
  CHECK(choose_backend(m, 0, fit).reason.find("12.5, installed is one for 12.4") != std::string::npos);
  m.driver_version = 13'000;
  m.gpus[0].partitions = result::missing_entry;
  CHECK(choose_backend(m, 0, fit).reason.find("does not split") != std::string::npos);
}

TEST_CASE(
    "the driver's word for the size of groups wins; one that does not round up is asked for the documented size") {
  for (const std::int32_t least : {2, 8, 12}) {
    fake_cuda_driver driver{{.sms = 48, .least_partition = least, .alignment = 2}};
    CHECK(query_machine(driver).gpus[0].coscheduled.unit == least);
    CHECK(query_machine(driver).gpus[0].coscheduled.groups == 48 / least);
  }
  for (const auto& [major, unit] : std::map<std::int32_t, std::int32_t>{{6, 2}, {7, 2}, {8, 4}, {9, 8}, {12, 8}}) {
    fake_cuda_driver driver{{.compute_major = major, .least_partition = unit, .alignment = unit, .rounds_up = false}};
    CHECK(query_machine(driver).gpus[0].coscheduled.unit == unit);
  }
  fake_cuda_driver other{{.compute_major = 8, .least_partition = 16, .rounds_up = false}};
  CHECK(query_machine(other).gpus[0].partitions == result::invalid_value);
}

TEST_CASE("clocks, persistence, contexts and the driver's environment are reported before timed runs" *
          takt_tests::traces("RTGPU-46")) {
  fake_cuda_driver driver;
  const auto m = query_machine(driver);
  const takt::runtime::machine_sources from{
      .root = "/nowhere",
      .run = [](const std::string& command) -> std::optional<std::string> {
        return command == takt::runtime::detail::gpu_query
                   ? "0, made up, Enabled, Exclusive_Process, 1500, 800, 1500, 800, 1900, 900\n"
                   : "";
      },
      .own_process = 1};
  const auto good = env_of({{"CUDA_MODULE_LOADING", "EAGER"}});
  const auto all = check_cuda_machine(m, from, good);
  CHECK(level_of(all, "GPU 0 persistence mode") == severity::fine);
  CHECK(level_of(all, "GPU 0 SM clock") == severity::fine);
  CHECK(level_of(all, "processes on the GPUs") == severity::fine);
  CHECK(level_of(all, "CUDA driver") == severity::fine);
  CHECK(level_of(all, "GPU 0 contexts") == severity::warning);
  CHECK(level_of(all, "CUDA_MODULE_LOADING") == severity::fine);

  auto other = m;
  other.driver_version = 12'020;
  other.gpus[0].mode = compute_mode::exclusive_process;
  const auto bad = env_of({{"CUDA_LAUNCH_BLOCKING", "1"}, {"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "40"}});
  const auto found = takt::cuda::detail::check_driver(other, bad);
  CHECK(level_of(found, "CUDA driver") == severity::warning);
  CHECK(level_of(found, "GPU 0 contexts") == severity::fine);
  CHECK(level_of(found, "CUDA_MODULE_LOADING") == severity::warning);
  CHECK(level_of(found, "CUDA_LAUNCH_BLOCKING") == severity::serious);
  CHECK(level_of(found, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE") == severity::warning);
}

TEST_CASE("an error names the call, the driver's word for it, the device and the context") {
  fake_cuda_driver driver;
  try {
    check(driver, result::out_of_memory, "allocate", {1, context_handle{77}});
    FAIL("no error");
  } catch (const cuda_error& e) {
    CHECK(std::string{e.what()} == "allocate: FAKE_2, device 1, context 77");
    CHECK(e.code() == result::out_of_memory);
    CHECK(e.device() == 1);
  }
  CHECK_NOTHROW(check(driver, result::success, "allocate"));
}
