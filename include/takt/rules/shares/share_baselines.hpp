// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/core/wide_natural.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/share_allocation.hpp>
#include <takt/rules/shares/share_policy.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

[[nodiscard]] constexpr auto at_least_a_percent(std::int32_t percent) noexcept -> share {
  return share::bounded(percent < 1 ? 1 : percent);
}

/// Holds which applications have an active job, for policies that look at nothing else.
template <std::size_t MaxTasks>
class active_applications {
 public:
  constexpr explicit active_applications(const application_set<MaxTasks>& table = no_applications<MaxTasks>) noexcept
      : table_{&table} {}

  [[nodiscard]] constexpr auto error() const noexcept -> model_error { return {}; }
  constexpr void release(std::size_t task, ticks /*release*/, ticks /*deadline*/) noexcept {
    active_[task] = true;
    ++count_;
  }
  constexpr void complete(std::size_t task) noexcept {
    active_[task] = false;
    --count_;
  }
  constexpr void abort(std::size_t task) noexcept { complete(task); }

 protected:
  [[nodiscard]] constexpr auto table() const noexcept -> const application_set<MaxTasks>& { return *table_; }
  [[nodiscard]] constexpr auto active(std::size_t task) const noexcept -> bool { return active_[task]; }
  [[nodiscard]] constexpr auto count() const noexcept -> std::int32_t { return count_; }

 private:
  const application_set<MaxTasks>* table_;
  std::array<bool, MaxTasks> active_{};
  std::int32_t count_ = 0;
};

}  // namespace detail

/// Contexts that take turns on the whole GPU: with n active jobs each takes n times as long, and a little longer for
/// the switches. This stands for a GPU without spatial sharing.
template <std::size_t MaxTasks>
class time_sliced : public detail::active_applications<MaxTasks> {
 public:
  /// Takes what switching adds to each job while others are active, in parts per million. Pre: switching_ppm >= 0.
  constexpr explicit time_sliced(const application_set<MaxTasks>& table = detail::no_applications<MaxTasks>,
                                 std::int32_t switching_ppm = 0) noexcept
      : detail::active_applications<MaxTasks>{table}, switching_ppm_{switching_ppm} {
    TAKT_EXPECTS(switching_ppm >= 0);
  }

  constexpr auto decide(ticks /*now*/) noexcept -> share_step { return {}; }
  /// Returns the part of its turns.
  [[nodiscard]] constexpr auto held(std::size_t task) const noexcept -> share {
    return this->active(task) ? detail::at_least_a_percent(100 / this->count()) : no_share;
  }
  [[nodiscard]] constexpr auto whole_time(std::size_t task) const noexcept -> ticks {
    constexpr std::int64_t million = 1'000'000;
    const std::int64_t slowdown = million + (this->count() > 1 ? switching_ppm_ : 0);
    return detail::scaled_up(this->table().tasks[task].alone.at(full_share), this->count() * slowdown, million);
  }

 private:
  std::int32_t switching_ppm_;
};

/// Gives the same share to each active job, at least 1. This stands for spatial sharing as it comes with a GPU.
template <std::size_t MaxTasks>
class equal_shares : public detail::active_applications<MaxTasks> {
 public:
  using detail::active_applications<MaxTasks>::active_applications;

  constexpr auto decide(ticks /*now*/) noexcept -> share_step { return {}; }
  [[nodiscard]] constexpr auto held(std::size_t task) const noexcept -> share {
    return this->active(task) ? detail::at_least_a_percent(100 / this->count()) : no_share;
  }
};

/// Shares in proportion to the priorities of the active jobs, rounded down, at least 1.
template <std::size_t MaxTasks>
class proportional_shares : public detail::active_applications<MaxTasks> {
 public:
  using detail::active_applications<MaxTasks>::active_applications;

  constexpr auto decide(ticks /*now*/) noexcept -> share_step {
    weight_ = 0;
    for (std::size_t i = 0; i < this->table().size(); ++i) { weight_ += this->active(i) ? priority(i) : 0; }
    return {};
  }
  [[nodiscard]] constexpr auto held(std::size_t task) const noexcept -> share {
    if (!this->active(task)) { return no_share; }
    return detail::at_least_a_percent(weight_ == 0 ? 0 : static_cast<std::int32_t>(100 * priority(task) / weight_));
  }

 private:
  [[nodiscard]] constexpr auto priority(std::size_t task) const noexcept -> std::int64_t {
    return this->table().tasks[task].priority;
  }
  std::int64_t weight_ = 0;
};

/// Each application has its share whenever a job of it is active, and no other application has it otherwise.
template <std::size_t MaxTasks>
class fixed_shares : public detail::active_applications<MaxTasks> {
 public:
  constexpr fixed_shares() = default;
  constexpr fixed_shares(const application_set<MaxTasks>& table, const std::array<share, MaxTasks>& shares) noexcept
      : detail::active_applications<MaxTasks>{table}, shares_{shares} {}
  constexpr fixed_shares(const application_set<MaxTasks>& table, const share_allocation<MaxTasks>& shares) noexcept
      : detail::active_applications<MaxTasks>{table} {
    for (std::size_t i = 0; i < table.size(); ++i) { shares_[i] = shares[i]; }
  }

  constexpr auto decide(ticks /*now*/) noexcept -> share_step { return {}; }
  [[nodiscard]] constexpr auto held(std::size_t task) const noexcept -> share {
    return this->active(task) ? shares_[task] : no_share;
  }

 private:
  std::array<share, MaxTasks> shares_{};
};

}  // namespace takt::inline TAKT_ABI
