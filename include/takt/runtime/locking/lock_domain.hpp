// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <system_error>

#include <sched.h>
#include <sys/resource.h>

#include <takt/rules/locking/priority_graph.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/locking/lock_claim.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Says whether jobs that keep others waiting get the others' scheduling priority.
enum class inheritance : std::uint8_t { if_permitted, off };

namespace detail {

/// Says how many requests a domain has had before, so that a test need not make them.
struct earlier_requests {
  std::int64_t count = 0;
};

/// Returns whether this process may raise a thread to a real-time priority, as far as can be told without doing it.
[[nodiscard]] inline auto may_raise_priorities() noexcept -> bool {
  rlimit limit{};
  if (getrlimit(RLIMIT_RTPRIO, &limit) == 0 && limit.rlim_cur > 0) { return true; }
  sched_param now{};
  const int policy = sched_getscheduler(0);
  if (sched_getparam(0, &now) != 0 || policy < 0) { return false; }
  if (now.sched_priority > 0 || has_deadlines(policy)) { return true; }
  const sched_param least{.sched_priority = sched_get_priority_min(SCHED_FIFO)};
  if (sched_setscheduler(0, SCHED_FIFO, &least) != 0) { return false; }
  (void)sched_setscheduler(0, policy, &now);
  return true;
}

[[nodiscard]] constexpr auto may_inherit(inheritance wanted) noexcept -> bool {
  switch (wanted) {
    case inheritance::if_permitted: return true;
    case inheritance::off: return false;
  }
  return false;
}

}  // namespace detail

/// Locks that threads hold at the same time, one within another, belong to one domain. It passes priorities along
/// chains of waiting through all of them, and finds waits that would close a circle. It has the one short mutex for
/// changes of the locks' state machines. A lock without a domain gets one of its own. Must outlive its locks.
class lock_domain {
 public:
  static constexpr std::size_t max_threads = 128;  ///< that wait, are waited for, or have met another at a lock

  /// Makes a domain; inheritance is off where `wanted` is unknown.
  explicit lock_domain(inheritance wanted = inheritance::if_permitted, detail::earlier_requests before = {}) noexcept
      : inherits_{detail::may_inherit(wanted) && detail::may_raise_priorities()}, arrivals_{before.count} {}
  lock_domain(const lock_domain&) = delete;
  auto operator=(const lock_domain&) -> lock_domain& = delete;
  ~lock_domain() { const std::lock_guard wait_for_the_last{mutex_}; }

  /// Returns whether scheduling priorities are passed on: false when that is off or not permitted, also once the system
  /// has refused it. The order of service follows effective priorities in any case.
  [[nodiscard]] auto inherits() noexcept -> bool {
    const std::lock_guard lock{mutex_};
    return inherits_;
  }

 private:
  friend class detail::domain_turn;

  /// A thread with at least one claim that a lock of the domain knows of.
  struct member {
    detail::thread_record* thread = nullptr;
    detail::lock_claim* claims = nullptr;
    int priority = 0;        ///< at which the system runs it
    bool is_linked = false;  ///< knows of others in the graph, or did
  };

  inheriting_mutex mutex_;
  bool inherits_;
  std::int64_t arrivals_;  ///< 2^56 at most: 2,000 years of a request per microsecond
  std::size_t top_ = 0;    ///< above all members
  std::array<member, max_threads> members_{};
  priority_graph<max_threads, max_threads> graph_;
};

namespace detail {

/// Runs a thread at a real-time priority, or as it runs by itself. False: refused.
[[nodiscard]] inline auto schedule(const thread_record& t, int priority) noexcept -> bool {
  if (has_deadlines(t.policy)) { return true; }
  const sched_param parameters{.sched_priority = std::min(priority, sched_get_priority_max(SCHED_FIFO))};
  const int policy = priority == t.priority ? t.policy : SCHED_FIFO | (t.policy & SCHED_RESET_ON_FORK);
  return sched_setscheduler(t.id, policy, &parameters) == 0;
}

/// Is the calling thread's turn to change the locks of a domain. A thread that gets something is woken at its end,
/// outside the mutex, unless the calling thread is about to lose an inherited priority. Then it is woken before, so
/// that no thread of middle priority runs in between.
class domain_turn {
 public:
  explicit domain_turn(lock_domain& d) noexcept : domain_{&d} { d.mutex_.lock(); }
  domain_turn(const domain_turn&) = delete;
  auto operator=(const domain_turn&) -> domain_turn& = delete;
  ~domain_turn() {
    pass_priorities_on();
    if (lowered_) {
      wake_all();
      (void)schedule(this_thread, lowered_to_);
    }
    domain_->mutex_.unlock();
    wake_all();
  }

  /// The claim's thread gets its turn. Pre: it waits.
  void grant(lock_claim& c) noexcept {
    c.turn.store(static_cast<std::uint32_t>(turn::granted), std::memory_order_release);
    if (c.owner == &this_thread) { return; }
    if (wakes_ == woken_.size()) { wake_all(); }
    woken_[wakes_++] = &c.turn;
  }

