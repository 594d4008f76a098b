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
#include <type_traits>
#include <vector>

#include <cuda.h>

#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/driver_entries.hpp>

namespace takt::inline TAKT_ABI::cuda {

/// Is the machine's driver, loaded when the object is made; no program needs a link flag for it. Where there is none,
/// or one that lacks an entry, the calls say so (`missing_driver`, `missing_entry`) and `problem()` names entry and
/// version. Not tested against a device here: its calls are thin, everything that decides is above it.
class driver {
 public:
  [[nodiscard]] auto problem() const -> std::string { return entries_.problem(); }

  auto initialize() -> result { return call(entries_.init, 0); }
  auto driver_version(std::int32_t& version) -> result { return call(entries_.driver_version, &version); }
  auto device_count(std::int32_t& count) -> result { return call(entries_.device_count, &count); }
  auto device_name(std::int32_t device, std::string& name) -> result {
    std::string text(256, '\0');
    const result r = call(entries_.device_name, text.data(), text.size(), device);
    name = text.c_str();
    return r;
  }
  auto attribute(device_attribute a, std::int32_t device, std::int32_t& value) -> result {
    return call(entries_.attribute, &value, attribute_of(a), device);
  }
  auto can_access_peer(std::int32_t from, std::int32_t to, bool& can) -> result {
    int answer = 0;
    const result r = call(entries_.can_access_peer, &answer, from, to);
    can = answer != 0;
    return r;
  }
  auto priority_range(std::int32_t& least, std::int32_t& greatest) -> result {
    return call(entries_.priority_range, &least, &greatest);
  }
  auto describe(std::uint64_t address, pointer_facts& out) -> result;
  [[nodiscard]] auto name_of(result r) const -> std::string;

  auto primary_is_active(std::int32_t device, bool& active) -> result {
    unsigned flags = 0;
    int answer = 0;
    const result r = call(entries_.primary_state, device, &flags, &answer);
    active = answer != 0;
    return r;
  }
  auto let_primary_block(std::int32_t device) -> result {
    return call(entries_.set_primary_flags, device, CU_CTX_SCHED_BLOCKING_SYNC);
  }
  auto retain_primary(std::int32_t device, context_handle& out) -> result {
    return make(entries_.retain_primary, out, device);
  }
  auto release_primary(std::int32_t device) -> result { return call(entries_.release_primary, device); }
  auto push_context(context_handle c) -> result { return call(entries_.push_context, c); }
  auto pop_context() -> result {
    CUcontext popped = nullptr;
    return call(entries_.pop_context, &popped);
  }
  auto enable_peer(context_handle c) -> result {
    const result r = call(entries_.enable_peer, c, 0);
    return r == result{CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED} ? result::success : r;
  }

  auto device_sms(std::int32_t device, sm_resource& out) -> result;
  auto split_sms(const sm_resource& all, const sm_split& how, std::span<sm_resource> groups, std::int32_t& count,
                 sm_resource& rest) -> result;
  auto create_green(std::int32_t device, std::span<const sm_resource> chosen, green_handle& out) -> result;
  auto destroy_green(green_handle g) -> result { return call(entries_.destroy_green, g); }
  auto create_green_stream(green_handle g, std::int32_t priority, stream_handle& out) -> result {
    return make(entries_.create_green_stream, out, g, CU_STREAM_NON_BLOCKING, priority);
  }

  auto create_stream(std::int32_t priority, stream_handle& out) -> result {
    return make(entries_.create_stream, out, CU_STREAM_NON_BLOCKING, priority);
  }
  auto destroy_stream(stream_handle s) -> result { return call(entries_.destroy_stream, s); }
  auto create_event(bool timed, event_handle& out) -> result {
    const unsigned flags = CU_EVENT_BLOCKING_SYNC | (timed ? 0U : static_cast<unsigned>(CU_EVENT_DISABLE_TIMING));
    return make(entries_.create_event, out, flags);
  }
  auto destroy_event(event_handle e) -> result { return call(entries_.destroy_event, e); }

