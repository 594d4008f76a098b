// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include <takt/cuda/context.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/error.hpp>

namespace takt::cuda {

enum class copy_kind : std::uint8_t { to_device, to_host, peer };

/// Bytes to move between two memories. The devices are the driver's numbers, and set for device memory only.
struct copy_request {
  copy_kind kind = copy_kind::to_device;
  std::uint64_t to = 0;
  std::uint64_t from = 0;
  std::size_t bytes = 0;
  std::int32_t to_device = -1;
  std::int32_t from_device = -1;

  /// The part of it from a place on.
  [[nodiscard]] constexpr auto piece(std::size_t first, std::size_t length) const noexcept -> copy_request {
    copy_request out = *this;
    out.to += first;
    out.from += first;
    out.bytes = length;
    return out;
  }
};

/// Memory that a timed copy cannot use.
class unsuitable_memory : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

namespace detail {

/// Of the first byte and the last.
template <CudaDriver D>
[[nodiscard]] auto facts_of(const context_ref<D>& c, std::uint64_t address, std::size_t bytes) -> pointer_facts {
  if (bytes > 1) {
    const pointer_facts last = facts_of(c, address + bytes - 1, 1);
    const pointer_facts first = facts_of(c, address, 1);
    if (first.kind == last.kind && first.device == last.device) { return first; }
    throw unsuitable_memory{"takt: a timed copy that ends in other memory than it begins in; divide it"};
  }
  pointer_facts facts;
  const result r = attempt_within(c, [&](D& d) { return d.describe(address, facts); });
  if (r != result::invalid_value) { c.check(r, "describe"); }
  if (facts.kind == memory_kind::pageable) {
    throw unsuitable_memory{
        "takt: pageable memory of the host in a timed copy, which the driver would stage; use pinned_memory"};
  }
  if (facts.kind == memory_kind::managed) {
    throw unsuitable_memory{
        "takt: managed memory in a timed copy; its pages move when the driver wants; use device_memory"};
  }
  return facts;
}

}  // namespace detail

/// For the copies of a `cuda_device`, which take their addresses as they are. Error: `unsuitable_memory` unless all of
/// it is pinned memory of the host; `cuda_error`.
template <CudaDriver D>
void require_pinned(const context_ref<D>& c, const void* memory, std::size_t bytes) {
  if (detail::facts_of(c, reinterpret_cast<std::uintptr_t>(memory), bytes).kind != memory_kind::pinned) {
    throw unsuitable_memory{"takt: memory of a device where a timed copy needs pinned memory of the host"};
  }
}

/// Tells from the two addresses what kind of copy it is, and with it the engine. Source: Elliott 2015, section 5.4.2.
/// Error: `unsuitable_memory` for pageable and managed memory, which cannot be scheduled, and for two addresses of one
/// memory; `cuda_error`.
template <CudaDriver D>
[[nodiscard]] auto classify_copy(const context_ref<D>& c, std::uint64_t to, std::uint64_t from, std::size_t bytes)
    -> copy_request {
  const pointer_facts target = detail::facts_of(c, to, bytes);
  const pointer_facts source = detail::facts_of(c, from, bytes);
  copy_request out{.to = to, .from = from, .bytes = bytes, .to_device = target.device, .from_device = source.device};
  if (target.kind == memory_kind::device && source.kind == memory_kind::pinned) {
    out.kind = copy_kind::to_device;
  } else if (target.kind == memory_kind::pinned && source.kind == memory_kind::device) {
    out.kind = copy_kind::to_host;
  } else if (target.kind == memory_kind::device && source.kind == memory_kind::device &&
             target.device != source.device) {
    out.kind = copy_kind::peer;
  } else {
    throw unsuitable_memory{"takt: a copy within one memory has no copy engine to itself; use a kernel"};
  }
  return out;
}

}  // namespace takt::cuda
