// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <takt/model/shares/application.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/rules/shares/share_scheduler.hpp>
#include <takt/systems/shares/run/share_client.hpp>
#include <takt/systems/shares/run/share_service.hpp>

namespace takt::shares_example {

inline constexpr std::size_t max_applications = 16;
using table_type = application_set<max_applications>;
using scheduler_type = share_scheduler<max_applications, contention_predictor<max_applications>>;
using service_type = runtime::share_service<scheduler_type>;

/// The applications that server and clients agree on; the first one is the most urgent.
class application_set {
 public:
  /// Each as NAME:WORK:PERIOD in milliseconds, WORK being alone on the whole GPU and the deadline the period. Throws
  /// `std::invalid_argument` with a sentence.
  explicit application_set(const std::vector<std::string>& descriptions);
  application_set(const application_set&) = delete;
  auto operator=(const application_set&) -> application_set& = delete;
  ~application_set() = default;

  [[nodiscard]] auto table() const noexcept -> const table_type& { return table_; }
  [[nodiscard]] auto size() const noexcept -> std::size_t { return table_.size(); }
  [[nodiscard]] auto name(std::size_t i) const -> const std::string& { return names_[i]; }
  /// Throws `std::invalid_argument`.
  [[nodiscard]] auto index_of(const std::string& name) const -> std::size_t;
  [[nodiscard]] auto work(std::size_t i) const -> ticks { return table_.tasks[i].alone.at(full_share); }
  [[nodiscard]] auto registration(std::size_t i) const -> runtime::share_registration;
  [[nodiscard]] auto scheduler() const -> scheduler_type { return {table_, contention_predictor{table_}}; }

 private:
  void add(const std::string& description);

  std::deque<std::string> names_;
  table_type table_;
};

/// Five applications that need 82 of the 100 shares.
[[nodiscard]] auto default_applications() -> std::vector<std::string>;

}  // namespace takt::shares_example
