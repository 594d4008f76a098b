// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/combiners/closed_part.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/delayed_by.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/token_rule.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// All that combiners ask of stations. They take this in place of the type of a board, so that tables of one size share
/// one instance of each combiner, however many boards a program asks about.
class asked_stations {
 public:
  [[nodiscard]] constexpr virtual auto size() const -> std::size_t = 0;
  [[nodiscard]] constexpr virtual auto units(std::size_t s) const -> std::int32_t = 0;
  [[nodiscard]] constexpr virtual auto point(std::size_t s, const job_timing& t, ticks release,
                                             priority_point& out) const -> bool = 0;
  [[nodiscard]] constexpr virtual auto responds(std::size_t s, std::span<visit_demand> visits) const -> bool = 0;
  [[nodiscard]] constexpr virtual auto has_decision(std::size_t s) const -> bool = 0;
  [[nodiscard]] constexpr virtual auto decides(std::size_t s, std::span<const visit_demand> visits) const -> bool = 0;
  [[nodiscard]] constexpr virtual auto takes_suspensions(std::size_t s) const -> bool = 0;
  [[nodiscard]] constexpr virtual auto inherits(std::size_t s) const -> bool = 0;
  [[nodiscard]] constexpr virtual auto starts_early(std::size_t s) const -> bool = 0;
  [[nodiscard]] constexpr virtual auto delays_from(std::size_t s) const -> delayed_by = 0;
  [[nodiscard]] constexpr virtual auto token_pools() const -> std::size_t = 0;
  [[nodiscard]] constexpr virtual auto setting(std::size_t tokens) const -> token_setting = 0;
  [[nodiscard]] constexpr virtual auto token_inherits(std::size_t tokens) const -> bool = 0;
  [[nodiscard]] constexpr virtual auto token_donates(std::size_t tokens) const -> bool = 0;
  [[nodiscard]] constexpr virtual auto token_is_local(std::size_t tokens) const -> bool = 0;
  [[nodiscard]] constexpr virtual auto token_has_ceiling(std::size_t tokens) const -> bool = 0;
  [[nodiscard]] constexpr virtual auto delays(std::size_t tokens, std::span<section_demand> sections) const -> bool = 0;
  [[nodiscard]] constexpr virtual auto blocks(std::size_t tokens, std::span<section_demand> sections,
                                              std::int32_t processors, ticks& lent) const -> bool = 0;

 protected:
  constexpr asked_stations() = default;
  constexpr ~asked_stations() = default;
  constexpr asked_stations(const asked_stations&) = default;
  constexpr auto operator=(const asked_stations&) -> asked_stations& = default;
};

/// Stations of any type, asked through `asked_stations`.
template <detail::ReachingStations Stations>
class asked final : public asked_stations {
 public:
  /// Pre: `stations` outlives it.
  constexpr explicit asked(const Stations& stations) : of_{&stations} {}

  [[nodiscard]] constexpr auto size() const -> std::size_t override { return of_->size(); }
  [[nodiscard]] constexpr auto units(std::size_t s) const -> std::int32_t override { return of_->units(s); }
  [[nodiscard]] constexpr auto point(std::size_t s, const job_timing& t, ticks release, priority_point& out) const
      -> bool override {
    return of_->point(s, t, release, out);
  }
  [[nodiscard]] constexpr auto responds(std::size_t s, std::span<visit_demand> visits) const -> bool override {
    return of_->responds(s, visits);
  }
  [[nodiscard]] constexpr auto has_decision(std::size_t s) const -> bool override { return of_->has_decision(s); }
  [[nodiscard]] constexpr auto decides(std::size_t s, std::span<const visit_demand> visits) const -> bool override {
    return of_->decides(s, visits);
  }
  [[nodiscard]] constexpr auto takes_suspensions(std::size_t s) const -> bool override {
    return of_->takes_suspensions(s);
  }
  [[nodiscard]] constexpr auto inherits(std::size_t s) const -> bool override { return of_->inherits(s); }
  [[nodiscard]] constexpr auto starts_early(std::size_t s) const -> bool override { return of_->starts_early(s); }
  [[nodiscard]] constexpr auto delays_from(std::size_t s) const -> delayed_by override { return of_->delays_from(s); }
  [[nodiscard]] constexpr auto token_pools() const -> std::size_t override { return of_->token_pools(); }
  [[nodiscard]] constexpr auto setting(std::size_t tokens) const -> token_setting override {
    return of_->setting(tokens);
  }
  [[nodiscard]] constexpr auto token_inherits(std::size_t tokens) const -> bool override {
    return of_->token_inherits(tokens);
  }
  [[nodiscard]] constexpr auto token_donates(std::size_t tokens) const -> bool override {
    return of_->token_donates(tokens);
  }
  [[nodiscard]] constexpr auto token_is_local(std::size_t tokens) const -> bool override {
    return of_->token_is_local(tokens);
  }
  [[nodiscard]] constexpr auto token_has_ceiling(std::size_t tokens) const -> bool override {
    return of_->token_has_ceiling(tokens);
  }
  [[nodiscard]] constexpr auto delays(std::size_t tokens, std::span<section_demand> sections) const -> bool override {
    return of_->delays(tokens, sections);
  }
  [[nodiscard]] constexpr auto blocks(std::size_t tokens, std::span<section_demand> sections, std::int32_t processors,
                                      ticks& lent) const -> bool override {
    return of_->blocks(tokens, sections, processors, lent);
  }

 private:
  const Stations* of_;
};

static_assert(detail::ReachingStations<asked_stations>);

}  // namespace takt::inline TAKT_ABI::analysis
