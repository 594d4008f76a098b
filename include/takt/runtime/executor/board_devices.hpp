// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>

#include <takt/model/segment.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/executor/accelerator_device.hpp>
#include <takt/runtime/executor/block_device.hpp>
#include <takt/runtime/executor/decided_device.hpp>
#include <takt/runtime/executor/pool_device.hpp>
#include <takt/runtime/executor/queued_device.hpp>
#include <takt/runtime/executor/stream_device.hpp>
#include <takt/runtime/executor/task_streams.hpp>

namespace takt::runtime {

namespace detail {

template <class Pool>
[[nodiscard]] auto has_copy_engines(const Pool& p) -> bool {
  using facts = takt::detail::pool_facts<Pool>;
  if constexpr (facts::template may_serve<copy_segment>) { return facts::template serves_visits<copy_segment>(p); }
  return false;
}

}  // namespace detail

/// Which devices serve which pools of a board, by their positions, and with what work of the user's: visits without any
/// take their time on the device. For one run. Pre: the devices outlive it, and serve nobody else meanwhile.
class board_devices {
 public:
  template <AcceleratorDevice D>
  auto kernels(std::uint32_t pool, D& device, std::map<visit_position, typename D::kernel> bound = {})
      -> board_devices& {
    devices_[pool] = std::make_unique<decided_device<D>>(device, std::move(bound));
    return *this;
  }
  /// Under a block queue.
  template <BlockDevice D>
  auto kernels(std::uint32_t pool, D& device, std::map<visit_position, typename D::kernel> bound = {})
      -> board_devices& {
    devices_[pool] = std::make_unique<queued_device<D>>(device, std::move(bound));
    return *this;
  }
  template <Device D>
    requires(!TurnsDevice<D>)
  auto kernels(std::uint32_t pool, D& device, std::map<visit_position, typename D::kernel> bound = {})
      -> board_devices& {
    return streams<kernels_of_streams<D>>(pool, device, std::move(bound));
  }
  /// Under time slices.
  template <TurnsDevice D>
  auto turns(std::uint32_t pool, D& device, std::map<visit_position, typename D::kernel> bound = {}) -> board_devices& {
    return streams<turns_of_streams<D>>(pool, device, std::move(bound));
  }
  template <Device D>
  auto copies(std::uint32_t pool, D& device, std::map<visit_position, typename D::copy> bound = {}) -> board_devices& {
    return streams<copies_of_streams<D>>(pool, device, std::move(bound));
  }
  /// Every GPU and all copy engines of a board, without work of the user's.
  template <class Board, Device D>
  auto all_pools(const Board& board, D& device) -> board_devices& {
    std::uint32_t at = 0;
    board.each([&](const auto& p) {
      using facts = takt::detail::pool_facts<std::remove_cvref_t<decltype(p)>>;
      if (facts::runs_kernels(p)) { all_kernels(at, device); }
      if (detail::has_copy_engines(p)) { copies(at, device); }
      ++at;
    });
    return *this;
  }
  /// A device of one's own kind.
  auto serve(std::uint32_t pool, std::unique_ptr<pool_device> device) -> board_devices& {
    devices_[pool] = std::move(device);
    return *this;
  }
  /// By pool.
  [[nodiscard]] auto all() const noexcept -> const std::map<std::uint32_t, std::unique_ptr<pool_device>>& {
    return devices_;
  }

 private:
  template <Device D>
  void all_kernels(std::uint32_t pool, D& device) {
    if constexpr (TurnsDevice<D>) {
      turns(pool, device);
    } else {
      kernels(pool, device);
    }
  }
  template <class Kind, Device D>
  auto streams(std::uint32_t pool, D& device, std::map<visit_position, typename Kind::work> bound) -> board_devices& {
    auto& shared = streams_[&device];
    if (!shared) { shared = std::make_shared<task_streams<D>>(device); }
    devices_[pool] = std::make_unique<stream_device<D, Kind>>(device, std::static_pointer_cast<task_streams<D>>(shared),
                                                              std::move(bound));
    return *this;
  }

  std::map<const void*, std::shared_ptr<void>> streams_;  ///< by device
  std::map<std::uint32_t, std::unique_ptr<pool_device>> devices_;
};

}  // namespace takt::runtime
