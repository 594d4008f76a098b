// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <takt/model/model_error.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/shares/gpu_shares.hpp>
#include <takt/model/shares/share_task.hpp>
#include <takt/rules/share_tags.hpp>

#include "../failure.hpp"
#include "../files/workload_file.hpp"

namespace takt::program {

using file_shares = share_table<max_tasks>;

/// A file about applications on shares of one GPU. The table's names point into `from`.
struct share_file {
  share_file() = default;
  share_file(const share_file&) = delete;
  auto operator=(const share_file&) -> share_file& = delete;
  share_file(share_file&&) = delete;
  auto operator=(share_file&&) -> share_file& = delete;
  ~share_file() = default;

  std::string name;
  std::string rules = "robust";  ///< as the file says them
  std::string triggers = "every-change";
  gpu_shares_resource gpu;
  file_shares table;  ///< in the order of the file
  std::vector<std::string> notes;
  std::unique_ptr<workload_file> from;

  [[nodiscard]] auto share_rules_in_use() const -> takt::share_rules {
    return rules == "literal" ? wamp2s_literal : rules == "text" ? wamp2s_text : wamp2s_robust;
  }
  [[nodiscard]] auto triggers_in_use() const -> share_triggers {
    return triggers == "workload-decrease" ? workload_decrease : every_change;
  }
  [[nodiscard]] auto platform() const {
    return takt::platform(takt::pool(gpu, takt::shares(share_rules_in_use(), triggers_in_use())));
  }
};

/// Pre: the shape of the file is `applications`. Throws `input_error` when something is wrong with the model.
[[nodiscard]] auto applications_of(std::unique_ptr<workload_file> from) -> std::unique_ptr<share_file>;

/// The line of the format for a fault that the library found.
[[nodiscard]] auto explain_fault(const share_file& file, const model_error& error) -> input_error;

}  // namespace takt::program