  /// Makes the claim's thread a member and completes the claim's priority. Error: too many threads.
  void join(lock_claim& c) {
    const std::size_t n = position_of(c.owner);
    auto& m = domain_->members_[n];
    m.thread = c.owner;
    if (m.claims == nullptr) { m.priority = c.owner->priority; }
    c.node = static_cast<priority_node>(n);
    // Later arrivals have larger ties, and a tie tells whose it is.
    c.request.priority.tie =
        domain_->arrivals_ * static_cast<std::int64_t>(lock_domain::max_threads) + static_cast<std::int64_t>(n);
    ++domain_->arrivals_;
    c.next = m.claims;
    m.claims = &c;
    if (m.is_linked) { domain_->graph_.set_base(c.node, base_of(m)); }
  }

  void leave(lock_claim& c) noexcept {
    unlink(c);
    auto& m = domain_->members_[static_cast<std::size_t>(c.node)];
    lock_claim** at = &m.claims;
    while (*at != &c) { at = &(*at)->next; }
    *at = c.next;
    if (m.is_linked) { domain_->graph_.set_base(c.node, base_of(m)); }
    c.node = -1;
    if (m.claims != nullptr) { return; }
    run_at(m, m.thread->priority);
    m.thread = nullptr;
    m.is_linked = false;
    while (domain_->top_ > 0 && domain_->members_[domain_->top_ - 1].thread == nullptr) { --domain_->top_; }
  }

  /// Because of this claim, `inheritor` runs at least at the priority of the claim's thread; -1: no thread does. False:
  /// that would close a circle.
  auto link(lock_claim& c, priority_node inheritor) -> bool {
    if (inheritor < 0 || inheritor == c.node) { return true; }
    be_linked(c.node);
    be_linked(inheritor);
    const added_edge added = domain_->graph_.add_edge(c.node, inheritor);
    c.edge = added.edge;
    return added.status != edge_status::cycle;
  }
  void unlink(lock_claim& c) noexcept {
    if (c.edge == no_edge) { return; }
    domain_->graph_.remove_edge(c.edge);
    c.edge = no_edge;
  }
  [[nodiscard]] auto inheritor_of(const lock_claim& c) const noexcept -> priority_node {
    return c.edge == no_edge ? -1 : domain_->graph_.target(c.edge);
  }
  [[nodiscard]] auto effective(const lock_claim& c) const noexcept -> priority_point {
    const auto& m = domain_->members_[static_cast<std::size_t>(c.node)];
    return m.is_linked ? domain_->graph_.effective(c.node) : base_of(m);
  }

  /// Tells locks and system what has changed.
  void pass_priorities_on() noexcept {
    domain_->graph_.report_changes([this](priority_node n, const priority_point& p) {
      auto& m = domain_->members_[static_cast<std::size_t>(n)];
      if (m.thread == nullptr) { return; }
      for (lock_claim* c = m.claims; c != nullptr; c = c->next) { c->lock->reprioritize(*c, p, *this); }
      const auto giver = static_cast<std::size_t>(p.tie) % lock_domain::max_threads;
      run_at(m, std::max(m.thread->priority, domain_->members_[giver].thread->priority));
    });
  }

 private:
  [[nodiscard]] auto position_of(const thread_record* thread) -> std::size_t {
    std::size_t unused = domain_->top_;
    for (std::size_t n = domain_->top_; n-- > 0;) {
      if (domain_->members_[n].thread == thread) { return n; }
      if (domain_->members_[n].thread == nullptr) { unused = n; }
    }
    if (unused == lock_domain::max_threads) {
      throw std::system_error{std::make_error_code(std::errc::resource_unavailable_try_again),
                              "takt: more threads meet at the locks of a domain than it can hold"};
    }
    domain_->top_ = std::max(domain_->top_, unused + 1);
    return unused;
  }

  /// A thread is as important as the most important of its requests.
  [[nodiscard]] static auto base_of(const lock_domain::member& m) noexcept -> priority_point {
    priority_point best = lowest_priority;
    for (const lock_claim* c = m.claims; c != nullptr; c = c->next) { best = std::min(best, c->request.priority); }
    return best;
  }
  /// Leaves threads out of the graph that wait for no thread and that no thread waits for.
  void be_linked(priority_node n) noexcept {
    auto& m = domain_->members_[static_cast<std::size_t>(n)];
    if (m.is_linked) { return; }
    m.is_linked = true;
    domain_->graph_.set_base(n, base_of(m));
  }

  void run_at(lock_domain::member& m, int priority) noexcept {
    if (m.priority == priority || (priority > m.priority && !domain_->inherits_)) { return; }
    if (m.thread == &this_thread) { lowered_ = false; }
    if (m.thread == &this_thread && priority < m.priority) {
      lowered_ = true;
      lowered_to_ = priority;
    } else if (!schedule(*m.thread, priority)) {
      domain_->inherits_ = false;
      return;
    }
    m.priority = priority;
  }

  void wake_all() noexcept {
    for (std::size_t i = 0; i < wakes_; ++i) { futex_wake(woken_[i]); }
    wakes_ = 0;
  }

  lock_domain* domain_;
  bool lowered_ = false;  ///< the calling thread, which still has its former priority
  int lowered_to_ = 0;
  std::size_t wakes_ = 0;
  std::array<const futex_word*, 8> woken_{};
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::runtime
