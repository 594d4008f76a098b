// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <takt/analysis/pools/block_rule_bounds.hpp>
#include <takt/analysis/pools/bounds.hpp>
#include <takt/analysis/pools/kernel_rule_bounds.hpp>
#include <takt/analysis/pools/share_rule_bounds.hpp>
#include <takt/core/erased_object.hpp>
#include <takt/core/number.hpp>
#include <takt/model/runtime_kernel.hpp>
#include <takt/model/runtime_visits.hpp>
#include <takt/model/segment.hpp>
#include <takt/rules/board_stations.hpp>
#include <takt/rules/delayed_by.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/early_start.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/rules/pool_rule.hpp>
#include <takt/rules/servers/all.hpp>
#include <takt/rules/unit_traits.hpp>
#include <takt/rules/visit_view.hpp>

namespace takt::inline TAKT_ABI {

/// A rule of any type as a value, so that combinations are data: one instance of every host serves them all. `Capacity`
/// is the most visits of a pool. No heap: the rule lies in place. At run time only: none of the compilers evaluates
/// erased objects in constant expressions.
template <std::size_t Capacity>
class any_rule {
  struct calls;
  using rule_storage = detail::erased_object<64>;

 public:
  /// Most bytes of a server, but of rules whose pools are one station.
  static constexpr std::size_t server_bytes_of_station = 256 * (Capacity + 1);

  any_rule() = default;  ///< of no pool: nothing may be asked of it
  template <class Rule>
    requires(!std::same_as<Rule, any_rule> && PoolRule<Rule>)  // in this order: the concept asks for copies
  any_rule(const Rule& rule) : calls_{&calls_of<Rule>} {       // NOLINT(google-explicit-constructor): any rule is one
    static_assert(rule_storage::template takes<Rule>,
                  "takt: a rule in any_rule is trivially copyable and has at most 64 bytes. See docs/errors.md#E84");
    place_.put(rule);
  }

  /// Returns whether it can share out so many units. It cannot without a rule, nor under one that has a fault or serves
  /// one unit only.
  [[nodiscard]] auto serves(std::int32_t units) const -> bool {
    return calls_ != nullptr && units >= 1 && !(serves_one_unit() && units > 1) && !fault();
  }
  /// Returns what is wrong with its values.
  [[nodiscard]] auto fault() const -> model_error { return calls_->fault(place_); }
  [[nodiscard]] auto serves_one_unit() const noexcept -> bool { return calls_->serves_one_unit; }
  [[nodiscard]] auto name() const noexcept -> std::string_view { return calls_->name; }
  [[nodiscard]] auto point(std::int32_t units, const job_timing& t, ticks release, priority_point& out) const -> bool {
    return calls_->point(place_, units, t, release, out);
  }
  [[nodiscard]] auto bounds_responses() const noexcept -> bool { return calls_->responds != nullptr; }
  /// Pre: `bounds_responses`.
  void responds(std::span<visit_demand> visits, std::int32_t units) const {
    TAKT_EXPECTS(bounds_responses());
    calls_->responds(place_, visits, units);
  }
  /// Returns whether holders of tokens can be served at the priority of others.
  [[nodiscard]] auto inherits_priorities() const noexcept -> bool { return calls_->reprioritize != nullptr; }
  [[nodiscard]] auto takes_suspensions() const noexcept -> bool { return calls_->takes_suspensions; }
  /// Returns which visits can delay a visit.
  [[nodiscard]] auto delays_from() const noexcept -> delayed_by { return calls_->delays_from; }
  /// Returns whether visits with guards may start early on one unit.
  [[nodiscard]] auto starts_early() const noexcept -> bool { return calls_->starts_early; }
  /// Returns whether CPU segments may say regions in which they keep their processor.
  [[nodiscard]] auto honours_regions() const noexcept -> bool { return calls_->honours_regions; }
  [[nodiscard]] auto decides_deadlines() const noexcept -> bool { return calls_->decides != nullptr; }
  /// Pre: `decides_deadlines`.
  [[nodiscard]] auto decides(std::span<const visit_demand> visits, std::int32_t units) const -> bool {
    TAKT_EXPECTS(decides_deadlines());
    return calls_->decides(place_, visits, units);
  }

  // What a flattening asks.

