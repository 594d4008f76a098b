// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/runtime/shares/share_word.hpp>

namespace takt::runtime::detail {

/// What a manager of shares keeps of an application.
struct managed_application {
  enum class phase : std::uint8_t {
    idle,
    early,    ///< asked for a job before the period of the last one has passed
    waiting,  ///< the job has no share yet
    granted,
  };

  ticks period = 0;
  ticks relative_deadline = 0;
  std::int32_t priority = 0;
  std::uint32_t memory = 0;
  std::size_t client = 0;  ///< if there is one
  phase now_is = phase::idle;
  bool missed = false;
  bool had_job = false;
  std::uint32_t asked = 0;  ///< the client's number of the job
  std::uint32_t job = 0;    ///< ours, from 1
  ticks release = 0;        ///< of the job, also of one that is early
  ticks last_release = 0;   ///< if it had a job
  ticks deadline = 0;
  share_word told{};

  [[nodiscard]] auto is_active() const noexcept -> bool { return now_is == phase::waiting || now_is == phase::granted; }
};

}  // namespace takt::runtime::detail
