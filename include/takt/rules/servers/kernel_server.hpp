// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator/job_order.hpp>
#include <takt/rules/accelerator/slot_window.hpp>
#include <takt/rules/accelerator/strategy.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/servers/forward.hpp>
#include <takt/rules/servers/kernel_lanes.hpp>
#include <takt/rules/servers/kernel_needs.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI {

/// Serves whole kernels by a strategy of accelerators, on hardware that stops them at the ends of waves. Events of one
/// instant are handled one by one: slots open and close, kernels end, then visits arrive in the order of `arrive`. The
/// strategy decides after each, also after a visit that arrives because a kernel has ended. Of equal points the earlier
/// release goes first, then the lower number. A kernel starts a wave in a slot only if the wave ends in the slot.
/// Slices are of core `unassigned_core` where a kernel has several cores. Pre: pinned kernels are on cores below those
/// of the strategy. `MaxResidents`: most kernels that are started on one lane.
template <class Strategy, std::size_t MaxLanes, std::size_t MaxResidents>
class kernel_server {
  static_assert(AcceleratorStrategy<Strategy>);

 public:
  static constexpr std::size_t capacity = Strategy::max_tasks;

  constexpr kernel_server() : kernel_server(Strategy{1}) {}
  constexpr explicit kernel_server(const Strategy& strategy, preemption_cost_model costs = preemption_cost_model::ideal)
      : strategy_{strategy}, lanes_{costs, strategy.cores()}, resumes_{resumes_below(costs)} {
    forget_clients();
  }
  constexpr kernel_server(const Strategy& strategy, const slot_reservation<ticks>& pinned,
                          const slot_reservation<ticks>& gang)
    requires detail::SlotStrategy<Strategy>
      : strategy_{strategy}, lanes_{preemption_cost_model::ideal, strategy.cores()}, pinned_{pinned}, gang_{gang} {
    forget_clients();
  }

  /// Pre: fewer than `capacity` visits are here, `v.who` is none of them, v.length > 0.
  constexpr void arrive(const visit_request& v) {
    TAKT_EXPECTS(v.length > 0);
    TAKT_EXPECTS_IN_TESTS(!is_here(v.who));
    std::size_t at = 0;
    while (at < capacity && clients_[at].who != no_client) { ++at; }
    TAKT_EXPECTS(at < capacity);
    const kernel_needs needs = kernel_needs_of(v.view);
    const auto k = static_cast<kernel_id>(at);
    const ticks cost = needs.cost < v.wcet ? needs.cost : v.wcet;
    clients_[at] = {v.who, needs.core == unassigned_core ? unassigned_core : number_of(needs.core),
                    cost + needs.margin};
    orders_[at] = {.point = v.point, .release = {v.release, static_cast<std::int32_t>(v.who)}, .kernel = k};
    lanes_.load(k, v.length, cost, arrivals_++);
    arrived_[arrived_count_++] = k;
  }

  constexpr void decide(ticks now, const slice_sink& sink) {
    reach(now);
    for (std::size_t i = 0; i < arrived_count_; ++i) {
      enqueue(arrived_[i]);
      settle();
    }
    if (arrived_count_ == 0) { settle(); }
    arrived_count_ = 0;
    ended_ = false;
    teller told{this, &sink};
    static_cast<void>(lanes_.dispatch(told));
  }
  /// Tells what runs until now. Pre: now <= next().
  constexpr void close(ticks now, const slice_sink& sink) {
    TAKT_EXPECTS(now <= next());
    reach(now);
    teller told{this, &sink};
    lanes_.close(told);
  }

  [[nodiscard]] constexpr auto next() const -> ticks {
    if (ended_ || lanes_.finished() != no_kernel) { return now_; }
    ticks least = no_event;
    static_cast<void>(lanes_.next_instant(least));
    if constexpr (has_slots) {
      for (std::int32_t core = unassigned_core; core < strategy_.cores(); ++core) {
        const kernel_id k = strategy_.head(core);
        const ticks wait = k == no_kernel ? 0 : window_of(core, k).until_edge(now_);
        if (wait > 0 && now_ + wait < least) { least = now_ + wait; }
      }
    }
    return least;
  }

  /// Returns one that ends now, or `no_client` where only a wave ends or a slot opens or closes. Pre: next() == now.
  constexpr auto fire(ticks now, const slice_sink& sink) -> client {
    TAKT_EXPECTS_IN_TESTS(next() == now);
    reach(now);
    if (ended_) { settle_end(); }
    if constexpr (has_slots) {
      if (move_slots()) { settle(); }
    }
    const kernel_id k = lanes_.finished();
    if (k == no_kernel) {
      settle();
      return no_client;
    }
    const client done = client_of(k).who;
    end(k, sink);
    return done;
  }

  /// Tells each client that has started on its core, or on `unassigned_core`.
  constexpr void holders(const holder_sink& to) const {
    lanes_.each_started([&](kernel_id k, std::size_t lane, std::int32_t level, bool runs) {
      to(client_of(k).who, held_unit{unit_of(lane), level, runs});
    });
  }
  /// `who`, which has started, ends now whatever its length was. `decide` follows.
  constexpr void finish(client who, ticks now, const slice_sink& sink) {
    reach(now);
    for (std::size_t at = 0; at < capacity; ++at) {
      if (clients_[at].who != who) { continue; }
      return end(static_cast<kernel_id>(at), sink);
    }
  }

