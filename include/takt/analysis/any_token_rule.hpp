// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <takt/analysis/tokens/bounds.hpp>
#include <takt/analysis/tokens/queue_bounds.hpp>
#include <takt/core/erased_object.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/token_rule.hpp>

namespace takt::inline TAKT_ABI {

/// A rule of tokens of any type as a value. `Capacity` is the most sections. No heap: rule and lock lie in place. At
/// run time only, as `any_rule`.
template <std::size_t Capacity>
class any_token_rule {
  struct calls;
  using rule_storage = detail::erased_object<64>;
  using lock_storage = detail::erased_object<160 * (Capacity + 1)>;

 public:
  any_token_rule() = default;  ///< of no pool: nothing may be asked of it
  template <class Rule>
    requires(!std::same_as<Rule, any_token_rule>) && TokenRule<Rule>
  any_token_rule(const Rule& rule) : calls_{&calls_of<Rule>} {  // NOLINT(google-explicit-constructor): any rule is one
    static_assert(
        rule_storage::template takes<Rule>,
        "takt: a rule in any_token_rule is trivially copyable and has at most 64 bytes. See docs/errors.md#E84");
    place_.put(rule);
  }

  [[nodiscard]] auto name() const noexcept -> std::string_view { return calls_->name; }
  [[nodiscard]] auto inherits() const noexcept -> bool { return calls_->inherits; }
  [[nodiscard]] auto donates() const noexcept -> bool { return calls_->donates; }
  [[nodiscard]] auto is_local() const noexcept -> bool { return calls_->is_local; }
  [[nodiscard]] auto has_ceiling() const noexcept -> bool { return calls_->has_ceiling; }
  /// Returns whether its locks have a replica for each of so many tokens. Pre: tokens >= 1.
  [[nodiscard]] auto locks_all(std::int32_t tokens) const -> bool {
    TAKT_EXPECTS(tokens >= 1);
    return calls_->locks_all(place_, tokens);
  }
  /// False where the rule does not know; nothing has been changed then.
  auto delays(std::span<section_demand> sections, const token_setting& at) const -> bool {
    if (calls_->delays == nullptr) { return false; }
    calls_->delays(place_, sections, at);
    return true;
  }
  auto blocks(std::span<section_demand> sections, const token_setting& at, std::int32_t processors, ticks& lent) const
      -> bool {
    if (calls_->blocks == nullptr) { return false; }
    lent = calls_->blocks(place_, sections, at, processors);
    return true;
  }

  /// The lock over a pool of tokens under an erased rule.
  class lock {
   public:
    lock() = default;
    lock(const any_token_rule& rule, const token_setting& at) : calls_{rule.calls_} {
      calls_->start(rule.place_, at, place_);
    }

    auto issue(request_id r, const lock_request& q) -> request_id { return calls_->issue(place_, r, q); }
    auto release(request_id r) -> request_id { return calls_->release(place_, r); }
    void reprioritize(request_id r, const priority_point& p) { calls_->reprioritize(place_, r, p); }
    [[nodiscard]] auto inheritor(request_id r) const -> request_id { return calls_->inheritor(place_, r); }
    [[nodiscard]] auto replica(request_id r) const -> replica_id { return calls_->replica(place_, r); }

   private:
    lock_storage place_;
    const typename any_token_rule::calls* calls_ = nullptr;
  };

 private:
  struct calls {
    std::string_view name{};
    bool inherits = false;
    bool donates = false;
    bool is_local = false;
    bool has_ceiling = false;
    void (*delays)(const rule_storage&, std::span<section_demand>, const token_setting&) = nullptr;
    ticks (*blocks)(const rule_storage&, std::span<section_demand>, const token_setting&, std::int32_t) = nullptr;
    bool (*locks_all)(const rule_storage&, std::int32_t) = nullptr;
    void (*start)(const rule_storage&, const token_setting&, lock_storage&) = nullptr;
    request_id (*issue)(lock_storage&, request_id, const lock_request&) = nullptr;
    request_id (*release)(lock_storage&, request_id) = nullptr;
    void (*reprioritize)(lock_storage&, request_id, const priority_point&) = nullptr;
    request_id (*inheritor)(const lock_storage&, request_id) = nullptr;
    replica_id (*replica)(const lock_storage&, request_id) = nullptr;
  };

  template <class Rule>
  [[nodiscard]] static constexpr auto make_calls() -> calls {
    using machine = decltype(std::declval<const Rule&>().template make_lock<Capacity>(token_setting{}));
    static_assert(lock_storage::template takes<machine>,
                  "takt: the lock of a rule in any_token_rule is trivially copyable and has at most 160 bytes per "
                  "section. See docs/errors.md#E84");
    calls c{};
    c.name = Rule::name;
    c.inherits = detail::token_inherits<Rule>();
    c.donates = detail::token_donates<Rule>();
    c.is_local = detail::token_is_local<Rule>();
    c.has_ceiling = detail::token_has_ceiling<Rule>();
    if constexpr (analysis::detail::KnowsDelays<Rule>) {
      c.delays = [](const rule_storage& r, std::span<section_demand> sections, const token_setting& at) {
        analysis::detail::token_bounds<Rule>::delays(r.template as<Rule>(), sections, at);
      };
    }
    if constexpr (analysis::detail::KnowsBlocking<Rule>) {
      c.blocks = [](const rule_storage& r, std::span<section_demand> sections, const token_setting& at,
                    std::int32_t processors) {
        return analysis::detail::token_bounds<Rule>::blocks(r.template as<Rule>(), sections, at, processors);
      };
    }
    c.locks_all = [](const rule_storage& r, std::int32_t tokens) {
      return detail::locks_all<Capacity>(r.template as<Rule>(), tokens);
    };
    c.start = [](const rule_storage& r, const token_setting& at, lock_storage& l) {
      l.put_made_by([&]() -> machine { return detail::make_token_lock<Capacity>(r.template as<Rule>(), at); });
    };
    c.issue = [](lock_storage& l, request_id r, const lock_request& q) { return l.template as<machine>().issue(r, q); };
    c.release = [](lock_storage& l, request_id r) { return l.template as<machine>().release(r); };
    c.reprioritize = [](lock_storage& l, request_id r, const priority_point& p) {
      l.template as<machine>().reprioritize(r, p);
    };
    c.inheritor = [](const lock_storage& l, request_id r) { return l.template as<machine>().inheritor(r); };
    c.replica = [](const lock_storage& l, request_id r) { return l.template as<machine>().replica(r); };
    return c;
  }
  template <class Rule>
  static constexpr calls calls_of = make_calls<Rule>();

  rule_storage place_{};
  const calls* calls_ = nullptr;
};

}  // namespace takt::inline TAKT_ABI
