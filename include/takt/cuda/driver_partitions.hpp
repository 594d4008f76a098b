// SPDX-License-Identifier: Apache-2.0
#pragma once

#if __has_include(<cuda.h>)

#include <cstring>

#include <takt/cuda/driver.hpp>

namespace takt::cuda {

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
