// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/any_rule.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/demand.hpp>

namespace takt {

/// Stations under erased rules, and pools of tokens.
template <std::size_t MaxStations, std::size_t Capacity>
class any_stations {
 public:
  static constexpr std::size_t max_stations = MaxStations;

  auto add(const any_rule<Capacity>& rule, std::int32_t units = 1) -> bool {
    if (count_ == MaxStations) { return false; }
    rules_[count_] = rule;
    units_[count_++] = units;
    return true;
  }
  auto add_tokens(std::int32_t tokens) -> bool { return tokens_.push_back(tokens); }

  [[nodiscard]] auto size() const noexcept -> std::size_t { return count_; }
  [[nodiscard]] auto token_pools() const noexcept -> std::size_t { return tokens_.size(); }
  [[nodiscard]] auto tokens(std::size_t pool) const noexcept -> std::int32_t { return tokens_[pool]; }

  [[nodiscard]] auto point(std::size_t s, const job_timing& t, ticks release, priority_point& out) const -> bool {
    return rules_[s].point(units_[s], t, release, out);
  }
  [[nodiscard]] auto responds(std::size_t s, std::span<visit_demand> visits) const -> bool {
    if (!rules_[s].bounds_responses()) { return false; }
    rules_[s].responds(visits, units_[s]);
    return true;
  }

  /// Whether the rule's tests hold for jobs whose suspensions count as execution.
  [[nodiscard]] auto takes_suspensions(std::size_t s) const noexcept -> bool { return rules_[s].takes_suspensions(); }
  [[nodiscard]] auto units(std::size_t s) const noexcept -> std::int32_t { return units_[s]; }
  [[nodiscard]] auto has_decision(std::size_t s) const noexcept -> bool { return rules_[s].decides_deadlines(); }
  /// Pre: `has_decision`.
  [[nodiscard]] auto decides(std::size_t s, std::span<const visit_demand> visits) const -> bool {
    return rules_[s].decides(visits, units_[s]);
  }

  template <std::size_t /*Clients*/>
  class servers_type {
   public:
    explicit servers_type(const any_stations& from) {
      for (std::size_t s = 0; s < from.size(); ++s) { at_[s] = {from.rules_[s], from.units_[s]}; }
    }
    void arrive(std::size_t s, const visit_request& v) { at_[s].arrive(v); }
    void decide(std::size_t s, ticks now, const slice_sink& sink) { at_[s].decide(now, sink); }
    [[nodiscard]] auto next(std::size_t s) const -> ticks { return at_[s].next(); }
    auto fire(std::size_t s, ticks now, const slice_sink& sink) -> client { return at_[s].fire(now, sink); }

   private:
    typename any_rule<Capacity>::server at_[MaxStations];
  };
  template <std::size_t Clients>
  [[nodiscard]] auto servers() const -> servers_type<Clients> {
    return servers_type<Clients>{*this};
  }

 private:
  std::size_t count_ = 0;
  inline_vector<std::int32_t, MaxStations> tokens_{};
  std::int32_t units_[MaxStations]{};
  any_rule<Capacity> rules_[MaxStations];
};

}  // namespace takt
