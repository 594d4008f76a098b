// SPDX-License-Identifier: Apache-2.0
#pragma once

#if __has_include(<cuda.h>)

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <cuda.h>

#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/driver_entries.hpp>

namespace takt::cuda {

/// The machine's driver, loaded when the object is made; no program needs a link flag for it. Where there is none, or
/// one that lacks an entry, the calls say so (`missing_driver`, `missing_entry`) and `problem()` names entry and
/// version. Not tested against a device here: its calls are thin, everything that decides is above it.
class driver {
 public:
  [[nodiscard]] auto problem() const -> std::string { return entries_.problem(); }

  auto initialize() -> result { return call(entries_.init, 0U); }
  auto driver_version(std::int32_t& version) -> result { return call(entries_.driver_version, &version); }
  auto device_count(std::int32_t& count) -> result { return call(entries_.device_count, &count); }
  auto device_name(std::int32_t device, std::string& name) -> result {
    std::string text(256, '\0');
    const result r = call(entries_.device_name, text.data(), static_cast<int>(text.size()), CUdevice{device});
    name = text.c_str();
    return r;
  }
  auto attribute(device_attribute a, std::int32_t device, std::int32_t& value) -> result {
    return call(entries_.attribute, &value, attribute_of(a), CUdevice{device});
  }
  auto can_access_peer(std::int32_t from, std::int32_t to, bool& can) -> result {
    int answer = 0;
    const result r = call(entries_.can_access_peer, &answer, CUdevice{from}, CUdevice{to});
    can = answer != 0;
    return r;
  }
  auto priority_range(std::int32_t& least, std::int32_t& greatest) -> result {
    return call(entries_.priority_range, &least, &greatest);
  }
  auto describe(std::uint64_t address, pointer_facts& out) -> result;
  [[nodiscard]] auto name_of(result r) const -> std::string;

  auto retain_primary(std::int32_t device, context_handle& out) -> result {
    (void)call(entries_.set_primary_flags, CUdevice{device}, static_cast<unsigned>(CU_CTX_SCHED_BLOCKING_SYNC));
    CUcontext made = nullptr;
    const result r = call(entries_.retain_primary, &made, CUdevice{device});
    out = number<context_handle>(made);
    return r;
  }
  auto release_primary(std::int32_t device) -> result { return call(entries_.release_primary, CUdevice{device}); }
  auto create_context(std::int32_t device, context_handle& out) -> result {
    CUcontext made = nullptr;
    result r =
        call(entries_.create_context, &made, static_cast<unsigned>(CU_CTX_SCHED_BLOCKING_SYNC), CUdevice{device});
    out = number<context_handle>(made);
    return r == result::success ? pop_context() : r;
  }
  auto destroy_context(context_handle c) -> result { return call(entries_.destroy_context, pointer<CUcontext>(c)); }
  auto push_context(context_handle c) -> result { return call(entries_.push_context, pointer<CUcontext>(c)); }
  auto pop_context() -> result {
    CUcontext popped = nullptr;
    return call(entries_.pop_context, &popped);
  }
  auto enable_peer(context_handle c) -> result {
    const result r = call(entries_.enable_peer, pointer<CUcontext>(c), 0U);
    return r == result{CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED} ? result::success : r;
  }

  auto device_sms(std::int32_t device, sm_resource& out) -> result;
  auto split_sms(const sm_resource& all, std::int32_t unit, std::span<sm_resource> groups, std::int32_t& count)
      -> result;
  auto create_green(std::int32_t device, std::span<const sm_resource> chosen, green_handle& out) -> result;
  auto destroy_green(green_handle g) -> result;
  auto create_green_stream(green_handle g, std::int32_t priority, stream_handle& out) -> result;

  auto create_stream(std::int32_t priority, stream_handle& out) -> result {
    CUstream made = nullptr;
    const result r = call(entries_.create_stream, &made, static_cast<unsigned>(CU_STREAM_NON_BLOCKING), priority);
    out = number<stream_handle>(made);
    return r;
  }
  auto destroy_stream(stream_handle s) -> result { return call(entries_.destroy_stream, pointer<CUstream>(s)); }
  auto create_event(bool timed, event_handle& out) -> result {
    CUevent made = nullptr;
    const unsigned flags = CU_EVENT_BLOCKING_SYNC | (timed ? 0U : static_cast<unsigned>(CU_EVENT_DISABLE_TIMING));
    const result r = call(entries_.create_event, &made, flags);
    out = number<event_handle>(made);
    return r;
  }
  auto destroy_event(event_handle e) -> result { return call(entries_.destroy_event, pointer<CUevent>(e)); }

