// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/host/locked_gpus/section_work.hpp>

namespace takt::simulation {

/// Which frames of which tasks show the same scene.
struct task_scenes {
  std::size_t graph = 0;
  std::size_t jobs = 0;  ///< so many in a row; 0: every frame is on its own
};

/// Every piece takes from `least` thousandths of its longest time to all of that. Half of what is above the least
/// follows from the scene, and is the same for all pieces of a graph meanwhile, half from the piece; without scenes all
/// of it from the piece. Both are even.
class scene_work {
 public:
  /// Pre: 0 <= least <= 1000; longest times are below 2^43; one entry per task.
  scene_work(std::int64_t least, std::vector<task_scenes> scenes, std::uint64_t seed) noexcept
      : least_{least}, scenes_{std::move(scenes)}, seed_{seed} {}

  [[nodiscard]] auto time(const host::work_item& item, ticks worst) const noexcept -> ticks {
    const task_scenes& s = scenes_[item.task];
    const ticks own = part(random_stream{seed_ ^ (item.task << 48U) ^ (item.job << 16U) ^ item.piece});
    const ticks shared =
        s.jobs == 0 ? own : part(random_stream{~seed_ ^ (s.graph << 48U) ^ (item.job / s.jobs) << 16U});
    const ticks spread = worst - worst * least_ / 1000;
    return worst - spread + spread * (own + shared) / (2 * whole);
  }
  [[nodiscard]] static constexpr auto repetitions(const host::work_item& /*item*/) noexcept -> std::int32_t {
    return 1;
  }

 private:
  static constexpr ticks whole = 1'000'000;

  [[nodiscard]] static constexpr auto part(random_stream random) noexcept -> ticks { return random.between(0, whole); }

  std::int64_t least_;
  std::vector<task_scenes> scenes_;
  std::uint64_t seed_;
};

static_assert(host::SectionWork<scene_work>);

}  // namespace takt::simulation
