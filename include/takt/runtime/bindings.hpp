// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include <takt/runtime/concepts.hpp>

namespace takt::runtime {

/// The user's own code in place of emulated lengths. A segment is named by its task, in the order in which the tasks
/// were given, and its position in the chain; what is bound to it must be of its kind, and must not throw. A later
/// binding of the same segment replaces the earlier one. Segments without a binding stay emulated.
///
/// A run cannot interrupt bound code: it ends only after the calls in progress have.
template <Device D>
class bindings {
 public:
  /// Called with the number of the job, from 0.
  using cpu_body = std::function<void(std::uint64_t job)>;
  using position = std::pair<std::uint32_t, std::uint32_t>;

  auto cpu(std::uint32_t task, std::uint32_t segment, cpu_body body) -> bindings& {
    cpu_[{task, segment}] = std::move(body);
    return *this;
  }
  auto copy(std::uint32_t task, std::uint32_t segment, typename D::copy body) -> bindings& {
    copies_.insert_or_assign({task, segment}, std::move(body));
    return *this;
  }
  auto kernel(std::uint32_t task, std::uint32_t segment, typename D::kernel body) -> bindings& {
    kernels_.insert_or_assign({task, segment}, std::move(body));
    return *this;
  }

  [[nodiscard]] auto cpus() const noexcept -> const std::map<position, cpu_body>& { return cpu_; }
  [[nodiscard]] auto copies() const noexcept -> const std::map<position, typename D::copy>& { return copies_; }
  [[nodiscard]] auto kernels() const noexcept -> const std::map<position, typename D::kernel>& { return kernels_; }

 private:
  std::map<position, cpu_body> cpu_;
  std::map<position, typename D::copy> copies_;
  std::map<position, typename D::kernel> kernels_;
};

}  // namespace takt::runtime
