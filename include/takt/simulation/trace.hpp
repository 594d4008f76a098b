// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <takt/model/trace_record.hpp>

namespace takt {

/// Keeps everything that it is told.
class trace {
 public:
  constexpr void record(const slice& s) { slices_.push_back(s); }
  constexpr void record(const mark& m) { marks_.push_back(m); }

  [[nodiscard]] constexpr auto slices() const noexcept -> const std::vector<slice>& { return slices_; }
  [[nodiscard]] constexpr auto marks() const noexcept -> const std::vector<mark>& { return marks_; }

 private:
  std::vector<slice> slices_;
  std::vector<mark> marks_;
};

/// Listens if there is anybody to tell.
struct optional_trace {
  trace* kept = nullptr;

  constexpr void record(const slice& s) const {
    if (kept != nullptr) { kept->record(s); }
  }
  constexpr void record(const mark& m) const {
    if (kept != nullptr) { kept->record(m); }
  }
};

static_assert(TraceRecorder<trace>);
static_assert(TraceRecorder<optional_trace>);

}  // namespace takt
