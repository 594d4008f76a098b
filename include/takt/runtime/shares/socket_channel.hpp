// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include <unistd.h>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/shares/descriptor.hpp>
#include <takt/runtime/shares/messages.hpp>
#include <takt/runtime/shares/seqpacket.hpp>
#include <takt/runtime/shares/shared_page.hpp>

namespace takt::runtime {

/// A client's connection to a service, of another process or of its own.
class socket_channel {
 public:
  socket_channel() noexcept = default;
  explicit socket_channel(descriptor socket) noexcept : socket_{std::move(socket)} {}
  /// Without connection when nobody listens there, or when whoever does is neither the own user, nor root, nor one of
  /// `trusted`.
  explicit socket_channel(const std::string& path, std::span<const uid_t> trusted = {})
      : socket_{seqpacket::connect(path)} {
    const auto service = socket_ ? seqpacket::peer_of(socket_) : std::nullopt;
    const bool known = service && (service->user == geteuid() || service->user == 0 ||
                                   std::ranges::find(trusted, service->user) != trusted.end());
    if (!known) { socket_.reset(); }
  }

  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(socket_); }
  /// False when the service is gone, or has not read for a second.
  [[nodiscard]] auto send(const share_message& m) -> bool {
    const share_message_buffer bytes = encode(m);
    const ticks give_up = later(now(), patience);
    while (socket_) {
      switch (seqpacket::send(socket_, bytes)) {
        case transfer::done: return true;
        case transfer::would_block: break;
        case transfer::too_large:
        case transfer::closed: return false;
      }
      if (now() >= give_up) { return false; }
      sleep_until(later(now(), pause));
    }
    return false;
  }
  /// Waits until the instant. A service that talks nonsense counts as gone.
  [[nodiscard]] auto receive(share_message& out, ticks deadline) -> transfer {
    while (socket_) {
      share_message_buffer bytes{};
      std::size_t length = 0;
      descriptor file;
      const transfer got = seqpacket::receive(socket_, bytes, length, &file);
      if (got == transfer::would_block) {
        if (!seqpacket::wait(socket_, deadline)) { return transfer::would_block; }
        continue;
      }
      const bool understood = got == transfer::done &&
                              decode(std::span{bytes}.first(length), out) == deny_reason::none &&
                              is_from_service(out.kind);
      if (!understood) { break; }
      if (file) { page_ = shared_page::map(std::move(file)); }
      return transfer::done;
    }
    socket_.reset();
    return transfer::closed;
  }
  /// Nothing before the welcome.
  [[nodiscard]] auto page() const noexcept -> const share_page* { return page_ ? &page_.page() : nullptr; }

 private:
  static constexpr ticks patience = 1'000'000'000;
  static constexpr ticks pause = 1'000'000;

  descriptor socket_;
  shared_page page_;
};

}  // namespace takt::runtime
