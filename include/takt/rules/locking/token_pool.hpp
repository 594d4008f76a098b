// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/to_index.hpp>
#include <takt/model/gpu_migration.hpp>
#include <takt/rules/locking/protocol.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/locking/token_map.hpp>

namespace takt::inline TAKT_ABI {

enum class token_status : std::uint8_t {
  accepted,
  map_mismatch,    ///< the map is not valid or has another number of tokens than the protocol has replicas
  second_token,    ///< the client holds a token or waits for one
  second_section,  ///< the client's job has had its token section
  not_held,
  not_waiting,
};

/// `granted`: the client that holds a token from now on because of the event, or `no_request`. Anything but `accepted`
/// changed nothing.
struct token_result {
  token_status status = token_status::accepted;
  request_id granted = no_request;

  [[nodiscard]] friend constexpr auto operator==(const token_result&, const token_result&) noexcept -> bool = default;
};

/// The first of two levels of GPU access: a lock over the tokens of a GPU cluster decides which GPU a job works on. A
/// job has at most one token, once.
/// Source: Elliott 2015, sections 3.2.3.1 and 3.2.3.2.
template <LockingProtocol Protocol>
class token_pool {
 public:
  constexpr token_pool(const token_map& map, const Protocol& protocol) noexcept : map_{map}, protocol_{protocol} {}

  [[nodiscard]] static constexpr auto capacity() noexcept -> request_id { return Protocol::capacity(); }
  /// False: every request is refused with `map_mismatch`. Whether there are enough tokens for all engines to be busy is
  /// a question to `map().check(topology)`.
  [[nodiscard]] constexpr auto fits() const noexcept -> bool {
    return map_.valid() && map_.tokens() == protocol_.replicas();
  }

  /// The client has a new job, which may have a token section. Refused while the last job is in its section.
  [[nodiscard]] constexpr auto begin_job(request_id c) noexcept -> token_status {
    if (holds(c) || waits(c)) { return token_status::second_token; }
    had_section_[to_index(c)] = false;
    return token_status::accepted;
  }
  [[nodiscard]] constexpr auto request(request_id c, const lock_request& q) noexcept -> token_result {
    if (!fits()) { return {token_status::map_mismatch, no_request}; }
    if (holds(c) || waits(c)) { return {token_status::second_token, no_request}; }
    if (had_section_[to_index(c)]) { return {token_status::second_section, no_request}; }
    return {token_status::accepted, protocol_.issue(c, q)};
  }
  [[nodiscard]] constexpr auto release(request_id c) noexcept -> token_result {
    if (!holds(c)) { return {token_status::not_held, no_request}; }
    had_section_[to_index(c)] = true;
    return {token_status::accepted, protocol_.release(c)};
  }
  /// The job may ask again.
  [[nodiscard]] constexpr auto withdraw(request_id c) noexcept -> token_result {
    if (!waits(c)) { return {token_status::not_waiting, no_request}; }
    return {token_status::accepted, protocol_.withdraw(c)};
  }
  constexpr void reprioritize(request_id c, const priority_point& p) noexcept {
    if (holds(c) || waits(c)) { protocol_.reprioritize(c, p); }
  }

  /// Returns the GPU of the token that c holds, or `no_gpu`.
  [[nodiscard]] constexpr auto gpu(request_id c) const noexcept -> std::int32_t {
    return holds(c) ? map_.gpu_of(protocol_.replica(c)) : no_gpu;
  }
  [[nodiscard]] constexpr auto holds(request_id c) const noexcept -> bool { return protocol_.holds(c); }
  [[nodiscard]] constexpr auto waits(request_id c) const noexcept -> bool { return protocol_.waits(c); }
  [[nodiscard]] constexpr auto inheritor(request_id c) const noexcept -> request_id { return protocol_.inheritor(c); }
  [[nodiscard]] constexpr auto contended(request_id c) const noexcept -> bool { return protocol_.contended(c); }
  [[nodiscard]] constexpr auto map() const noexcept -> const token_map& { return map_; }
  [[nodiscard]] constexpr auto protocol() const noexcept -> const Protocol& { return protocol_; }
  /// Returns the protocol itself. Advice and donation belong to the protocol.
  [[nodiscard]] constexpr auto protocol() noexcept -> Protocol& { return protocol_; }

  [[nodiscard]] friend constexpr auto operator==(const token_pool&, const token_pool&) noexcept -> bool = default;

 private:
  token_map map_;
  Protocol protocol_;
  std::array<bool, static_cast<std::size_t>(Protocol::capacity())> had_section_{};
};

}  // namespace takt::inline TAKT_ABI
