// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#if defined(__CUDACC__)
#define TAKT_HOST_DEVICE __host__ __device__
#else
#define TAKT_HOST_DEVICE
#endif

/// Five kernels that strain different parts of a GPU, as functions of one element of a vector: the same source is
/// called by host threads and by device threads. Source: Zou et al. 2021, section 4.1.
namespace takt_benchmarks {

inline constexpr std::int64_t vector_length = std::int64_t{1} << 15U;
inline constexpr int operations_per_element = 1'000;

enum class synthetic_kernel : std::uint8_t { compute, branch, memory, special, mixed };

inline constexpr std::array<synthetic_kernel, 5> synthetic_kernels{synthetic_kernel::compute, synthetic_kernel::branch,
                                                                   synthetic_kernel::memory, synthetic_kernel::special,
                                                                   synthetic_kernel::mixed};

constexpr auto name_of(synthetic_kernel k) -> const char* {
  switch (k) {
    case synthetic_kernel::compute: return "compute";
    case synthetic_kernel::branch: return "branch";
    case synthetic_kernel::memory: return "memory";
    case synthetic_kernel::special: return "special";
    case synthetic_kernel::mixed: return "mixed";
  }
  return "";
}

/// One multiplication and one addition per two operations.
TAKT_HOST_DEVICE inline auto compute(float x, int operations) -> float {
  for (int i = 0; i < operations; i += 2) { x = x * 0.999F + 0.001F; }
  return x;
}

/// Which way is taken depends on bits that differ between neighbouring elements.
TAKT_HOST_DEVICE inline auto branch(float x, std::int64_t element, int operations) -> float {
  auto bits = static_cast<std::uint32_t>(element) * 2'654'435'761U;
  for (int i = 0; i < operations; ++i) {
    bits = bits * 1'664'525U + 1'013'904'223U;
    if ((bits & 0x8000'0000U) != 0) {
      x += 0.5F;
    } else if ((bits & 0x4000'0000U) != 0) {
      x *= 0.75F;
    } else {
      x -= 0.25F;
    }
  }
  return x;
}

/// Reads one element after the other, each at a distance that no two neighbours share.
TAKT_HOST_DEVICE inline auto memory(const float* from, std::int64_t element, int operations) -> float {
  float x = 0;
  std::int64_t at = element;
  for (int i = 0; i < operations; ++i) {
    at = (at * 5 + 4'097) % vector_length;
    x += from[at];
  }
  return x;
}

/// Sines and cosines.
TAKT_HOST_DEVICE inline auto special(float x, int operations) -> float {
  for (int i = 0; i < operations; i += 2) { x = sinf(x) + cosf(x); }
  return x;
}

/// The work of one element. Pre: `from` has `vector_length` elements, and `element` is below that.
TAKT_HOST_DEVICE inline auto run_element(synthetic_kernel k, const float* from, std::int64_t element) -> float {
  constexpr int all = operations_per_element;
  constexpr int quarter = operations_per_element / 4;
  const float x = from[element];
  switch (k) {
    case synthetic_kernel::compute: return compute(x, all);
    case synthetic_kernel::branch: return branch(x, element, all);
    case synthetic_kernel::memory: return memory(from, element, all);
    case synthetic_kernel::special: return special(x, all);
    case synthetic_kernel::mixed:
      return special(branch(compute(x, quarter), element, quarter), quarter) + memory(from, element, quarter);
  }
  return x;
}

}  // namespace takt_benchmarks
