// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/model/shares/share.hpp>
#include <takt/systems/shares/run/messages.hpp>
#include <takt/systems/shares/run/share_monitor.hpp>
#include <takt/systems/shares/run/share_page.hpp>
#include <takt/systems/shares/run/share_publisher.hpp>

namespace takt::inline TAKT_ABI::runtime {

struct share_manager_options {
  std::uint32_t memory_units = std::numeric_limits<std::uint32_t>::max();  ///< that clients may hold together
  ticks actuation_delay = 0;  ///< how long a client may go on at a share that it had
  bool abort_at_deadline = true;
  bool keep_periods =
      true;  ///< a job that is asked for within its period of the one before waits until that has passed
  std::size_t records = 4096;
};

namespace detail {

/// Holds for what the manager gives its replies to.
template <class R>
concept ShareReplies = requires(R& r, std::size_t client, const share_message& m) { r.reply(client, m); };

}  // namespace detail

/// Is the only owner of all clients and jobs: validates requests, hands them to the scheduler, publishes the shares and
/// answers. It has neither thread nor clock: a host calls `receive` and `hang_up` for all that has arrived, then
/// `expire` and `settle`, each with the instant, which never runs backwards. So whatever arrives together is one
/// operation of the scheduler.
///
/// Clients are numbered by the host, below `max_clients`; applications as in the scheduler's table.
template <class Scheduler>
class share_manager {
 public:
  static constexpr std::size_t max_clients = 2 * share_page::capacity;

  /// Pre: at most `share_page::capacity` applications, those that the scheduler was made for; the page is as for
  /// `share_publisher`, and what the scheduler points to outlives the manager.
  template <class Table>
  share_manager(const Table& table, Scheduler scheduler, share_page& page, const share_manager_options& options)
      : scheduler_{std::move(scheduler)},
        publisher_{page, options.actuation_delay},
        options_{options},
        memory_left_{options.memory_units},
        monitor_{options.records},
        count_{std::min(table.size(), share_page::capacity)} {
    TAKT_EXPECTS(table.size() <= share_page::capacity);
    application_of_.fill(none);
    for (std::size_t i = 0; i < count_; ++i) {
      const auto& t = table.tasks[i];
      apps_[i].period = t.period;
      apps_[i].relative_deadline = t.deadline;
      apps_[i].priority = t.priority;
      apps_[i].memory = static_cast<std::uint32_t>(t.memory.count());
    }
  }

  template <detail::ShareReplies R>
  void receive(std::size_t client, const share_message& m, ticks now, R& replies) {
    if (m.kind == share_message_kind::join) { return join(client, m, now, replies); }
    if (!detail::is_from_client(m.kind)) { return deny(client, m, deny_reason::malformed, now, replies); }
    const std::uint16_t i = application_of_[client];
    if (i == none) { return deny(client, m, deny_reason::not_registered, now, replies); }
    if (m.kind == share_message_kind::allocate) { return allocate(client, i, m, now, replies); }
    if (m.kind == share_message_kind::finish) { return finish(client, i, m, now, replies); }
    if (m.kind == share_message_kind::leave) { remove(i, share_event::leave, now); }
  }
  /// Ends a client. Its share and memory come back; a job of it counts as completed.
  void hang_up(std::size_t client, ticks now) {
    if (application_of_[client] != none) { remove(application_of_[client], share_event::death, now); }
  }

  /// Does what time alone brings about: deadlines that have passed, and jobs that were asked for too early.
  template <detail::ShareReplies R>
  void expire(ticks now, R& replies) {
    for (std::size_t i = 0; i < count_; ++i) {
      const application& a = apps_[i];
      if (a.now_is == phase::early && a.release <= now) { start(i, now); }
      if (a.is_active() && !a.missed && a.deadline <= now) { miss(i, now, replies); }
    }
  }

  /// At most one operation for all that has happened since the last call, and what can be published at `now`.
  template <detail::ShareReplies R>
  void settle(ticks now, R& replies) {
    if (changed_) {
      changed_ = false;
      decide(now);
    }
    publish(now);
    for (std::size_t i = 0; i < count_; ++i) { tell(i, now, replies); }
  }

  /// Gives a running job another share until the next operation, which decides anew. False, and no change, when it has
  /// no running job, or when the sum would exceed 100. Takes effect with `settle`.
  [[nodiscard]] auto set_share(std::size_t i, std::int32_t percent, ticks now) -> bool {
    if (i >= count_ || !apps_[i].is_active() || changed_ || percent < 0 || percent > 100) { return false; }
    return scheduler_.set_share(i, share::bounded(percent), now) && publisher_.aim(i, percent);
  }

