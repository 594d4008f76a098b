// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <utility>

#include <takt/cuda/device.hpp>
#include <takt/cuda/device_kernel.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/measure/sample_load.hpp>
#include <takt/cuda/pinning.hpp>
#include <takt/cuda/stream.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/event.hpp>

namespace takt::inline TAKT_ABI::cuda {

/// Holds what the host and blocks that only keep their SMs full tell each other, in pinned memory.
struct blocker_words {
  struct block {
    std::uint32_t place = 0;  ///< written once by the block: its SM and 1
    std::uint32_t beats = 0;  ///< counted up by the block as long as it stays
  };
  std::uint32_t leave = 0;  ///< written by the host: go
  std::uint32_t reserved = 0;
  block blocks[std::size_t{max_sms} * max_slots]{};
};

/// Is a kernel whose blocks stay on the SMs with slots until they are told to leave, and leave all others at once. They
/// have the form of the kernel that is measured, so that an SM with `per_sm` of them has room for none of its blocks.
template <CudaDriver D>
struct blocker_kernel {
  std::int32_t per_sm = 0;
  std::function<device_kernel<D>(device_address words, const sm_slots& outside)> make{};
};

/// Keeps all SMs but a range full, so that launches are measured as on a device where all others are at work.
template <CudaDriver D>
class sm_blockers {
 public:
  /// Pre: the device outlives it, is ready and has so many SMs. Error: `cuda_error`.
  sm_blockers(cuda_device<D>& device, const blocker_kernel<D>& kernel, std::int32_t sms, const sm_range& inside,
              std::function<ticks()> clock, ticks patience)
      : stream_{device.open(sm_range{.gpu = inside.gpu, .first = 0, .count = 0})},
        memory_{device.context(static_cast<std::size_t>(inside.gpu)), sizeof(blocker_words)},
        words_{new(memory_.data()) blocker_words},
        per_sm_{kernel.per_sm},
        outside_{slots_outside(sms, inside, kernel.per_sm)},
        kernel_{kernel.make(memory_.on_device(), outside_)},
        load_{{[this] { return start(); }, [this] { return least_beats(); }, [this] { stop(); }},
              std::move(clock),
              patience} {}
  sm_blockers(const sm_blockers&) = delete;
  auto operator=(const sm_blockers&) -> sm_blockers& = delete;
  ~sm_blockers() { load_.stop(); }

  /// Returns the load; once started, it is on every SM outside.
  [[nodiscard]] auto load() noexcept -> sample_load& { return load_; }

 private:
  [[nodiscard]] static auto slots_outside(std::int32_t sms, const sm_range& inside, std::int32_t per_sm) -> sm_slots {
    sm_slots out = isolated_slots(0, sms, per_sm);
    for (std::int32_t sm = inside.first; sm < inside.first + inside.count; ++sm) { out.per_sm[sm] = 0; }
    return out;
  }
  [[nodiscard]] auto start() -> bool {
    *words_ = {};
    stream_.launch(kernel_, runtime::notify<&runtime::event::signal>(&ended_));
    return true;
  }
  void stop() {
    std::atomic_ref{words_->leave}.store(1);
    ended_.wait();
  }
  /// Returns the least beats of the blocks outside; 0 as long as an SM there has fewer than it holds.
  [[nodiscard]] auto least_beats() const -> std::uint64_t {
    std::array<std::int32_t, max_sms> resident{};
    std::uint32_t least = ~0U;
    for (blocker_words::block& b : words_->blocks) {
      const std::uint32_t place = std::atomic_ref{b.place}.load();
      const std::uint32_t beats = std::atomic_ref{b.beats}.load();
      if (place == 0 || place > max_sms || beats == 0) { continue; }
      ++resident[place - 1];
      least = std::min(least, beats);
    }
    for (std::uint32_t sm = 0; sm < max_sms; ++sm) {
      if (outside_.at(sm) > 0 && resident[sm] < per_sm_) { return 0; }
    }
    return least;
  }

  typename cuda_device<D>::stream stream_;
  pinned_memory<D> memory_;
  blocker_words* words_;
  std::int32_t per_sm_;
  sm_slots outside_;
  device_kernel<D> kernel_;
  runtime::event ended_;
  sample_load load_;
};

}  // namespace takt::inline TAKT_ABI::cuda
