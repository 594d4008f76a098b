// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/block_kernel.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/rules/block_queue.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/emulated_unit.hpp>
#include <takt/runtime/executor/visit_worker.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// A GPU made of host threads whose streams share one queue.
class emulated_block_device {
 public:
  using kernel = emulated_kernel;
  class stream;
  static constexpr bool queues_blocks = true;
  static constexpr std::size_t most_sms = emulated_unit::most_sms;

  /// Pre: `code_threads` >= 1, and the slots are valid and have at most `most_sms` SMs.
  explicit emulated_block_device(const block_slots_resource& slots, std::int32_t code_threads = 1)
      : slots_{slots},
        unit_{{.sms = slots.sms,
               .each = {.threads = slots.threads_per_sm,
                        .blocks = slots.blocks_per_sm > 0 ? slots.blocks_per_sm : sm_capacity::unlimited,
                        .warp_size = slots.warp_size}},
              static_cast<std::size_t>(code_threads)} {
    TAKT_EXPECTS(code_threads >= 1 && slots.sms >= 1 && static_cast<std::size_t>(slots.sms) <= emulated_unit::most_sms);
  }

  [[nodiscard]] auto serves(const platform_record& wanted) const noexcept -> bool {
    return std::ranges::any_of(wanted.gpus, [this](const gpu_record& g) { return g.sms <= slots_.sms; });
  }
  /// Returns whether the GPU is the same; one with more room would be another GPU.
  [[nodiscard]] auto serves(const block_gpu& wanted) const noexcept -> bool {
    return wanted.sms == slots_.sms && wanted.threads_per_sm == slots_.threads_per_sm &&
           wanted.block_slots == slots_.blocks_per_sm;
  }
  /// Opens a stream. The device is one GPU: it is not ready once it was opened for two.
  [[nodiscard]] auto open(const sm_range& range) -> stream;
  [[nodiscard]] auto serve_at(std::int32_t priority) const noexcept -> bool { return unit_.serve_at(priority); }
  [[nodiscard]] auto ready() const noexcept -> bool { return is_one_ && unit_.started(); }
  [[nodiscard]] static auto name() noexcept -> std::string_view { return "emulated block queue"; }

 private:
  block_slots_resource slots_;
  std::int32_t gpu_ = -1;
  bool is_one_ = true;
  emulated_unit unit_;
};

class emulated_block_device::stream {
 public:
  explicit stream(emulated_unit& unit) : unit_{&unit} {}

  /// Pre: the kernel before is done; else as `emulated_unit::submit`.
  void launch(const emulated_kernel& k, completion done) { unit_->submit(k, done, served_.get()); }
  /// Returns each block, on its SM, of the kernel whose completion is asking.
  [[nodiscard]] auto served() const -> const std::vector<time_piece>& { return *served_; }

 private:
  emulated_unit* unit_;
  std::unique_ptr<std::vector<time_piece>> served_ = std::make_unique<std::vector<time_piece>>();
};

inline auto emulated_block_device::open(const sm_range& range) -> stream {
  is_one_ = is_one_ && (gpu_ < 0 || gpu_ == range.gpu);
  gpu_ = range.gpu;
  return stream{unit_};
}

static_assert(BlockQueueDevice<emulated_block_device>);

}  // namespace takt::inline TAKT_ABI::runtime
