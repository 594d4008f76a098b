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

#include <takt/analysis/tokens/bounds.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/token_rule.hpp>

namespace takt {

/// A rule of tokens of any type as a value. `Capacity` is the most sections. No heap: rule and lock lie in place. At
/// run time only, as `any_rule`.
template <std::size_t Capacity>
class any_token_rule {
  struct calls;

 public:
  static constexpr std::size_t max_rule_bytes = 64;
  static constexpr std::size_t max_lock_bytes = 160 * (Capacity + 1);

  any_token_rule() = default;  ///< of no pool: nothing may be asked of it
  template <class Rule>
    requires(!std::same_as<Rule, any_token_rule>) && TokenRule<Rule>
  any_token_rule(const Rule& rule) : calls_{&calls_of<Rule>} {  // NOLINT(google-explicit-constructor): any rule is one
    static_assert(sizeof(Rule) <= max_rule_bytes && std::is_trivially_copyable_v<Rule>,
                  "takt: a rule in any_rule is trivially copyable and has at most 64 bytes. See docs/errors.md#E84");
    ::new (static_cast<void*>(bytes_)) Rule(rule);
  }

  [[nodiscard]] auto name() const noexcept -> std::string_view { return calls_->name; }
  [[nodiscard]] auto inherits() const noexcept -> bool { return calls_->inherits; }
  [[nodiscard]] auto donates() const noexcept -> bool { return calls_->donates; }
  [[nodiscard]] auto is_local() const noexcept -> bool { return calls_->is_local; }
  [[nodiscard]] auto has_ceiling() const noexcept -> bool { return calls_->has_ceiling; }
  /// Whether its locks have a replica for each of so many tokens. Pre: tokens >= 1.
  [[nodiscard]] auto locks_all(std::int32_t tokens) const -> bool { return calls_->locks_all(bytes_, tokens); }
  /// False where the rule does not know; nothing has been changed then.
  auto delays(std::span<section_demand> sections, const token_setting& at) const -> bool {
    if (calls_->delays == nullptr) { return false; }
    calls_->delays(bytes_, sections, at);
    return true;
  }
  auto blocks(std::span<section_demand> sections, const token_setting& at, std::int32_t homes, ticks& lent) const
      -> bool {
    if (calls_->blocks == nullptr) { return false; }
    lent = calls_->blocks(bytes_, sections, at, homes);
    return true;
  }

  /// The lock over a pool of tokens under an erased rule.
  class lock {
   public:
    lock() = default;
    lock(const any_token_rule& rule, const token_setting& at) : calls_{rule.calls_} {
      calls_->start(rule.bytes_, at, bytes_);
    }

    auto issue(request_id r, const lock_request& q) -> request_id { return calls_->issue(bytes_, r, q); }
    auto release(request_id r) -> request_id { return calls_->release(bytes_, r); }
    void reprioritize(request_id r, const priority_point& p) { calls_->reprioritize(bytes_, r, p); }
    [[nodiscard]] auto heir(request_id r) const -> request_id { return calls_->heir(bytes_, r); }
    [[nodiscard]] auto replica(request_id r) const -> replica_id { return calls_->replica(bytes_, r); }

   private:
    alignas(std::max_align_t) std::byte bytes_[max_lock_bytes];
    const typename any_token_rule::calls* calls_ = nullptr;
  };

 private:
  struct calls {
    std::string_view name{};
    bool inherits = false;
    bool donates = false;
    bool is_local = false;
    bool has_ceiling = false;
    void (*delays)(const void*, std::span<section_demand>, const token_setting&) = nullptr;
    ticks (*blocks)(const void*, std::span<section_demand>, const token_setting&, std::int32_t) = nullptr;
    bool (*locks_all)(const void*, std::int32_t) = nullptr;
    void (*start)(const void*, const token_setting&, void*) = nullptr;
    request_id (*issue)(void*, request_id, const lock_request&) = nullptr;
    request_id (*release)(void*, request_id) = nullptr;
    void (*reprioritize)(void*, request_id, const priority_point&) = nullptr;
    request_id (*heir)(const void*, request_id) = nullptr;
    replica_id (*replica)(const void*, request_id) = nullptr;
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
    using machine = decltype(std::declval<const Rule&>().template make_lock<Capacity>(token_setting{}));
    static_assert(sizeof(machine) <= max_lock_bytes && std::is_trivially_copyable_v<machine>,
                  "takt: the lock of a rule in any_token_rule is trivially copyable and has at most 160 bytes per "
                  "section. See docs/errors.md#E84");
    calls c{};
    c.name = Rule::name;
    c.inherits = detail::token_inherits<Rule>();
    c.donates = detail::token_donates<Rule>();
    c.is_local = detail::token_is_local<Rule>();
    c.has_ceiling = detail::token_has_ceiling<Rule>();
    if constexpr (analysis::KnowsDelays<Rule>) {
      c.delays = [](const void* r, std::span<section_demand> sections, const token_setting& at) {
        analysis::token_bounds<Rule>::delays(as<Rule>(r), sections, at);
      };
    }
    if constexpr (analysis::KnowsBlocking<Rule>) {
      c.blocks = [](const void* r, std::span<section_demand> sections, const token_setting& at, std::int32_t homes) {
        return analysis::token_bounds<Rule>::blocks(as<Rule>(r), sections, at, homes);
      };
    }
    c.locks_all = [](const void* r, std::int32_t tokens) { return detail::locks_all<Capacity>(as<Rule>(r), tokens); };
    c.start = [](const void* r, const token_setting& at, void* l) {
      ::new (l) machine(detail::make_token_lock<Capacity>(as<Rule>(r), at));
    };
    c.issue = [](void* l, request_id r, const lock_request& q) { return as<machine>(l).issue(r, q); };
    c.release = [](void* l, request_id r) { return as<machine>(l).release(r); };
    c.reprioritize = [](void* l, request_id r, const priority_point& p) { as<machine>(l).reprioritize(r, p); };
    c.heir = [](const void* l, request_id r) { return as<machine>(l).heir(r); };
    c.replica = [](const void* l, request_id r) { return as<machine>(l).replica(r); };
    return c;
  }
  template <class Rule>
  static constexpr calls calls_of = make_calls<Rule>();

  alignas(std::max_align_t) std::byte bytes_[max_rule_bytes]{};
  const calls* calls_ = nullptr;
};

}  // namespace takt
