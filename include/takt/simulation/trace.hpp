// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <takt/model/trace_record.hpp>

namespace takt::inline TAKT_ABI {

/// Keeps everything that it is told.
class trace {
 public:
  constexpr void record(const slice& s) { slices_.push_back(s); }
  constexpr void record(const mark& m) { marks_.push_back(m); }
  constexpr void record(const token_hold& h) { holds_.push_back(h); }

  [[nodiscard]] constexpr auto slices() const noexcept -> const std::vector<slice>& { return slices_; }
  [[nodiscard]] constexpr auto marks() const noexcept -> const std::vector<mark>& { return marks_; }
  [[nodiscard]] constexpr auto holds() const noexcept -> const std::vector<token_hold>& { return holds_; }

 private:
  std::vector<slice> slices_;
  std::vector<mark> marks_;
  std::vector<token_hold> holds_;
};

/// Passes everything on to another recorder, if there is one.
struct optional_trace {
  trace* kept = nullptr;

  constexpr void record(const slice& s) const {
    if (kept != nullptr) { kept->record(s); }
  }
  constexpr void record(const mark& m) const {
    if (kept != nullptr) { kept->record(m); }
  }
  constexpr void record(const token_hold& h) const {
    if (kept != nullptr) { kept->record(h); }
  }
};

static_assert(TraceRecorder<trace>);
static_assert(TraceRecorder<optional_trace>);

}  // namespace takt::inline TAKT_ABI
