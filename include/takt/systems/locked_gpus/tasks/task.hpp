// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/exact.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/task_attributes.hpp>
#include <takt/model/task_rows.hpp>

namespace takt::inline TAKT_ABI {

inline constexpr std::int32_t no_cluster = -1;

/// Describes a sporadic task of a platform whose GPUs are locked: a job has at most one token section, in which it uses
/// any GPU of one GPU cluster. Source: Elliott 2015, section 4.3.3.
template <ExactNumber Number, std::size_t MaxKernels = 4>
struct gpusync_task {
  using number = Number;
  static constexpr std::size_t max_kernels = MaxKernels;

  std::string_view name{};
  Number wcet{};  ///< on a CPU, inside and outside of the token section
  Number period{};
  Number deadline{};
  Number cpu_in_gpu_section{};                  ///< the part of `wcet` inside of it
  inline_vector<Number, MaxKernels> kernels{};  ///< worst cases over the GPUs of the cluster, one engine section each
  std::int64_t bytes_in = 0;
  std::int64_t bytes_out = 0;
  std::int64_t bytes_state = 0;  ///< what a job needs of its predecessor when it runs on another GPU
  std::int32_t cpu_cluster = 0;
  std::int32_t gpu_cluster = no_cluster;
  std::int32_t priority = no_priority;
  bool gpu = false;      ///< uses a GPU, even if it has not been placed yet
  std::uint32_t id = 0;  ///< position in the order in which the tasks were given

  [[nodiscard]] constexpr auto uses_gpu() const noexcept -> bool { return gpu || gpu_cluster != no_cluster; }
  /// Pre: the sum fits.
  [[nodiscard]] constexpr auto gpu_time() const -> Number {
    Number sum(0);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const bool fits = add_exactly(sum, kernels[i], sum);
      TAKT_EXPECTS(fits);
    }
    return sum;
  }
};

}  // namespace takt::inline TAKT_ABI
