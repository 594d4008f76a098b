// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/share_choice.hpp>
#include <takt/model/platform_record.hpp>

namespace takt::inline TAKT_ABI::detail {

using analysis::share_choice;

[[nodiscard]] constexpr auto units_for(std::int32_t sms, const gpu_record& gpu) noexcept -> std::int32_t {
  return (sms + gpu.granularity - 1) / gpu.granularity;
}

/// A set of plans: for each task the shares that it may still get. Tasks without kernels have none.
template <std::size_t MaxTasks>
class share_choices {
 public:
  /// Starts with every plan. Pre: `platform` outlives the set.
  constexpr share_choices(const platform_record& platform, std::size_t tasks, const std::array<bool, MaxTasks>& needs)
      : platform_{&platform}, size_{tasks} {
    TAKT_EXPECTS(tasks <= MaxTasks);
    std::int32_t largest = 0;
    for (const gpu_record& gpu : platform.gpus) { largest = largest < gpu.budget() ? gpu.budget() : largest; }
    const std::uint32_t all = share_choice::bit(platform.gpus.size()) - 1;
    for (std::size_t k = 0; k < tasks; ++k) {
      if (needs[k]) { choices_[k] = {all, 1, largest}; }
    }
  }

  [[nodiscard]] constexpr auto operator[](std::size_t k) noexcept -> share_choice& {
    TAKT_EXPECTS(k < size_);
    return choices_[k];
  }
  [[nodiscard]] constexpr auto operator[](std::size_t k) const noexcept -> const share_choice& {
    TAKT_EXPECTS(k < size_);
    return choices_[k];
  }
  [[nodiscard]] constexpr auto settled(std::size_t k) const noexcept -> bool {
    return choices_[k].least == choices_[k].most && !several_gpus(k);
  }
  [[nodiscard]] constexpr auto several_gpus(std::size_t k) const noexcept -> bool {
    return (choices_[k].gpus & (choices_[k].gpus - 1)) != 0;
  }
  /// Returns the fewest units that task k needs on any of its GPUs; 0 if it needs none.
  [[nodiscard]] constexpr auto least_units(std::size_t k) const noexcept -> std::int32_t {
    std::int32_t least = 0;
    for (std::size_t g = 0; g < gpus(); ++g) {
      if (!choices_[k].on(g)) { continue; }
      const std::int32_t units = units_for(choices_[k].least, gpu(g));
      least = least == 0 || units < least ? units : least;
    }
    return least;
  }
  /// Returns the least share above or at `sms` that some GPU of task k can be cut into.
  [[nodiscard]] constexpr auto next_share(std::size_t k, std::int32_t sms) const noexcept -> std::int32_t {
    std::int32_t least = 0;
    for (std::size_t g = 0; g < gpus(); ++g) {
      const std::int32_t rounded = units_for(sms, gpu(g)) * gpu(g).granularity;
      if (choices_[k].on(g) && (least == 0 || rounded < least)) { least = rounded; }
    }
    return least;
  }

  /// Drops shares for which the others, each with its least one, leave no room. False when a task has none left.
  constexpr auto fit() -> bool {
    std::array<std::int32_t, max_gpus> held{};  // by tasks that have no other GPU
    std::int32_t spare = 0;                     // units beyond the least of each task
    for (std::size_t g = 0; g < gpus(); ++g) { spare += gpu(g).budget() / gpu(g).granularity; }
    for (std::size_t k = 0; k < size_; ++k) {
      spare -= least_units(k);
      if (choices_[k].gpus != 0 && !several_gpus(k)) { held[first_gpu(k)] += rounded_least(k, first_gpu(k)); }
    }
    if (spare < 0) { return false; }
    for (std::size_t k = 0; k < size_; ++k) {
      if (choices_[k].gpus != 0 && !fit(k, spare, held)) { return false; }
    }
    return true;
  }

  /// Returns which GPUs no task tells from GPU g, itself included, as bits. Exchanging them changes no plan's verdict.
  [[nodiscard]] constexpr auto twins(std::size_t g) const noexcept -> std::uint32_t {
    std::uint32_t out = 0;
    for (std::size_t other = 0; other < gpus(); ++other) {
      bool same = gpu(other) == gpu(g);
      for (std::size_t k = 0; same && k < size_; ++k) { same = choices_[k].on(other) == choices_[k].on(g); }
      out |= same ? share_choice::bit(other) : 0;
    }
    return out;
  }
  /// Pre: task k needs a share.
  [[nodiscard]] constexpr auto first_gpu(std::size_t k) const noexcept -> std::size_t {
    TAKT_EXPECTS(k < size_ && choices_[k].gpus != 0);
    std::size_t g = 0;
    while (!choices_[k].on(g)) { ++g; }
    return g;
  }
  [[nodiscard]] constexpr auto rounded_least(std::size_t k, std::size_t g) const noexcept -> std::int32_t {
    return units_for(choices_[k].least, gpu(g)) * gpu(g).granularity;
  }

 private:
  [[nodiscard]] constexpr auto gpus() const noexcept -> std::size_t { return platform_->gpus.size(); }
  [[nodiscard]] constexpr auto gpu(std::size_t g) const noexcept -> const gpu_record& { return platform_->gpus[g]; }

  constexpr auto fit(std::size_t k, std::int32_t spare, const std::array<std::int32_t, max_gpus>& held) -> bool {
    share_choice& c = choices_[k];
    const std::int32_t units = least_units(k) + spare;
    const bool alone = !several_gpus(k);
    std::int32_t most = 0;
    for (std::size_t g = 0; g < gpus(); ++g) {
      if (!c.on(g)) { continue; }
      const std::int32_t room = (gpu(g).budget() - held[g] + (alone ? rounded_least(k, g) : 0)) / gpu(g).granularity;
      const std::int32_t fits = (room < units ? room : units) * gpu(g).granularity;
      if (fits < rounded_least(k, g)) { c.gpus &= ~share_choice::bit(g); }
      most = c.on(g) && most < fits ? fits : most;
    }
    if (c.gpus == 0) { return false; }
    c.most = most < c.most ? most : c.most;
    c.least = next_share(k, c.least);
    return c.least <= c.most;
  }

  const platform_record* platform_;
  std::size_t size_;
  std::array<share_choice, MaxTasks> choices_{};
};

}  // namespace takt::inline TAKT_ABI::detail
