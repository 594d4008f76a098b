// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/rules/unit_traits.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/executor/visit_worker.hpp>
#include <takt/runtime/machine_finding.hpp>
#include <takt/runtime/machine_state.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// By task and position among the visits of the task.
using visit_position = std::pair<std::uint32_t, std::uint32_t>;

/// Visits of one task that follow each other on a pool.
struct pool_lane {
  std::uint32_t task = 0;
  std::uint32_t first_visit = 0;  ///< of the task, in the numbers of visits
  sm_range range{};               ///< SMs of the task's own, where the rule hands some out; else all of the GPU
  bool in_order = false;          ///< all visits of the task follow each other
};

/// Holds what a device is told of the pool that it serves, and of the board around.
struct pool_to_serve {
  platform_record board{};
  std::size_t gpu = 0;  ///< of the board, where the pool is one
  bool is_gpu = false;
  bool is_copy_engines = false;
  bool hands_out_sms = false;
  bool hands_out_percents = false;
  unit_traits traits{};
  ticks patience = 0;              ///< how long the end of the run waits for what is under way
  std::size_t trace_capacity = 0;  ///< pieces of execution to remember, per unit
  std::vector<pool_lane> lanes{};
};

/// A piece of a visit on units, told by the device that it ran on. Times are instants; the track is that of the pool.
using piece_sink =
    std::function<void(std::uint32_t visit, std::uint64_t job, const track& where, ticks from, ticks to)>;

/// A device, of any type, that carries out the visits of a pool of a board.
class pool_device {
 public:
  pool_device() = default;
  pool_device(const pool_device&) = delete;
  auto operator=(const pool_device&) -> pool_device& = delete;
  virtual ~pool_device() = default;

  /// Returns for which visits it has the user's own work.
  [[nodiscard]] virtual auto bound() const -> std::vector<visit_position> = 0;
  /// Returns whether it carries the rule out by itself, on visits as they come; else it follows the host's server.
  [[nodiscard]] virtual auto decides_by_itself(const pool_to_serve& /*p*/) const -> bool { return false; }
  /// Returns whether its host knows on which units visits are.
  [[nodiscard]] virtual auto reports_units() const -> bool { return true; }
  /// Returns whether it knows better than its host when visits were on which units, and tells it at the end.
  [[nodiscard]] virtual auto replays() const -> bool { return false; }
  /// Returns how many pieces did not fit. Pre: closed, after having been open.
  virtual auto replay(const piece_sink& /*to*/) const -> std::uint64_t { return 0; }
  /// Returns on how many levels it lets kernels start above others, of those that the rule of the pool uses.
  [[nodiscard]] virtual auto levels(const pool_to_serve& /*p*/) const -> std::int32_t { return 1; }
  /// Returns whether it can do what the rule of the pool decides.
  [[nodiscard]] virtual auto serves(const pool_to_serve& p) const -> bool = 0;
  /// Returns false when there is too little of something. Pre: it serves them.
  [[nodiscard]] virtual auto open(const pool_to_serve& p) -> bool = 0;
  /// Makes a worker for the visits of one lane. Pre: open.
  [[nodiscard]] virtual auto worker(std::size_t lane, worker_reports reports) -> std::unique_ptr<visit_worker> = 0;
  /// Abandons what is under way, after which no worker reports anything.
  virtual void close() = 0;
  /// Sets SCHED_FIFO for its threads, 0 for the ordinary class. Returns false when the system refuses.
  [[nodiscard]] virtual auto serve_at(int priority) -> bool = 0;
  [[nodiscard]] virtual auto name() const -> std::string = 0;
  /// Returns what failed, and where; empty unless it did.
  [[nodiscard]] virtual auto failure() const -> std::string = 0;
  [[nodiscard]] virtual auto findings() const -> machine_findings = 0;
  /// Returns what did not run as planned since the last call.
  [[nodiscard]] virtual auto take_notes() -> std::vector<std::string> = 0;
};

/// Is a device of one type, with the user's own work by position.
template <class D, class Works>
class typed_device : public pool_device {
 public:
  [[nodiscard]] auto bound() const -> std::vector<visit_position> override {
    std::vector<visit_position> out;
    for (const auto& [at, what] : *works_) { out.push_back(at); }
    return out;
  }
  [[nodiscard]] auto name() const -> std::string override { return std::string{device_->name()}; }
  [[nodiscard]] auto failure() const -> std::string override {
    if constexpr (FallibleDevice<D>) {
      if (device_->failed()) { return device_->fault_sentence(); }
    }
    return {};
  }
  [[nodiscard]] auto findings() const -> machine_findings override {
    if constexpr (ExaminedDevice<D>) {
      return device_->findings();
    } else {
      return check_machine(parts_used::cpus);
    }
  }
  [[nodiscard]] auto take_notes() -> std::vector<std::string> override {
    if constexpr (detail::NotingDevice<D>) {
      return device_->take_notes();
    } else {
      return {};
    }
  }

 protected:
  typed_device(D& device, Works works) : device_{&device}, works_{std::make_shared<const Works>(std::move(works))} {}

  D* device_;
  std::shared_ptr<const Works> works_;
};

}  // namespace takt::inline TAKT_ABI::runtime
