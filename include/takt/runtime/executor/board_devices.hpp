// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <takt/model/segment.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/executor/accelerator_device.hpp>
#include <takt/runtime/executor/decided_device.hpp>
#include <takt/runtime/executor/pool_device.hpp>
#include <takt/runtime/executor/stream_device.hpp>
#include <takt/runtime/executor/visit_worker.hpp>

namespace takt::inline TAKT_ABI::runtime {

namespace detail {

template <class Pool>
[[nodiscard]] auto has_copy_engines(const Pool& p) -> bool {
  using facts = takt::detail::pool_facts<Pool>;
  if constexpr (facts::template may_serve<copy_segment>) { return facts::template serves_visits<copy_segment>(p); }
  return false;
}

}  // namespace detail

/// A device for the GPUs of a board.
template <class D>
concept ServesBoards = StreamDevice<D> || AcceleratorDevice<D>;

/// Says which devices serve which pools of a board, by position, and with what work of the user's. Visits without any
/// take their time on the device. For one run. Pre: the devices outlive it, and serve nobody else meanwhile.
class board_devices {
 public:
  template <AcceleratorDevice D>
  auto kernels(std::uint32_t pool, D& device, std::map<visit_position, typename D::kernel> bound = {})
      -> board_devices& {
    auto& token = shared_[&device];
    if (!token) { token = std::make_shared<char>(); }
    devices_[pool] = std::make_unique<decided_device<D>>(device, token, std::move(bound));
    return *this;
  }
  /// Serves a pool on streams. Under a block queue it is a `BlockQueueDevice`, else a `Device`.
  template <StreamDevice D>
  auto kernels(std::uint32_t pool, D& device, std::map<visit_position, typename D::kernel> bound = {})
      -> board_devices& {
    return kept<kernels_of_streams<D>>(pool, device, std::move(bound));
  }
  template <Device D>
  auto copies(std::uint32_t pool, D& device, std::map<visit_position, typename D::copy> bound = {}) -> board_devices& {
    return kept<copies_of_streams<D>>(pool, device, std::move(bound));
  }
  /// Serves operations of a kind, `kernels_of_streams` or `copies_of_streams`, with work of the user's by job.
  template <class Kind, StreamDevice D>
  auto streams(std::uint32_t pool, D& device, typename stream_device<D, Kind>::works bound) -> board_devices& {
    auto& shared = shared_[&device];
    if (!shared) { shared = std::make_shared<task_streams<D>>(device); }
    devices_[pool] = std::make_unique<stream_device<D, Kind>>(device, std::static_pointer_cast<task_streams<D>>(shared),
                                                              std::move(bound));
    return *this;
  }
  /// Serves every GPU of a board, and its copy engines where the device has some, without work of the user's.
  template <class Board, ServesBoards D>
  auto all_pools(const Board& board, D& device) -> board_devices& {
    std::uint32_t at = 0;
    board.each([&](const auto& p) {
      using facts = takt::detail::pool_facts<std::remove_cvref_t<decltype(p)>>;
      if (facts::runs_kernels(p)) { kernels(at, device); }
      if constexpr (Device<D>) {
        if (detail::has_copy_engines(p)) { copies(at, device); }
      }
      ++at;
    });
    return *this;
  }
  /// Serves a pool by a device of one's own kind.
  auto serve(std::uint32_t pool, std::unique_ptr<pool_device> device) -> board_devices& {
    devices_[pool] = std::move(device);
    return *this;
  }
  /// Returns the devices by pool.
  [[nodiscard]] auto all() const noexcept -> const std::map<std::uint32_t, std::unique_ptr<pool_device>>& {
    return devices_;
  }

 private:
  template <class Kind, StreamDevice D>
  auto kept(std::uint32_t pool, D& device, std::map<visit_position, typename Kind::work> bound) -> board_devices& {
    using work = typename Kind::work;
    typename stream_device<D, Kind>::works works;
    for (auto& [at, what] : bound) {
      works[at] = [own = std::make_shared<const work>(std::move(what))](
                      const dispatched_visit&, std::optional<work>&) -> const work& { return *own; };
    }
    return streams<Kind>(pool, device, std::move(works));
  }

  std::map<const void*, std::shared_ptr<void>> shared_;  ///< by all pools of a device
  std::map<std::uint32_t, std::unique_ptr<pool_device>> devices_;
};

}  // namespace takt::inline TAKT_ABI::runtime
