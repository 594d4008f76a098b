// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/any_rule.hpp>
#include <takt/analysis/any_token_rule.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/delayed_by.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/token_rule.hpp>

namespace takt::inline TAKT_ABI {

/// Stations under erased rules, and pools of tokens. All servers together have at most `ServerBytes`.
template <std::size_t MaxStations, std::size_t Capacity,
          std::size_t ServerBytes = MaxStations * any_rule<Capacity>::server_bytes_of_station,
          std::size_t MaxTokenPools = MaxStations>
class any_stations {
 public:
  static constexpr std::size_t max_stations = MaxStations;

  /// False when full, when there is no room for its server, or when the rule cannot share out so many units.
  auto add(const any_rule<Capacity>& rule, std::int32_t units = 1) -> bool {
    if (count_ == MaxStations || !rule.serves(units)) { return false; }
    const std::size_t bytes = storage_of(rule);
    if (bytes > ServerBytes - used_) { return false; }
    places_[count_] = used_;
    used_ += bytes;
    rules_[count_] = rule;
    units_[count_++] = units;
    return true;
  }
  /// Adds a pool of tokens. Its sections are clients of the lock, so there are at most `Capacity`. False when full or
  /// when locks of the rule have no replica for each token.
  auto add_tokens(const any_token_rule<Capacity>& rule, std::int32_t tokens) -> bool {
    return tokens > 0 && rule.locks_all(tokens) && token_rules_.try_push_back(rule) && tokens_.try_push_back(tokens);
  }

  [[nodiscard]] auto size() const noexcept -> std::size_t { return count_; }
  [[nodiscard]] auto token_pools() const noexcept -> std::size_t { return tokens_.size(); }
  /// Pre, here and below: s < size(), pool < token_pools().
  [[nodiscard]] auto units(std::size_t s) const noexcept -> std::int32_t {
    TAKT_EXPECTS(s < count_);
    return units_[s];
  }

  static constexpr bool may_donate = true;
  [[nodiscard]] auto setting(std::size_t pool) const noexcept -> token_setting {
    token_setting out{.tokens = tokens_[pool], .processors = 0};
    for (std::size_t s = 0; s < count_; ++s) { out.processors += inherits(s) ? units_[s] : 0; }
    return out;
  }
  [[nodiscard]] auto token_inherits(std::size_t pool) const noexcept -> bool { return token_rules_[pool].inherits(); }
  [[nodiscard]] auto token_donates(std::size_t pool) const noexcept -> bool { return token_rules_[pool].donates(); }
  [[nodiscard]] auto token_is_local(std::size_t pool) const noexcept -> bool { return token_rules_[pool].is_local(); }
  [[nodiscard]] auto token_has_ceiling(std::size_t pool) const noexcept -> bool {
    return token_rules_[pool].has_ceiling();
  }
  [[nodiscard]] auto delays(std::size_t pool, std::span<section_demand> sections) const -> bool {
    return token_rules_[pool].delays(sections, setting(pool));
  }
  [[nodiscard]] auto blocks(std::size_t pool, std::span<section_demand> sections, std::int32_t processors,
                            ticks& lent) const -> bool {
    return token_rules_[pool].blocks(sections, setting(pool), processors, lent);
  }
  /// Returns whether holders of tokens can be served at the priority of others there.
  [[nodiscard]] auto inherits(std::size_t s) const noexcept -> bool { return rule(s).inherits_priorities(); }
  /// Returns whether views of visits there look at other visits.
  [[nodiscard]] auto looks_beside(std::size_t s) const noexcept -> bool { return rule(s).looks_beside(); }
  /// Pre: `looks_beside`.
  void beside(std::size_t s, view_values& own, const view_values& other) const {
    TAKT_EXPECTS(looks_beside(s));
    rule(s).beside(own, other);
  }
  [[nodiscard]] auto serves_bodies(std::size_t s) const noexcept -> bool { return rule(s).serves_bodies(); }
  /// Returns which visits can delay a visit there.
  [[nodiscard]] auto delays_from(std::size_t s) const noexcept -> delayed_by { return rule(s).delays_from(); }
  /// Returns whether visits with guards may start early there.
  [[nodiscard]] auto starts_early(std::size_t s) const noexcept -> bool {
    return units(s) == 1 && rule(s).starts_early();
  }

  [[nodiscard]] auto point(std::size_t s, const job_timing& t, ticks release, priority_point& out) const -> bool {
    return rule(s).point(units_[s], t, release, out);
  }
  [[nodiscard]] auto responds(std::size_t s, std::span<visit_demand> visits) const -> bool {
    if (!rule(s).bounds_responses()) { return false; }
    rule(s).responds(visits, units_[s]);
    return true;
  }

