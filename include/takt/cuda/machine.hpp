// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/stream.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/runtime/machine_finding.hpp>
#include <takt/runtime/machine_state.hpp>

namespace takt::inline TAKT_ABI::cuda {

enum class compute_mode : std::uint8_t { shared = 0, prohibited = 2, exclusive_process = 3 };

/// Says how the driver splits the SMs of a device, as it reports itself.
struct split_facts {
  std::int32_t unit = 0;    ///< SMs of the smallest group
  std::int32_t groups = 0;  ///< how many of these there are
};

struct gpu_facts {
  std::string name;
  std::int32_t compute_major = 0;
  std::int32_t compute_minor = 0;
  std::int32_t sms = 0;
  std::int32_t threads_per_sm = 0;
  std::int32_t copy_engines = 0;  ///< that work at a time; models know two, see `usable_copy_engines`
  compute_mode mode = compute_mode::shared;
  bool stream_mem_ops = false;
  result partitions = result::not_supported;  ///< the driver's answer to the question for groups of SMs
  split_facts coscheduled{};
  split_facts single{};     ///< where the driver need not keep SMs together that large clusters run on
  std::vector<bool> peers;  ///< by device, whether this one can access its memory

  [[nodiscard]] auto wait() const noexcept -> wait_method {
    return detail::wait_method_for(compute_major, compute_minor);
  }
  [[nodiscard]] auto split(bool ignore_coscheduling) const noexcept -> const split_facts& {
    return ignore_coscheduling ? single : coscheduled;
  }
  /// Returns how many engines are used. Of two, one copies to the host; further ones stay unused.
  [[nodiscard]] auto usable_copy_engines() const noexcept -> std::int32_t {
    return std::clamp(copy_engines, 0, max_copy_engines);
  }
};

struct machine_facts {
  std::int32_t driver_version = 0;  ///< 1000 * major + 10 * minor
  std::vector<gpu_facts> gpus;
};

/// Holds the stream priorities of a device.
struct priority_levels {
  std::int32_t count = 1;        ///< different ones
  std::int32_t most_urgent = 0;  ///< the smallest number

