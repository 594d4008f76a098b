// EXPECT: takt: an argument of a kernel cannot be copied byte by byte; pass a pointer
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <takt/cuda/device_kernel.hpp>

#ifdef TAKT_FIXED
const takt::cuda::kernel_arguments arguments{takt::cuda::device_address{}, 5};
#else
const takt::cuda::kernel_arguments arguments{std::string{"values"}, 5};
#endif
