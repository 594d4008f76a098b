// SPDX-License-Identifier: Apache-2.0
#pragma once

#if __has_include(<cuda.h>)

#include <cstddef>
#include <string>

#include <cuda.h>
#include <dlfcn.h>

#include <takt/core/expects.hpp>

#if CUDA_VERSION < 12040
#error "takt: the CUDA adapter needs the headers of CUDA 12.4 or later, which know green contexts"
#endif

namespace takt::inline TAKT_ABI::cuda {

/// The entries of the driver's library, found at run time under the names of the versions that these types belong to.
class driver_entries {
 private:
  struct symbol {
    void* address = nullptr;

    template <class Entry>
    operator Entry*() const noexcept {  // NOLINT(google-explicit-constructor): an entry of any type
      return reinterpret_cast<Entry*>(address);
    }
  };
  /// Drivers for CUDA 11 have all entries but these. As the driver counts: 1000 major + 10 minor.
  static constexpr int libraries = 12'000;
  static constexpr int green = 12'040;
  static constexpr int green_streams = 12'050;

  /// The library stands before the entries, which are found with it.
  void* library_ = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  std::string problem_ =
      library_ == nullptr ? "libcuda.so.1 cannot be loaded; install a driver of NVIDIA for CUDA 11.0 or later" : "";

  /// The version is that of the toolkit in which the entry appeared.
  auto find(const char* name, int version = 11'000) -> symbol {
    if (library_ == nullptr) { return {}; }
    const symbol out{dlsym(library_, name)};
    if (out.address == nullptr) {
      problem_ += (problem_.empty() ? "libcuda.so.1 lacks " : ", ") + std::string{name} + " (needs a driver for CUDA " +
                  std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10) + ")";
    }
    return out;
  }

 public:
  driver_entries() = default;
  driver_entries(const driver_entries&) = delete;
  auto operator=(const driver_entries&) -> driver_entries& = delete;
  ~driver_entries() {
    if (library_ != nullptr) { dlclose(library_); }
  }

  [[nodiscard]] auto loaded() const noexcept -> bool { return library_ != nullptr; }
  /// Returns a sentence on the entries that are missing; empty when none is.
  [[nodiscard]] auto problem() const -> std::string { return problem_; }

  CUresult (*init)(unsigned) = find("cuInit");
  CUresult (*driver_version)(int*) = find("cuDriverGetVersion");
  CUresult (*device_count)(int*) = find("cuDeviceGetCount");
  CUresult (*device_name)(char*, int, CUdevice) = find("cuDeviceGetName");
  CUresult (*attribute)(int*, CUdevice_attribute, CUdevice) = find("cuDeviceGetAttribute");
  CUresult (*can_access_peer)(int*, CUdevice, CUdevice) = find("cuDeviceCanAccessPeer");
  CUresult (*priority_range)(int*, int*) = find("cuCtxGetStreamPriorityRange");
  CUresult (*error_name)(CUresult, const char**) = find("cuGetErrorName");
  CUresult (*pointer_attributes)(unsigned, CUpointer_attribute*, void**, CUdeviceptr) = find("cuPointerGetAttributes");
  CUresult (*primary_state)(CUdevice, unsigned*, int*) = find("cuDevicePrimaryCtxGetState");
  CUresult (*set_primary_flags)(CUdevice, unsigned) = find("cuDevicePrimaryCtxSetFlags_v2");
  CUresult (*retain_primary)(CUcontext*, CUdevice) = find("cuDevicePrimaryCtxRetain");
  CUresult (*release_primary)(CUdevice) = find("cuDevicePrimaryCtxRelease_v2");
  CUresult (*push_context)(CUcontext) = find("cuCtxPushCurrent_v2");
  CUresult (*pop_context)(CUcontext*) = find("cuCtxPopCurrent_v2");
  CUresult (*enable_peer)(CUcontext, unsigned) = find("cuCtxEnablePeerAccess");
  CUresult (*create_stream)(CUstream*, unsigned, int) = find("cuStreamCreateWithPriority");
  CUresult (*destroy_stream)(CUstream) = find("cuStreamDestroy_v2");
  CUresult (*create_event)(CUevent*, unsigned) = find("cuEventCreate");
  CUresult (*destroy_event)(CUevent) = find("cuEventDestroy_v2");
  CUresult (*allocate_pinned)(void**, std::size_t, unsigned) = find("cuMemHostAlloc");
  CUresult (*free_pinned)(void*) = find("cuMemFreeHost");
  CUresult (*address_of_pinned)(CUdeviceptr*, void*, unsigned) = find("cuMemHostGetDevicePointer_v2");
  CUresult (*allocate)(CUdeviceptr*, std::size_t) = find("cuMemAlloc_v2");
  CUresult (*free)(CUdeviceptr) = find("cuMemFree_v2");
  CUresult (*load_library)(CUlibrary*, const void*, CUjit_option*, void**, unsigned, CUlibraryOption*, void**,
                           unsigned) = find("cuLibraryLoadData", libraries);
  CUresult (*unload_library)(CUlibrary) = find("cuLibraryUnload", libraries);
  CUresult (*kernel)(CUkernel*, CUlibrary, const char*) = find("cuLibraryGetKernel", libraries);
  CUresult (*function)(CUfunction*, CUkernel) = find("cuKernelGetFunction", libraries);
  CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**,
                     void**) = find("cuLaunchKernel");
  CUresult (*copy_to_device)(CUdeviceptr, const void*, std::size_t, CUstream) = find("cuMemcpyHtoDAsync_v2");
  CUresult (*copy_to_host)(void*, CUdeviceptr, std::size_t, CUstream) = find("cuMemcpyDtoHAsync_v2");
  CUresult (*copy_peer)(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, std::size_t,
                        CUstream) = find("cuMemcpyPeerAsync");
  CUresult (*record)(CUevent, CUstream) = find("cuEventRecord");
  CUresult (*make_wait)(CUstream, CUevent, unsigned) = find("cuStreamWaitEvent");
  CUresult (*elapsed)(float*, CUevent, CUevent) = find("cuEventElapsedTime");
  CUresult (*wait_for_event)(CUevent) = find("cuEventSynchronize");
  CUresult (*wait_for_stream)(CUstream) = find("cuStreamSynchronize");
  CUresult (*device_resource)(CUdevice, CUdevResource*, CUdevResourceType) = find("cuDeviceGetDevResource", green);
  CUresult (*split)(CUdevResource*, unsigned*, const CUdevResource*, CUdevResource*, unsigned,
                    unsigned) = find("cuDevSmResourceSplitByCount", green);
  CUresult (*describe_resources)(CUdevResourceDesc*, CUdevResource*, unsigned) = find("cuDevResourceGenerateDesc",
                                                                                      green);
  CUresult (*create_green)(CUgreenCtx*, CUdevResourceDesc, CUdevice, unsigned) = find("cuGreenCtxCreate", green);
  CUresult (*destroy_green)(CUgreenCtx) = find("cuGreenCtxDestroy", green);
  CUresult (*create_green_stream)(CUstream*, CUgreenCtx, unsigned, int) = find("cuGreenCtxStreamCreate", green_streams);
};

}  // namespace takt::inline TAKT_ABI::cuda

#endif
