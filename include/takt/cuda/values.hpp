// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace takt::cuda {

/// Answers of the driver, with its own numbers; it may give others than these. What it does not know itself is below 0.
enum class result : std::int32_t {  // NOLINT(performance-enum-size): holds every number of the driver
  missing_entry = -2,               ///< the installed driver is too old for the call
  missing_driver = -1,              ///< there is none to load
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  device_unavailable = 46,
  no_device = 100,
  invalid_device = 101,
  invalid_context = 201,
  ecc_uncorrectable = 214,
  peer_access_unsupported = 217,
  nvlink_uncorrectable = 220,
  contained = 226,
  invalid_handle = 400,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_timeout = 702,
  context_is_destroyed = 709,
  device_assert = 710,
  hardware_stack_error = 714,
  illegal_instruction = 715,
  misaligned_address = 716,
  invalid_address_space = 717,
  invalid_pc = 718,
  launch_failed = 719,
  tensor_memory_leak = 721,
  not_supported = 801,
  mps_client_terminated = 810,
  external_device = 911,
  invalid_resource_configuration = 915,
  unknown = 999,
};

/// Handles of the driver as numbers; 0 is none. A `stream_handle` is the address that a cudaStream_t holds.
enum class context_handle : std::uintptr_t {};
enum class green_handle : std::uintptr_t {};
enum class stream_handle : std::uintptr_t {};
enum class event_handle : std::uintptr_t {};
enum class module_handle : std::uintptr_t {};
enum class function_handle : std::uintptr_t {};
enum class device_address : std::uint64_t {};

[[nodiscard]] constexpr auto offset(device_address a, std::uint64_t bytes) noexcept -> device_address {
  return device_address{static_cast<std::uint64_t>(a) + bytes};
}

enum class device_attribute : std::uint8_t {
  compute_major,
  compute_minor,
  multiprocessors,
  threads_per_multiprocessor,
  copy_engines,
  concurrent_kernels,
  compute_mode,
  unified_addressing,
  stream_priorities,
  stream_mem_ops,
};

struct extent {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  [[nodiscard]] friend constexpr auto operator==(const extent&, const extent&) noexcept -> bool = default;
};

struct launch_shape {
  extent grid{};
  extent block{};
  std::uint32_t shared_bytes = 0;

  [[nodiscard]] constexpr auto blocks() const noexcept -> std::int64_t {
    return std::int64_t{grid.x} * grid.y * grid.z;
  }
};

/// Blocks of so many threads, enough for a thread per element. Pre: threads >= 1.
[[nodiscard]] constexpr auto covering(std::uint32_t elements, std::uint32_t threads) noexcept -> launch_shape {
  return {.grid = {.x = elements / threads + (elements % threads > 0 ? 1U : 0U)}, .block = {.x = threads}};
}

/// Streaming multiprocessors that a split of the device can hand out, together with the driver's own record of them.
struct sm_resource {
  std::int32_t sms = 0;
  std::int32_t least_partition = 0;
  std::int32_t alignment = 0;
  alignas(8) std::array<std::byte, 256> record{};
};

enum class memory_kind : std::uint8_t {
  pageable,  ///< the driver does not know it
  pinned,
  device,
  managed,
};

struct pointer_facts {
  memory_kind kind = memory_kind::pageable;
  std::int32_t device = -1;  ///< of device memory
};

}  // namespace takt::cuda