 private:
  static constexpr bool has_slots = detail::SlotStrategy<Strategy>;
  struct resident {
    client who = no_client;
    std::int32_t core = unassigned_core;
    ticks guard = 0;  ///< at the end of its slot
  };
  /// Translates what the lanes tell.
  struct teller {
    const kernel_server* from;
    const slice_sink* sink;

    constexpr void record(const slice& s) const {
      const std::size_t lane = s.where.count > 1 ? 0 : static_cast<std::size_t>(s.where.index) + 1;
      // Whoever is shown has not ended: the end of a kernel is told at once.
      (*sink)(from->client_of(static_cast<kernel_id>(s.task)).who, from->unit_of(lane), s.start, s.end);
    }
    constexpr void record(const mark& /*m*/) const noexcept {}
  };

  /// Returns whether the hardware goes on with the kernel below an ended one before the strategy has decided.
  [[nodiscard]] static constexpr auto resumes_below(preemption_cost_model costs) noexcept -> bool {
    switch (costs) {
      case preemption_cost_model::race: return true;
      case preemption_cost_model::ideal:
      case preemption_cost_model::overhead: return false;
    }
    return false;
  }
  [[nodiscard]] constexpr auto client_of(kernel_id k) const noexcept -> const resident& {
    return clients_[static_cast<std::size_t>(k)];
  }
  [[nodiscard]] constexpr auto is_here(client who) const noexcept -> bool {
    for (const resident& c : clients_) {
      if (c.who == who) { return true; }
    }
    return false;
  }
  constexpr void forget_clients() noexcept {
    for (resident& c : clients_) { c = {}; }  // g++-12 may leave default members of array elements zero
  }
  /// Cores are numbered in the order of their first use, so that lanes need no more room than visits.
  constexpr auto number_of(std::int32_t core) noexcept -> std::int32_t {
    for (std::size_t i = 0; i < cores_.size(); ++i) {
      if (cores_[i] == core) { return static_cast<std::int32_t>(i); }
    }
    cores_.unchecked_push_back(core);  // Bound: one per client, each of which stays on its core.
    return static_cast<std::int32_t>(cores_.size() - 1);
  }

  /// Returns the core of the kernels of a lane.
  [[nodiscard]] constexpr auto unit_of(std::size_t lane) const noexcept -> std::int32_t {
    if (MaxLanes == 1) { return 0; }
    if (lane == 0 && strategy_.cores() > 1) { return unassigned_core; }
    const std::size_t core = lane == 0 ? 0 : lane - 1;
    return core < cores_.size() ? cores_[core] : 0;
  }
  constexpr void end(kernel_id k, const slice_sink& sink) {
    teller told{this, &sink};
    lanes_.conclude(k, told);
    lanes_.remove(k);
    strategy_.complete(k);
    clients_[static_cast<std::size_t>(k)].who = no_client;
    if (resumes_) { lanes_.resume_beside(k); }
    ended_ = true;
  }

  constexpr void reach(ticks now) {
    now_ = now;
    lanes_.advance(now);
  }
  constexpr void enqueue(kernel_id k) {
    const std::int32_t core = client_of(k).core;
    TAKT_EXPECTS(MaxLanes == 1 || core == unassigned_core || core < strategy_.cores());
    strategy_.enqueue(k, core, orders_);
  }
  /// Handles what a kernel's end allows, with what has arrived by now.
  constexpr void settle_end() {
    for (std::size_t i = 0; i < arrived_count_; ++i) { enqueue(arrived_[i]); }
    arrived_count_ = 0;
    ended_ = false;
    settle();
  }
  constexpr void settle() {
    for (bool again = true; again;) {
      if constexpr (has_slots) { static_cast<void>(move_slots()); }
      strategy_.decide(orders_, lanes_);
      again = false;
      for (kernel_id k = lanes_.take_leaver(); k != no_kernel; k = lanes_.take_leaver()) {
        strategy_.yielded(k);
        again = true;
      }
    }
  }
  [[nodiscard]] constexpr auto window_of(std::int32_t core, kernel_id k) const -> detail::slot_window<ticks> {
    return {core == unassigned_core ? gang_ : pinned_, client_of(k).guard};
  }
  /// Opens and closes slots. Returns whether one opens or closes.
  constexpr auto move_slots() -> bool {
    bool moved = false;
    for (std::int32_t core = unassigned_core; core < strategy_.cores(); ++core) {
      const kernel_id k = strategy_.head(core);
      const bool open = k != no_kernel && window_of(core, k).is_open(now_);
      moved = moved || strategy_.is_open(core) != open;
      strategy_.set_open(core, open);
    }
    return moved;
  }

  Strategy strategy_;
  kernel_lanes<ticks, capacity, MaxLanes, MaxResidents> lanes_;
  job_orders<priority_point, capacity> orders_{};
  resident clients_[capacity]{};
  kernel_id arrived_[capacity]{};
  std::size_t arrived_count_ = 0;
  inline_vector<std::int32_t, (MaxLanes > capacity ? MaxLanes : capacity)> cores_{};
  std::uint64_t arrivals_ = 0;
  ticks now_ = 0;
  slot_reservation<ticks> pinned_{};
  slot_reservation<ticks> gang_{};
  bool resumes_ = false;
  bool ended_ = false;  ///< a kernel has, and the strategy has not decided since
};

}  // namespace takt::inline TAKT_ABI