  /// Usable by every context, and by kernels under `address_of_pinned`.
  auto allocate_pinned(std::size_t bytes, void*& out) -> result {
    const unsigned flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
    return call(entries_.allocate_pinned, &out, bytes, flags);
  }
  auto free_pinned(void* memory) -> result { return call(entries_.free_pinned, memory); }
  auto address_of_pinned(void* memory, device_address& out) -> result {
    CUdeviceptr address = 0;
    const result r = call(entries_.address_of_pinned, &address, memory, 0U);
    out = device_address{address};
    return r;
  }
  auto allocate(std::size_t bytes, device_address& out) -> result {
    CUdeviceptr address = 0;
    const result r = call(entries_.allocate, &address, bytes);
    out = device_address{address};
    return r;
  }
  auto free(device_address memory) -> result { return call(entries_.free, address(memory)); }
  auto load_module(const void* image, module_handle& out) -> result {
    CUmodule made = nullptr;
    const result r = call(entries_.load_module, &made, image);
    out = number<module_handle>(made);
    return r;
  }
  auto unload_module(module_handle m) -> result { return call(entries_.unload_module, pointer<CUmodule>(m)); }
  auto function(module_handle m, const char* name, function_handle& out) -> result {
    CUfunction found = nullptr;
    const result r = call(entries_.function, &found, pointer<CUmodule>(m), name);
    out = number<function_handle>(found);
    return r;
  }

  auto launch(function_handle f, const launch_shape& shape, stream_handle s, void** arguments) -> result {
    return call(entries_.launch, pointer<CUfunction>(f), shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x,
                shape.block.y, shape.block.z, shape.shared_bytes, pointer<CUstream>(s), arguments,
                static_cast<void**>(nullptr));
  }
  auto copy_to_device(device_address to, const void* from, std::size_t bytes, stream_handle s) -> result {
    return call(entries_.copy_to_device, address(to), from, bytes, pointer<CUstream>(s));
  }
  auto copy_to_host(void* to, device_address from, std::size_t bytes, stream_handle s) -> result {
    return call(entries_.copy_to_host, to, address(from), bytes, pointer<CUstream>(s));
  }
  auto copy_peer(device_address to, context_handle to_context, device_address from, context_handle from_context,
                 std::size_t bytes, stream_handle s) -> result {
    return call(entries_.copy_peer, address(to), pointer<CUcontext>(to_context), address(from),
                pointer<CUcontext>(from_context), bytes, pointer<CUstream>(s));
  }
  auto record(event_handle e, stream_handle s) -> result {
    return call(entries_.record, pointer<CUevent>(e), pointer<CUstream>(s));
  }
  auto make_wait(stream_handle s, event_handle e) -> result {
    return call(entries_.make_wait, pointer<CUstream>(s), pointer<CUevent>(e), 0U);
  }
  auto elapsed(event_handle from, event_handle to, float& milliseconds) -> result {
    return call(entries_.elapsed, &milliseconds, pointer<CUevent>(from), pointer<CUevent>(to));
  }
  auto wait_for_event(event_handle e) -> result { return call(entries_.wait_for_event, pointer<CUevent>(e)); }
  auto wait_for_stream(stream_handle s) -> result { return call(entries_.wait_for_stream, pointer<CUstream>(s)); }

 private:
  /// A missing entry is an answer like any other.
  template <class... Parameters, class... Arguments>
  auto call(CUresult (*entry)(Parameters...), Arguments... arguments) const -> result {
    if (entry == nullptr) { return entries_.loaded() ? result::missing_entry : result::missing_driver; }
    return static_cast<result>(entry(arguments...));
  }
  template <class Handle, class Pointer>
  [[nodiscard]] static auto number(Pointer* p) noexcept -> Handle {
    return Handle{reinterpret_cast<std::uintptr_t>(p)};
  }
  template <class Pointer, class Handle>
  [[nodiscard]] static auto pointer(Handle h) noexcept -> Pointer {
    return reinterpret_cast<Pointer>(static_cast<std::uintptr_t>(h));
  }
  [[nodiscard]] static auto address(device_address a) noexcept -> CUdeviceptr { return static_cast<CUdeviceptr>(a); }
  [[nodiscard]] static auto attribute_of(device_attribute a) noexcept -> CUdevice_attribute {
    switch (a) {
      case device_attribute::compute_major: return CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
      case device_attribute::compute_minor: return CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR;
      case device_attribute::multiprocessors: return CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
      case device_attribute::threads_per_multiprocessor: return CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR;
      case device_attribute::copy_engines: return CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT;
      case device_attribute::concurrent_kernels: return CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS;
      case device_attribute::compute_mode: return CU_DEVICE_ATTRIBUTE_COMPUTE_MODE;
      case device_attribute::unified_addressing: return CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING;
      case device_attribute::stream_priorities: return CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED;
      case device_attribute::stream_mem_ops: break;
    }
    return CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS;
  }