  [[nodiscard]] auto hands_out_sms() const noexcept -> bool { return calls_->hands_out_sms; }
  [[nodiscard]] auto hands_out_percents() const noexcept -> bool { return calls_->hands_out_percents; }
  [[nodiscard]] auto reads_priorities() const noexcept -> bool { return calls_->reads_priorities; }
  [[nodiscard]] auto reads_cores() const noexcept -> bool { return calls_->reads_cores; }
  [[nodiscard]] auto has_clusters() const noexcept -> bool { return calls_->has_clusters; }
  [[nodiscard]] auto traits() const noexcept -> unit_traits { return calls_->traits(place_); }
  /// Returns how many processors are scheduled together.
  [[nodiscard]] auto cluster(std::int32_t units) const -> std::int32_t { return calls_->cluster(place_, units); }
  /// Returns how long a visit takes, by its view or by itself. On something without SMs a kernel whose time nothing but
  /// SMs gives takes an unknown time.
  [[nodiscard]] auto view(const cpu_segment& s, const visit_placement& at) const -> visit_view {
    return calls_->view_cpu(place_, s, at);
  }
  [[nodiscard]] auto view(const copy_segment& s, const visit_placement& at) const -> visit_view {
    return calls_->view_copy(place_, s, at);
  }
  [[nodiscard]] auto view(const runtime_kernel& s, const visit_placement& at) const -> visit_view {
    return calls_->view_kernel(place_, s, at);
  }
  [[nodiscard]] auto view(const runtime_own& s, const visit_placement& at) const -> visit_view {
    return calls_->view_own(place_, s, at);
  }

  [[nodiscard]] auto looks_beside() const noexcept -> bool { return calls_->beside != nullptr; }
  /// Pre: `looks_beside`.
  void beside(view_values& own, const view_values& other) const {
    TAKT_EXPECTS(looks_beside());
    calls_->beside(place_, own, other);
  }

  // What a host asks of its server, which lies in a place of so many bytes, aligned for any type.

  [[nodiscard]] auto server_bytes() const noexcept -> std::size_t { return calls_->server_bytes; }
  void start(std::int32_t units, void* server) const { calls_->start(place_, units, server); }
  void arrive(void* server, const visit_request& v) const { calls_->arrive(server, v); }
  /// Pre: the rule inherits priorities.
  void reprioritize(void* server, client who, const priority_point& p) const {
    TAKT_EXPECTS(inherits_priorities());
    calls_->reprioritize(server, who, p);
  }
  void decide(void* server, ticks now, const slice_sink& sink) const { calls_->decide(server, now, sink); }
  [[nodiscard]] auto next(const void* server) const -> ticks { return calls_->next(server); }
  auto fire(void* server, ticks now, const slice_sink& sink) const -> client { return calls_->fire(server, now, sink); }
  /// Returns whether code may run there in place of visits of known length.
  [[nodiscard]] auto serves_bodies() const noexcept -> bool { return calls_->finish != nullptr; }
  /// Pre: the rule serves bodies, as for `holders`.
  void finish(void* server, client who, ticks now, const slice_sink& sink) const {
    TAKT_EXPECTS(serves_bodies());
    calls_->finish(server, who, now, sink);
  }
  void holders(const void* server, const holder_sink& to) const {
    TAKT_EXPECTS(serves_bodies());
    calls_->holders(server, to);
  }

 private:
  struct calls {
    std::string_view name{};
    bool takes_suspensions = false;
    bool starts_early = false;
    bool honours_regions = false;
    delayed_by delays_from = delayed_by::everybody;
    bool serves_one_unit = false;
    bool hands_out_sms = false;
    bool hands_out_percents = false;
    bool reads_priorities = false;
    bool reads_cores = false;
    bool has_clusters = false;
    std::size_t server_bytes = 0;
    unit_traits (*traits)(const rule_storage&) = nullptr;
    model_error (*fault)(const rule_storage&) = nullptr;
    std::int32_t (*cluster)(const rule_storage&, std::int32_t) = nullptr;
    visit_view (*view_cpu)(const rule_storage&, const cpu_segment&, const visit_placement&) = nullptr;
    visit_view (*view_copy)(const rule_storage&, const copy_segment&, const visit_placement&) = nullptr;
    visit_view (*view_kernel)(const rule_storage&, const runtime_kernel&, const visit_placement&) = nullptr;
    visit_view (*view_own)(const rule_storage&, const runtime_own&, const visit_placement&) = nullptr;
    void (*beside)(const rule_storage&, view_values&, const view_values&) = nullptr;
    bool (*point)(const rule_storage&, std::int32_t, const job_timing&, ticks, priority_point&) = nullptr;
    void (*responds)(const rule_storage&, std::span<visit_demand>, std::int32_t) = nullptr;
    bool (*decides)(const rule_storage&, std::span<const visit_demand>, std::int32_t) = nullptr;
    void (*start)(const rule_storage&, std::int32_t, void*) = nullptr;
    void (*arrive)(void*, const visit_request&) = nullptr;
    void (*reprioritize)(void*, client, const priority_point&) = nullptr;  ///< null: holders inherit nothing
    void (*decide)(void*, ticks, const slice_sink&) = nullptr;
    ticks (*next)(const void*) = nullptr;
    client (*fire)(void*, ticks, const slice_sink&) = nullptr;
    void (*finish)(void*, client, ticks, const slice_sink&) = nullptr;  ///< null: no bodies, as below
    void (*holders)(const void*, const holder_sink&) = nullptr;
  };

