// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <takt/model/observation.hpp>
#include <takt/simulation/trace.hpp>

#include "described_file.hpp"

namespace takt::program {

/// What was seen, with names and rows of its own.
template <class Result>
[[nodiscard]] auto sighting_of(const Result& result) -> sighting {
  sighting out;
  out.seen.error = result.error;
  out.seen.ended = result.ended;
  out.seen.end = result.end;
  for (const auto& t : result.tasks) {
    observed_task<ticks, std::string> row;
    row.name = t.name;
    row.released = t.released;
    row.completed = t.completed;
    row.misses = t.misses;
    row.skipped = t.skipped;
    row.unfinished = t.unfinished;
    row.worst_response = t.worst_response;
    row.best_response = t.best_response;
    row.total_response = t.total_response;
    row.within_bound = t.within_bound;
    out.seen.tasks.push_back(row);
  }
  if constexpr (requires { result.device_fault; }) {
    out.device_fault = result.device_fault;
    out.notes = result.notes;
  }
  return out;
}

/// Listens if there is anybody to tell.
struct optional_trace {
  trace* kept = nullptr;
  void record(const slice& s) const {
    if (kept != nullptr) { kept->record(s); }
  }
  void record(const mark& m) const {
    if (kept != nullptr) { kept->record(m); }
  }
};

}  // namespace takt::program
