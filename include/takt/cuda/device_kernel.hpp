// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/partition.hpp>
#include <takt/runtime/inheriting_mutex.hpp>

namespace takt::cuda {

/// What a launched kernel and the host tell each other, in pinned memory.
struct yield_words {
  std::uint32_t yield_asked = 0;  ///< written by the host: stop at the end of the wave
  std::uint32_t claimed = 0;      ///< written by a pinned kernel at its end: blocks that came to a slot of theirs
  std::uint64_t left = 0;         ///< written by the kernel at its end: what has not run, 0 when all has
};

inline constexpr const char* occupy_name = "takt_occupy";

/// One thread that spins for `length` nanoseconds of the device's timer in waves of `wave`, and looks for a request to
/// yield between two waves if it is given control words. It stands for kernels of which only the length is known; it
/// holds a place on an SM, not a whole SM.
inline constexpr const char* occupy_ptx = R"(
.version 7.0
.target sm_52
.address_size 64
.visible .entry takt_occupy(.param .u64 length, .param .u64 wave, .param .u64 control)
{
  .reg .u64 %left, %wave, %control, %start, %now, %piece;
  .reg .u32 %asked;
  .reg .pred %p;
  ld.param.u64 %left, [length];
  ld.param.u64 %wave, [wave];
  ld.param.u64 %control, [control];
  max.u64 %wave, %wave, 1;
next:
  setp.eq.u64 %p, %left, 0;
  @%p bra leave;
  min.u64 %piece, %left, %wave;
  mov.u64 %start, %globaltimer;
spin:
  mov.u64 %now, %globaltimer;
  sub.u64 %now, %now, %start;
  setp.lt.u64 %p, %now, %piece;
  @%p bra spin;
  sub.u64 %left, %left, %piece;
  setp.eq.u64 %p, %control, 0;
  @%p bra next;
  ld.volatile.global.u32 %asked, [%control];
  setp.eq.u32 %p, %asked, 0;
  @%p bra next;
leave:
  setp.eq.u64 %p, %control, 0;
  @%p bra end;
  st.volatile.global.u64 [%control+8], %left;
  membar.sys;
end:
  ret;
}
)";
static_assert(offsetof(yield_words, left) == 8);

/// Launches it. The arguments are copied before the call returns.
template <CudaDriver D>
auto occupy(D& driver, function_handle f, stream_handle s, std::uint64_t length, std::uint64_t wave,
            device_address control = {}) -> result {
  auto address = static_cast<std::uint64_t>(control);
  std::array<void*, 3> arguments{&length, &wave, &address};
  return driver.launch(f, launch_shape{}, s, arguments.data());
}

/// The arguments of a kernel, by value and in order, as the driver wants them.
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

  /// One pointer for each argument; valid as long as the object is not changed.
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

/// What follows when a launch has ended.
enum class launch_next : std::uint8_t {
  done,     ///< nothing is left of the job
  yielded,  ///< it stopped because it was asked to, which only the kernels of an accelerator are
  again,    ///< the next launch may do what is left
  failed,   ///< no launch will do what is left
};

/// What a kernel says when a launch has ended: what follows, and how the job ran beside its plan.
struct launch_report {
  launch_next next = launch_next::done;
  result fault = result::success;  ///< what to report where the job is not done and not gone on with
  std::uint32_t launches = 1;      ///< of the job so far
  std::uint32_t claimed = 0;       ///< blocks that were at work
  std::uint32_t expected = 0;      ///< as many there were to be

  [[nodiscard]] constexpr auto is_overrun() const noexcept -> bool { return launches > 1 || claimed < expected; }
};

/// How jobs ran that were done.
class overrun_record {
 public:
  void note(const launch_report& r) {
    const std::lock_guard lock{mutex_};
    ++jobs_;
    overruns_ += r.is_overrun() ? 1 : 0;
    relaunches_ += r.launches > 1 ? r.launches - 1 : 0;
    const bool is_least = r.claimed < r.expected &&
                          (least_.expected == 0 ||
                           std::uint64_t{r.claimed} * least_.expected < std::uint64_t{least_.claimed} * r.expected);
    if (is_least) { least_ = r; }
  }
  /// A sentence about the jobs of `whom` that took another launch or had fewer blocks at work than planned. None where
  /// there was no such job since the last call.
  [[nodiscard]] auto take(const std::string& whom) -> std::optional<std::string> {
    const std::lock_guard lock{mutex_};
    std::optional<std::string> out;
    if (overruns_ > 0) {
      out = whom + ": " + std::to_string(overruns_) + " of " + std::to_string(jobs_) + " kernels overran";
    }
    if (out && least_.expected > 0) {
      *out +=
          ", blocks at work at the least: " + std::to_string(least_.claimed) + " of " + std::to_string(least_.expected);
    }
    if (out && relaunches_ > 0) { *out += ", further launches: " + std::to_string(relaunches_); }
    jobs_ = overruns_ = relaunches_ = 0;
    least_ = {};
    return out;
  }

 private:
  runtime::inheriting_mutex mutex_;
  std::uint64_t jobs_ = 0;
  std::uint64_t overruns_ = 0;
  std::uint64_t relaunches_ = 0;
  launch_report least_{};
};

/// A kernel of a `cuda_device`: a length of time, a loaded function, or any host code that launches.
template <CudaDriver D>
class device_kernel {
 public:
  /// Puts work into the stream of the site, does not wait and throws nothing; called with the context current.
  using launcher = std::function<result(D&, const launch_site&)>;
  /// Asked by the thread of the stream when a launch has ended, before anybody is told, hence before any copy that
  /// follows. Does not wait and throws nothing.
  using completion = std::function<launch_report()>;

  /// Spins on the device for so long.
  explicit device_kernel(ticks length = 0)
      : launch_{[length](D& d, const launch_site& site) {
          const auto time = static_cast<std::uint64_t>(std::max<ticks>(0, length));
          return occupy(d, site.occupy, site.stream, time, time);
        }} {}
  explicit device_kernel(launcher launch) : launch_{std::move(launch)} {}
  /// One that may have to be launched `again`, as long as `ended` says so, or that can end without having done its job,
  /// which then is a fault of the device.
  device_kernel(launcher launch, completion ended, launcher again)
      : launch_{std::move(launch)}, ended_{std::move(ended)}, again_{std::move(again)} {}
  /// The arguments are the same for every launch.
  device_kernel(function_handle f, const launch_shape& shape, const kernel_arguments& arguments)
      : device_kernel{std::make_shared<const packed>(f, shape, arguments)} {}

  auto enqueue(D& d, const launch_site& site) const -> result { return launch_(d, site); }
  /// Whether it says how its launches end.
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

  launcher launch_;
  completion ended_;
  launcher again_;
};

/// A copy of a `cuda_device`: bytes to move, or a length of time in which nothing is moved and the engine kept.
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

}  // namespace takt::cuda
