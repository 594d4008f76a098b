// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/core/number.hpp>
#include <takt/systems/shares/run/share_page.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Names what client and service of shares say to each other. docs/shares.md has the exchange and the layout.
enum class share_message_kind : std::uint8_t {
  join = 1,       ///< client: registers an application with its parameters
  allocate = 2,   ///< client: a job begins
  finish = 3,     ///< client: the job has ended
  heartbeat = 4,  ///< client: is alive
  leave = 5,      ///< client: unregisters
  welcome = 65,   ///< service: registered; the page of shares comes along
  grant = 66,     ///< service: the job has this share
  deny = 67,      ///< service: refused, and why
  update = 68,    ///< service: the share of the running job has changed
  abort = 69,     ///< service: the job was dropped at its deadline
};

enum class deny_reason : std::uint8_t {
  none,
  malformed,            ///< no message of this protocol
  wrong_version,        ///< a message of another version of it
  not_permitted,        ///< the user may not use the service
  too_many_clients,     ///< no place for another connection
  unknown_application,  ///< not in the service's set
  wrong_parameters,     ///< others than the service's set has
  already_registered,   ///< the application has a client, or the client an application
  not_registered,       ///< join first
  out_of_memory,        ///< fewer memory units are left than the application needs
  job_active,           ///< the application's job before has not finished
  no_such_job,          ///< not the one that is active
  deadline_missed,      ///< dropped at its deadline before it got a share
  silent,               ///< nothing was heard of the client for too long
  overflow,             ///< the client does not read its replies
  closing,              ///< the service ends
};
inline constexpr auto last_deny_reason = deny_reason::closing;

[[nodiscard]] constexpr auto to_string(deny_reason why) noexcept -> std::string_view {
  constexpr std::array<std::string_view, 16> names{"none",
                                                   "malformed",
                                                   "wrong version",
                                                   "not permitted",
                                                   "too many clients",
                                                   "unknown application",
                                                   "wrong parameters",
                                                   "already registered",
                                                   "not registered",
                                                   "out of memory",
                                                   "job active",
                                                   "no such job",
                                                   "deadline missed",
                                                   "silent",
                                                   "overflow",
                                                   "closing"};
  return names[static_cast<std::size_t>(why)];
}

struct share_message {
  share_message_kind kind = share_message_kind::heartbeat;
  deny_reason why = deny_reason::none;
  std::uint16_t application = 0;
  std::uint32_t job = 0;  ///< as the client numbers it
  share_word word{};
  std::uint32_t memory_units = 0;
  std::int32_t priority = 0;
  ticks deadline = 0;
  ticks period = 0;

  [[nodiscard]] friend constexpr auto operator==(const share_message&, const share_message&) noexcept -> bool = default;
};

namespace detail {

[[nodiscard]] constexpr auto is_from_client(share_message_kind kind) noexcept -> bool {
  return kind >= share_message_kind::join && kind <= share_message_kind::leave;
}
[[nodiscard]] constexpr auto is_from_service(share_message_kind kind) noexcept -> bool {
  return kind >= share_message_kind::welcome && kind <= share_message_kind::abort;
}

}  // namespace detail

/// Every message has this length; byte order is little-endian.
inline constexpr std::size_t share_message_bytes = 40;
inline constexpr std::uint8_t share_protocol_version = 1;
using share_message_buffer = std::array<std::uint8_t, share_message_bytes>;

namespace detail {

template <class Integer>
constexpr void store(share_message_buffer& out, std::size_t at, Integer value) noexcept {
  const auto bits = static_cast<std::uint64_t>(value);
  for (std::size_t i = 0; i < sizeof(Integer); ++i) { out[at + i] = static_cast<std::uint8_t>(bits >> (8 * i) & 0xFF); }
}
template <class Integer>
[[nodiscard]] constexpr auto load(std::span<const std::uint8_t> in, std::size_t at) noexcept -> Integer {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) { bits |= std::uint64_t{in[at + i]} << (8 * i); }
  return static_cast<Integer>(bits);
}

}  // namespace detail

[[nodiscard]] constexpr auto encode(const share_message& m) noexcept -> share_message_buffer {
  share_message_buffer out{};
  detail::store(out, 0, share_protocol_version);
  detail::store(out, 1, static_cast<std::uint8_t>(m.kind));
  detail::store(out, 2, m.application);
  detail::store(out, 4, m.job);
  detail::store(out, 8, m.word.bits());
  detail::store(out, 12, m.memory_units);
  detail::store(out, 16, m.priority);
  detail::store(out, 20, static_cast<std::uint8_t>(m.why));
  detail::store(out, 24, m.deadline);
  detail::store(out, 32, m.period);
  return out;
}

/// Returns `none` and the message, or what is wrong with the bytes.
[[nodiscard]] constexpr auto decode(std::span<const std::uint8_t> in, share_message& out) noexcept -> deny_reason {
  if (in.size() != share_message_bytes) { return deny_reason::malformed; }
  if (in[0] != share_protocol_version) { return deny_reason::wrong_version; }
  const auto kind = static_cast<share_message_kind>(in[1]);
  const share_word word{detail::load<std::uint32_t>(in, 8)};
  const bool known = detail::is_from_client(kind) || detail::is_from_service(kind);
  const bool zeros = in[21] == 0 && in[22] == 0 && in[23] == 0;
  if (!known || !zeros || !word.valid() || in[20] > static_cast<std::uint8_t>(last_deny_reason)) {
    return deny_reason::malformed;
  }
  out = {.kind = kind,
         .why = static_cast<deny_reason>(in[20]),
         .application = detail::load<std::uint16_t>(in, 2),
         .job = detail::load<std::uint32_t>(in, 4),
         .word = word,
         .memory_units = detail::load<std::uint32_t>(in, 12),
         .priority = detail::load<std::int32_t>(in, 16),
         .deadline = detail::load<ticks>(in, 24),
         .period = detail::load<ticks>(in, 32)};
  return deny_reason::none;
}

}  // namespace takt::inline TAKT_ABI::runtime
