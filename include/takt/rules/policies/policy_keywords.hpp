// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/model/overheads.hpp>
#include <takt/rules/policies/sharing_policy.hpp>

namespace takt::inline TAKT_ABI {

/// A policy as people write it: "gang", "tokens-k-fmlp:2", "time-sliced:1.5ms".
struct policy_keyword {
  std::string_view name{};
  std::string_view parameter{};  ///< behind the colon
  bool has_parameter = false;
};
[[nodiscard]] constexpr auto split_policy(std::string_view text) noexcept -> policy_keyword {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) { return {.name = text}; }
  return {.name = text.substr(0, colon), .parameter = text.substr(colon + 1), .has_parameter = true};
}

namespace detail {

/// Gives a policy what is written behind its name. False, and it stays, where it takes nothing there, or not this.
template <SharingPolicy P>
[[nodiscard]] constexpr auto set_parameter(P& policy, std::string_view text) -> bool {
  if constexpr (requires {
                  { policy.set(text) } -> std::same_as<bool>;
                }) {
    return policy.set(text);
  }
  return false;
}

}  // namespace detail

/// Says what `with_policy` makes of a word.
enum class keyword_fault : std::uint8_t {
  none,
  unknown,        ///< no policy of the list has this name
  no_parameter,   ///< the policy takes nothing behind its name
  bad_parameter,  ///< it takes something else there
};
[[nodiscard]] constexpr auto last_of(keyword_fault) noexcept -> keyword_fault { return keyword_fault::bad_parameter; }

/// Calls f with the policy of a list that a word names, with what stands behind its name, if there is one.
template <class... P, class F>
constexpr auto with_policy(const policy_list<P...>& all, std::string_view text, const F& f) -> keyword_fault {
  const policy_keyword asked = split_policy(text);
  keyword_fault out = keyword_fault::unknown;
  bool found = false;
  all.each([&](const auto& policy) {
    if (found || policy.name != asked.name) { return; }
    found = true;
    auto meant = policy;
    out = keyword_fault::none;
    if (asked.has_parameter && !detail::set_parameter(meant, asked.parameter)) {
      out = requires { meant.set(asked.parameter); } ? keyword_fault::bad_parameter : keyword_fault::no_parameter;
      return;
    }
    f(meant);
  });
  return out;
}

/// Returns whether a policy, known by its word, lets at most one kernel at a time onto a GPU.
template <class... P>
[[nodiscard]] constexpr auto serves_one_kernel(const policy_list<P...>& all, std::string_view text) -> bool {
  bool out = false;
  static_cast<void>(with_policy(all, text, [&out](const auto& policy) { out = kernels_at_once(policy) == 1; }));
  return out;
}

/// Returns what starts the next kernel under a policy that is known by its word.
template <class... P>
[[nodiscard]] constexpr auto handover_under(const policy_list<P...>& all, std::string_view text) -> kernel_handover {
  auto out = kernel_handover::host;
  static_cast<void>(with_policy(
      all, text, [&out](const auto& policy) { out = detail::handover_of<std::remove_cvref_t<decltype(policy)>>(); }));
  return out;
}

/// Returns whether jobs hold tokens of a GPU under a policy that is known by its word.
template <class... P>
[[nodiscard]] constexpr auto locks_gpus(const policy_list<P...>& all, std::string_view text) -> bool {
  bool out = false;
  static_cast<void>(with_policy(all, text, [&out](const auto& policy) { out = requires { policy.tokens; }; }));
  return out;
}

}  // namespace takt::inline TAKT_ABI
