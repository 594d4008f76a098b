// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/share.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {
template <std::size_t MaxTasks>
inline constexpr application_set<MaxTasks> no_applications{};
}  // namespace detail

/// Holds what a policy did at an instant. `operated`, `skipped` and `refilled` exclude each other; the numbers are
/// those of an operation.
struct share_step {
  bool operated = false;
  bool skipped = false;
  bool refilled = false;
  bool schedulable = true;
  std::uint32_t predictions = 0;
  std::uint32_t predictor_calls = 0;
  std::uint32_t share_changes = 0;
};

/// Says which application holds how much of the GPU. The events of one instant come first, completions and aborts
/// before releases, then one `decide`. At most one job of an application is active.
///
/// The time of jobs with shares follows the contention of the platform, unless the policy has `whole_time(task)`: the
/// time of a whole job as things are. With `ready_at()`, no job proceeds before that instant. With `in_force(shares,
/// now)` it is told what active jobs really hold where decisions come into force late. `reference_time` of a task is
/// the whole time that roundings of its progress go by; without, it is the one with all of the GPU.
template <class P>
concept SharePolicy = requires(P& p, const P& c, std::size_t task, ticks release, ticks deadline, ticks now) {
  { c.error() } -> std::convertible_to<model_error>;
  p.release(task, release, deadline);
  p.complete(task);
  p.abort(task);
  { p.decide(now) } -> std::same_as<share_step>;
  { c.held(task) } -> std::same_as<share>;
};

}  // namespace takt::inline TAKT_ABI
