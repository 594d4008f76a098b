// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <takt/analysis/pools/bounds.hpp>
#include <takt/core/erased_object.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/early_start.hpp>
#include <takt/rules/pool_rule.hpp>

namespace takt {

/// A rule of any type as a value, so that combinations are data: one instance of every host serves them all. `Capacity`
/// is the most visits of a pool. No heap: the rule lies in place. At run time only: none of the compilers evaluates
/// erased objects in constant expressions.
template <std::size_t Capacity>
class any_rule {
  struct calls;
  using rule_place = erased_object<64>;
  using server_place = erased_object<256 * (Capacity + 1)>;

 public:
  any_rule() = default;  ///< of no pool: nothing may be asked of it
  template <class Rule>
    requires(!std::same_as<Rule, any_rule> && PoolRule<Rule>)  // in this order: the concept asks for copies
  any_rule(const Rule& rule) : calls_{&calls_of<Rule>} {       // NOLINT(google-explicit-constructor): any rule is one
    static_assert(rule_place::template takes<Rule>,
                  "takt: a rule in any_rule is trivially copyable and has at most 64 bytes. See docs/errors.md#E84");
    place_.put(rule);
  }

  /// Whether it can share out so many units: not without a rule, nor under one that has a fault or serves one unit
  /// only.
  [[nodiscard]] auto serves(std::int32_t units) const -> bool {
    return calls_ != nullptr && units >= 1 && calls_->serves(place_, units);
  }
  [[nodiscard]] auto name() const noexcept -> std::string_view { return calls_->name; }
  [[nodiscard]] auto point(std::int32_t units, const job_timing& t, ticks release, priority_point& out) const -> bool {
    return calls_->point(place_, units, t, release, out);
  }
  [[nodiscard]] auto bounds_responses() const noexcept -> bool { return calls_->responds != nullptr; }
  /// Pre: `bounds_responses`.
  void responds(std::span<visit_demand> visits, std::int32_t units) const { calls_->responds(place_, visits, units); }
  /// Whether holders of tokens can be served at the priority of others.
  [[nodiscard]] auto inherits_priorities() const noexcept -> bool { return calls_->reprioritize != nullptr; }
  [[nodiscard]] auto takes_suspensions() const noexcept -> bool { return calls_->takes_suspensions; }
  /// Whether visits with guards may start early on one unit.
  [[nodiscard]] auto starts_early() const noexcept -> bool { return calls_->starts_early; }
  [[nodiscard]] auto decides_deadlines() const noexcept -> bool { return calls_->decides != nullptr; }
  /// Pre: `decides_deadlines`.
  [[nodiscard]] auto decides(std::span<const visit_demand> visits, std::int32_t units) const -> bool {
    return calls_->decides(place_, visits, units);
  }

  /// The server of a pool under an erased rule.
  class server {
   public:
    server() = default;
    server(const any_rule& rule, std::int32_t units) : calls_{rule.calls_} {
      calls_->start(rule.place_, units, place_);
    }

    void arrive(const visit_request& v) { calls_->arrive(place_, v); }
    /// Pre: the rule inherits priorities.
    void reprioritize(client who, const priority_point& p) { calls_->reprioritize(place_, who, p); }
    void decide(ticks now, const slice_sink& sink) { calls_->decide(place_, now, sink); }
    [[nodiscard]] auto next() const -> ticks { return calls_->next(place_); }
    auto fire(ticks now, const slice_sink& sink) -> client { return calls_->fire(place_, now, sink); }

   private:
    server_place place_;
    const typename any_rule::calls* calls_ = nullptr;
  };

 private:
  struct calls {
    std::string_view name{};
    bool takes_suspensions = false;
    bool starts_early = false;
    bool (*serves)(const rule_place&, std::int32_t) = nullptr;
    bool (*point)(const rule_place&, std::int32_t, const job_timing&, ticks, priority_point&) = nullptr;
    void (*responds)(const rule_place&, std::span<visit_demand>, std::int32_t) = nullptr;
    bool (*decides)(const rule_place&, std::span<const visit_demand>, std::int32_t) = nullptr;
    void (*start)(const rule_place&, std::int32_t, server_place&) = nullptr;
    void (*arrive)(server_place&, const visit_request&) = nullptr;
    void (*reprioritize)(server_place&, client, const priority_point&) = nullptr;  ///< null: holders inherit nothing
    void (*decide)(server_place&, ticks, const slice_sink&) = nullptr;
    ticks (*next)(const server_place&) = nullptr;
    client (*fire)(server_place&, ticks, const slice_sink&) = nullptr;
  };

  template <class Rule>
  [[nodiscard]] static constexpr auto make_calls() -> calls {
    using machine = decltype(std::declval<const Rule&>().template make_server<Capacity>(1));
    static_assert(server_place::template takes<machine>,
                  "takt: the server of a rule in any_rule is trivially copyable and has at most 256 bytes per visit. "
                  "See docs/errors.md#E84");
    static_assert(takt::detail::early_start_check<Rule, !takt::detail::claims_in_vain<Rule>>::passed);
    calls c{};
    c.name = Rule::name;
    c.takes_suspensions = InflatesSuspensions<Rule>;
    c.starts_early = StartsEarly<Rule>;
    c.serves = [](const rule_place& r, std::int32_t units) {
      if constexpr (requires { requires Rule::serves_one_unit; }) {
        if (units > 1) { return false; }
      }
      return !takt::detail::rule_fault(r.template as<Rule>());
    };
    c.point = [](const rule_place& r, std::int32_t units, const job_timing& t, ticks release, priority_point& out) {
      return r.template as<Rule>().job_order(units).point(t, release, out);
    };
    if constexpr (analysis::KnowsResponses<Rule>) {
      c.responds = [](const rule_place& r, std::span<visit_demand> v, std::int32_t units) {
        analysis::pool_bounds<Rule>::responds(r.template as<Rule>(), v, units);
      };
    }
    if constexpr (analysis::KnowsDeadlines<Rule>) {
      c.decides = [](const rule_place& r, std::span<const visit_demand> v, std::int32_t units) {
        return analysis::pool_bounds<Rule>::decides(r.template as<Rule>(), v, units);
      };
    }
    c.start = [](const rule_place& r, std::int32_t units, server_place& s) {
      s.put_made_by([&]() -> machine { return r.template as<Rule>().template make_server<Capacity>(units); });
    };
    c.arrive = [](server_place& s, const visit_request& v) { s.template as<machine>().arrive(v); };
    if constexpr (InheritsPriorities<Rule>) {
      c.reprioritize = [](server_place& s, client who, const priority_point& p) {
        s.template as<machine>().reprioritize(who, p);
      };
    }
    c.decide = [](server_place& s, ticks now, const slice_sink& sink) { s.template as<machine>().decide(now, sink); };
    c.next = [](const server_place& s) { return s.template as<machine>().next(); };
    c.fire = [](server_place& s, ticks now, const slice_sink& sink) {
      return s.template as<machine>().fire(now, sink);
    };
    return c;
  }
  template <class Rule>
  static constexpr calls calls_of = make_calls<Rule>();

  rule_place place_{};
  const calls* calls_ = nullptr;
};

}  // namespace takt
