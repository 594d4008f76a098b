// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace takt::simulation {

/// Looks on without a word. An observer is told of each kernel that has entered the queue, with its tag, and of the end
/// of each instant, when all blocks that can start have started.
struct no_gpu_observer {
  template <class Number, class Engine>
  void enqueued(const Number& /*now*/, std::uint64_t /*tag*/, const Engine& /*gpu*/) const {}
  template <class Number, class Engine>
  void settled(const Number& /*now*/, const Engine& /*gpu*/) const {}
};

}  // namespace takt::simulation
