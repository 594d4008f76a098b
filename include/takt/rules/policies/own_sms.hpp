// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <takt/model/hardware.hpp>
#include <takt/model/overheads.hpp>
#include <takt/model/pool.hpp>
#include <takt/rules/lasting_shares.hpp>
#include <takt/rules/policies/sharing_policy.hpp>
#include <takt/rules/tags.hpp>

// Policies that give each task a part of the GPU for itself.

namespace takt::inline TAKT_ABI {

/// Whole SMs of its own for each task, as RTGPU has them. Source: Zou et al. 2021.
struct federated_policy {
  static constexpr std::string_view name = "federated";
  static constexpr auto handover = kernel_handover::hardware;
  template <RuleTag CpuRule>
  [[nodiscard]] static constexpr auto gpu_pool(const gpu_hardware& gpu, const CpuRule& /*rule*/) {
    return pool(sms_of(gpu), federated);
  }
};

/// Virtual SMs of its own for each task; those of two tasks may be one physical SM.
struct federated_shared_policy {
  static constexpr std::string_view name = "federated-shared";
  static constexpr auto handover = kernel_handover::hardware;
  template <RuleTag CpuRule>
  [[nodiscard]] static constexpr auto gpu_pool(const gpu_hardware& gpu, const CpuRule& /*rule*/) {
    return pool(sms_of(gpu), federated_virtual);
  }
};

/// Whole SMs of its own for each task, and a job that waits for its copies and kernels keeps its processor.
struct busy_waiting_policy {
  static constexpr std::string_view name = "busy-waiting";
  static constexpr auto handover = kernel_handover::hardware;
  static constexpr bool keeps_processor = true;
  template <RuleTag CpuRule>
  [[nodiscard]] static constexpr auto gpu_pool(const gpu_hardware& gpu, const CpuRule& /*rule*/) {
    return pool(sms_of(gpu), federated);
  }
};

/// A lasting part of the GPU for each task, by per cent.
struct shares_policy {
  static constexpr std::string_view name = "shares";
  static constexpr auto handover = kernel_handover::hardware;
  template <RuleTag CpuRule>
  [[nodiscard]] static constexpr auto gpu_pool(const gpu_hardware& gpu, const CpuRule& /*rule*/) {
    return pool(sms_of(gpu), lasting_shares);
  }
};

}  // namespace takt::inline TAKT_ABI
