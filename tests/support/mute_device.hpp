// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/concepts.hpp>

namespace takt_tests {

/// Serves any board and answers nobody before it goes, when there is nobody to tell any more.
class mute_device {
 public:
  struct kernel {
    explicit kernel(takt::ticks /*length*/) {}
  };
  using copy = kernel;
  struct stream {
    mute_device* device;
    void launch(const kernel& /*k*/, takt::runtime::completion done) const { device->keep(done); }
    void copy(std::int32_t /*engine*/, const kernel& /*c*/, takt::runtime::completion done) const {
      device->keep(done);
    }
  };

  mute_device() = default;
  mute_device(const mute_device&) = delete;
  auto operator=(const mute_device&) -> mute_device& = delete;
  ~mute_device() {
    for (const takt::runtime::completion& late : unanswered_) { late(); }
  }

  [[nodiscard]] static auto serves(const takt::platform_record& /*p*/) -> bool { return true; }
  [[nodiscard]] auto open(const takt::sm_range& /*r*/) -> stream { return {this}; }
  [[nodiscard]] static auto serve_at(std::int32_t /*priority*/) -> bool { return false; }
  [[nodiscard]] static auto ready() -> bool { return true; }
  [[nodiscard]] static auto name() -> std::string_view { return "mute"; }

 private:
  void keep(takt::runtime::completion done) {
    const std::lock_guard lock{mutex_};
    unanswered_.push_back(done);
  }

  std::mutex mutex_;
  std::vector<takt::runtime::completion> unanswered_;
};
static_assert(takt::runtime::Device<mute_device>);

}  // namespace takt_tests
