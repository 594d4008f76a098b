// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>
#include <unistd.h>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/thread.hpp>
#include <takt/systems/shares/run/event_loop.hpp>
#include <takt/systems/shares/run/messages.hpp>
#include <takt/systems/shares/run/seqpacket.hpp>
#include <takt/systems/shares/run/share_client.hpp>
#include <takt/systems/shares/run/share_connections.hpp>
#include <takt/systems/shares/run/share_manager.hpp>
#include <takt/systems/shares/run/share_page.hpp>

namespace takt::inline TAKT_ABI::runtime {

struct share_service_options {
  std::string path;                  ///< of the socket; empty: clients of the own process alone
  std::vector<uid_t> users;          ///< who may connect besides the own user
  std::size_t connections = 64;      ///< at most, and at most `share_manager::max_clients`
  ticks join_limit = 5'000'000'000;  ///< a connection has so long to register, whatever it sends meanwhile
  ticks silence_limit = 0;           ///< a client of which nothing is heard for so long is dropped; 0: never
  share_manager_options manager{};
};

enum class service_status : std::uint8_t {
  ready,
  wrong_model,   ///< the scheduler refuses its table, or there are more applications than a page has cells
  no_resources,  ///< no memory, thread or file was to be had
  no_socket,     ///< errno says why
};

/// Serves the GPU's shares to clients of this and of other processes, on a thread that owns everything. It takes all
/// that has arrived, a few messages of each client at most, and then lets the scheduler operate once. It waits for no
/// client.
///
/// Other processes are accepted by their user as the system states it, get replies of fixed size and the page of shares
/// to read. They are dropped when they send anything else than messages, do not read, or end.
template <class Scheduler>
class share_service {
 public:
  using manager_type = share_manager<Scheduler>;

  /// Pre: what table and scheduler point to outlives the service.
  template <class Table>
  share_service(const Table& table, const Scheduler& scheduler, share_service_options options)
      : options_{std::move(options)},
        page_{shared_page::create()},
        connections_{std::min(options_.connections, manager_type::max_clients), loop_} {
    if (scheduler.error() || table.size() > share_page::capacity) {
      status_ = service_status::wrong_model;
    } else if (!page_ || !loop_) {
      status_ = service_status::no_resources;
    } else if (!options_.path.empty() && !listener_.open(options_.path, options_.users, loop_, listener_tag)) {
      status_ = service_status::no_socket;
    } else {
      manager_ = std::make_unique<manager_type>(table, scheduler, page_.page(), options_.manager);
      thread_ = thread{[this] { serve(); }};
      if (!thread_.started()) { status_ = service_status::no_resources; }
    }
  }
  share_service(const share_service&) = delete;
  auto operator=(const share_service&) -> share_service& = delete;
  ~share_service() { stop(); }

  [[nodiscard]] auto status() const noexcept -> service_status { return status_; }
  /// Ends with all clients closed. Their calls return; the page says that it is closed.
  void stop() {
    {
      const std::lock_guard lock{mutex_};
      stopping_ = true;
    }
    loop_.ring();
    thread_.join();
    arrivals_.clear();
    for (auto& c : commands_) { c.answer.set_value(false); }
    commands_.clear();
    listener_.close();
  }

  /// Returns a channel for a client of this process, from any thread; none when the system refuses.
  [[nodiscard]] auto attach() -> socket_channel {
    auto [own, clients] = seqpacket::pair();
    const std::lock_guard lock{mutex_};
    if (!own || stopping_ || status_ != service_status::ready) { return {}; }
    arrivals_.push_back({.socket = std::move(own), .process = getpid()});
    loop_.ring();
    return socket_channel{std::move(clients)};
  }
  /// See `share_manager::set_share`; from any thread but the service's.
  [[nodiscard]] auto set_share(std::size_t application, std::int32_t percent) -> bool {
    std::future<bool> answer;
    {
      const std::lock_guard lock{mutex_};
      if (stopping_ || status_ != service_status::ready) { return false; }
      commands_.push_back({application, percent, {}});
      answer = commands_.back().answer.get_future();
    }
    loop_.ring();
    return answer.get();
  }
  /// SCHED_FIFO at this priority, 0 for the ordinary class; false when the system refuses.
  [[nodiscard]] auto serve_at(int priority) const noexcept -> bool {
    return thread_.started() && schedule(thread_.native_handle(), priority) == 0;
  }

  /// Pre, here and below: the status is `ready`.
  [[nodiscard]] auto page() const noexcept -> const share_page& { return page_.page(); }
  [[nodiscard]] auto monitor() const noexcept -> const share_monitor& { return manager_->monitor(); }
  /// Only once it has stopped.
  [[nodiscard]] auto manager() const noexcept -> const manager_type& { return *manager_; }

 private:
  static constexpr std::uint64_t listener_tag = event_loop::own_tag - 1;
  static constexpr int messages_per_turn = 8;
  static constexpr int arrivals_per_turn = 16;

