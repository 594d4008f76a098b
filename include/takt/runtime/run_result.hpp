// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/runtime/machine_finding.hpp>
#include <takt/runtime/run_options.hpp>

namespace takt::runtime {

enum class run_status : std::uint8_t {
  met,            ///< every deadline that passed during the run was met
  missed,         ///< at least one was not
  invalid_model,  ///< nothing ran: see `error`
  wrong_device,   ///< nothing ran: the device lacks what the platform names
  wrong_binding,  ///< nothing ran: a binding names no segment of its kind
  no_threads,     ///< nothing ran: the system gave too few threads
  device_failed,  ///< the run ended there, or did not begin: see `device_fault`; what was seen until then counts
};

[[nodiscard]] constexpr auto name_of(run_status s) noexcept -> std::string_view {
  switch (s) {
    case run_status::met: return "met";
    case run_status::missed: return "missed";
    case run_status::invalid_model: return "invalid-model";
    case run_status::wrong_device: return "wrong-device";
    case run_status::wrong_binding: return "wrong-binding";
    case run_status::no_threads: return "no-threads";
    case run_status::device_failed: return "device-failed";
  }
  return "";
}

/// What was seen of a task. Responses are those of completed jobs and count from the release.
struct task_observation {
  std::string name;
  std::uint64_t jobs = 0;        ///< completed during the run
  std::uint64_t misses = 0;      ///< completed late, or unfinished with the deadline passed when the run ended
  std::uint64_t unfinished = 0;  ///< released, and neither completed nor skipped when the run ended
  std::uint64_t skipped = 0;
  ticks worst_response = 0;
  ticks mean_response = 0;
  ticks best_response = 0;
  std::vector<ticks> worst_segment_response;  ///< from the end of the previous segment to the end of this one
  bool has_bound = false;
  ticks bound = 0;
  bool within_bound = true;  ///< nothing was seen above any expected bound, unfinished jobs included
};

/// What the operating system let the run have.
struct system_grant {
  bool real_time = false;
  bool pinned = false;
  bool memory_locked = false;
  ticks clock_resolution = 0;
};

struct run_result {
  run_status status = run_status::met;
  model_error error{};
  std::vector<task_observation> tasks;  ///< in the given order
  std::optional<violation> first_violation;
  std::string device_fault;   ///< what failed, and where; empty unless the device did
  ticks lasted = 0;           ///< from the start to the end: what was asked for, or less after a fault
  machine_findings findings;  ///< if they were asked for, fine ones too
  system_grant granted{};
  std::vector<std::string> notes;  ///< sentences on how far the run can be trusted
};

}  // namespace takt::runtime