  /// Returns the priority of a level; it is 0 for the least urgent one.
  [[nodiscard]] constexpr auto priority_of(std::int32_t level) const noexcept -> std::int32_t {
    return most_urgent + std::max(0, count - 1 - level);
  }
};
/// Error: `cuda_error`.
template <CudaDriver D>
[[nodiscard]] auto query_levels(const context_ref<D>& c) -> priority_levels {
  priority_levels out;
  std::int32_t least = 0;
  c.check(attempt_within(c, [&](D& d) { return d.priority_range(least, out.most_urgent); }), "priority_range");
  out.count = std::max(1, least - out.most_urgent + 1);
  return out;
}

namespace detail {

/// A driver that refuses to round up is asked for what is documented.
template <CudaDriver D>
auto query_split(D& driver, const sm_resource& all, bool ignore_coscheduling, std::int32_t documented, split_facts& out)
    -> result {
  result answer = result::success;
  for (const std::int32_t least : {1, documented}) {
    sm_resource group;
    sm_resource rest;
    std::int32_t made = 0;
    answer = driver.split_sms(all, {least, ignore_coscheduling}, {&group, 1}, made, rest);
    if (answer != result::success || made == 0) { continue; }
    out.unit = group.sms;
    return driver.split_sms(all, {group.sms, ignore_coscheduling}, {}, out.groups, rest);
  }
  return answer;
}

}  // namespace detail

/// Asks the driver, which it initializes, for all of it, and makes no context: devices may belong to other processes
/// alone. Error: `cuda_error`.
template <CudaDriver D>
[[nodiscard]] auto query_machine(D& driver) -> machine_facts {
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
    sm_resource all;
    f.partitions = driver.device_sms(g, all);
    if (f.partitions == result::success) {
      const std::int32_t documented = f.compute_major >= 9 ? 8 : f.compute_major == 8 ? 4 : 2;
      f.partitions = detail::query_split(driver, all, false, documented, f.coscheduled);
      (void)detail::query_split(driver, all, true, documented, f.single);
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

/// Returns values of environment variables. Tests put others in their place.
using environment = std::function<std::optional<std::string>(const char* name)>;

namespace detail {

[[nodiscard]] inline auto process_environment(const char* name) -> std::optional<std::string> {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>{value};
}

}  // namespace detail

/// Says where the findings of `check_cuda_machine` come from.
struct check_sources {
  runtime::machine_sources machine{};
  environment variables = detail::process_environment;
};

namespace detail {

/// Returns what the driver and this process's environment mean for timed runs.
[[nodiscard]] inline auto check_driver(const machine_facts& machine, const environment& env = process_environment)
    -> runtime::machine_findings {
  using runtime::severity;
  runtime::machine_findings out;
  const auto version = [](std::int32_t v) { return std::to_string(v / 1'000) + "." + std::to_string(v % 1'000 / 10); };
  constexpr std::int32_t green_streams = 12'050;
  out.push_back({"CUDA driver", "for CUDA " + version(machine.driver_version),
                 "one for CUDA 12.5 or later, which splits SMs for streams",
                 machine.driver_version >= green_streams ? severity::fine : severity::warning});
  for (std::size_t g = 0; g < machine.gpus.size(); ++g) {
    const gpu_facts& f = machine.gpus[g];
    const bool alone = f.mode == compute_mode::exclusive_process;
    out.push_back({"GPU " + std::to_string(g) + " contexts", alone ? "of one process" : "of any process",
                   "of one process (nvidia-smi -c EXCLUSIVE_PROCESS)", alone ? severity::fine : severity::warning});
  }
  const auto judge = [&](const char* name, const char* recommended, severity when_other, auto is_fine) {
    const auto value = env(name);
    out.push_back({name, value.value_or("not set"), recommended, is_fine(value) ? severity::fine : when_other});
  };
  judge("CUDA_MODULE_LOADING", "EAGER, or code is loaded by the first launch", severity::warning,
        [](const auto& v) { return v == "EAGER"; });
  judge("CUDA_DEVICE_MAX_CONNECTIONS", "32: streams above that number share queues of the hardware, above 8 if not set",
        severity::warning, [](const auto& v) { return v == "32"; });
  judge("CUDA_LAUNCH_BLOCKING", "not set: launches would wait", severity::serious,
        [](const auto& v) { return !v || *v == "0"; });
  judge("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "not set: green contexts may exceed their SMs", severity::warning,
        [](const auto& v) { return !v; });
  return out;
}

}  // namespace detail

/// Does `runtime::check_machine` for the GPUs too, and adds what the driver says.
[[nodiscard]] inline auto check_cuda_machine(const machine_facts& machine, const runtime::machine_sources& from = {},
                                             const environment& env = detail::process_environment)
    -> runtime::machine_findings {
  auto out = runtime::check_machine(runtime::parts_used::cpus_and_gpus, from);
  for (auto& f : detail::check_driver(machine, env)) { out.push_back(std::move(f)); }
  return out;
}

namespace detail {

/// Reads "0,2" as the driver's numbers of GPUs, in this order; none when it is anything else or names one twice.
[[nodiscard]] inline auto parse_gpu_list(std::string_view text) -> std::optional<std::vector<std::int32_t>> {
  std::vector<std::int32_t> out;
  const char* place = text.data();
  const char* const end = place + text.size();
  while (place != end) {
    std::int32_t number = -1;
    const auto parsed = std::from_chars(place, end, number);
    if (parsed.ec != std::errc{} || number < 0) { return std::nullopt; }
    for (const std::int32_t known : out) {
      if (known == number) { return std::nullopt; }
    }
    out.push_back(number);
    place = parsed.ptr;
    if (place == end) { return out; }
    if (*place++ != ',') { return std::nullopt; }
  }
  return std::nullopt;
}

}  // namespace detail

/// Returns the GPUs of this process, as `TAKT_GPUS` names them; empty when it is not set. Error:
/// `std::invalid_argument` when it is set to anything but a list. Source: Elliott 2015, section 5.4.3.
[[nodiscard]] inline auto gpus_from_environment(const environment& variables = detail::process_environment)
    -> std::vector<std::int32_t> {
  const auto text = variables("TAKT_GPUS");
  if (!text) { return {}; }
  auto gpus = detail::parse_gpu_list(*text);
  if (!gpus) {
    throw std::invalid_argument{"takt: TAKT_GPUS is \"" + std::string{*text} +
                                "\"; a list of GPUs such as 0,2, each once, is allowed"};
  }
  return *std::move(gpus);
}

}  // namespace takt::inline TAKT_ABI::cuda