  /// Allocates memory usable by every context, and by kernels under `address_of_pinned`.
  auto allocate_pinned(std::size_t bytes, void*& out) -> result {
    return call(entries_.allocate_pinned, &out, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  }
  auto free_pinned(void* memory) -> result { return call(entries_.free_pinned, memory); }
  auto address_of_pinned(void* memory, device_address& out) -> result {
    return make(entries_.address_of_pinned, out, memory, 0);
  }
  auto allocate(std::size_t bytes, device_address& out) -> result { return make(entries_.allocate, out, bytes); }
  auto free(device_address memory) -> result { return call(entries_.free, memory); }
  auto load_library(const void* image, library_handle& out) -> result {
    return make(entries_.load_library, out, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
  }
  auto unload_library(library_handle l) -> result { return call(entries_.unload_library, l); }
  auto kernel(library_handle l, const char* name, function_handle& out) -> result {
    return make(entries_.kernel, out, l, name);
  }
  auto load_kernel(function_handle f) -> result {
    CUfunction loaded = nullptr;
    return call(entries_.function, &loaded, f);
  }

  auto launch(function_handle f, const launch_shape& shape, stream_handle s, void** arguments) -> result {
    return call(entries_.launch, f, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x, shape.block.y,
                shape.block.z, shape.shared_bytes, s, arguments, nullptr);
  }
  auto copy_to_device(device_address to, const void* from, std::size_t bytes, stream_handle s) -> result {
    return call(entries_.copy_to_device, to, from, bytes, s);
  }
  auto copy_to_host(void* to, device_address from, std::size_t bytes, stream_handle s) -> result {
    return call(entries_.copy_to_host, to, from, bytes, s);
  }
  auto copy_peer(device_address to, context_handle to_context, device_address from, context_handle from_context,
                 std::size_t bytes, stream_handle s) -> result {
    return call(entries_.copy_peer, to, to_context, from, from_context, bytes, s);
  }
  auto record(event_handle e, stream_handle s) -> result { return call(entries_.record, e, s); }
  auto make_wait(stream_handle s, event_handle e) -> result { return call(entries_.make_wait, s, e, 0); }
  auto elapsed(event_handle from, event_handle to, float& milliseconds) -> result {
    return call(entries_.elapsed, &milliseconds, from, to);
  }
  auto wait_for_event(event_handle e) -> result { return call(entries_.wait_for_event, e); }
  auto wait_for_stream(stream_handle s) -> result { return call(entries_.wait_for_stream, s); }

 private:
  /// Returns an own value as the driver has it: handles are pointers there.
  template <class To, class From>
  [[nodiscard]] static auto as(From v) noexcept -> To {
    if constexpr (std::is_enum_v<From> && std::is_pointer_v<To>) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): handles are numbers
      return reinterpret_cast<To>(static_cast<std::uintptr_t>(v));
    } else {
      return static_cast<To>(v);
    }
  }
  /// Calls an entry; a missing entry is an answer like any other.
  template <class... Parameters, class... Arguments>
  auto call(CUresult (*entry)(Parameters...), Arguments... arguments) const -> result {
    if (entry == nullptr) { return entries_.loaded() ? result::missing_entry : result::missing_driver; }
    return static_cast<result>(entry(as<Parameters>(arguments)...));
  }
  /// Calls an entry that gives a handle or an address.
  template <class Made, class... Parameters, class Handle, class... Arguments>
  auto make(CUresult (*entry)(Made*, Parameters...), Handle& out, Arguments... arguments) const -> result {
    Made made{};
    const result r = call(entry, &made, arguments...);
    if constexpr (std::is_pointer_v<Made>) {
      out = Handle{reinterpret_cast<std::uintptr_t>(made)};
    } else {
      out = Handle{made};
    }
    return r;
  }
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

/// The remainder of a split that leaves nothing is of no type.
[[nodiscard]] inline auto kept(const CUdevResource& r) noexcept -> sm_resource {
  sm_resource out;
  out.sms = r.type == CU_DEV_RESOURCE_TYPE_SM ? static_cast<std::int32_t>(r.sm.smCount) : 0;
  std::memcpy(out.record.data(), &r, sizeof r);
  return out;
}
[[nodiscard]] inline auto kept(const sm_resource& from) noexcept -> CUdevResource {
  CUdevResource r{};
  std::memcpy(&r, from.record.data(), sizeof r);
  return r;
}

}  // namespace detail

inline auto driver::device_sms(std::int32_t device, sm_resource& out) -> result {
  CUdevResource all{};
  const result r = call(entries_.device_resource, device, &all, CU_DEV_RESOURCE_TYPE_SM);
  if (r == result::success) { out = detail::kept(all); }
  return r;
}

inline auto driver::split_sms(const sm_resource& all, const sm_split& how, std::span<sm_resource> groups,
                              std::int32_t& count, sm_resource& rest) -> result {
  const CUdevResource input = detail::kept(all);
  CUdevResource left{};
  std::vector<CUdevResource> made(groups.size());
  auto number_of_groups = static_cast<unsigned>(groups.size());
  const unsigned flags =
      how.ignore_coscheduling ? static_cast<unsigned>(CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING) : 0U;
  const bool asks = groups.empty();
  const result r = call(entries_.split, asks ? nullptr : made.data(), &number_of_groups, &input, asks ? nullptr : &left,
                        flags, how.unit);
  if (r != result::success) { return r; }
  rest = detail::kept(left);
  count = static_cast<std::int32_t>(number_of_groups);
  for (std::size_t i = 0; i < std::min<std::size_t>(number_of_groups, made.size()); ++i) {
    groups[i] = detail::kept(made[i]);
  }
  return r;
}

inline auto driver::create_green(std::int32_t device, std::span<const sm_resource> chosen, green_handle& out)
    -> result {
  std::vector<CUdevResource> parts;
  parts.reserve(chosen.size());
  for (const sm_resource& c : chosen) { parts.push_back(detail::kept(c)); }
  CUdevResourceDesc description{};
  const result r = call(entries_.describe_resources, &description, parts.data(), parts.size());
  if (r != result::success) { return r; }
  return make(entries_.create_green, out, description, device, CU_GREEN_CTX_DEFAULT_STREAM);
}

inline auto driver::describe(std::uint64_t address, pointer_facts& out) -> result {
  CUmemorytype type{};
  unsigned managed = 0;
  int ordinal = -1;
  std::array asked{CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                   CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  std::array<void*, 3> answers{&type, &managed, &ordinal};
  const result r = call(entries_.pointer_attributes, asked.size(), asked.data(), answers.data(), address);
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

}  // namespace takt::inline TAKT_ABI::cuda

#endif
