// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/shares/event_loop.hpp>
#include <takt/runtime/shares/local_channel.hpp>
#include <takt/runtime/shares/messages.hpp>
#include <takt/runtime/shares/share_connection.hpp>
#include <takt/runtime/shares/share_door.hpp>

namespace takt::runtime {

/// The connections of a service in places of a fixed number, and what its loop waits for on each: tag 2i is the socket
/// of place i, tag 2i + 1 the end of its process.
class share_connections {
 public:
  share_connections(std::size_t places, const event_loop& loop) : places_(places), loop_{&loop} {}

  [[nodiscard]] auto size() const noexcept -> std::size_t { return places_.size(); }
  [[nodiscard]] auto operator[](std::size_t i) noexcept -> share_connection& { return places_[i]; }
  [[nodiscard]] auto operator[](std::size_t i) const noexcept -> const share_connection& { return places_[i]; }
  [[nodiscard]] auto owns(std::uint64_t tag) const noexcept -> bool { return tag < 2 * places_.size(); }

  /// Takes a guest in, or turns it away when all places are taken.
  void adopt(share_door::guest guest) {
    const std::size_t i = free_place();
    if (i == places_.size()) { return share_door::refuse(guest.socket, deny_reason::too_many_clients); }
    places_[i] = share_connection{std::move(guest.socket), guest.process, now()};
    const share_connection& c = places_[i];
    const bool watched =
        loop_->add(c.socket(), 2 * i, EPOLLIN) && (c.process() < 0 || loop_->add(c.process(), 2 * i + 1, EPOLLIN));
    if (!watched) { close(i); }
  }
  void adopt(std::shared_ptr<local_link> link) {
    const std::size_t i = free_place();
    if (i < places_.size()) {
      places_[i] = share_connection{std::move(link), now()};
      return;
    }
    (void)link->reply({.kind = share_message_kind::deny, .why = deny_reason::too_many_clients});
    link->close();
  }

  void reply(std::size_t i, const share_message& m, int file) {
    const bool had_backlog = places_[i].backlog();
    places_[i].reply(m, file);
    if (!had_backlog && places_[i].backlog()) { watch_for_room(i, true); }
  }
  /// Sends what was kept for a client, as far as possible.
  void flush(std::size_t i) {
    if (!places_[i].backlog()) { return; }
    places_[i].flush();
    if (!places_[i].backlog()) { watch_for_room(i, false); }
  }
  void close(std::size_t i) {
    loop_->remove(places_[i].socket());
    loop_->remove(places_[i].process());
    places_[i].close();
  }

 private:
  [[nodiscard]] auto free_place() const noexcept -> std::size_t {
    const auto found = std::ranges::find_if(places_, [](const share_connection& c) { return !c; });
    return static_cast<std::size_t>(found - places_.begin());
  }
  void watch_for_room(std::size_t i, bool wanted) const noexcept {
    const std::uint32_t what = wanted ? EPOLLIN | EPOLLOUT : EPOLLIN;
    if (!places_[i].is_local()) { (void)loop_->change(places_[i].socket(), 2 * i, what); }
  }

  std::vector<share_connection> places_;
  const event_loop* loop_;
};

}  // namespace takt::runtime
