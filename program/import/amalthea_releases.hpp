// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "amalthea_model.hpp"

namespace takt::program {

/// One sequence of releases of a task, at least a period apart.
struct amalthea_release {
  ticks period = 0;
  ticks jitter = 0;
  ticks offset = 0;
  bool sporadic = false;
  std::string by{};  ///< the task whose jobs release it; empty: time does
};

/// Whether the body waits for an event that another task sets, and so for that task.
[[nodiscard]] auto waits_for(const amalthea_task& caller, const amalthea_task& callee) -> bool;

/// What releases each task, by its name: time, and the jobs of other tasks that do not wait for it. A job releases
/// others until its deadline, so these have the deadline as jitter. A task that nothing releases, or something that is
/// not known, has none. Throws `input_error` where tasks release each other in a circle.
class amalthea_releases {
 public:
  /// The model has to outlive it.
  explicit amalthea_releases(const amalthea_model& model);

  [[nodiscard]] auto of(const amalthea_task& t) -> const std::vector<amalthea_release>&;
  /// From the release by time that begins all: what is said, or the period, after the release of the task itself.
  [[nodiscard]] static auto deadline_of(const amalthea_task& t, const amalthea_release& r) -> ticks;

 private:
  struct source {
    const amalthea_task* task = nullptr;
    std::size_t times = 0;  ///< in a job
  };

  [[nodiscard]] auto sources_of(const amalthea_task& t, const std::string& stimulus) const -> std::vector<source>;
  using counts = std::map<std::string, std::size_t>;
  /// How often a job reaches an item, at most. `known`: of runnables.
  template <class F>
  [[nodiscard]] auto count(const amalthea_body& body, const F& is_meant, counts& known, std::size_t depth = 0) const
      -> std::size_t;

  const amalthea_model& model_;
  std::map<std::string, std::vector<amalthea_release>> known_;
  std::map<std::string, bool> within_;
};

}  // namespace takt::program