  /// Returns the next instant at which `expire` or `settle` have something to do, or `share_publisher::never`.
  [[nodiscard]] auto next_wake() const noexcept -> ticks {
    ticks next = again_;
    for (std::size_t i = 0; i < count_; ++i) {
      const application& a = apps_[i];
      if (a.now_is == phase::early) { next = std::min(next, a.release); }
      if (a.is_active() && !a.missed) { next = std::min(next, a.deadline); }
    }
    return next;
  }

  [[nodiscard]] auto scheduler() const noexcept -> const Scheduler& { return scheduler_; }
  [[nodiscard]] auto monitor() const noexcept -> const share_monitor& { return monitor_; }
  [[nodiscard]] auto memory_left() const noexcept -> std::uint32_t { return memory_left_; }
  [[nodiscard]] auto is_registered(std::size_t client) const noexcept -> bool {
    return application_of_[client] != none;
  }
  /// Returns how many applications have a client.
  [[nodiscard]] auto live() const noexcept -> std::size_t {
    return static_cast<std::size_t>(std::ranges::count_if(application_of_, [](std::uint16_t i) { return i != none; }));
  }

 private:
  static constexpr std::uint16_t none = share_record::no_application;

  struct application {
    enum class phase : std::uint8_t {
      idle,
      early,    ///< asked for a job before the period of the last one has passed
      waiting,  ///< the job has no share yet
      granted,
    };

    ticks period = 0;
    ticks relative_deadline = 0;
    std::int32_t priority = 0;
    std::uint32_t memory = 0;
    std::size_t client = 0;  ///< if there is one
    phase now_is = phase::idle;
    bool missed = false;
    bool had_job = false;
    std::uint32_t asked = 0;  ///< the client's number of the job
    std::uint64_t job = 0;    ///< ours, from 1
    ticks release = 0;        ///< of the job, also of one that is early
    ticks last_release = 0;   ///< if it had a job
    ticks deadline = 0;
    share_word told{};

    [[nodiscard]] auto is_active() const noexcept -> bool {
      return now_is == phase::waiting || now_is == phase::granted;
    }
  };
  using phase = application::phase;

  void note(ticks now, share_event what, std::size_t i, std::int32_t value = 0) {
    const bool particular = i < count_;
    monitor_.note({.time = now,
                   .what = what,
                   .application = particular ? static_cast<std::uint16_t>(i) : none,
                   .value = value,
                   .job = particular ? apps_[i].job : 0});
  }
  template <class R>
  void deny(std::size_t client, const share_message& m, deny_reason why, ticks now, R& replies) {
    note(now, share_event::deny, application_of_[client], static_cast<std::int32_t>(why));
    replies.reply(client, {.kind = share_message_kind::deny, .why = why, .application = m.application, .job = m.job});
  }

  template <class R>
  void join(std::size_t client, const share_message& m, ticks now, R& replies) {
    const std::size_t i = m.application;
    const auto refuse = [&](deny_reason why) { deny(client, m, why, now, replies); };
    if (i >= count_) { return refuse(deny_reason::unknown_application); }
    if (application_of_[client] != none || std::ranges::find(application_of_, i) != application_of_.end()) {
      return refuse(deny_reason::already_registered);
    }
    application& a = apps_[i];
    if (m.priority != a.priority || m.deadline != a.relative_deadline || m.period != a.period ||
        m.memory_units != a.memory) {
      return refuse(deny_reason::wrong_parameters);
    }
    if (a.memory > memory_left_) { return refuse(deny_reason::out_of_memory); }
    memory_left_ -= a.memory;
    application_of_[client] = m.application;
    a.client = client;
    note(now, share_event::join, i, static_cast<std::int32_t>(a.memory));
    replies.reply(client, {.kind = share_message_kind::welcome, .application = m.application, .word = a.told});
  }

  template <class R>
  void allocate(std::size_t client, std::size_t i, const share_message& m, ticks now, R& replies) {
    application& a = apps_[i];
    note(now, share_event::request, i);
    if (a.now_is != phase::idle) { return deny(client, m, deny_reason::job_active, now, replies); }
    a.asked = m.job;
    a.now_is = phase::early;
    a.release = now;
    if (options_.keep_periods && a.had_job) { a.release = std::max(now, later(a.last_release, a.period)); }
    if (a.release == now) { start(i, now); }
  }
  void start(std::size_t i, ticks now) {
    application& a = apps_[i];
    a.now_is = phase::waiting;
    a.missed = false;
    a.had_job = true;
    ++a.job;
    a.last_release = a.release;
    (void)scheduler_.release(i, a.release);
    a.deadline = scheduler_.deadline(i);
    changed_ = true;
    note(now, share_event::release, i);
  }