  struct command {
    std::size_t application = 0;
    std::int32_t percent = 0;
    std::promise<bool> answer;
  };

  struct postman {
    share_service* service;

    void reply(std::size_t client, const share_message& m) { service->reply(client, m); }
  };
  void reply(std::size_t client, const share_message& m) {
    const bool with_page = m.kind == share_message_kind::welcome;
    connections_.reply(client, m, with_page ? page_.file() : -1);
  }

  void serve() {
    ticks wake = now();
    while (!is_stopping()) {
      bool arrivals = false;
      for (const epoll_event& e : loop_.wait(wake)) {
        if (e.data.u64 == listener_tag) { arrivals = true; }
        if (connections_.owns(e.data.u64)) { attend(e.data.u64 / 2, e.data.u64 % 2 != 0); }
      }
      take_arrivals();
      obey_commands();
      turn_away_silent();
      settle();
      if (arrivals) { accept_all(); }
      wake = next_wake();
    }
    dismiss_all();
  }
  [[nodiscard]] auto is_stopping() -> bool {
    const std::lock_guard lock{mutex_};
    return stopping_;
  }

  void attend(std::size_t client, bool has_ended) {
    share_connection& c = connections_[client];
    if (!c || c.doomed()) { return; }
    connections_.flush(client);
    read(client);
    if (has_ended) { c.doom(); }
  }
  void read(std::size_t client) {
    share_connection& c = connections_[client];
    for (int i = 0; i < messages_per_turn && !c.doomed(); ++i) {
      share_message m;
      deny_reason why{};
      const transfer got = c.take(m, why, now());
      if (got == transfer::would_block) { return; }
      if (why != deny_reason::none) { c.reply({.kind = share_message_kind::deny, .why = why}); }
      if (got != transfer::done || why != deny_reason::none) { return c.doom(); }
      const bool was_registered = manager_->is_registered(client);
      manager_->receive(client, m, now(), postman_);
      if (was_registered) { c.count_from(now()); }
    }
  }
  void take_arrivals() {
    std::vector<share_listener::accepted_client> arrived;
    {
      const std::lock_guard lock{mutex_};
      arrived.swap(arrivals_);
    }
    for (auto& accepted_client : arrived) { connections_.adopt(std::move(accepted_client)); }
  }
  void obey_commands() {
    std::vector<command> given;
    {
      const std::lock_guard lock{mutex_};
      given.swap(commands_);
    }
    if (given.empty()) { return; }
    settle();
    for (command& c : given) { c.answer.set_value(manager_->set_share(c.application, c.percent, now())); }
  }
  void settle() {
    for (bool again = true; again;) {
      manager_->expire(now(), postman_);
      manager_->settle(now(), postman_);
      again = drop_doomed();
    }
  }

  void accept_all() {
    for (int i = 0; i < arrivals_per_turn; ++i) {
      auto accepted_client = listener_.admit(loop_);
      if (!accepted_client) { return; }
      connections_.adopt(std::move(*accepted_client));
    }
  }

  [[nodiscard]] auto silent_at(std::size_t client) const noexcept -> ticks {
    const share_connection& c = connections_[client];
    const bool registered = manager_->is_registered(client);
    const ticks limit = registered ? options_.silence_limit : options_.join_limit;
    return c && limit > 0 ? later(registered ? c.heard() : c.counts_from(), limit) : event_loop::never;
  }
  void turn_away_silent() {
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      if (connections_[i].doomed() || silent_at(i) > now()) { continue; }
      connections_[i].reply({.kind = share_message_kind::deny, .why = deny_reason::silent});
      connections_[i].doom();
    }
    listener_.resume(loop_);
  }
  auto drop_doomed() -> bool {
    bool any = false;
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      if (!connections_[i] || !connections_[i].doomed()) { continue; }
      manager_->hang_up(i, now());
      connections_.close(i);
      any = true;
    }
    return any;
  }
  [[nodiscard]] auto next_wake() const noexcept -> ticks {
    ticks next = std::min(manager_->next_wake(), listener_.opens_again());
    for (std::size_t i = 0; i < connections_.size(); ++i) { next = std::min(next, silent_at(i)); }
    return next;
  }
  void dismiss_all() {
    page_.page().open.store(0, std::memory_order_release);
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      if (!connections_[i]) { continue; }
      connections_[i].reply({.kind = share_message_kind::deny, .why = deny_reason::closing});
      connections_.close(i);
    }
  }

  share_service_options options_;
  service_status status_ = service_status::ready;
  shared_page page_;
  event_loop loop_;
  share_listener listener_;
  std::unique_ptr<manager_type> manager_;
  share_connections connections_;
  inheriting_mutex mutex_;
  std::vector<share_listener::accepted_client> arrivals_;
  std::vector<command> commands_;
  bool stopping_ = false;
  postman postman_{this};
  thread thread_;
};

}  // namespace takt::inline TAKT_ABI::runtime
