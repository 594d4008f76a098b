// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <takt/cuda/context.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/error.hpp>
#include <takt/cuda/served_stream.hpp>

namespace takt::cuda {

enum class compute_mode : std::uint8_t { shared = 0, prohibited = 2, exclusive_process = 3 };

struct gpu_facts {
  std::string name;
  std::int32_t compute_major = 0;
  std::int32_t compute_minor = 0;
  std::int32_t sms = 0;
  std::int32_t threads_per_sm = 0;
  std::int32_t copy_engines = 0;
  std::int32_t stream_levels = 1;  ///< different stream priorities; of a used device
  std::int32_t most_urgent = 0;    ///< the smallest stream priority; of a used device
  compute_mode mode = compute_mode::shared;
  bool stream_mem_ops = false;
  result partitions = result::not_supported;  ///< the driver's answer to the question for splittable SMs
  sm_resource splittable{};
  std::vector<bool> peers;  ///< by device, whether this one can access its memory

  [[nodiscard]] auto wait() const noexcept -> wait_method { return wait_method_for(compute_major, compute_minor); }
  /// A stream priority for each of `stream_levels` levels, 0 for the least urgent one.
  [[nodiscard]] auto priority_of_level(std::int32_t level) const noexcept -> std::int32_t {
    return most_urgent + std::max(0, stream_levels - 1 - level);
  }
};

struct machine_facts {
  std::int32_t driver_version = 0;  ///< 1000 * major + 10 * minor
  std::vector<gpu_facts> gpus;
};

/// Asks the driver for all of it; makes a context on each device of `used`, or on all if that is empty, and gives it
/// back. Other devices may belong to other processes alone. Pre: none, it initializes the driver. Error: `cuda_error`.
template <CudaDriver D>
[[nodiscard]] auto query_machine(D& driver, std::span<const std::int32_t> used = {}) -> machine_facts {
  machine_facts out;
  std::int32_t count = 0;
  check(driver, driver.initialize(), "initialize");
  check(driver, driver.driver_version(out.driver_version), "driver_version");
  check(driver, driver.device_count(count), "device_count");
  for (std::int32_t g = 0; g < count; ++g) {
    gpu_facts f;
    const auto ask = [&](device_attribute a, const char* what) {
      std::int32_t value = 0;
      check(driver, driver.attribute(a, g, value), what, {.device = g});
      return value;
    };
    check(driver, driver.device_name(g, f.name), "device_name", {.device = g});
    f.compute_major = ask(device_attribute::compute_major, "attribute compute_major");
    f.compute_minor = ask(device_attribute::compute_minor, "attribute compute_minor");
    f.sms = ask(device_attribute::multiprocessors, "attribute multiprocessors");
    f.threads_per_sm = ask(device_attribute::threads_per_multiprocessor, "attribute threads_per_multiprocessor");
    f.copy_engines = ask(device_attribute::copy_engines, "attribute copy_engines");
    f.mode = static_cast<compute_mode>(ask(device_attribute::compute_mode, "attribute compute_mode"));
    f.stream_mem_ops = ask(device_attribute::stream_mem_ops, "attribute stream_mem_ops") != 0;
    f.partitions = driver.device_sms(g, f.splittable);
    if (f.partitions != result::success) { f.splittable = {}; }
    if (used.empty() || std::ranges::find(used, g) != used.end()) {
      const device_context<D> context{driver, g};
      const current_context<D> within{context.ref()};
      std::int32_t least = 0;
      context.ref().check(driver.priority_range(least, f.most_urgent), "priority_range");
      f.stream_levels = std::max(1, least - f.most_urgent + 1);
    }
    for (std::int32_t other = 0; other < count; ++other) {
      bool reaches = false;
      check(driver, driver.can_access_peer(g, other, reaches), "can_access_peer", {.device = g});
      f.peers.push_back(reaches && other != g);
    }
    out.gpus.push_back(std::move(f));
  }
  return out;
}

}  // namespace takt::cuda