  template <class Rule>
  [[nodiscard]] static constexpr auto make_calls() -> calls {
    using machine = decltype(std::declval<const Rule&>().template make_server<Capacity>(1));
    static_assert(std::is_trivially_copyable_v<machine> && alignof(machine) <= alignof(std::max_align_t) &&
                      (sizeof(machine) <= server_bytes_of_station || takt::detail::is_one_station<Rule>()),
                  "takt: the server of a rule in any_rule is trivially copyable and has at most 256 bytes per visit. "
                  "See docs/errors.md#E84");
    static_assert(takt::detail::early_start_check<Rule, !takt::detail::claims_in_vain<Rule>>::passed);
    calls c{};
    c.name = Rule::name;
    c.takes_suspensions = detail::InflatesSuspensions<Rule>;
    c.starts_early = detail::StartsEarly<Rule>;
    c.honours_regions = takt::detail::honours_regions<Rule>();
    c.delays_from = takt::detail::delayed_by_under<Rule>();
    c.serves_one_unit = takt::detail::serves_one_unit<Rule>();
    c.hands_out_sms = takt::detail::hands_out_sms<Rule>();
    c.hands_out_percents = takt::detail::hands_out_percents<Rule>();
    c.reads_priorities = takt::detail::order_reads_priorities<order_of<Rule>>;
    c.reads_cores = takt::detail::reads_cores<Rule>;
    c.has_clusters = takt::detail::has_clusters<Rule>;
    c.traits = [](const rule_storage& r) { return takt::detail::unit_traits_of(r.template as<Rule>()); };
    c.server_bytes = sizeof(machine);
    c.fault = [](const rule_storage& r) { return takt::detail::rule_fault(r.template as<Rule>()); };
    c.cluster = [](const rule_storage& r, std::int32_t units) {
      return takt::detail::cluster_of(r.template as<Rule>(), units);
    };
    c.view_cpu = &view_of<Rule, cpu_segment>;
    c.view_copy = &view_of<Rule, copy_segment>;
    c.view_kernel = &view_of<Rule, runtime_kernel>;
    c.view_own = &view_of<Rule, runtime_own>;
    if constexpr (detail::LooksBeside<Rule>) {
      c.beside = [](const rule_storage& r, view_values& own, const view_values& other) {
        r.template as<Rule>().beside(own, other);
      };
    }
    c.point = [](const rule_storage& r, std::int32_t units, const job_timing& t, ticks release, priority_point& out) {
      return r.template as<Rule>().job_order(units).point(t, release, out);
    };
    if constexpr (analysis::detail::KnowsResponses<Rule>) {
      c.responds = [](const rule_storage& r, std::span<visit_demand> v, std::int32_t units) {
        analysis::detail::pool_bounds<Rule>::responds(r.template as<Rule>(), v, units);
      };
    }
    if constexpr (analysis::detail::KnowsDeadlines<Rule>) {
      c.decides = [](const rule_storage& r, std::span<const visit_demand> v, std::int32_t units) {
        return analysis::detail::pool_bounds<Rule>::decides(r.template as<Rule>(), v, units);
      };
    }
    c.start = [](const rule_storage& r, std::int32_t units, void* s) {
      ::new (s) machine(r.template as<Rule>().template make_server<Capacity>(units));
    };
    c.arrive = [](void* s, const visit_request& v) { server<machine>(s).arrive(v); };
    if constexpr (detail::InheritsPriorities<Rule>) {
      c.reprioritize = [](void* s, client who, const priority_point& p) { server<machine>(s).reprioritize(who, p); };
    }
    c.decide = [](void* s, ticks now, const slice_sink& sink) { server<machine>(s).decide(now, sink); };
    c.next = [](const void* s) { return std::launder(static_cast<const machine*>(s))->next(); };
    c.fire = [](void* s, ticks now, const slice_sink& sink) { return server<machine>(s).fire(now, sink); };
    if constexpr (ServesBodies<machine>) {
      c.finish = [](void* s, client who, ticks now, const slice_sink& sink) {
        server<machine>(s).finish(who, now, sink);
      };
      c.holders = [](const void* s, const holder_sink& to) {
        std::launder(static_cast<const machine*>(s))->holders(to);
      };
    }
    return c;
  }
  template <class Rule>
  static constexpr calls calls_of = make_calls<Rule>();
  template <class Machine>
  [[nodiscard]] static auto server(void* place) -> Machine& {
    return *std::launder(static_cast<Machine*>(place));
  }
  template <class Rule, class S>
  static auto view_of(const rule_storage& r, const S& s, const visit_placement& at) -> visit_view {
    return takt::detail::time_under<true>(r.template as<Rule>(), s, at);
  }

  rule_storage place_{};
  const calls* calls_ = nullptr;
};

}  // namespace takt::inline TAKT_ABI
