// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>

#include <takt/cuda/device_kernel.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/partition.hpp>
#include <takt/cuda/pinning.hpp>
#include <takt/model/platform_record.hpp>

namespace takt::inline TAKT_ABI::cuda {

namespace detail {

/// Bounds the launches after which a job that found no slots in any of them is given up.
inline constexpr std::uint32_t most_pinned_launches = 16;

/// Says how jobs of a pinned kernel are launched.
struct pinned_form {
  sm_slots slots{};                 ///< none: there is nowhere to launch
  std::int32_t grid = 0;            ///< blocks, 0 for as many as the device holds
  std::uint32_t most_launches = 1;  ///< of a job; more than one only where blocks may land on SMs of others

  /// Returns the blocks that find a slot if all goes well.
  [[nodiscard]] constexpr auto places() const noexcept -> std::int32_t {
    return grid > 0 ? std::min(grid, slots.total()) : slots.total();
  }
};

/// Returns the form. In a green context or a caller's stream all blocks are on the SMs of the range: V blocks for each
/// SM and one launch, in which every slot is good. `per_sm`: blocks of the kernel that an SM holds. No slots where the
/// range is not one of the backend's.
[[nodiscard]] constexpr auto form_on(partition_backend backend, const sm_range& range, const gpu_record& gpu,
                                     std::int32_t per_sm) noexcept -> pinned_form {
  const std::int32_t each = std::min(per_sm, gpu.virtual_per_sm);
  const sm_slots everywhere = isolated_slots(0, static_cast<std::int32_t>(max_sms), each);
  switch (backend) {
    case partition_backend::green_contexts:
    case partition_backend::caller_streams:
      if (range.count <= 0 || gpu.shared) { return {}; }
      return {.slots = everywhere, .grid = range.count * gpu.virtual_per_sm};
    case partition_backend::pinned_blocks:
      return {.slots = slots_of(gpu, range), .most_launches = most_pinned_launches};
    case partition_backend::priority_streams: return {.slots = everywhere};
  }
  return {};
}

/// Counts the launches of a pinned job, and says what follows from the end of each.
class pinned_attempts {
 public:
  constexpr pinned_attempts() noexcept = default;
  /// Starts with a job that is begun, or goes on after a yield. Pre: most >= 1.
  constexpr explicit pinned_attempts(std::uint32_t most) noexcept : most_{most} { TAKT_EXPECTS(most >= 1); }

  /// `places`: for blocks of this launch; `left`: chunks before it.
  constexpr void launched(std::int32_t places, std::uint32_t left) noexcept {
    ++launches_;
    expected_ = std::min(static_cast<std::uint32_t>(std::max(places, 0)), left);
  }
  /// Returns what follows from what the last block of the launch has told. Pre: the launch has ended.
  [[nodiscard]] constexpr auto ended(std::uint32_t left, std::uint32_t claimed, bool yield_asked = false) const noexcept
      -> launch_report {
    launch_report out{.launches = launches_, .claimed = claimed, .expected = expected_};
    if (left == 0) { return out; }
    out.next = yield_asked ? launch_next::yielded : launches_ < most_ ? launch_next::again : launch_next::failed;
    out.fault = result::not_ready;
    return out;
  }

 private:
  std::uint32_t most_ = 1;
  std::uint32_t launches_ = 0;
  std::uint32_t expected_ = 0;
};

}  // namespace detail

/// Holds for a kernel of persistent blocks, of which the host launches job after job; see `pinned_kernel`.
///
/// - `begin(count, length)`: the next job; false when it cannot be divided or the last one is not done.
/// - `abandon()`: gives up a job that is not done.
/// - `start(stream, slots, grid)`: puts a launch of the job into the stream and does not wait.
/// - `chunks_left()`, `claimed()`: what the last launch left, and how many blocks came to a slot while there was work.
template <class K>
concept PinnedKernel = requires(K& k, std::int64_t n, stream_handle s, const sm_slots& slots, std::int32_t grid) {
  { k.begin(n, n) } -> std::same_as<bool>;
  k.abandon();
  { k.start(s, slots, grid) } -> std::same_as<result>;
  { k.chunks_left() } -> std::same_as<std::uint32_t>;
  { k.claimed() } -> std::same_as<std::uint32_t>;
  { k.virtual_per_sm() } -> std::same_as<std::int32_t>;
};

/// A pinned kernel as the kernel of a `cuda_device`: each launch is one job over `count` indices. With pinned blocks it
/// stays on the site's range, as `gpu` shares it out; otherwise the driver keeps it there, or nothing does. A job is
/// done when nothing is left of it, before its end is reported. A launch that left something is followed by another one
/// where that can help, or becomes a fault of the device. A job that a failure left is given up when the next one
/// begins. Pre: the kernel outlives the device.
template <CudaDriver D, PinnedKernel K>
[[nodiscard]] auto on_device(K& kernel, std::int64_t count, std::int64_t length, const gpu_record& gpu)
    -> device_kernel<D> {
  struct job {
    detail::pinned_form form{};
    detail::pinned_attempts attempts{};
  };
  const auto own = std::make_shared<job>();
  const auto launch = [&kernel, own](D&, const launch_site& site) {
    own->attempts.launched(own->form.places(), kernel.chunks_left());
    return kernel.start(site.stream, own->form.slots, own->form.grid);
  };
  const auto begin = [&kernel, own, launch, count, length, gpu](D& d, const launch_site& site) {
    own->form = detail::form_on(site.backend, site.range, gpu, kernel.virtual_per_sm());
    own->attempts = detail::pinned_attempts{own->form.most_launches};
    if (kernel.chunks_left() > 0) { kernel.abandon(); }
    return own->form.places() > 0 && kernel.begin(count, length) ? launch(d, site) : result::invalid_value;
  };
  return device_kernel<D>{begin, [&kernel, own] { return own->attempts.ended(kernel.chunks_left(), kernel.claimed()); },
                          launch};
}

}  // namespace takt::inline TAKT_ABI::cuda
