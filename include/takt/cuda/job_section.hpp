// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/runtime/locking/lock_call.hpp>

namespace takt::cuda {

/// A job that asks for its token with its first GPU call and keeps it until its end, so that jobs without such a call
/// compete for nothing. Source: Elliott 2015, section 5.4.3.
template <class Pool>
class job_section {
 public:
  /// Of the calling thread. Pre: the pool outlives it. Error: as for `Pool::begin_job`.
  explicit job_section(Pool& pool, const runtime::lock_call& call = {}) : job_{pool.begin_job(call)} {}

  /// Waits, suspended, the first time. Error: as for the pool's token.
  [[nodiscard]] auto token() -> typename Pool::token& {
    if (!token_) { token_.emplace(std::move(job_).acquire_token()); }
    return *token_;
  }
  [[nodiscard]] auto has_token() const noexcept -> bool { return token_.has_value(); }

 private:
  typename Pool::job job_;
  std::optional<typename Pool::token> token_;
};

/// "0,2" as the driver's numbers of GPUs, in this order; none when it is anything else or names one twice.
[[nodiscard]] inline auto parse_gpu_list(std::string_view text) -> std::optional<std::vector<std::int32_t>> {
  std::vector<std::int32_t> out;
  const char* place = text.data();
  const char* const end = place + text.size();
  while (place != end) {
    std::int32_t number = -1;
    const auto parsed = std::from_chars(place, end, number);
    if (parsed.ec != std::errc{} || number < 0) { return std::nullopt; }
    for (const std::int32_t known : out) {
      if (known == number) { return std::nullopt; }
    }
    out.push_back(number);
    place = parsed.ptr;
    if (place == end) { return out; }
    if (*place++ != ',') { return std::nullopt; }
  }
  return std::nullopt;
}

/// The GPUs of this process, as `TAKT_GPUS` names them; none when it is not set, or to anything but such a list.
[[nodiscard]] inline auto gpus_from_environment() -> std::optional<std::vector<std::int32_t>> {
  const char* text = std::getenv("TAKT_GPUS");
  return text == nullptr ? std::nullopt : parse_gpu_list(text);
}

}  // namespace takt::cuda
