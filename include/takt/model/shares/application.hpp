// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/core/duration.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/shares/share_task.hpp>
#include <takt/model/task.hpp>

namespace takt {

struct share_priority_attribute {
  std::int32_t value;
};
struct share_request_attribute {
  share value;
};

/// The greater goes first, unlike `priority`, and gets so much more of what is left of the GPU. At least 0.
[[nodiscard]] constexpr auto share_priority(std::int32_t p) noexcept -> share_priority_attribute { return {p}; }
/// What is assumed to be held before a job has been given anything.
[[nodiscard]] constexpr auto share_request(share s) noexcept -> share_request_attribute { return {s}; }
/// Times of a job that takes `time` with the whole GPU and of which so many per mille do not scale.
[[nodiscard]] constexpr auto scaling_wcet(duration time, std::int32_t fixed_per_mille = 0) noexcept -> wcet_row {
  return wcet_row::scaling(time.count(), fixed_per_mille);
}

template <class A>
concept ApplicationAttribute = std::same_as<A, period_attribute> || std::same_as<A, deadline_attribute> ||
                               std::same_as<A, share_priority_attribute> || std::same_as<A, share_request_attribute> ||
                               std::same_as<A, memory_units> || std::same_as<A, wcet_row>;

/// What runs on a share of a GPU.
template <class T>
concept ShareTask = std::convertible_to<T, share_task>;

namespace detail {

constexpr void apply(share_task& t, period_attribute p) noexcept { t.period = p.value.count(); }
constexpr void apply(share_task& t, deadline_attribute d) noexcept { t.deadline = d.value.count(); }
constexpr void apply(share_task& t, share_priority_attribute p) noexcept { t.priority = p.value; }
constexpr void apply(share_task& t, share_request_attribute r) noexcept { t.request = r.value; }
constexpr void apply(share_task& t, memory_units m) noexcept { t.memory = m; }
constexpr void apply(share_task& t, const wcet_row& row) noexcept { t.alone = row; }

}  // namespace detail

/// A sporadic application: its name and its attributes in any order. Without `deadline()` its period is its deadline.
template <class... Attributes>
[[nodiscard]] constexpr auto application(std::string_view name, const Attributes&... attributes) {
  constexpr bool known = (ApplicationAttribute<Attributes> && ...);
  constexpr bool one_row = (std::size_t{std::same_as<Attributes, wcet_row>} + ... + 0) == 1;
  static_assert(known && one_row,
                "takt: an application takes one wcet_row, such as scaling_wcet(), besides period(), deadline(), "
                "share_priority(), share_request() and memory_units. See docs/errors.md#E51");
  share_task out{.name = name};
  if constexpr (known && one_row) {
    (detail::apply(out, attributes), ...);
    if (!(std::same_as<Attributes, deadline_attribute> || ...)) { out.deadline = out.period; }
  }
  return out;
}

/// Applications of one GPU: `takt::application_set(takt::application(...), takt::application(...))`. In a constant
/// expression a wrong value stops compilation with a sentence; at run time it is reported by `validate` and by every
/// analysis as `invalid_model`.
template <ShareTask... Tasks>
struct [[nodiscard]] application_set {
  static_assert(sizeof...(Tasks) > 0, "takt: the task set has no task; give it at least one. See docs/errors.md#E03");
  static constexpr std::size_t max_tasks = sizeof...(Tasks);

  share_table<max_tasks> flat;

  constexpr explicit application_set(const Tasks&... given, detail::refusal&& refused = detail::refusal{}) {
    (static_cast<void>(flat.add(given)), ...);
    if (std::is_constant_evaluated()) { refused.error = validate(flat); }
  }

  /// The same applications, slowing one another down so much. Applications count from 0 as they were given.
  [[nodiscard]] constexpr auto with(const contention_table<max_tasks>& contention) const -> application_set {
    application_set out = *this;
    out.flat.contention = contention;
    return out;
  }
  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return flat.size(); }

  template <std::same_as<ticks> Number = ticks>
  [[nodiscard]] constexpr auto table() const noexcept -> const share_table<max_tasks>& {
    return flat;
  }
};

template <ShareTask... Tasks>
application_set(const Tasks&...) -> application_set<Tasks...>;

namespace detail {
template <class T>
inline constexpr bool is_share_table = false;
template <std::size_t MaxTasks>
inline constexpr bool is_share_table<share_table<MaxTasks>> = true;
}  // namespace detail

/// Anything that flattens into the applications of one GPU.
template <class T>
concept ShareTaskSet =
    requires(const T& t) { requires detail::is_share_table<std::remove_cvref_t<decltype(t.template table<ticks>())>>; };

}  // namespace takt
