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
  std::string name{};  ///< the driver's word for the code

  [[nodiscard]] explicit operator bool() const noexcept { return code != result::success; }
};

/// After one of these every further call for the device fails too: only a new process gets a working context.
[[nodiscard]] constexpr auto is_loss(result r) noexcept -> bool {
  switch (r) {
    case result::ecc_uncorrectable:
    case result::nvlink_uncorrectable:
    case result::contained:
    case result::illegal_address:
    case result::launch_timeout:
    case result::context_is_destroyed:
    case result::device_assert:
    case result::hardware_stack_error:
    case result::illegal_instruction:
    case result::misaligned_address:
    case result::invalid_address_space:
    case result::invalid_pc:
    case result::launch_failed:
    case result::tensor_memory_leak:
    case result::mps_client_terminated:
    case result::external_device:
    case result::unknown: return true;
    default: return false;
  }
}

/// The call, the driver's word for what went wrong, the device and the context, as far as they are known.
[[nodiscard]] inline auto sentence(const failure& f) -> std::string {
  std::string out = f.call + ": " + (f.name.empty() ? "error " + std::to_string(static_cast<int>(f.code)) : f.name);
  if (f.device >= 0) { out += ", device " + std::to_string(f.device); }
  if (f.context != context_handle{}) { out += ", context " + std::to_string(static_cast<std::uintptr_t>(f.context)); }
  return out;
}

/// A call of the driver that did not succeed.
class cuda_error : public std::runtime_error {
 public:
  explicit cuda_error(failure what) : std::runtime_error{sentence(what)}, what_{std::move(what)} {}

  [[nodiscard]] auto what_failed() const noexcept -> const failure& { return what_; }
  [[nodiscard]] auto code() const noexcept -> result { return what_.code; }
  [[nodiscard]] auto call() const noexcept -> const std::string& { return what_.call; }
  [[nodiscard]] auto device() const noexcept -> std::int32_t { return what_.device; }
  [[nodiscard]] auto context() const noexcept -> context_handle { return what_.context; }

 private:
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
  throw cuda_error{failure{r, call, place.device, place.context, driver.name_of(r)}};
}

}  // namespace takt::cuda
