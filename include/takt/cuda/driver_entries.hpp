// SPDX-License-Identifier: Apache-2.0
#pragma once

#if __has_include(<cuda.h>)

#include <cstdint>
#include <string>

#include <cuda.h>
#include <dlfcn.h>

#if CUDA_VERSION < 12040
#error "takt: the CUDA adapter needs the headers of CUDA 12.4 or later, which know green contexts"
#endif

namespace takt::cuda {

/// The entries of the driver's library, found at run time under the names of the versions that these types belong to.
class driver_entries {
 public:
  driver_entries() { load(); }
  driver_entries(const driver_entries&) = delete;
  auto operator=(const driver_entries&) -> driver_entries& = delete;
  ~driver_entries() {
    if (library_ != nullptr) { dlclose(library_); }
  }

  [[nodiscard]] auto loaded() const noexcept -> bool { return library_ != nullptr; }
  /// A sentence on the entries that are missing; empty when none is.
  [[nodiscard]] auto problem() const -> std::string { return problem_; }

  CUresult (*init)(unsigned) = nullptr;
  CUresult (*driver_version)(int*) = nullptr;
  CUresult (*device_count)(int*) = nullptr;
  CUresult (*device_name)(char*, int, CUdevice) = nullptr;
  CUresult (*attribute)(int*, CUdevice_attribute, CUdevice) = nullptr;
  CUresult (*can_access_peer)(int*, CUdevice, CUdevice) = nullptr;
  CUresult (*priority_range)(int*, int*) = nullptr;
  CUresult (*error_name)(CUresult, const char**) = nullptr;
  CUresult (*pointer_attributes)(unsigned, CUpointer_attribute*, void**, CUdeviceptr) = nullptr;
  CUresult (*set_primary_flags)(CUdevice, unsigned) = nullptr;
  CUresult (*retain_primary)(CUcontext*, CUdevice) = nullptr;
  CUresult (*release_primary)(CUdevice) = nullptr;
  CUresult (*create_context)(CUcontext*, unsigned, CUdevice) = nullptr;
  CUresult (*destroy_context)(CUcontext) = nullptr;
  CUresult (*push_context)(CUcontext) = nullptr;
  CUresult (*pop_context)(CUcontext*) = nullptr;
  CUresult (*enable_peer)(CUcontext, unsigned) = nullptr;
  CUresult (*create_stream)(CUstream*, unsigned, int) = nullptr;
  CUresult (*destroy_stream)(CUstream) = nullptr;
  CUresult (*create_event)(CUevent*, unsigned) = nullptr;
  CUresult (*destroy_event)(CUevent) = nullptr;
  CUresult (*allocate_pinned)(void**, std::size_t, unsigned) = nullptr;
  CUresult (*free_pinned)(void*) = nullptr;
  CUresult (*address_of_pinned)(CUdeviceptr*, void*, unsigned) = nullptr;
  CUresult (*allocate)(CUdeviceptr*, std::size_t) = nullptr;
  CUresult (*free)(CUdeviceptr) = nullptr;
  CUresult (*load_module)(CUmodule*, const void*) = nullptr;
  CUresult (*unload_module)(CUmodule) = nullptr;
  CUresult (*function)(CUfunction*, CUmodule, const char*) = nullptr;
  CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**,
                     void**) = nullptr;
  CUresult (*copy_to_device)(CUdeviceptr, const void*, std::size_t, CUstream) = nullptr;
  CUresult (*copy_to_host)(void*, CUdeviceptr, std::size_t, CUstream) = nullptr;
  CUresult (*copy_peer)(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, std::size_t, CUstream) = nullptr;
  CUresult (*record)(CUevent, CUstream) = nullptr;
  CUresult (*make_wait)(CUstream, CUevent, unsigned) = nullptr;
  CUresult (*elapsed)(float*, CUevent, CUevent) = nullptr;
  CUresult (*wait_for_event)(CUevent) = nullptr;
  CUresult (*wait_for_stream)(CUstream) = nullptr;
  CUresult (*device_resource)(CUdevice, CUdevResource*, CUdevResourceType) = nullptr;
  CUresult (*split)(CUdevResource*, unsigned*, const CUdevResource*, CUdevResource*, unsigned, unsigned) = nullptr;
  CUresult (*describe_resources)(CUdevResourceDesc*, CUdevResource*, unsigned) = nullptr;
  CUresult (*create_green)(CUgreenCtx*, CUdevResourceDesc, CUdevice, unsigned) = nullptr;
  CUresult (*destroy_green)(CUgreenCtx) = nullptr;
  CUresult (*create_green_stream)(CUstream*, CUgreenCtx, unsigned, int) = nullptr;

