// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include <takt/runtime/concepts.hpp>
#include <takt/runtime/executor/accelerator_device.hpp>
#include <takt/runtime/executor/block_device.hpp>
#include <takt/runtime/executor/decided_device.hpp>
#include <takt/runtime/executor/pool_device.hpp>
#include <takt/runtime/executor/queued_device.hpp>
#include <takt/runtime/executor/stream_device.hpp>

namespace takt::runtime {

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
  auto kernels(std::uint32_t pool, D& device, std::map<visit_position, typename D::kernel> bound = {})
      -> board_devices& {
    devices_[pool] = std::make_unique<stream_device<D, kernels_of_streams<D>>>(device, std::move(bound));
    return *this;
  }
  /// Under time slices.
  template <TurnsDevice D>
  auto turns(std::uint32_t pool, D& device, std::map<visit_position, typename D::kernel> bound = {}) -> board_devices& {
    devices_[pool] = std::make_unique<stream_device<D, turns_of_streams<D>>>(device, std::move(bound));
    return *this;
  }
  template <Device D>
  auto copies(std::uint32_t pool, D& device, std::map<visit_position, typename D::copy> bound = {}) -> board_devices& {
    devices_[pool] = std::make_unique<stream_device<D, copies_of_streams<D>>>(device, std::move(bound));
    return *this;
  }
  /// By pool.
  [[nodiscard]] auto all() const noexcept -> const std::map<std::uint32_t, std::unique_ptr<pool_device>>& {
    return devices_;
  }

 private:
  std::map<std::uint32_t, std::unique_ptr<pool_device>> devices_;
};

}  // namespace takt::runtime
