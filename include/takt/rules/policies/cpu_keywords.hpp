// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <takt/core/joined_text.hpp>
#include <takt/model/pool.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/tags.hpp>

namespace takt::inline TAKT_ABI {

/// Gives the word by which comparisons call a rule of processors: its word in files, or its name.
template <class Rule>
inline constexpr std::string_view cpu_keyword = Rule::name;
template <>
inline constexpr std::string_view cpu_keyword<fixed_priority_rule<by_given_priority>> = "fixed-priority";
template <>
inline constexpr std::string_view cpu_keyword<fixed_priority_rule<by_relative_deadline>> = "deadline-monotonic";
template <>
inline constexpr std::string_view cpu_keyword<fixed_priority_rule<by_period>> = "rate-monotonic";
template <>
inline constexpr std::string_view cpu_keyword<edf_rule> = "edf";
template <>
inline constexpr std::string_view cpu_keyword<fifo_rule> = "fifo";
template <>
inline constexpr std::string_view cpu_keyword<detail::global_rule<gel_policy::earliest_deadline>> = "g-edf";
template <>
inline constexpr std::string_view cpu_keyword<detail::global_rule<gel_policy::fair_lateness>> = "g-fl";
template <>
inline constexpr std::string_view cpu_keyword<detail::global_rule<gel_policy::first_in_first_out>> = "g-fifo";

namespace detail {

/// "nonpreemptive-" and the word of the rule inside.
template <class Rule>
struct nonpreemptive_word {
  static constexpr std::string_view prefix = "nonpreemptive-";
  static constexpr auto letters = joined_text<prefix.size() + cpu_keyword<Rule>.size()>(prefix, cpu_keyword<Rule>);
};

}  // namespace detail

template <class Rule>
inline constexpr std::string_view cpu_keyword<nonpreemptive_rule<Rule>>{
    detail::nonpreemptive_word<Rule>::letters.data(), detail::nonpreemptive_word<Rule>::letters.size()};
template <class Rule>
inline constexpr std::string_view cpu_keyword<clustered_rule<Rule>> = cpu_keyword<Rule>;

/// Returns whether a word of a file is that of a rule of clusters: "g-edf", "gel".
[[nodiscard]] constexpr auto is_cluster_keyword(std::string_view word) noexcept -> bool {
  return word == "gel" || word.substr(0, 2) == "g-";
}

}  // namespace takt::inline TAKT_ABI
