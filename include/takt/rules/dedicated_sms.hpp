// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>

namespace takt::inline TAKT_ABI {

/// The SMs `first` to `first + count - 1` of one GPU, virtual ones under shared sharing.
struct sm_range {
  std::int32_t gpu = 0;
  std::int32_t first = 0;
  std::int32_t count = 0;
};

/// SMs dedicated to tasks: the rule of federated scheduling. Construction lays the shares side by side, so ranges of
/// two tasks never meet; `valid` is false when they do not all fit. A request is always granted at once, because the
/// only possible competitor for the range is an earlier kernel of the same job. Source: Zou et al. 2021, section 5.2.
template <std::size_t MaxTasks>
class dedicated_sms {
 public:
  constexpr dedicated_sms() noexcept = default;
  /// Pre: every GPU with a share is valid.
  constexpr dedicated_sms(const platform_record& platform, const plan<MaxTasks>& p) noexcept {
    std::array<std::int32_t, max_gpus> used{};
    // Bound: one range per share, at most MaxTasks.
    for (std::size_t i = 0; i < p.shares.size(); ++i) {
      const sm_share share = p.shares[i];
      const bool known = share.gpu >= 0 && static_cast<std::size_t>(share.gpu) < platform.gpus.size();
      if (share.sms != 0 && (!known || share.sms < 0)) { valid_ = false; }
      if (share.sms <= 0 || !known) {
        ranges_.unchecked_push_back({});
        continue;
      }
      const auto g = static_cast<std::size_t>(share.gpu);
      const gpu_record& gpu = platform.gpus[g];
      TAKT_EXPECTS(gpu.valid());
      if (share.sms % gpu.granularity != 0 || share.sms > gpu.budget() - used[g]) { valid_ = false; }
      ranges_.unchecked_push_back({share.gpu, used[g], share.sms});
      used[g] += valid_ ? share.sms : 0;
    }
  }

  [[nodiscard]] constexpr auto valid() const noexcept -> bool { return valid_; }
  /// Pre: the plan has a share for the task, be it of no SMs.
  [[nodiscard]] constexpr auto range(std::size_t task) const noexcept -> sm_range {
    TAKT_EXPECTS(task < ranges_.size());
    return ranges_[task];
  }

  /// Pre: as above; so for the one below. False when it uses its range already, which no chain does.
  constexpr auto request(std::size_t task) noexcept -> bool {
    TAKT_EXPECTS(task < ranges_.size());
    const bool granted = !busy_[task];
    busy_[task] = true;
    return granted;
  }
  constexpr void complete(std::size_t task) noexcept {
    TAKT_EXPECTS(task < ranges_.size());
    busy_[task] = false;
  }

 private:
  inline_vector<sm_range, MaxTasks> ranges_;
  std::array<bool, MaxTasks> busy_{};
  bool valid_ = true;
};

}  // namespace takt::inline TAKT_ABI
