// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/stage.hpp>

namespace takt::inline TAKT_ABI {

/// `copy` serves both directions where it is the only copy engine, and copies to the device where there are two.
enum class engine_kind : std::uint8_t { execution, copy, copy_to_host };

struct gpu_engine {
  std::int32_t gpu = 0;
  engine_kind kind = engine_kind::execution;

  [[nodiscard]] friend constexpr auto operator<=>(const gpu_engine&, const gpu_engine&) noexcept = default;
};

/// Engines that one operation occupies from its beginning to its end.
using engine_set = inline_vector<gpu_engine, 2>;

inline constexpr std::int32_t no_gpu = -1;
inline constexpr std::int32_t no_hub = -1;
namespace detail {

inline constexpr std::int32_t refused_node = -2;

}  // namespace detail
inline constexpr std::int32_t unreachable = -1;

/// GPUs below the switches and I/O hubs of a PCIe tree. A hub is named when a node below it is added, so a cycle cannot
/// be written down. Source: Elliott 2015, section 2.4.2.
template <std::size_t MaxGpus, std::size_t MaxHubs>
class gpu_topology {
 public:
  /// Returns the new switch or hub, or `refused_node`: no room, or the hub above it is unknown.
  constexpr auto add_hub(std::int32_t above = no_hub) noexcept -> std::int32_t {
    if (!known_hub(above) || !parents_.try_push_back(above)) { return detail::refused_node; }
    return static_cast<std::int32_t>(parents_.size()) - 1;
  }
  /// Returns the new GPU, numbered from 0, or `refused_node`: no room, an unknown hub, or no copy engine. Of more than
  /// two the others stay unused: copies have two directions.
  constexpr auto add_gpu(std::int32_t hub, std::int32_t copy_engines) noexcept -> std::int32_t {
    const std::int32_t used = copy_engines < max_copy_engines ? copy_engines : max_copy_engines;
    if (!known_hub(hub) || used < 1 || !gpus_.try_push_back({hub, used})) { return detail::refused_node; }
    return static_cast<std::int32_t>(gpus_.size()) - 1;
  }

  [[nodiscard]] constexpr auto gpus() const noexcept -> std::int32_t { return static_cast<std::int32_t>(gpus_.size()); }
  [[nodiscard]] constexpr auto contains(std::int32_t gpu) const noexcept -> bool { return gpu >= 0 && gpu < gpus(); }
  /// Pre: the topology contains the GPU; so for all below.
  [[nodiscard]] constexpr auto copy_engines(std::int32_t gpu) const noexcept -> std::int32_t {
    TAKT_EXPECTS(contains(gpu));
    return at(gpu).copy_engines;
  }
  [[nodiscard]] constexpr auto engines(std::int32_t gpu) const noexcept -> std::int32_t {
    return 1 + copy_engines(gpu);
  }

  /// Counts links from a GPU up to the nearest switch or hub that both are below, on the longer side where the sides
  /// differ; 0 from a GPU to itself; `unreachable` without a common hub. Cost: one step per pair of hubs above the two.
  [[nodiscard]] constexpr auto distance(std::int32_t a, std::int32_t b) const noexcept -> std::int32_t {
    TAKT_EXPECTS(contains(a) && contains(b));
    if (a == b) { return 0; }
    std::int32_t up_a = 1;
    for (std::int32_t hub_a = at(a).hub; hub_a != no_hub; hub_a = parent(hub_a), ++up_a) {
      std::int32_t up_b = 1;
      for (std::int32_t hub_b = at(b).hub; hub_b != no_hub; hub_b = parent(hub_b), ++up_b) {
        if (hub_a == hub_b) { return up_a < up_b ? up_b : up_a; }
      }
    }
    return unreachable;
  }
  /// Returns whether the one GPU can copy to the other without a buffer in system memory.
  [[nodiscard]] constexpr auto peers(std::int32_t a, std::int32_t b) const noexcept -> bool {
    TAKT_EXPECTS(contains(a) && contains(b));
    return a != b && distance(a, b) != unreachable;
  }

  [[nodiscard]] constexpr auto execution_engine(std::int32_t gpu) const noexcept -> gpu_engine {
    TAKT_EXPECTS(contains(gpu));
    return {gpu, engine_kind::execution};
  }
  /// Returns the engine of a copy between the GPU and system memory; one of no stated direction goes to the first.
  [[nodiscard]] constexpr auto copy_engine(std::int32_t gpu, copy_direction d) const noexcept -> gpu_engine {
    const bool second = copy_engines(gpu) == 2 && detail::takes_second_engine(d);
    return {gpu, second ? engine_kind::copy_to_host : engine_kind::copy};
  }
  /// A peer-to-peer copy occupies the outgoing engine of its source and the incoming one of its destination, as it is
  /// unknown which of them does the work. Empty when the two are not peers.
  [[nodiscard]] constexpr auto peer_copy_engines(std::int32_t source, std::int32_t destination) const noexcept
      -> engine_set {
    engine_set both;  // Bound: two engines.
    if (!peers(source, destination)) { return both; }
    both.unchecked_push_back(copy_engine(source, copy_direction::to_host));
    both.unchecked_push_back(copy_engine(destination, copy_direction::to_device));
    return both;
  }

 private:
  struct gpu_node {
    std::int32_t hub = no_hub;
    std::int32_t copy_engines = 1;
  };

  [[nodiscard]] constexpr auto known_hub(std::int32_t hub) const noexcept -> bool {
    return hub >= no_hub && hub < static_cast<std::int32_t>(parents_.size());
  }
  [[nodiscard]] constexpr auto parent(std::int32_t hub) const noexcept -> std::int32_t {
    return parents_[static_cast<std::size_t>(hub)];
  }
  [[nodiscard]] constexpr auto at(std::int32_t gpu) const noexcept -> const gpu_node& {
    return gpus_[static_cast<std::size_t>(gpu)];
  }

  inline_vector<std::int32_t, MaxHubs> parents_;
  inline_vector<gpu_node, MaxGpus> gpus_;
};

}  // namespace takt::inline TAKT_ABI
