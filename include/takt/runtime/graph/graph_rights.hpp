// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <takt/runtime/graph/emulated_block_gpu.hpp>
#include <takt/runtime/graph/graph_crew.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::runtime {

/// What a run of graphs asks of the operating system: each request leaves a sentence on what came of it, and is taken
/// back at the end of the scope.
class graph_rights {
 public:
  graph_rights(const std::vector<std::unique_ptr<graph_crew>>& crews, std::vector<emulated_block_gpu*> devices,
               std::vector<std::string>& notes)
      : crews_{&crews}, devices_{std::move(devices)}, notes_{&notes}, self_{pthread_self()} {
    (void)pthread_getschedparam(self_, &own_policy_, &own_parameters_);
  }
  graph_rights(const graph_rights&) = delete;
  auto operator=(const graph_rights&) -> graph_rights& = delete;
  ~graph_rights() { give_back(); }

  /// SCHED_FIFO: a node at `base` plus its longest distance from the input, so that what is begun is ended; above them
  /// the decisions of devices and those who invoke and deliver. Refused where nothing keeps real-time threads from
  /// starving the rest of the machine. Source: Elliott 2015, section 5.4.1.
  auto be_real_time(std::int32_t base) -> bool {
    std::ifstream limit{"/proc/sys/kernel/sched_rt_runtime_us"};
    if (long runtime = -1; !(limit >> runtime) || runtime < 0) {
      return refused(
          "scheduling: time-shared, because the kernel sets no limit to real-time threads "
          "(kernel.sched_rt_runtime_us)");
    }
    std::int32_t deepest = 0;
    for_each([&](const graph_thread& t) { deepest = std::max(deepest, t.depth); });
    const bool exists = base > 0 && base <= sched_get_priority_max(SCHED_FIFO);
    const std::int32_t top = exists ? base + deepest + 1 : 0;
    raised_ = true;
    bool granted = exists && schedule(self_, top + 1) == 0;
    for_each([&](const graph_thread& t) {
      granted = granted && schedule(t.worker.native_handle(), t.depth < 0 ? top : base + t.depth) == 0;
    });
    for (emulated_block_gpu* d : devices_) { granted = granted && d->serve_at(top, base); }
    if (!granted) {
      lower();
      return refused("scheduling: time-shared, because SCHED_FIFO was refused");
    }
    notes_->push_back("scheduling: SCHED_FIFO, nodes at " + std::to_string(base) + " plus their depth");
    return true;
  }

  /// The threads of each graph to the CPUs of its cluster.
  auto pin(const std::vector<std::int32_t>& clusters) -> bool {
    cpu_set_t usable;
    CPU_ZERO(&usable);
    if (sched_getaffinity(0, sizeof usable, &usable) != 0) { return refused("affinity: the usable CPUs are unknown"); }
    std::vector<std::size_t> cpus;
    for (std::size_t c = 0; c < CPU_SETSIZE; ++c) {
      if (CPU_ISSET(c, &usable)) { cpus.push_back(c); }
    }
    std::vector<cpu_set_t> sets;
    std::size_t next = 0;
    for (const std::int32_t processors : clusters) {
      CPU_ZERO(&sets.emplace_back());
      for (std::int32_t p = 0; p < processors; ++p) { CPU_SET(cpus[next++ % cpus.size()], &sets.back()); }
    }
    bool granted = true;
    for_each([&](const graph_thread& t) {
      const cpu_set_t& own = sets[static_cast<std::size_t>(t.cluster)];
      granted = granted && pthread_setaffinity_np(t.worker.native_handle(), sizeof own, &own) == 0;
    });
    if (!granted) { return refused("affinity: not pinned"); }
    notes_->emplace_back("affinity: each graph on the CPUs of its cluster");
    if (next > cpus.size()) {
      notes_->push_back("affinity: the platform has more processors than the " + std::to_string(cpus.size()) +
                        " CPUs of this process: some share one, which no analysis of the platform counts");
    }
    return true;
  }

  auto lock_memory() -> bool {
    locked_ = mlockall(MCL_CURRENT) == 0;
    if (!locked_) { return refused("memory: not locked: page faults may add to responses"); }
    notes_->emplace_back("memory: locked");
    return true;
  }
  void give_back() {
    lower();
    if (std::exchange(locked_, false)) { (void)munlockall(); }
  }

 private:
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& crew : *crews_) {
      for (const graph_thread& t : crew->threads()) { visit(t); }
    }
  }
  auto refused(const char* note) -> bool {
    notes_->emplace_back(note);
    return false;
  }
  void lower() {
    if (!std::exchange(raised_, false)) { return; }
    for_each([](const graph_thread& t) {
      if (t.worker.started()) { (void)schedule(t.worker.native_handle(), 0); }
    });
    for (emulated_block_gpu* d : devices_) { (void)d->serve_at(0, 0); }
    (void)pthread_setschedparam(self_, own_policy_, &own_parameters_);
  }

  const std::vector<std::unique_ptr<graph_crew>>* crews_;
  std::vector<emulated_block_gpu*> devices_;
  std::vector<std::string>* notes_;
  pthread_t self_;
  int own_policy_ = SCHED_OTHER;
  sched_param own_parameters_{};
  bool raised_ = false;
  bool locked_ = false;
};

}  // namespace takt::runtime
