// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what an application saw when it started, and how long it then ran.
template <class Input>
struct co_run_sample {
  Input input{};
  ticks time = 0;
};

/// Makes samples of one application's runs while others loop beside it. A run during which the load changed, because
/// another one started, ended for good or changed its share, tells nothing about either load and gives no sample.
/// Source: Yao et al. 2022, section 4.3.2 and Fig. 5.
template <class Input>
class sample_recorder {
 public:
  /// Returns false, and changes nothing, when a run is under way.
  [[nodiscard]] constexpr auto started(const Input& input, ticks now) noexcept -> bool {
    if (state_ != state::idle) { return false; }
    input_ = input;
    since_ = now;
    state_ = state::recording;
    return true;
  }

  constexpr void load_changed() noexcept {
    if (state_ == state::recording) { state_ = state::spoiled; }
  }

  /// Returns nothing when there was no run, its load changed, or it took no time.
  [[nodiscard]] constexpr auto finished(ticks now) noexcept -> std::optional<co_run_sample<Input>> {
    const state was = state_;
    state_ = state::idle;
    if (was == state::idle) { return std::nullopt; }
    ticks time = 0;
    if (was == state::spoiled || !checked_subtract(now, since_, time) || time <= 0) {
      ++dropped_;
      return std::nullopt;
    }
    return co_run_sample<Input>{input_, time};
  }

  /// Ends a run without a sample, as when the application is killed.
  constexpr void aborted() noexcept {
    dropped_ += state_ == state::idle ? 0 : 1;
    state_ = state::idle;
  }

  /// Returns how many runs gave no sample.
  [[nodiscard]] constexpr auto dropped() const noexcept -> std::int64_t { return dropped_; }

 private:
  enum class state : std::uint8_t { idle, recording, spoiled };

  Input input_{};
  ticks since_ = 0;
  std::int64_t dropped_ = 0;
  state state_ = state::idle;
};

}  // namespace takt::inline TAKT_ABI
