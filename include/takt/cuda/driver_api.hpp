// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include <takt/core/expects.hpp>

// As cuda.h and the runtime interface name them, which need not be there.
struct CUctx_st;
struct CUstream_st;
struct CUfunc_st;
struct CUkern_st;

namespace takt::inline TAKT_ABI::cuda {

/// Answers of the driver, with its own numbers; it may give others than these. What it does not know itself is below 0.
enum class result : std::int32_t {  // NOLINT(performance-enum-size): holds every number of the driver
  no_sms_left = -3,                 ///< kernels would run on SMs that belong to others
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
  jit_compiler_not_found = 221,
  unsupported_ptx_version = 222,
  jit_compilation_disabled = 223,
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
enum class library_handle : std::uintptr_t {};
enum class function_handle : std::uintptr_t {};
enum class device_address : std::uint64_t {};

/// Handles of the caller's: CUcontext; CUstream or cudaStream_t; CUfunction, cudaFunction_t, CUkernel or cudaKernel_t.
/// A kernel is launched in streams of any context, a function in those of its own.
[[nodiscard]] inline auto context_of(CUctx_st* c) noexcept -> context_handle {
  return context_handle{reinterpret_cast<std::uintptr_t>(c)};
}
[[nodiscard]] inline auto stream_of(CUstream_st* s) noexcept -> stream_handle {
  return stream_handle{reinterpret_cast<std::uintptr_t>(s)};
}
[[nodiscard]] inline auto function_of(CUfunc_st* f) noexcept -> function_handle {
  return function_handle{reinterpret_cast<std::uintptr_t>(f)};
}
[[nodiscard]] inline auto function_of(CUkern_st* k) noexcept -> function_handle {
  return function_handle{reinterpret_cast<std::uintptr_t>(k)};
}
/// For `<<<>>>`, `::cuda::stream_ref` and what else takes a CUstream or cudaStream_t.
[[nodiscard]] inline auto native(stream_handle s) noexcept -> CUstream_st* {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): handles are numbers
  return reinterpret_cast<CUstream_st*>(static_cast<std::uintptr_t>(s));
}

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

/// Returns blocks of so many threads, enough for a thread per element. Pre: threads >= 1.
[[nodiscard]] constexpr auto covering(std::uint32_t elements, std::uint32_t threads) noexcept -> launch_shape {
  TAKT_EXPECTS(threads >= 1);
  return {.grid = {.x = elements / threads + (elements % threads > 0 ? 1U : 0U)}, .block = {.x = threads}};
}

/// Names streaming multiprocessors of a device or of a part of it, with the driver's own record of them.
struct sm_resource {
  std::int32_t sms = 0;
  alignas(8) std::array<std::byte, 256> record{};
};

struct sm_split {
  std::int32_t unit = 0;             ///< SMs that a group has at least; the driver rounds up
  bool ignore_coscheduling = false;  ///< smaller groups, at the price of large clusters
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

namespace detail {

/// Holds for what the adapter knows of the machine's driver: the calls that initialize and ask.
template <class D>
concept CudaFacts =
    requires(D& d, std::int32_t device, std::int32_t& number, bool& flag, std::string& text, device_attribute a,
             sm_resource& sms, std::uint64_t address, pointer_facts& facts, result r) {
      { d.initialize() } -> std::same_as<result>;
      { d.driver_version(number) } -> std::same_as<result>;
      { d.device_count(number) } -> std::same_as<result>;
      { d.device_name(device, text) } -> std::same_as<result>;
      { d.attribute(a, device, number) } -> std::same_as<result>;
      { d.can_access_peer(device, device, flag) } -> std::same_as<result>;
      { d.priority_range(number, number) } -> std::same_as<result>;
      { d.device_sms(device, sms) } -> std::same_as<result>;
      { d.describe(address, facts) } -> std::same_as<result>;
      { d.name_of(r) } -> std::same_as<std::string>;
    };

/// Holds for contexts, whole and partial, and what is made in the one that is current to the calling thread. A green
/// context is never current: its streams are used from the primary one.
template <class D>
concept CudaResources = requires(
    D& d, std::int32_t device, std::int32_t priority, std::int32_t& count, context_handle c,
    context_handle& new_context, green_handle g, green_handle& new_green, stream_handle s, stream_handle& new_stream,
    event_handle e, event_handle& new_event, const sm_resource& sms, const sm_split& how, sm_resource& rest,
    std::span<sm_resource> groups, std::span<const sm_resource> chosen, std::size_t bytes, void* host, void*& new_host,
    device_address memory, device_address& new_memory, const void* image, library_handle l, library_handle& new_library,
    const char* name, function_handle f, function_handle& found, bool flag, bool& answer) {
  { d.primary_is_active(device, answer) } -> std::same_as<result>;
  { d.let_primary_block(device) } -> std::same_as<result>;
  { d.retain_primary(device, new_context) } -> std::same_as<result>;
  { d.release_primary(device) } -> std::same_as<result>;
  { d.push_context(c) } -> std::same_as<result>;
  { d.pop_context() } -> std::same_as<result>;
  { d.split_sms(sms, how, groups, count, rest) } -> std::same_as<result>;
  { d.create_green(device, chosen, new_green) } -> std::same_as<result>;
  { d.destroy_green(g) } -> std::same_as<result>;
  { d.create_stream(priority, new_stream) } -> std::same_as<result>;
  { d.create_green_stream(g, priority, new_stream) } -> std::same_as<result>;
  { d.destroy_stream(s) } -> std::same_as<result>;
  { d.create_event(flag, new_event) } -> std::same_as<result>;
  { d.destroy_event(e) } -> std::same_as<result>;
  { d.allocate_pinned(bytes, new_host) } -> std::same_as<result>;
  { d.free_pinned(host) } -> std::same_as<result>;
  { d.address_of_pinned(host, new_memory) } -> std::same_as<result>;
  { d.allocate(bytes, new_memory) } -> std::same_as<result>;
  { d.free(memory) } -> std::same_as<result>;
  { d.load_library(image, new_library) } -> std::same_as<result>;
  { d.unload_library(l) } -> std::same_as<result>;
  { d.kernel(l, name, found) } -> std::same_as<result>;
  { d.load_kernel(f) } -> std::same_as<result>;
  { d.enable_peer(c) } -> std::same_as<result>;
};

/// Holds for work in streams. Nothing here waits but the two that say so, and those suspend the calling thread.
template <class D>
concept CudaWork =
    requires(D& d, stream_handle s, event_handle e, float& milliseconds, function_handle f, const launch_shape& shape,
             void** arguments, device_address memory, const void* from, void* to, std::size_t bytes, context_handle c) {
      { d.launch(f, shape, s, arguments) } -> std::same_as<result>;
      { d.copy_to_device(memory, from, bytes, s) } -> std::same_as<result>;
      { d.copy_to_host(to, memory, bytes, s) } -> std::same_as<result>;
      { d.copy_peer(memory, c, memory, c, bytes, s) } -> std::same_as<result>;
      { d.record(e, s) } -> std::same_as<result>;
      { d.make_wait(s, e) } -> std::same_as<result>;
      { d.elapsed(e, e, milliseconds) } -> std::same_as<result>;
      { d.wait_for_event(e) } -> std::same_as<result>;
      { d.wait_for_stream(s) } -> std::same_as<result>;
    };

}  // namespace detail

/// The CUDA driver interface as far as the adapter needs it, in takt's own values. So the same code runs over the
/// machine's driver and over one that tests make up.
///
/// - Every stream is made without relation to the legacy default stream; the smaller its priority, the sooner its work.
/// - Every event is made for blocking waits; `let_primary_block(device)` makes those for streams so, for the process.
/// - `wait_for_event` and `wait_for_stream` return with an error when the device is lost, whatever was recorded.
/// - `split_sms(all, how, groups, count, rest)`: disjoint groups of one size, `count` of them, at most as many as there
///   is room for, and what no group has. Without groups nothing is split, and `count` is how many there could be.
/// - `kernel(library, name, found)`: for streams of all contexts; `load_kernel(found)` loads it in the current one.
/// - `enable_peer(c)`: the current context may read and write memory of c; success also when it already could.
/// - All calls from any thread.
template <class D>
concept CudaDriver = detail::CudaFacts<D> && detail::CudaResources<D> && detail::CudaWork<D>;

/// Holds what failed, and where.
struct failure {
  result code = result::success;
  std::string call;
  std::int32_t device = -1;  ///< -1 where the call names none
  context_handle context{};
  std::string name{};  ///< the driver's word for the code

