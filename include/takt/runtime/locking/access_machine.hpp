// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <system_error>

#include <takt/rules/locking/gpu_access.hpp>
#include <takt/rules/locking/group_request.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::runtime::detail {

/// Two-level access as one lock whose clients ask several times: for their token, later for engines.
template <class Access>
class access_machine : public Access {
 public:
  explicit constexpr access_machine(const Access& access) noexcept : Access{access} {}

  [[nodiscard]] static constexpr auto capacity() noexcept -> request_id {
    return static_cast<request_id>(Access::clients);
  }
  [[nodiscard]] constexpr auto waits(request_id r) const noexcept -> bool {
    return this->tokens().waits(r) || this->engines().waits(r);
  }
  /// Has what it has asked for.
  [[nodiscard]] constexpr auto holds(request_id r) const noexcept -> bool {
    return this->tokens().holds(r) && !this->engines().waits(r);
  }
  [[nodiscard]] constexpr auto heir(request_id r) const noexcept -> request_id {
    return this->tokens().waits(r) ? this->tokens().heir(r) : this->engines().heir(r);
  }

  // Of the engines alone.
  [[nodiscard]] constexpr auto holds(request_id r, lock_id l) const noexcept -> bool {
    return this->engines().holds(r, l);
  }
  [[nodiscard]] constexpr auto wanted(request_id r) const noexcept -> const auto& { return this->engines().wanted(r); }
  [[nodiscard]] constexpr auto contended(request_id r) const noexcept -> bool { return this->engines().contended(r); }
};

/// Error: anything but `accepted`.
inline void require(access_status s) {
  const auto refuse = [](std::errc code, const char* sentence) {
    throw std::system_error{std::make_error_code(code), sentence};
  };
  switch (s) {
    case access_status::accepted: return;
    case access_status::pool_mismatch:
      refuse(std::errc::invalid_argument, "takt: the map of tokens fits neither the protocol nor the topology");
      break;
    case access_status::second_token: refuse(std::errc::operation_not_permitted, "takt: the job has a token"); break;
    case access_status::second_section:
      refuse(std::errc::operation_not_permitted, "takt: the job has had its token section");
      break;
    case access_status::no_token: refuse(std::errc::operation_not_permitted, "takt: the job has no token"); break;
    case access_status::second_engine:
      refuse(std::errc::operation_not_permitted, "takt: the job holds an engine already");
      break;
    case access_status::engine_held:
      refuse(std::errc::device_or_resource_busy, "takt: a token is given back while its job holds an engine");
      break;
    case access_status::no_engine: refuse(std::errc::operation_not_permitted, "takt: the job holds no engine"); break;
    case access_status::unknown_engine: refuse(std::errc::invalid_argument, "takt: the GPU has no such engine"); break;
    case access_status::other_gpu:
      refuse(std::errc::invalid_argument, "takt: the token gives no access to these engines");
      break;
    case access_status::not_waiting: refuse(std::errc::operation_not_permitted, "takt: the job does not wait"); break;
  }
}

}  // namespace takt::runtime::detail
