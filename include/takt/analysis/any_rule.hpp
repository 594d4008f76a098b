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

#include <takt/analysis/pools/bounds.hpp>
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

 public:
  static constexpr std::size_t max_rule_bytes = 64;
  static constexpr std::size_t max_server_bytes = 256 * (Capacity + 1);

  any_rule() = default;  ///< of no pool: nothing may be asked of it
  template <class Rule>
    requires(!std::same_as<Rule, any_rule> && PoolRule<Rule>)  // in this order: the concept asks for copies
  any_rule(const Rule& rule) : calls_{&calls_of<Rule>} {       // NOLINT(google-explicit-constructor): any rule is one
    static_assert(sizeof(Rule) <= max_rule_bytes && std::is_trivially_copyable_v<Rule>,
                  "takt: a rule in any_rule is trivially copyable and has at most 64 bytes. See docs/errors.md#E84");
    ::new (static_cast<void*>(bytes_)) Rule(rule);
  }

  /// Whether it can share out so many units: not without a rule, nor under one that has a fault or serves one unit
  /// only.
  [[nodiscard]] auto serves(std::int32_t units) const -> bool {
    return calls_ != nullptr && units >= 1 && calls_->serves(bytes_, units);
  }
  [[nodiscard]] auto name() const noexcept -> std::string_view { return calls_->name; }
  [[nodiscard]] auto point(std::int32_t units, const job_timing& t, ticks release, priority_point& out) const -> bool {
    return calls_->point(bytes_, units, t, release, out);
  }
  [[nodiscard]] auto bounds_responses() const noexcept -> bool { return calls_->responds != nullptr; }
  /// Pre: `bounds_responses`.
  void responds(std::span<visit_demand> visits, std::int32_t units) const { calls_->responds(bytes_, visits, units); }
  /// Whether holders of tokens can be served at the priority of others.
  [[nodiscard]] auto inherits_priorities() const noexcept -> bool { return calls_->reprioritize != nullptr; }
  [[nodiscard]] auto takes_suspensions() const noexcept -> bool { return calls_->takes_suspensions; }
  /// Whether visits with guards may start early on one unit.
  [[nodiscard]] auto starts_early() const noexcept -> bool { return calls_->starts_early; }
  [[nodiscard]] auto decides_deadlines() const noexcept -> bool { return calls_->decides != nullptr; }
  /// Pre: `decides_deadlines`.
  [[nodiscard]] auto decides(std::span<const visit_demand> visits, std::int32_t units) const -> bool {
    return calls_->decides(bytes_, visits, units);
  }

  /// The server of a pool under an erased rule.
  class server {
   public:
    server() = default;
    server(const any_rule& rule, std::int32_t units) : calls_{rule.calls_} {
      calls_->start(rule.bytes_, units, bytes_);
    }

    void arrive(const visit_request& v) { calls_->arrive(bytes_, v); }
    /// Pre: the rule inherits priorities.
    void reprioritize(client who, const priority_point& p) { calls_->reprioritize(bytes_, who, p); }
    void decide(ticks now, const slice_sink& sink) { calls_->decide(bytes_, now, sink); }
    [[nodiscard]] auto next() const -> ticks { return calls_->next(bytes_); }
    auto fire(ticks now, const slice_sink& sink) -> client { return calls_->fire(bytes_, now, sink); }

   private:
    alignas(std::max_align_t) std::byte bytes_[max_server_bytes];
    const typename any_rule::calls* calls_ = nullptr;
  };

 private:
  struct calls {
    std::string_view name{};
    bool takes_suspensions = false;
    bool starts_early = false;
    bool (*serves)(const void*, std::int32_t) = nullptr;
    bool (*point)(const void*, std::int32_t, const job_timing&, ticks, priority_point&) = nullptr;
    void (*responds)(const void*, std::span<visit_demand>, std::int32_t) = nullptr;
    bool (*decides)(const void*, std::span<const visit_demand>, std::int32_t) = nullptr;
    void (*start)(const void*, std::int32_t, void*) = nullptr;
    void (*arrive)(void*, const visit_request&) = nullptr;
    void (*reprioritize)(void*, client, const priority_point&) = nullptr;  ///< null: holders inherit nothing
    void (*decide)(void*, ticks, const slice_sink&) = nullptr;
    ticks (*next)(const void*) = nullptr;
    client (*fire)(void*, ticks, const slice_sink&) = nullptr;
  };

  template <class T>
  [[nodiscard]] static auto as(const void* p) -> const T& {
    return *std::launder(static_cast<const T*>(p));
  }
  template <class T>
  [[nodiscard]] static auto as(void* p) -> T& {
    return *std::launder(static_cast<T*>(p));
  }

  template <class Rule>
  [[nodiscard]] static constexpr auto make_calls() -> calls {
    using machine = decltype(std::declval<const Rule&>().template make_server<Capacity>(1));
    static_assert(sizeof(machine) <= max_server_bytes && std::is_trivially_copyable_v<machine>,
                  "takt: the server of a rule in any_rule is trivially copyable and has at most 256 bytes per visit. "
                  "See docs/errors.md#E84");
    static_assert(takt::detail::early_start_check<Rule, !takt::detail::claims_in_vain<Rule>>::passed);
    calls c{};
    c.name = Rule::name;
    c.takes_suspensions = InflatesSuspensions<Rule>;
    c.starts_early = StartsEarly<Rule>;
    c.serves = [](const void* r, std::int32_t units) {
      if constexpr (requires { requires Rule::serves_one_unit; }) {
        if (units > 1) { return false; }
      }
      return !takt::detail::rule_fault(as<Rule>(r));
    };
    c.point = [](const void* r, std::int32_t units, const job_timing& t, ticks release, priority_point& out) {
      return as<Rule>(r).job_order(units).point(t, release, out);
    };
    if constexpr (analysis::KnowsResponses<Rule>) {
      c.responds = [](const void* r, std::span<visit_demand> v, std::int32_t units) {
        analysis::pool_bounds<Rule>::responds(as<Rule>(r), v, units);
      };
    }
    if constexpr (analysis::KnowsDeadlines<Rule>) {
      c.decides = [](const void* r, std::span<const visit_demand> v, std::int32_t units) {
        return analysis::pool_bounds<Rule>::decides(as<Rule>(r), v, units);
      };
    }
    c.start = [](const void* r, std::int32_t units, void* s) {
      ::new (s) machine(as<Rule>(r).template make_server<Capacity>(units));
    };
    c.arrive = [](void* s, const visit_request& v) { as<machine>(s).arrive(v); };
    if constexpr (InheritsPriorities<Rule>) {
      c.reprioritize = [](void* s, client who, const priority_point& p) { as<machine>(s).reprioritize(who, p); };
    }
    c.decide = [](void* s, ticks now, const slice_sink& sink) { as<machine>(s).decide(now, sink); };
    c.next = [](const void* s) { return as<machine>(s).next(); };
    c.fire = [](void* s, ticks now, const slice_sink& sink) { return as<machine>(s).fire(now, sink); };
    return c;
  }
  template <class Rule>
  static constexpr calls calls_of = make_calls<Rule>();

  alignas(std::max_align_t) std::byte bytes_[max_rule_bytes]{};
  const calls* calls_ = nullptr;
};

}  // namespace takt
