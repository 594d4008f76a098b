// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/error.hpp>

namespace takt::cuda {

/// Names a context without owning it. The driver and the context outlive whatever is made from it.
template <CudaDriver D>
struct context_ref {
  D* driver = nullptr;
  std::int32_t device = -1;
  context_handle handle{};

  /// Error: `cuda_error` with the call, the device and the context.
  void check(result r, const char* call) const { cuda::check(*driver, r, call, {device, handle}); }
};

/// Makes a context current to the calling thread until the end of the scope.
template <CudaDriver D>
class current_context {
 public:
  /// Error: `cuda_error`.
  explicit current_context(const context_ref<D>& c) : driver_{c.driver} {
    c.check(driver_->push_context(c.handle), "push_context");
  }
  current_context(const current_context&) = delete;
  auto operator=(const current_context&) -> current_context& = delete;
  ~current_context() { (void)driver_->pop_context(); }

 private:
  D* driver_;
};

/// Calls `use` in the context; what the driver answers to it, or to the attempt to enter.
template <CudaDriver D, class Use>
auto attempt_within(const context_ref<D>& c, Use use) -> result {
  if (const result r = c.driver->push_context(c.handle); r != result::success) { return r; }
  struct leaving {
    D* driver;
    ~leaving() { (void)driver->pop_context(); }
  };
  const leaving at_the_end{c.driver};
  return use(*c.driver);
}

enum class context_kind : std::uint8_t {
  primary,  ///< the one that the runtime interface uses too
  own,
};

/// A context of one device, with blocking waits.
template <CudaDriver D>
class device_context {
 public:
  /// Pre: the driver is initialized and outlives the context. Error: `cuda_error`.
  device_context(D& driver, std::int32_t device, context_kind kind = context_kind::primary)
      : ref_{&driver, device, {}}, kind_{kind} {
    if (kind == context_kind::primary) {
      ref_.check(driver.retain_primary(device, ref_.handle), "retain_primary");
    } else {
      ref_.check(driver.create_context(device, ref_.handle), "create_context");
    }
  }
  device_context(device_context&& other) noexcept
      : ref_{std::exchange(other.ref_, context_ref<D>{})}, kind_{other.kind_} {}
  device_context(const device_context&) = delete;
  auto operator=(const device_context&) -> device_context& = delete;
  auto operator=(device_context&&) -> device_context& = delete;
  ~device_context() {
    if (ref_.driver == nullptr) { return; }
    (void)(kind_ == context_kind::primary ? ref_.driver->release_primary(ref_.device)
                                          : ref_.driver->destroy_context(ref_.handle));
  }

  [[nodiscard]] auto ref() const noexcept -> const context_ref<D>& { return ref_; }

 private:
  context_ref<D> ref_;
  context_kind kind_;
};

}  // namespace takt::cuda
