// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/runtime/executor/pool_device.hpp>
#include <takt/runtime/inheriting_mutex.hpp>

namespace takt::runtime {

/// Which visits a device was given, by the numbers of its jobs there.
class launch_ledger {
 public:
  void reserve(std::size_t launches) { entries_.reserve(launches); }
  /// The number of a job; those that do not fit have one behind all others.
  auto add(std::uint32_t visit, std::uint64_t job) -> std::uint64_t {
    const std::lock_guard lock{mutex_};
    if (entries_.size() == entries_.capacity()) { return entries_.size(); }
    entries_.push_back({visit, job});
    return entries_.size() - 1;
  }
  /// What a device tells, of visits. Pieces that did not fit there or here. Pre: nothing is added any more.
  template <class D>
  auto replay(const D& device, const piece_sink& to) const -> std::uint64_t {
    std::uint64_t unknown = 0;
    reader heard{this, &to, &unknown};
    const std::uint64_t lost = device.replay(heard, 0);
    return lost + unknown;
  }

 private:
  struct entry {
    std::uint32_t visit = 0;
    std::uint64_t job = 0;
  };
  struct reader {
    const launch_ledger* from;
    const piece_sink* to;
    std::uint64_t* unknown;

    void record(const slice& s) const {
      if (s.job >= from->entries_.size()) {
        ++*unknown;
        return;
      }
      const entry& e = from->entries_[s.job];
      (*to)(e.visit, e.job, s.where, s.start, s.end);
    }
    void record(const mark& /*m*/) const {}
  };

  inheriting_mutex mutex_;
  std::vector<entry> entries_;
};

}  // namespace takt::runtime
