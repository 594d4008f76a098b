// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <takt/cuda/driver_api.hpp>

namespace takt::cuda {

/// What failed, and where.
struct failure {
  result code = result::success;
  std::string call;
  std::int32_t device = -1;  ///< -1 where the call names none
  context_handle context{};

  [[nodiscard]] explicit operator bool() const noexcept { return code != result::success; }
};

/// After one of these every further call for the device fails too: only a new process gets a working context.
[[nodiscard]] constexpr auto is_loss(result r) noexcept -> bool {
  switch (r) {
    case result::device_unavailable:
    case result::ecc_uncorrectable:
    case result::illegal_address:
    case result::context_is_destroyed:
    case result::launch_failed:
    case result::unknown: return true;
    default: return false;
  }
}

/// A call of the driver that did not succeed.
class cuda_error : public std::runtime_error {
 public:
  cuda_error(failure what, const std::string& name)
      : std::runtime_error{sentence(what, name)}, what_{std::move(what)} {}

  [[nodiscard]] auto code() const noexcept -> result { return what_.code; }
  [[nodiscard]] auto call() const noexcept -> const std::string& { return what_.call; }
  [[nodiscard]] auto device() const noexcept -> std::int32_t { return what_.device; }
  [[nodiscard]] auto context() const noexcept -> context_handle { return what_.context; }

 private:
  [[nodiscard]] static auto sentence(const failure& f, const std::string& name) -> std::string {
    std::string out = f.call + ": " + name;
    if (f.device >= 0) { out += ", device " + std::to_string(f.device); }
    if (f.context != context_handle{}) { out += ", context " + std::to_string(static_cast<std::uintptr_t>(f.context)); }
    return out;
  }

  failure what_;
};

/// Where calls are made, for the message.
struct call_place {
  std::int32_t device = -1;
  context_handle context{};
};

/// Error: `cuda_error` unless the call succeeded.
template <CudaDriver D>
void check(D& driver, result r, const char* call, const call_place& place = {}) {
  if (r == result::success) { return; }
  throw cuda_error{failure{r, call, place.device, place.context}, driver.name_of(r)};
}

}  // namespace takt::cuda