  [[nodiscard]] explicit operator bool() const noexcept { return code != result::success; }
};

namespace detail {

/// After one of these every further call for the device fails too: only a new process gets a working context.
[[nodiscard]] constexpr auto is_loss(result r) noexcept -> bool {
  switch (r) {
    case result::ecc_uncorrectable:
    case result::nvlink_uncorrectable:
    case result::contained:
    case result::illegal_address:
    case result::launch_timeout:
    case result::context_is_destroyed:
    case result::device_assert:
    case result::hardware_stack_error:
    case result::illegal_instruction:
    case result::misaligned_address:
    case result::invalid_address_space:
    case result::invalid_pc:
    case result::launch_failed:
    case result::tensor_memory_leak:
    case result::mps_client_terminated:
    case result::external_device:
    case result::unknown: return true;
    default: return false;
  }
}

}  // namespace detail

/// Returns the call, the driver's word for what went wrong, the device and the context, as far as they are known.
[[nodiscard]] inline auto sentence(const failure& f) -> std::string {
  std::string out = f.call + ": " + (f.name.empty() ? "error " + std::to_string(static_cast<int>(f.code)) : f.name);
  if (f.device >= 0) { out += ", device " + std::to_string(f.device); }
  if (f.context != context_handle{}) { out += ", context " + std::to_string(static_cast<std::uintptr_t>(f.context)); }
  return out;
}

/// Is thrown for a call of the driver that did not succeed.
class cuda_error : public std::runtime_error {
 public:
  explicit cuda_error(failure what) : std::runtime_error{sentence(what)}, what_{std::move(what)} {}