  template <class R>
  void finish(std::size_t client, std::size_t i, const share_message& m, ticks now, R& replies) {
    application& a = apps_[i];
    if (a.now_is == phase::idle || a.asked != m.job) { return deny(client, m, deny_reason::no_such_job, now, replies); }
    if (!a.is_active()) {
      a.now_is = phase::idle;
      return;
    }
    if (!a.missed && a.deadline < now) { note(now, share_event::miss, i); }
    note(now, share_event::finish, i);
    a.now_is = phase::idle;
    (void)scheduler_.complete(i);
    changed_ = true;
  }
  template <class R>
  void miss(std::size_t i, ticks now, R& replies) {
    application& a = apps_[i];
    a.missed = true;
    note(now, share_event::miss, i);
    if (!options_.abort_at_deadline) { return; }
    note(now, share_event::abort, i);
    share_message m{.kind = share_message_kind::abort, .application = static_cast<std::uint16_t>(i), .job = a.asked};
    if (a.now_is == phase::waiting) {
      m.kind = share_message_kind::deny;
      m.why = deny_reason::deadline_missed;
    }
    a.now_is = phase::idle;
    (void)scheduler_.abort(i);
    changed_ = true;
    replies.reply(a.client, m);
  }
  void remove(std::size_t i, share_event how, ticks now) {
    application& a = apps_[i];
    note(now, how, i);
    if (a.is_active()) {
      (void)scheduler_.leave(i);
      changed_ = true;
    }
    a.now_is = phase::idle;
    memory_left_ += a.memory;
    application_of_[a.client] = none;
  }

  /// As long as something decided has not been published, progress counts against what was.
  void publish(ticks now) {
    again_ = publisher_.publish(now);
    const bool was_behind = std::exchange(behind_, again_ != share_publisher::never);
    if (!behind_ && !was_behind) { return; }
    std::remove_cvref_t<decltype(scheduler_.shares())> published;
    for (std::size_t i = 0; i < count_; ++i) {
      (void)published.set(i, share::bounded(publisher_.published(i).share()));
    }
    scheduler_.in_force(published, now);
  }
  void decide(ticks now) {
    const auto& d = scheduler_.decide(now);
    using kind = decltype(d.kind);
    const bool anew = d.kind == kind::operated || d.kind == kind::refilled;
    if (d.kind != kind::nothing) {
      note(now, anew || d.kind == kind::idle ? share_event::operation : share_event::skip, none, d.schedulable ? 1 : 0);
    }
    std::array<std::int32_t, share_page::capacity> aims{};
    for (std::size_t i = 0; i < count_; ++i) {
      const std::int32_t decided = anew ? d.shares[i].percent() : publisher_.aimed(i);
      aims[i] = apps_[i].is_active() ? decided : 0;
    }
    (void)publisher_.aim(aims);
  }
  template <class R>
  void tell(std::size_t i, ticks now, R& replies) {
    application& a = apps_[i];
    const share_word word = publisher_.published(i);
    const bool news = word != a.told;
    if (news) { note(now, share_event::share, i, word.share()); }
    a.told = word;
    share_message m{
        .kind = share_message_kind::update, .application = static_cast<std::uint16_t>(i), .job = a.asked, .word = word};
    if (a.now_is == phase::waiting && word.share() > 0) {
      a.now_is = phase::granted;
      note(now, share_event::grant, i, word.share());
      m.kind = share_message_kind::grant;
      replies.reply(a.client, m);
    } else if (a.now_is == phase::granted && news) {
      replies.reply(a.client, m);
    }
  }

  Scheduler scheduler_;
  share_publisher publisher_;
  share_manager_options options_;
  std::uint32_t memory_left_;
  share_monitor monitor_;
  std::size_t count_;
  std::array<application, share_page::capacity> apps_{};
  std::array<std::uint16_t, max_clients> application_of_{};
  ticks again_ = share_publisher::never;
  bool changed_ = false;
  bool behind_ = false;
};

}  // namespace takt::inline TAKT_ABI::runtime
