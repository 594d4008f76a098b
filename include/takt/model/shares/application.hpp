// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include <takt/core/duration.hpp>
#include <takt/core/each_once.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/shares/contention.hpp>
#include <takt/model/shares/share.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/model/task_attributes.hpp>
#include <takt/model/task_rows.hpp>

namespace takt::inline TAKT_ABI {

/// An application that runs on a share of a GPU (Yao et al. 2022, Eq. 8). Each job is GPU work from its start to its
/// end.
struct share_task {
  using number = ticks;

  std::string_view name;
  ticks period = 0;
  ticks deadline = 0;
  std::int32_t priority = 0;  ///< the greater goes first, and weighs as much when what is left of the GPU is handed out
  wcet_row alone{};
  share request{};  ///< what predictions for a job that holds nothing assume; 0: see `reference_share`
  memory_units memory{};
};

namespace detail {

/// Returns the share that predictions for a new or suspended job start from: what was asked for, else the least with
/// which the job alone meets its deadline, else all.
[[nodiscard]] constexpr auto reference_share(const share_task& t) noexcept -> share {
  return t.request ? t.request : share::bounded(t.alone.least_share(t.deadline));
}

}  // namespace detail

struct share_priority_attribute {
  std::int32_t value;
};
struct share_request_attribute {
  share value;
};

/// The greater goes first, unlike `priority`, and gets so much more of what is left of the GPU. At least 0.
[[nodiscard]] constexpr auto share_priority(std::int32_t p) noexcept -> share_priority_attribute { return {p}; }
/// Says what is assumed to be held before a job has been given anything.
[[nodiscard]] constexpr auto share_request(share s) noexcept -> share_request_attribute { return {s}; }
/// Returns the times of a job that takes `time` with the whole GPU and of which so many per mille do not scale.
[[nodiscard]] constexpr auto scaling_wcet(duration time, std::int32_t fixed_per_mille = 0) noexcept -> wcet_row {
  return wcet_row::scaling(time.count(), fixed_per_mille);
}

namespace detail {

template <class A>
concept ApplicationAttribute = std::same_as<A, period_attribute> || std::same_as<A, deadline_attribute> ||
                               std::same_as<A, share_priority_attribute> || std::same_as<A, share_request_attribute> ||
                               std::same_as<A, memory_units> || std::same_as<A, wcet_row>;

/// Holds for what runs on a share of a GPU.
template <class T>
concept ShareTask = std::convertible_to<T, share_task>;

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
  constexpr bool known = (detail::ApplicationAttribute<Attributes> && ...);
  constexpr bool one_row = detail::is_among<wcet_row, Attributes...>;
  constexpr bool once = detail::each_once<Attributes...>;
  static_assert(known && one_row,
                "takt: an application takes one wcet_row, such as scaling_wcet(), besides period(), deadline(), "
                "share_priority(), share_request() and memory_units. See docs/errors.md#E51");
  static_assert(once,
                "takt: an application says the same thing twice; give each attribute once. See docs/errors.md#E96");
  share_task out{.name = name};
  if constexpr (known && one_row && once) {
    (detail::apply(out, attributes), ...);
    if (!(std::same_as<Attributes, deadline_attribute> || ...)) { out.deadline = out.period; }
  }
  return out;
}

namespace detail {

/// The longest period: beyond it, an instant and a few deadlines after it need not fit 64 bits.
inline constexpr ticks longest_share_period = std::numeric_limits<ticks>::max() / 8;

/// Returns what is wrong with an application by itself.
[[nodiscard]] constexpr auto application_fault(const share_task& t) noexcept -> model_fault {
  if (t.period <= 0) { return model_fault::period_not_positive; }
  if (t.deadline <= 0) { return model_fault::deadline_not_positive; }
  if (t.period < t.deadline) { return model_fault::deadline_exceeds_period; }
  if (t.priority < 0) { return model_fault::negative_priority; }
  if (t.alone.at(full_share) <= 0) { return model_fault::kernel_time_not_positive; }
  if (longest_share_period < t.period) { return model_fault::time_overflow; }
  return model_fault::none;
}

template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto first_fault(const inline_vector<share_task, MaxTasks>& tasks) -> model_error {
  if (tasks.empty()) { return {.fault = model_fault::no_task}; }
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    const share_task& t = tasks[i];
    if (const auto fault = application_fault(t); fault != model_fault::none) { return {.fault = fault, .task = i}; }
    for (std::size_t other = 0; other < i; ++other) {
      if (tasks[other].name == t.name) { return {.fault = model_fault::duplicate_name, .task = i}; }
      if (tasks[other].priority == t.priority) { return {.fault = model_fault::duplicate_priority, .task = i}; }
    }
  }
  return {};
}

template <std::size_t>
using one_application = share_task;

template <class Places>
struct given_applications;
template <std::size_t... I>
struct given_applications<std::index_sequence<I...>> : task_rows<share_task, sizeof...(I)> {
  contention_matrix<sizeof...(I)> contention;

  constexpr given_applications() = default;
  constexpr explicit given_applications(const one_application<I>&... given, refusal&& refused = refusal{}) {
    (static_cast<void>(this->add(given)), ...);
    if (std::is_constant_evaluated()) { refused.error = located(first_fault(this->tasks), this->tasks); }
  }
};

}  // namespace detail

/// Applications of one GPU, in the given order, and how they slow one another down:
/// `takt::application_set(takt::application(...), takt::application(...))`. In a constant expression a wrong value
/// stops compilation with a sentence; at run time it is reported by `validate` and by every analysis as
/// `invalid_model`.
template <std::size_t MaxTasks>
struct [[nodiscard]] application_set : detail::given_applications<std::make_index_sequence<MaxTasks>> {
  static_assert(MaxTasks > 0, "takt: the task set has no task; give it at least one. See docs/errors.md#E03");

  using detail::given_applications<std::make_index_sequence<MaxTasks>>::given_applications;

  /// Returns the same applications, slowing one another down so much. Applications count from 0 as they were given.
  [[nodiscard]] constexpr auto with(const contention_matrix<MaxTasks>& slowing) const -> application_set {
    application_set out = *this;
    out.contention = slowing;
    return out;
  }
  template <std::same_as<ticks> Number = ticks>
  [[nodiscard]] constexpr auto table() const noexcept -> const application_set& {
    return *this;
  }
};

template <detail::ShareTask... Tasks>
application_set(const Tasks&...) -> application_set<sizeof...(Tasks)>;

/// Returns the first thing that is wrong with a set. Cost: tasks^2 name comparisons.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto validate(const application_set<MaxTasks>& set) -> model_error {
  return located(detail::first_fault(set.tasks), set.tasks);
}

/// Anything that is, or gives, the applications of one GPU.
template <class T>
concept ShareTaskSet = detail::RowsOf<T, share_task>;

}  // namespace takt::inline TAKT_ABI