 private:
  /// The version is that of the toolkit in which the entry appeared, as the driver counts: 1000 major + 10 minor.
  template <class Entry>
  void find(Entry& entry, const char* name, int version) {
    entry = reinterpret_cast<Entry>(dlsym(library_, name));
    if (entry != nullptr) { return; }
    problem_ += (problem_.empty() ? "libcuda.so.1 lacks " : ", ") + std::string{name} + " (needs a driver for CUDA " +
                std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10) + ")";
  }

  void load() {
    library_ = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library_ == nullptr) {
      problem_ = "libcuda.so.1 cannot be loaded; install a driver of NVIDIA for CUDA 11.0 or later";
      return;
    }
    constexpr int base = 11'000;
    constexpr int green = 12'040;
    constexpr int green_streams = 12'050;
    find(init, "cuInit", base);
    find(driver_version, "cuDriverGetVersion", base);
    find(device_count, "cuDeviceGetCount", base);
    find(device_name, "cuDeviceGetName", base);
    find(attribute, "cuDeviceGetAttribute", base);
    find(can_access_peer, "cuDeviceCanAccessPeer", base);
    find(priority_range, "cuCtxGetStreamPriorityRange", base);
    find(error_name, "cuGetErrorName", base);
    find(pointer_attributes, "cuPointerGetAttributes", base);
    find(set_primary_flags, "cuDevicePrimaryCtxSetFlags_v2", base);
    find(retain_primary, "cuDevicePrimaryCtxRetain", base);
    find(release_primary, "cuDevicePrimaryCtxRelease_v2", base);
    find(create_context, "cuCtxCreate_v2", base);
    find(destroy_context, "cuCtxDestroy_v2", base);
    find(push_context, "cuCtxPushCurrent_v2", base);
    find(pop_context, "cuCtxPopCurrent_v2", base);
    find(enable_peer, "cuCtxEnablePeerAccess", base);
    find(create_stream, "cuStreamCreateWithPriority", base);
    find(destroy_stream, "cuStreamDestroy_v2", base);
    find(create_event, "cuEventCreate", base);
    find(destroy_event, "cuEventDestroy_v2", base);
    find(allocate_pinned, "cuMemHostAlloc", base);
    find(free_pinned, "cuMemFreeHost", base);
    find(address_of_pinned, "cuMemHostGetDevicePointer_v2", base);
    find(allocate, "cuMemAlloc_v2", base);
    find(free, "cuMemFree_v2", base);
    find(load_module, "cuModuleLoadData", base);
    find(unload_module, "cuModuleUnload", base);
    find(function, "cuModuleGetFunction", base);
    find(launch, "cuLaunchKernel", base);
    find(copy_to_device, "cuMemcpyHtoDAsync_v2", base);
    find(copy_to_host, "cuMemcpyDtoHAsync_v2", base);
    find(copy_peer, "cuMemcpyPeerAsync", base);
    find(record, "cuEventRecord", base);
    find(make_wait, "cuStreamWaitEvent", base);
    find(elapsed, "cuEventElapsedTime", base);
    find(wait_for_event, "cuEventSynchronize", base);
    find(wait_for_stream, "cuStreamSynchronize", base);
    find(device_resource, "cuDeviceGetDevResource", green);
    find(split, "cuDevSmResourceSplitByCount", green);
    find(describe_resources, "cuDevResourceGenerateDesc", green);
    find(create_green, "cuGreenCtxCreate", green);
    find(destroy_green, "cuGreenCtxDestroy", green);
    find(create_green_stream, "cuGreenCtxStreamCreate", green_streams);
  }

  void* library_ = nullptr;
  std::string problem_;
};

}  // namespace takt::cuda

#endif
