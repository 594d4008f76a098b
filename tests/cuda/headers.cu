// SPDX-License-Identifier: Apache-2.0
#include <takt/cuda.hpp>
#include <takt/cuda/measure/block_timer.cuh>
#include <takt/cuda/measure/profile.cuh>
#include <takt/cuda/measure/profile_shares.cuh>
#include <takt/cuda/pinned_kernel.cuh>
#include <takt/cuda/pinned_launch.cuh>
#include <takt/cuda/runtime_memory.cuh>

#include <takt/cuda/measure/copy_times.hpp>
#include <takt/cuda/measure/counters.hpp>
#include <takt/cuda/measure/cupti_counters.hpp>
#include <takt/cuda/pinning.hpp>
#include <takt/model/occupancy.hpp>

#if defined(TAKT_HOST_DEVICE) || defined(TAKT_ANY_MACHINE)
#error "a header leaks a macro"
#endif

namespace {

struct add_one {
  float* to;

  __device__ void operator()(std::int64_t i) const { to[i] += 1; }
};

using takt::cuda::detail::driver_result;
static_assert(driver_result(cudaSuccess) == takt::cuda::result::success);
static_assert(driver_result(cudaErrorIllegalAddress) == takt::cuda::result::illegal_address);
static_assert(driver_result(cudaErrorInvalidConfiguration) == takt::cuda::result::invalid_value);
static_assert(driver_result(cudaErrorInsufficientDriver) == takt::cuda::result::missing_entry);
static_assert(driver_result(cudaErrorInvalidDeviceFunction) == takt::cuda::result::not_found);

using indices = takt::cuda::index_body<add_one>;
using blocks = takt::cuda::logical_block_body<add_one>;

}  // namespace

template class takt::cuda::pinned_kernel<indices>;
template class takt::cuda::pinned_kernel<blocks>;
template class takt::cuda::pinned_kernel<takt::cuda::timed_body<indices>>;

static_assert(takt::cuda::PinningMachine<takt::cuda::detail::device_machine<takt::cuda::elastic_slots>>);
static_assert(takt::cuda::PinningMachine<takt::cuda::detail::device_machine<takt::cuda::yielding_slots>>);

static_assert(takt::cuda::PinnedKernel<takt::cuda::pinned_kernel<indices>>);
static_assert(takt::cuda::PinnedKernel<takt::cuda::pinned_kernel<blocks>>);

template class takt::cuda::pinned_accelerator_work<indices>;

auto as_device_kernel(takt::cuda::pinned_kernel<indices>& kernel) -> takt::cuda::device_kernel<takt::cuda::driver> {
  return takt::cuda::on_device<takt::cuda::driver>(kernel, 1'000, 100, takt::gpu_record{.sms = 4});
}
auto as_accelerator_kernel(std::shared_ptr<takt::cuda::pinned_accelerator_work<indices>> work)
    -> takt::cuda::accelerator_kernel<takt::cuda::driver> {
  return takt::cuda::on_accelerator<takt::cuda::driver>(std::move(work));
}