  [[nodiscard]] auto what_failed() const noexcept -> const failure& { return what_; }
  [[nodiscard]] auto code() const noexcept -> result { return what_.code; }
  [[nodiscard]] auto call() const noexcept -> const std::string& { return what_.call; }
  [[nodiscard]] auto device() const noexcept -> std::int32_t { return what_.device; }
  [[nodiscard]] auto context() const noexcept -> context_handle { return what_.context; }

 private:
  failure what_;
};

/// Returns the driver's word for an answer, and what to do where that is known.
template <class D>
[[nodiscard]] auto word_of(const D& driver, result r) -> std::string {
  switch (r) {
    case result::no_sms_left:
      return "all SMs are in ranges, and a stream without a range only copies; leave some SMs to no range";
    case result::jit_compiler_not_found:
    case result::unsupported_ptx_version:
    case result::jit_compilation_disabled:
      return driver.name_of(r) +
             " (this driver compiles no PTX; hand in a compiled kernel, see occupy.cuh for lengths)";
    default: return driver.name_of(r);
  }
}

/// Says where calls are made, for the message.
struct call_site {
  std::int32_t device = -1;
  context_handle context{};
};

/// Error: `cuda_error` unless the call succeeded.
template <CudaDriver D>
void check(D& driver, result r, const char* call, const call_site& place = {}) {
  if (r == result::success) { return; }
  throw cuda_error{failure{r, call, place.device, place.context, word_of(driver, r)}};
}

}  // namespace takt::inline TAKT_ABI::cuda
