// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/launch_report.hpp>
#include <takt/cuda/occupy.hpp>
#include <takt/cuda/partition.hpp>

namespace takt::inline TAKT_ABI::cuda {

/// Holds the arguments of a kernel, by value and in order, as the driver wants them.
class kernel_arguments {
 public:
  kernel_arguments() = default;
  template <class... Values>
  explicit kernel_arguments(const Values&... values) {
    constexpr bool copied_by_bytes = (std::is_trivially_copyable_v<Values> && ...);
    static_assert(copied_by_bytes,
                  "takt: an argument of a kernel cannot be copied byte by byte; pass a pointer to device memory or a "
                  "trivially copyable value. See docs/errors.md#E80");
    (add(&values, sizeof(Values), alignof(Values)), ...);
  }

  /// Returns one pointer for each argument; valid as long as the object is not changed.
  [[nodiscard]] auto pointers() const -> std::vector<void*> {
    std::vector<void*> out;
    out.reserve(places_.size());
    for (const std::size_t p : places_) { out.push_back(const_cast<std::byte*>(bytes_.data()) + p); }
    return out;
  }

 private:
  void add(const void* value, std::size_t size, std::size_t alignment) {
    const std::size_t place = (bytes_.size() + alignment - 1) / alignment * alignment;
    bytes_.resize(place + size);
    std::memcpy(bytes_.data() + place, value, size);
    places_.push_back(place);
  }

  std::vector<std::byte> bytes_;
  std::vector<std::size_t> places_;
};

/// Is a kernel of a `cuda_device`: a length of time, a loaded function, or any host code that launches.
template <CudaDriver D>
class device_kernel {
 public:
  /// Puts work into the stream of the site, does not wait and throws nothing; called with the context current.
  using launcher = std::function<result(D&, const launch_site&)>;
  /// Is asked by the thread of the stream when a launch has ended, before its end is reported, hence before any copy
  /// that follows. It does not wait and throws nothing.
  using completion = std::function<launch_report()>;

  /// Spins on the device for so long.
  explicit device_kernel(ticks length = 0) : length_{std::max<ticks>(0, length)} {}
  explicit device_kernel(launcher launch) : launch_{std::move(launch)} {}
  /// Makes one that may have to be launched `again`, as long as `ended` says so. If it ends without having done its
  /// job, that is a fault of the device.
  device_kernel(launcher launch, completion ended, launcher again)
      : launch_{std::move(launch)}, ended_{std::move(ended)}, again_{std::move(again)} {}
  /// The arguments are the same for every launch.
  device_kernel(function_handle f, const launch_shape& shape, const kernel_arguments& arguments)
      : device_kernel{std::make_shared<const packed>(f, shape, arguments)} {}

  auto enqueue(D& d, const launch_site& site, occupy_kernel<D>& lengths) const -> result {
    const auto time = static_cast<std::uint64_t>(length_);
    return launch_ ? launch_(d, site) : lengths.launch(d, site.stream, time, time);
  }
  /// Returns whether it says how its launches end.
  [[nodiscard]] auto reports() const noexcept -> bool { return static_cast<bool>(ended_); }
  /// Pre, for both: it reports, and a launch has ended.
  [[nodiscard]] auto ended() const -> launch_report { return ended_(); }
  auto enqueue_again(D& d, const launch_site& site) const -> result { return again_(d, site); }

 private:
  struct packed {
    packed(function_handle function, const launch_shape& s, kernel_arguments a)
        : f{function}, shape{s}, arguments{std::move(a)}, pointers{arguments.pointers()} {}

    function_handle f;
    launch_shape shape;
    kernel_arguments arguments;
    mutable std::vector<void*> pointers;  ///< the driver reads them, but asks for an array it could write
  };

  explicit device_kernel(const std::shared_ptr<const packed>& own)
      : launch_{[own](D& d, const launch_site& site) {
          return d.launch(own->f, own->shape, site.stream, own->pointers.data());
        }} {}

  ticks length_ = 0;
  launcher launch_;  ///< empty: a length
  completion ended_;
  launcher again_;
};

/// Is a copy of a `cuda_device`: bytes to move, or a length of time in which nothing is moved and the engine kept.
class device_copy {
 public:
  explicit device_copy(ticks length = 0) noexcept : length_{length} {}

  /// Pre, for both: the memory of the host is pinned; `require_pinned` refuses other memory.
  [[nodiscard]] static auto to_device(device_address to, const void* from, std::size_t bytes) noexcept -> device_copy {
    device_copy out;
    out.what_ = kind::to_device;
    out.device_ = to;
    out.from_ = from;
    out.bytes_ = bytes;
    return out;
  }
  [[nodiscard]] static auto to_host(void* to, device_address from, std::size_t bytes) noexcept -> device_copy {
    device_copy out;
    out.what_ = kind::to_host;
    out.to_ = to;
    out.device_ = from;
    out.bytes_ = bytes;
    return out;
  }

  [[nodiscard]] auto moves() const noexcept -> bool { return what_ != kind::time && bytes_ > 0; }
  [[nodiscard]] auto length() const noexcept -> ticks { return length_; }
  /// Pre: `moves()`.
  template <CudaDriver D>
  auto enqueue(D& d, stream_handle s) const -> result {
    TAKT_EXPECTS(moves());
    return what_ == kind::to_device ? d.copy_to_device(device_, from_, bytes_, s)
                                    : d.copy_to_host(to_, device_, bytes_, s);
  }

 private:
  enum class kind : std::uint8_t { time, to_device, to_host };

  ticks length_ = 0;
  kind what_ = kind::time;
  device_address device_{};
  const void* from_ = nullptr;
  void* to_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace takt::inline TAKT_ABI::cuda
