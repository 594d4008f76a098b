// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <cuda_runtime.h>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::cuda {

namespace detail {

struct free_device {
  void operator()(void* p) const noexcept { cudaFree(p); }
};
struct free_host {
  void operator()(void* p) const noexcept { cudaFreeHost(p); }
};

}  // namespace detail

/// Elements in the memory of the current device, all bytes 0. Empty where `status` is an error.
template <class T>
  requires std::is_trivially_copyable_v<T>
class device_array {
 public:
  explicit device_array(std::size_t count = 1) : count_{count} {
    void* p = nullptr;
    status_ = count > SIZE_MAX / sizeof(T) ? cudaErrorMemoryAllocation : cudaMalloc(&p, count * sizeof(T));
    if (status_ != cudaSuccess) { return; }
    elements_.reset(static_cast<T*>(p));
    status_ = cudaMemset(p, 0, count * sizeof(T));
    // A memset returns before it is done, and streams of ours do not wait for the default stream.
    if (status_ == cudaSuccess) { status_ = cudaDeviceSynchronize(); }
  }

  [[nodiscard]] auto status() const noexcept -> cudaError_t { return status_; }
  [[nodiscard]] auto size() const noexcept -> std::size_t { return count_; }
  [[nodiscard]] auto bytes() const noexcept -> std::size_t { return count_ * sizeof(T); }
  [[nodiscard]] auto data() const noexcept -> T* { return elements_.get(); }

 private:
  std::size_t count_;
  cudaError_t status_ = cudaSuccess;
  std::unique_ptr<T[], detail::free_device> elements_;
};

/// Elements in pinned memory of the host, value-initialised, that kernels can read and write through `on_device`.
template <class T>
  requires std::is_trivially_copyable_v<T>
class mapped_array {
 public:
  explicit mapped_array(std::size_t count = 1) : count_{count} {
    void* p = nullptr;
    status_ = count > SIZE_MAX / sizeof(T)
                  ? cudaErrorMemoryAllocation
                  : cudaHostAlloc(&p, count * sizeof(T), cudaHostAllocMapped | cudaHostAllocPortable);
    if (status_ != cudaSuccess) { return; }
    elements_.reset(static_cast<T*>(p));
    std::uninitialized_value_construct_n(elements_.get(), count);
    status_ = cudaHostGetDevicePointer(&on_device_, p, 0);
  }

  [[nodiscard]] auto status() const noexcept -> cudaError_t { return status_; }
  [[nodiscard]] auto size() const noexcept -> std::size_t { return count_; }
  [[nodiscard]] auto data() const noexcept -> T* { return elements_.get(); }
  [[nodiscard]] auto operator[](std::size_t i) const noexcept -> T& { return elements_[i]; }
  [[nodiscard]] auto on_device() const noexcept -> T* { return static_cast<T*>(on_device_); }

 private:
  std::size_t count_;
  cudaError_t status_ = cudaSuccess;
  std::unique_ptr<T[], detail::free_host> elements_;
  void* on_device_ = nullptr;
};

/// A stream that never waits for the default stream, at a priority that the device has: 0 is the lowest, higher
/// numbers are more urgent, up to `stream_levels() - 1`.
class own_stream {
 public:
  explicit own_stream(int level = 0) {
    int lowest = 0;
    int highest = 0;
    status_ = cudaDeviceGetStreamPriorityRange(&lowest, &highest);
    if (status_ != cudaSuccess) { return; }
    const int priority = lowest - level < highest ? highest : lowest - level;
    status_ = cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority);
  }
  own_stream(own_stream&& other) noexcept : status_{other.status_}, stream_{std::exchange(other.stream_, nullptr)} {}
  auto operator=(own_stream&& other) noexcept -> own_stream& {
    std::swap(stream_, other.stream_);
    std::swap(status_, other.status_);
    return *this;
  }
  ~own_stream() {
    if (stream_ != nullptr) { cudaStreamDestroy(stream_); }
  }

  [[nodiscard]] auto status() const noexcept -> cudaError_t { return status_; }
  [[nodiscard]] auto get() const noexcept -> cudaStream_t { return stream_; }
  auto wait() const noexcept -> cudaError_t {
    return status_ == cudaSuccess ? cudaStreamSynchronize(stream_) : status_;
  }

 private:
  cudaError_t status_ = cudaSuccess;
  cudaStream_t stream_ = nullptr;
};

/// Stream priorities of the current device; 0 when it cannot be asked.
[[nodiscard]] inline auto stream_levels() -> int {
  int lowest = 0;
  int highest = 0;
  return cudaDeviceGetStreamPriorityRange(&lowest, &highest) == cudaSuccess ? lowest - highest + 1 : 0;
}

}  // namespace takt::inline TAKT_ABI::cuda
