// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>

#include <takt/runtime/accelerator/concepts.hpp>
#include <takt/runtime/rights.hpp>

namespace takt::runtime {

/// The rights of the scheduler of an accelerator, and of the device below it, whose blocks may compute and must not
/// keep a decision from being made.
template <AcceleratorDevice D>
class accelerator_rights {
 public:
  accelerator_rights(pthread_t scheduler, D& device, std::vector<std::string>& notes)
      : device_{&device}, rights_{{{.handle = scheduler, .priority = device_priority + 1}}, notes} {}
  accelerator_rights(const accelerator_rights&) = delete;
  auto operator=(const accelerator_rights&) -> accelerator_rights& = delete;
  ~accelerator_rights() { give_back(); }

  auto be_real_time() -> bool {
    raised_ = rights_.be_real_time(device_priority + 2,
                                   "the scheduler at " + std::to_string(device_priority + 1) + " above the device", "",
                                   [this](bool above) { return device_->serve_at(above ? device_priority : 0); });
    return raised_;
  }
  auto lock_memory() -> bool { return rights_.lock_memory(); }
  void give_back() {
    rights_.give_back();
    if (std::exchange(raised_, false)) { (void)device_->serve_at(0); }
  }

 private:
  /// Below what Linux gives its interrupt threads.
  static constexpr std::int32_t device_priority = 40;

  D* device_;
  rights rights_;
  bool raised_ = false;
};

}  // namespace takt::runtime
