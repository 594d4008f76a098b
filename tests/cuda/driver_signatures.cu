// SPDX-License-Identifier: Apache-2.0
// Passing is building: every entry that is loaded by name has the type that the toolkit gives to this name and version,
// and every number of an error is the driver's.
#include <type_traits>

#include <cuda.h>
#include <cudaTypedefs.h>

#include <takt/cuda/driver.hpp>

namespace {

using e = takt::cuda::driver_entries;
using takt::cuda::result;

template <class Own, class Toolkit>
inline constexpr bool same = std::is_same_v<Own, Toolkit>;

static_assert(same<decltype(e::init), PFN_cuInit_v2000>);
static_assert(same<decltype(e::driver_version), PFN_cuDriverGetVersion_v2020>);
static_assert(same<decltype(e::device_count), PFN_cuDeviceGetCount_v2000>);
static_assert(same<decltype(e::device_name), PFN_cuDeviceGetName_v2000>);
static_assert(same<decltype(e::attribute), PFN_cuDeviceGetAttribute_v2000>);
static_assert(same<decltype(e::can_access_peer), PFN_cuDeviceCanAccessPeer_v4000>);
static_assert(same<decltype(e::priority_range), PFN_cuCtxGetStreamPriorityRange_v5050>);
static_assert(same<decltype(e::error_name), PFN_cuGetErrorName_v6000>);
static_assert(same<decltype(e::pointer_attributes), PFN_cuPointerGetAttributes_v7000>);
static_assert(same<decltype(e::primary_state), PFN_cuDevicePrimaryCtxGetState_v7000>);
static_assert(same<decltype(e::set_primary_flags), PFN_cuDevicePrimaryCtxSetFlags_v11000>);
static_assert(same<decltype(e::retain_primary), PFN_cuDevicePrimaryCtxRetain_v7000>);
static_assert(same<decltype(e::release_primary), PFN_cuDevicePrimaryCtxRelease_v11000>);
static_assert(same<decltype(e::push_context), PFN_cuCtxPushCurrent_v4000>);
static_assert(same<decltype(e::pop_context), PFN_cuCtxPopCurrent_v4000>);
static_assert(same<decltype(e::enable_peer), PFN_cuCtxEnablePeerAccess_v4000>);
static_assert(same<decltype(e::create_stream), PFN_cuStreamCreateWithPriority_v5050>);
static_assert(same<decltype(e::destroy_stream), PFN_cuStreamDestroy_v4000>);
static_assert(same<decltype(e::create_event), PFN_cuEventCreate_v2000>);
static_assert(same<decltype(e::destroy_event), PFN_cuEventDestroy_v4000>);
static_assert(same<decltype(e::allocate_pinned), PFN_cuMemHostAlloc_v2020>);
static_assert(same<decltype(e::free_pinned), PFN_cuMemFreeHost_v2000>);
static_assert(same<decltype(e::address_of_pinned), PFN_cuMemHostGetDevicePointer_v3020>);
static_assert(same<decltype(e::allocate), PFN_cuMemAlloc_v3020>);
static_assert(same<decltype(e::free), PFN_cuMemFree_v3020>);
static_assert(same<decltype(e::load_library), PFN_cuLibraryLoadData_v12000>);
static_assert(same<decltype(e::unload_library), PFN_cuLibraryUnload_v12000>);
static_assert(same<decltype(e::kernel), PFN_cuLibraryGetKernel_v12000>);
static_assert(same<decltype(e::function), PFN_cuKernelGetFunction_v12000>);
static_assert(same<decltype(e::launch), PFN_cuLaunchKernel_v4000>);
static_assert(same<decltype(e::copy_to_device), PFN_cuMemcpyHtoDAsync_v3020>);
static_assert(same<decltype(e::copy_to_host), PFN_cuMemcpyDtoHAsync_v3020>);
static_assert(same<decltype(e::copy_peer), PFN_cuMemcpyPeerAsync_v4000>);
static_assert(same<decltype(e::record), PFN_cuEventRecord_v2000>);
static_assert(same<decltype(e::make_wait), PFN_cuStreamWaitEvent_v3020>);
static_assert(same<decltype(e::elapsed), PFN_cuEventElapsedTime_v2000>);
static_assert(same<decltype(e::wait_for_event), PFN_cuEventSynchronize_v2000>);
static_assert(same<decltype(e::wait_for_stream), PFN_cuStreamSynchronize_v2000>);
static_assert(same<decltype(e::device_resource), PFN_cuDeviceGetDevResource_v12040>);
static_assert(same<decltype(e::split), PFN_cuDevSmResourceSplitByCount_v12040>);
static_assert(same<decltype(e::describe_resources), PFN_cuDevResourceGenerateDesc_v12040>);
static_assert(same<decltype(e::create_green), PFN_cuGreenCtxCreate_v12040>);
static_assert(same<decltype(e::destroy_green), PFN_cuGreenCtxDestroy_v12040>);
static_assert(same<decltype(e::create_green_stream), PFN_cuGreenCtxStreamCreate_v12050>);

constexpr auto is(result own, CUresult toolkit) -> bool { return static_cast<int>(own) == static_cast<int>(toolkit); }

static_assert(is(result::success, CUDA_SUCCESS));
static_assert(is(result::invalid_value, CUDA_ERROR_INVALID_VALUE));
static_assert(is(result::out_of_memory, CUDA_ERROR_OUT_OF_MEMORY));
static_assert(is(result::not_initialized, CUDA_ERROR_NOT_INITIALIZED));
static_assert(is(result::device_unavailable, CUDA_ERROR_DEVICE_UNAVAILABLE));
static_assert(is(result::no_device, CUDA_ERROR_NO_DEVICE));
static_assert(is(result::invalid_device, CUDA_ERROR_INVALID_DEVICE));
static_assert(is(result::invalid_context, CUDA_ERROR_INVALID_CONTEXT));
static_assert(is(result::ecc_uncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE));
static_assert(is(result::peer_access_unsupported, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED));
static_assert(is(result::nvlink_uncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE));
static_assert(is(result::invalid_handle, CUDA_ERROR_INVALID_HANDLE));
static_assert(is(result::not_found, CUDA_ERROR_NOT_FOUND));
static_assert(is(result::not_ready, CUDA_ERROR_NOT_READY));
static_assert(is(result::illegal_address, CUDA_ERROR_ILLEGAL_ADDRESS));
static_assert(is(result::launch_timeout, CUDA_ERROR_LAUNCH_TIMEOUT));
static_assert(is(result::context_is_destroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED));
static_assert(is(result::device_assert, CUDA_ERROR_ASSERT));
static_assert(is(result::hardware_stack_error, CUDA_ERROR_HARDWARE_STACK_ERROR));
static_assert(is(result::illegal_instruction, CUDA_ERROR_ILLEGAL_INSTRUCTION));
static_assert(is(result::misaligned_address, CUDA_ERROR_MISALIGNED_ADDRESS));
static_assert(is(result::invalid_address_space, CUDA_ERROR_INVALID_ADDRESS_SPACE));
static_assert(is(result::invalid_pc, CUDA_ERROR_INVALID_PC));
static_assert(is(result::launch_failed, CUDA_ERROR_LAUNCH_FAILED));
static_assert(is(result::not_supported, CUDA_ERROR_NOT_SUPPORTED));
static_assert(is(result::mps_client_terminated, CUDA_ERROR_MPS_CLIENT_TERMINATED));
static_assert(is(result::external_device, CUDA_ERROR_EXTERNAL_DEVICE));
static_assert(is(result::invalid_resource_configuration, CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION));
static_assert(is(result::unknown, CUDA_ERROR_UNKNOWN));
#if CUDA_VERSION >= 13000
static_assert(is(result::contained, CUDA_ERROR_CONTAINED));
static_assert(is(result::tensor_memory_leak, CUDA_ERROR_TENSOR_MEMORY_LEAK));
#endif

}  // namespace