  driver_entries entries_;
};

namespace detail {

static_assert(sizeof(CUdevResource) <= sizeof(sm_resource::record));

inline void keep(const CUdevResource& r, sm_resource& out) noexcept {
  out.sms = static_cast<std::int32_t>(r.sm.smCount);
#if CUDA_VERSION >= 13000
  out.least_partition = static_cast<std::int32_t>(r.sm.minSmPartitionSize);
  out.alignment = static_cast<std::int32_t>(r.sm.smCoscheduledAlignment);
#endif
  std::memcpy(out.record.data(), &r, sizeof r);
}
[[nodiscard]] inline auto kept(const sm_resource& from) noexcept -> CUdevResource {
  CUdevResource r{};
  std::memcpy(&r, from.record.data(), sizeof r);
  return r;
}

}  // namespace detail

inline auto driver::device_sms(std::int32_t device, sm_resource& out) -> result {
  CUdevResource all{};
  const result r = call(entries_.device_resource, CUdevice{device}, &all, CU_DEV_RESOURCE_TYPE_SM);
  if (r == result::success) { detail::keep(all, out); }
  return r;
}

inline auto driver::split_sms(const sm_resource& all, std::int32_t unit, std::span<sm_resource> groups,
                              std::int32_t& count) -> result {
  const CUdevResource input = detail::kept(all);
  std::vector<CUdevResource> made(groups.size());
  auto number_of_groups = static_cast<unsigned>(groups.size());
  const result r = call(entries_.split, made.data(), &number_of_groups, &input, static_cast<CUdevResource*>(nullptr),
                        0U, static_cast<unsigned>(unit));
  if (r != result::success) { return r; }
  count = static_cast<std::int32_t>(std::min<std::size_t>(number_of_groups, groups.size()));
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) { detail::keep(made[i], groups[i]); }
  return r;
}

inline auto driver::create_green(std::int32_t device, std::span<const sm_resource> chosen, green_handle& out)
    -> result {
  std::vector<CUdevResource> parts;
  parts.reserve(chosen.size());
  for (const sm_resource& c : chosen) { parts.push_back(detail::kept(c)); }
  CUdevResourceDesc description{};
  result r = call(entries_.describe_resources, &description, parts.data(), static_cast<unsigned>(parts.size()));
  if (r != result::success) { return r; }
  CUgreenCtx made = nullptr;
  r = call(entries_.create_green, &made, description, CUdevice{device},
           static_cast<unsigned>(CU_GREEN_CTX_DEFAULT_STREAM));
  out = number<green_handle>(made);
  return r;
}

inline auto driver::destroy_green(green_handle g) -> result {
  return call(entries_.destroy_green, pointer<CUgreenCtx>(g));
}

inline auto driver::create_green_stream(green_handle g, std::int32_t priority, stream_handle& out) -> result {
  CUstream made = nullptr;
  const result r = call(entries_.create_green_stream, &made, pointer<CUgreenCtx>(g),
                        static_cast<unsigned>(CU_STREAM_NON_BLOCKING), static_cast<int>(priority));
  out = number<stream_handle>(made);
  return r;
}

inline auto driver::describe(std::uint64_t address, pointer_facts& out) -> result {
  CUmemorytype type{};
  unsigned managed = 0;
  int ordinal = -1;
  std::array asked{CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                   CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  std::array<void*, 3> answers{&type, &managed, &ordinal};
  const result r = call(entries_.pointer_attributes, static_cast<unsigned>(asked.size()), asked.data(), answers.data(),
                        static_cast<CUdeviceptr>(address));
  if (r != result::success) { return r; }
  out.kind = managed != 0                   ? memory_kind::managed
             : type == CU_MEMORYTYPE_HOST   ? memory_kind::pinned
             : type == CU_MEMORYTYPE_DEVICE ? memory_kind::device
                                            : memory_kind::pageable;
  out.device = out.kind == memory_kind::device ? ordinal : -1;
  return r;
}

inline auto driver::name_of(result r) const -> std::string {
  if (r == result::missing_driver || r == result::missing_entry) { return problem(); }
  const char* name = nullptr;
  const bool known = entries_.error_name != nullptr &&
                     entries_.error_name(static_cast<CUresult>(r), &name) == CUDA_SUCCESS && name != nullptr;
  return known ? name : "CUDA error " + std::to_string(static_cast<std::int32_t>(r));
}

static_assert(CudaDriver<driver>);

}  // namespace takt::cuda

#endif
