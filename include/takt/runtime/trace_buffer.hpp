// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/model/visit_table.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Holds what a run keeps for its trace, in room that is there before it starts.
class trace_buffer {
 public:
  /// Bounds the trace entries of a kind.
  static constexpr std::size_t most = std::size_t{1} << 22;

  trace_buffer() = default;
  /// Keeps the trace of a run with that recorder: where no trace is wanted, nothing is kept.
  template <TraceRecorder Recorder>
  [[nodiscard]] static auto for_recorder() -> trace_buffer {
    trace_buffer out;
    out.is_wanted_ = !std::is_same_v<std::remove_const_t<Recorder>, null_recorder>;
    return out;
  }

  void reserve(std::size_t slices, std::size_t marks) {
    if (!is_wanted_) { return; }
    slices_.reserve(std::min(slices, most));
    marks_.reserve(std::min(marks, most));
  }
  void add(const slice& s) { keep(slices_, s); }
  void add(const mark& m) { keep(marks_, m); }

  /// Counts so many entries that did not fit elsewhere.
  void lose(std::uint64_t entries) noexcept { lost_ += entries; }
  [[nodiscard]] auto is_wanted() const noexcept -> bool { return is_wanted_; }
  /// Returns how many entries did not fit.
  [[nodiscard]] auto lost() const noexcept -> std::uint64_t { return lost_; }
  template <TraceRecorder Recorder>
  void replay(Recorder& to) const {
    for (const slice& s : slices_) { to.record(s); }
    for (const mark& m : marks_) { to.record(m); }
  }

 private:
  template <class Entry>
  void keep(std::vector<Entry>& entries, const Entry& entry) {
    if (entries.size() < entries.capacity()) {
      entries.push_back(entry);
    } else if (entries.capacity() > 0) {
      ++lost_;
    }
  }

  std::vector<slice> slices_;
  std::vector<mark> marks_;
  std::uint64_t lost_ = 0;
  bool is_wanted_ = true;
};

}  // namespace takt::inline TAKT_ABI::runtime
