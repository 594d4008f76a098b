// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include <unistd.h>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/descriptor.hpp>
#include <takt/systems/shares/run/messages.hpp>
#include <takt/systems/shares/run/seqpacket.hpp>
#include <takt/systems/shares/run/share_page.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Is a client's connection to a service, of another process or of its own.
class socket_channel {
 public:
  static constexpr ticks usual_patience = 10'000'000'000;

  socket_channel() noexcept = default;
  explicit socket_channel(descriptor socket) noexcept : socket_{std::move(socket)} {}
  /// Connects. There is no connection when no process listens there or has room for it until the instant. Nor is there
  /// one when it is neither of the own user, nor of root, nor of one of `trusted`.
  explicit socket_channel(const std::string& path, std::span<const uid_t> trusted = {},
                          ticks give_up = later(now(), usual_patience))
      : socket_{seqpacket::connect(path, give_up)} {
    const auto service = socket_ ? seqpacket::peer_of(socket_) : std::nullopt;
    const bool known = service && (service->user == geteuid() || service->user == 0 ||
                                   std::ranges::find(trusted, service->user) != trusted.end());
    if (!known) { socket_.reset(); }
  }

  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(socket_); }
  /// Returns false when the service is gone, or has not read for a second.
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
  /// Waits until the instant. A service that sends anything but messages counts as gone.
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
                              detail::is_from_service(out.kind);
      if (!understood) { break; }
      if (file) { page_ = shared_page::map(std::move(file)); }
      return transfer::done;
    }
    socket_.reset();
    return transfer::closed;
  }
  /// Returns null before the first answer of the service.
  [[nodiscard]] auto page() const noexcept -> const share_page* { return page_ ? &page_.page() : nullptr; }

 private:
  static constexpr ticks patience = 1'000'000'000;
  static constexpr ticks pause = 1'000'000;

  descriptor socket_;
  shared_page page_;
};

/// Holds what an application declares; the service compares it with its own table.
struct share_registration {
  std::uint16_t application = 0;
  std::int32_t priority = 0;
  ticks deadline = 0;
  ticks period = 0;
  std::uint32_t memory_units = 0;
};

enum class client_status : std::uint8_t {
  ready,
  denied,     ///< `why()` says for what reason
  timed_out,  ///< no answer until the instant
  gone,       ///< the service has left, or was never there
};

namespace detail {

/// Lets a client go on as if it had had jobs up to this number: so that a test need not have them.
struct job_numbers {
  template <class Client>
  static void skip_to(Client& client, std::uint32_t last) noexcept {
    client.jobs_ = last;
  }
};

}  // namespace detail

/// Is an application as the service knows it, until the end of its scope. One thread at a time may call it; the page
/// may be read by any.
class share_client {
  friend struct detail::job_numbers;

 public:
  class job;
  static constexpr ticks no_limit = std::numeric_limits<ticks>::max();

  /// Waits for the answer until the instant; `status()` says what came of it.
  share_client(socket_channel channel, const share_registration& who,
               ticks give_up = later(now(), socket_channel::usual_patience))
      : channel_{std::move(channel)}, who_{who} {
    const share_message m{.kind = share_message_kind::join,
                          .application = who.application,
                          .memory_units = who.memory_units,
                          .priority = who.priority,
                          .deadline = who.deadline,
                          .period = who.period};
    // A refusal may have come before the question.
    const bool sent = channel_.send(m);
    status_ = await(share_message_kind::welcome, 0, sent ? give_up : 0);
    if (!sent && status_ != client_status::denied) { status_ = client_status::gone; }
    const bool usable = channel_.page() != nullptr && who.application < share_page::capacity;
    if (status_ == client_status::ready && !usable) { status_ = client_status::gone; }
  }
  share_client(const share_client&) = delete;
  auto operator=(const share_client&) -> share_client& = delete;
  ~share_client() {
    if (status_ == client_status::ready) { (void)channel_.send({.kind = share_message_kind::leave}); }
  }

  [[nodiscard]] auto status() const noexcept -> client_status { return status_; }
  [[nodiscard]] auto why() const noexcept -> deny_reason { return why_; }
  [[nodiscard]] explicit operator bool() const noexcept { return status_ == client_status::ready; }
  [[nodiscard]] auto application() const noexcept -> std::uint16_t { return who_.application; }
  /// Pre: registered.
  [[nodiscard]] auto page() const noexcept -> const share_page& {
    TAKT_EXPECTS(channel_.page() != nullptr);
    return *channel_.page();
  }
  /// Returns what it has at this moment. Pre: registered.
  [[nodiscard]] auto share() const noexcept -> share_word {
    TAKT_EXPECTS(channel_.page() != nullptr);
    return page().read(who_.application);
  }

