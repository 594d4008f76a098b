// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/model/platform_record.hpp>
#include <takt/rules/dedicated_sms.hpp>

#if defined(__CUDACC__)
#define TAKT_HOST_DEVICE __host__ __device__
#else
#define TAKT_HOST_DEVICE
#endif

namespace takt::cuda {

/// Physical SMs of the largest GPU that pinning knows, and blocks that one SM holds.
inline constexpr std::uint32_t max_sms = 256;
inline constexpr std::uint32_t max_slots = 32;

/// How many blocks of a task may be at work on each physical SM at a time: its virtual SMs there, 0 for none.
/// Goes to a kernel by value.
struct sm_slots {
  std::uint8_t per_sm[max_sms]{};

  [[nodiscard]] TAKT_HOST_DEVICE constexpr auto at(std::uint32_t sm) const noexcept -> std::uint32_t {
    return sm < max_sms ? per_sm[sm] : 0U;
  }
  [[nodiscard]] TAKT_HOST_DEVICE constexpr auto total() const noexcept -> std::int32_t {
    std::int32_t sum = 0;
    for (const std::uint8_t slots : per_sm) { sum += slots; }
    return sum;
  }
  [[nodiscard]] friend constexpr auto operator==(const sm_slots&, const sm_slots&) noexcept -> bool = default;
};

namespace detail {

[[nodiscard]] constexpr auto are_slots(std::int32_t first, std::int32_t count, std::int32_t per_sm,
                                       std::int64_t units) noexcept -> bool {
  return first >= 0 && count >= 0 && per_sm >= 1 && per_sm <= static_cast<std::int32_t>(max_slots) &&
         std::int64_t{first} + count <= units;
}

}  // namespace detail

/// Whole physical SMs, `per_sm` blocks on each: kernels interleave with themselves alone. No slot at all when an
/// argument is out of range. Source: Zou et al. 2021, section 4.3.
[[nodiscard]] constexpr auto isolated_slots(std::int32_t first_sm, std::int32_t count, std::int32_t per_sm) noexcept
    -> sm_slots {
  sm_slots out;
  if (!detail::are_slots(first_sm, count, per_sm, max_sms)) { return out; }
  for (std::int32_t sm = first_sm; sm < first_sm + count; ++sm) { out.per_sm[sm] = static_cast<std::uint8_t>(per_sm); }
  return out;
}

/// Virtual SMs, of which number v is on physical SM v / per_sm: kernels of other tasks may sit beside. No slot at all
/// when an argument is out of range.
[[nodiscard]] constexpr auto shared_slots(std::int32_t first_virtual, std::int32_t count, std::int32_t per_sm) noexcept
    -> sm_slots {
  sm_slots out;
  if (!detail::are_slots(first_virtual, count, per_sm, std::int64_t{per_sm} * max_sms)) { return out; }
  for (std::int32_t v = first_virtual; v < first_virtual + count; ++v) { ++out.per_sm[v / per_sm]; }
  return out;
}

/// The slots behind a range that a plan dedicates to a task.
[[nodiscard]] constexpr auto slots_of(const gpu_record& gpu, const sm_range& range) noexcept -> sm_slots {
  return gpu.shared ? shared_slots(range.first, range.count, gpu.virtual_per_sm)
                    : isolated_slots(range.first, range.count, gpu.virtual_per_sm);
}

}  // namespace takt::cuda

#undef TAKT_HOST_DEVICE