  /// Returns whether the rule's tests hold for jobs whose suspensions count as execution.
  [[nodiscard]] auto takes_suspensions(std::size_t s) const noexcept -> bool { return rule(s).takes_suspensions(); }
  [[nodiscard]] auto has_decision(std::size_t s) const noexcept -> bool { return rule(s).decides_deadlines(); }
  /// Pre: `has_decision`.
  [[nodiscard]] auto decides(std::size_t s, std::span<const visit_demand> visits) const -> bool {
    TAKT_EXPECTS(has_decision(s));
    return rule(s).decides(visits, units_[s]);
  }

  /// Pre: the stations outlive it.
  template <std::size_t Clients>
  class servers_type {
   public:
    static_assert(Clients <= Capacity);
    explicit servers_type(const any_stations& from) : of_{&from} {
      for (std::size_t s = 0; s < from.size(); ++s) { from.rules_[s].start(from.units_[s], place(s)); }
    }
    void arrive(std::size_t s, const visit_request& v) { of_->rule(s).arrive(place(s), v); }
    void decide(std::size_t s, ticks now, const slice_sink& sink) { of_->rule(s).decide(place(s), now, sink); }
    void reprioritize(std::size_t s, client who, const priority_point& p) {
      of_->rule(s).reprioritize(place(s), who, p);
    }
    [[nodiscard]] auto next(std::size_t s) const -> ticks { return of_->rule(s).next(bytes_ + of_->places_[s]); }
    auto fire(std::size_t s, ticks now, const slice_sink& sink) -> client {
      return of_->rule(s).fire(place(s), now, sink);
    }
    /// Pre: the station serves bodies, as for `holders`.
    void finish(std::size_t s, client who, ticks now, const slice_sink& sink) {
      TAKT_EXPECTS(of_->serves_bodies(s));
      of_->rule(s).finish(place(s), who, now, sink);
    }
    void holders(std::size_t s, const holder_sink& to) const {
      TAKT_EXPECTS(of_->serves_bodies(s));
      of_->rule(s).holders(bytes_ + of_->places_[s], to);
    }

   private:
    [[nodiscard]] auto place(std::size_t s) noexcept -> void* { return bytes_ + of_->places_[s]; }

    const any_stations* of_;
    alignas(std::max_align_t) std::byte bytes_[ServerBytes];
  };
  template <std::size_t Clients>
  class locks_type {
   public:
    static_assert(Clients <= Capacity);
    explicit locks_type(const any_stations& from) {
      for (std::size_t t = 0; t < from.token_pools(); ++t) { at_[t] = {from.token_rules_[t], from.setting(t)}; }
    }
    auto issue(std::size_t tokens, request_id r, const lock_request& q) -> request_id {
      return at_[tokens].issue(r, q);
    }
    auto release(std::size_t tokens, request_id r) -> request_id { return at_[tokens].release(r); }
    void reprioritize(std::size_t tokens, request_id r, const priority_point& p) { at_[tokens].reprioritize(r, p); }
    [[nodiscard]] auto inheritor(std::size_t tokens, request_id r) const -> request_id {
      return at_[tokens].inheritor(r);
    }
    [[nodiscard]] auto replica(std::size_t tokens, request_id r) const -> replica_id { return at_[tokens].replica(r); }

   private:
    typename any_token_rule<Capacity>::lock at_[MaxTokenPools];
  };
  template <std::size_t Clients>
  [[nodiscard]] auto locks() const -> locks_type<Clients> {
    return locks_type<Clients>{*this};
  }

  template <std::size_t Clients>
  [[nodiscard]] auto servers() const -> servers_type<Clients> {
    return servers_type<Clients>{*this};
  }

 private:
  [[nodiscard]] auto rule(std::size_t s) const noexcept -> const any_rule<Capacity>& {
    TAKT_EXPECTS(s < count_);
    return rules_[s];
  }
  [[nodiscard]] static auto storage_of(const any_rule<Capacity>& rule) noexcept -> std::size_t {
    constexpr std::size_t step = alignof(std::max_align_t);
    return (rule.server_bytes() + step - 1) / step * step;
  }

  std::size_t count_ = 0;
  std::size_t used_ = 0;
  inline_vector<std::int32_t, MaxTokenPools> tokens_{};
  inline_vector<any_token_rule<Capacity>, MaxTokenPools> token_rules_{};
  std::int32_t units_[MaxStations]{};
  std::size_t places_[MaxStations]{};
  any_rule<Capacity> rules_[MaxStations];
};

}  // namespace takt::inline TAKT_ABI