  /// Suspends the calling thread until the job has a share, or was refused, or until the instant, when the request is
  /// withdrawn. Pre: the job before has ended.
  [[nodiscard]] auto begin_job(ticks give_up) -> job;
  /// As long as a service that keeps periods and drops jobs at their deadlines can take, and `usual_patience`.
  [[nodiscard]] auto begin_job() -> job;
  /// Tells the service that the client is there. False once the service is not.
  auto heartbeat() -> bool {
    if (status_ == client_status::ready && !channel_.send({.kind = share_message_kind::heartbeat})) {
      status_ = client_status::gone;
    }
    listen();
    return status_ == client_status::ready;
  }

 private:
  [[nodiscard]] auto await(share_message_kind wanted, std::uint32_t number, ticks give_up) -> client_status {
    share_message m;
    for (;;) {
      switch (channel_.receive(m, give_up)) {
        case transfer::done: break;
        case transfer::would_block: return client_status::timed_out;
        case transfer::too_large:
        case transfer::closed: return client_status::gone;
      }
      const bool concerns = m.job == number || m.job == 0;
      if (m.kind == wanted && m.job == number) { return client_status::ready; }
      if (m.kind == share_message_kind::deny && concerns) {
        why_ = m.why;
        return m.why == deny_reason::closing ? client_status::gone : client_status::denied;
      }
      // Whatever else keeps coming.
      if (now() >= give_up) { return client_status::timed_out; }
    }
  }
  /// Reads what has arrived, without waiting; of a service that never stops, a part.
  void listen() {
    share_message m;
    transfer got = transfer::done;
    for (int n = 0; n < most_at_once && (got = channel_.receive(m, 0)) == transfer::done; ++n) {
      if (m.kind == share_message_kind::abort) { aborted_ = m.job; }
      if (m.kind == share_message_kind::deny && m.job == 0) {
        why_ = m.why;
        status_ = client_status::gone;
      }
    }
    if (got != transfer::would_block && got != transfer::done) { status_ = client_status::gone; }
  }
  auto begin(std::uint32_t number, ticks give_up) -> client_status {
    if (status_ != client_status::ready) { return status_; }
    aborted_ = 0;  // numbers come again
    if (!channel_.send({.kind = share_message_kind::allocate, .application = who_.application, .job = number})) {
      return status_ = client_status::gone;
    }
    const client_status out = await(share_message_kind::grant, number, give_up);
    if (out == client_status::timed_out) { end(number); }
    if (out == client_status::gone) { status_ = out; }
    return out;
  }
  void end(std::uint32_t number) {
    if (status_ != client_status::ready) { return; }
    listen();
    if (aborted_ == number) { return; }
    if (!channel_.send({.kind = share_message_kind::finish, .application = who_.application, .job = number})) {
      status_ = client_status::gone;
    }
  }

  static constexpr int most_at_once = 4096;

  socket_channel channel_;
  share_registration who_;
  client_status status_ = client_status::gone;
  deny_reason why_ = deny_reason::none;
  std::uint32_t jobs_ = 0;
  std::uint32_t aborted_ = 0;
};

/// Is a job from its grant to the end of its scope. Pre: the client outlives it.
class share_client::job {
 public:
  job(share_client& client, std::uint32_t number, client_status status) noexcept
      : client_{&client}, number_{number}, status_{status} {}
  job(const job&) = delete;
  auto operator=(const job&) -> job& = delete;
  job(job&& other) noexcept
      : client_{other.client_}, number_{other.number_}, status_{std::exchange(other.status_, client_status::gone)} {}
  auto operator=(job&&) -> job& = delete;
  ~job() { end(); }

  [[nodiscard]] auto status() const noexcept -> client_status { return status_; }
  [[nodiscard]] explicit operator bool() const noexcept { return status_ == client_status::ready; }
  /// Returns whether the service has dropped it at its deadline meanwhile; its share is gone then.
  [[nodiscard]] auto aborted() -> bool {
    if (*this) { client_->listen(); }
    return client_->aborted_ == number_;
  }
  /// Tells the service, once, that the job has ended.
  void end() {
    if (std::exchange(status_, client_status::gone) == client_status::ready) { client_->end(number_); }
  }

 private:
  share_client* client_;
  std::uint32_t number_;
  client_status status_;
};

inline auto share_client::begin_job() -> job {
  return begin_job(later(now(), later(socket_channel::usual_patience, later(who_.period, who_.deadline))));
}
inline auto share_client::begin_job(ticks give_up) -> job {
  ++jobs_;
  if (jobs_ == 0) { ++jobs_; }
  return {*this, jobs_, begin(jobs_, give_up)};
}

}  // namespace takt::inline TAKT_ABI::runtime
