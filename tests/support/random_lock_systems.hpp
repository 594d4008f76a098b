// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/rules/locking/advice.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/rules/locking/token_map.hpp>
#include "support/lock_programs.hpp"

namespace takt_tests {

using takt::ticks;

inline constexpr std::size_t most_lock_tasks = 12;
inline constexpr std::size_t most_lock_replicas = 6;

/// Answers at random, also with what is impossible. Differs from run to run only by its seed.
struct random_advice {
  mutable takt::random_stream random{1};
  bool may_leave_idle = true;

  template <class Protocol>
  [[nodiscard]] auto queue(const Protocol& p, takt::request_id /*r*/) const -> takt::replica_id {
    return static_cast<takt::replica_id>(random.below(p.replicas() + 3)) - 2;
  }
  template <class Protocol>
  [[nodiscard]] auto donee(const Protocol& p, takt::request_id /*r*/) const -> takt::request_id {
    return static_cast<takt::request_id>(random.below(p.capacity() + 3)) - 2;
  }
  template <class Protocol>
  [[nodiscard]] auto steal(const Protocol& p, takt::replica_id /*x*/) const -> takt::steal_advice {
    return {static_cast<takt::request_id>(random.below(p.capacity() + 2)) - 1, may_leave_idle && random.chance(1, 3)};
  }
  template <class Protocol>
  void enqueued(const Protocol& /*p*/, takt::request_id /*r*/, takt::replica_id /*x*/) const {}
  template <class Protocol>
  void dequeued(const Protocol& /*p*/, takt::request_id /*r*/, takt::replica_id /*x*/) const {}
  template <class Protocol>
  void acquired(const Protocol& /*p*/, takt::request_id /*r*/, takt::replica_id /*x*/) const {}
  template <class Protocol>
  void freed(const Protocol& /*p*/, takt::request_id /*r*/, takt::replica_id /*x*/) const {}
};

/// Jobs that share locks on some clusters, made to collide: sections of equal length or any, on the processor or
/// suspended; requests often at the release; releases close together; later jobs often more important.
struct random_lock_system {
  std::uint64_t seed = 0;
  std::int32_t processors = 1;  ///< per cluster
  std::int32_t clusters = 1;
  std::vector<std::int32_t> replicas;  ///< per resource
  lock_programs workload;
  std::vector<std::vector<ticks>> longest;          ///< per resource and task, 0: the task does not use it
  std::vector<std::vector<std::int64_t>> requests;  ///< per resource and task, of each job

  [[nodiscard]] auto users(std::size_t r) const -> std::int64_t {
    return static_cast<std::int64_t>(longest[r].size()) - std::ranges::count(longest[r], ticks{0});
  }
  [[nodiscard]] auto longest_section(std::size_t r) const -> ticks {
    return longest[r].empty() ? 0 : *std::ranges::max_element(longest[r]);
  }
};

class lock_system_generator {
 public:
  struct limits {
    std::int32_t clusters = 1;
    std::int32_t resources = 1;
  };

  explicit lock_system_generator(std::uint64_t seed) : random_{seed} { system_.seed = seed; }

  auto make(const limits& most) -> random_lock_system {
    system_.clusters = static_cast<std::int32_t>(random_.between(1, most.clusters));
    system_.processors = static_cast<std::int32_t>(random_.between(1, 4));
    const auto resources = static_cast<std::size_t>(random_.between(1, most.resources));
    for (std::size_t r = 0; r < resources; ++r) {
      system_.replicas.push_back(static_cast<std::int32_t>(random_.between(1, 4)));
      length_.push_back(random_.between(1, 10));
    }
    const auto tasks = static_cast<std::size_t>(random_.between(2, most_lock_tasks));
    system_.longest.assign(resources, std::vector<ticks>(tasks, 0));
    system_.requests.assign(resources, std::vector<std::int64_t>(tasks, 0));
    one_length_ = random_.chance(1, 2);
    at_release_ = random_.chance(1, 2);
    suspended_ = random_.between(0, 2);
    plan_jobs(tasks);
    for (std::size_t t = 0; t < tasks; ++t) { add_task(t); }
    return system_;
  }

 private:
  struct planned {
    ticks release = 0;
    std::int64_t priority = 0;
  };

  void plan_jobs(std::size_t tasks) {
    const ticks spread = random_.chance(1, 2) ? random_.between(1, 8) : 40;
    ticks latest = 0;
    for (std::size_t i = 0; i < 2 * tasks; ++i) {
      jobs_.push_back({random_.below(spread), static_cast<std::int64_t>(i)});
      latest = std::max(latest, jobs_.back().release);
    }
    const bool reversed = random_.chance(1, 2);
    if (reversed) { std::ranges::sort(jobs_, std::ranges::greater{}, &planned::release); }
    for (std::size_t i = 0; i < jobs_.size(); ++i) { jobs_[i].priority = static_cast<std::int64_t>(i); }
    if (reversed && random_.chance(1, 2)) { return; }
    for (std::size_t i = jobs_.size() - 1; i > 0; --i) {
      const auto j = reversed ? i - static_cast<std::size_t>(random_.below(2))
                              : static_cast<std::size_t>(random_.below(static_cast<ticks>(i) + 1));
      std::swap(jobs_[i].priority, jobs_[j].priority);
    }
    for (std::size_t i = jobs_.size() - 1; i > 0; --i) {
      std::swap(jobs_[i], jobs_[static_cast<std::size_t>(random_.below(static_cast<ticks>(i) + 1))]);
    }
  }

  void add_task(std::size_t t) {
    auto& w = system_.workload;
    w.task(static_cast<std::int32_t>(random_.below(system_.clusters)));
    const auto sections = random_.chance(1, 6) ? 0 : random_.between(1, 3);
    if (sections == 0) { w.execute(random_.between(1, 30)); }
    for (ticks s = 0; s < sections; ++s) {
      if (s > 0 || !at_release_) { w.execute(random_.between(0, 5)); }
      if (random_.chance(1, 12)) { w.suspend(random_.between(1, 6)); }
      add_section(t, static_cast<std::size_t>(random_.below(static_cast<ticks>(system_.replicas.size()))));
    }
    if (random_.chance(1, 2)) { w.execute(random_.between(0, 5)); }
    const bool twice = random_.chance(1, 4);
    planned first = jobs_[2 * t];
    planned second = jobs_[2 * t + 1];
    if (second.release < first.release) { std::swap(first, second); }
    w.released(first.release, {first.priority});
    if (twice) { w.released(second.release, {second.priority}); }
  }
  void add_section(std::size_t t, std::size_t r) {
    auto& w = system_.workload;
    const ticks length = one_length_ ? length_[r] : random_.between(1, length_[r]);
    const auto id = static_cast<resource_id>(r);
    w.lock(id);
    const ticks part = random_.chance(1, 4) ? random_.below(length) : 0;
    if (part > 0) { w.execute(part); }
    if (suspended_ == 0 || (suspended_ == 1 && random_.chance(1, 2))) {
      w.suspend(length - part);
    } else {
      w.execute(length - part);
    }
    w.unlock(id);
    system_.longest[r][t] = std::max(system_.longest[r][t], length);
    ++system_.requests[r][t];
  }

  takt::random_stream random_;
  random_lock_system system_;
  std::vector<ticks> length_;
  std::vector<planned> jobs_;
  bool one_length_ = false;
  bool at_release_ = false;
  ticks suspended_ = 0;
};

inline constexpr std::size_t engine_kinds = 3;

/// One cluster whose jobs hold a token while they use engines of its GPU. Lock 0 is the pool of tokens.
struct random_gpu_system {
  struct section {
    ticks own = 0;  ///< on processor and engines
    std::array<std::int64_t, engine_kinds> requests{};
  };

  std::uint64_t seed = 0;
  std::int32_t processors = 1;
  std::int32_t gpus = 1;
  std::int32_t tokens_per_gpu = 1;
  lock_programs workload;
  std::vector<section> sections;
  std::array<ticks, engine_kinds> longest_operation{};

  [[nodiscard]] auto row(std::size_t kind) const -> resource_id { return 1 + static_cast<resource_id>(kind) * gpus; }
  [[nodiscard]] auto kind_of(std::size_t resource) const -> std::size_t {
    return (resource - 1) / static_cast<std::size_t>(gpus);
  }
  template <class Bank, class Engine>
  void add_locks(Bank& bank, const Engine& engine) const {
    const takt::token_map tokens{.gpus = gpus, .tokens_per_gpu = tokens_per_gpu};
    bank.add(takt::r2dglp<most_lock_replicas, most_lock_tasks>{{.replicas = tokens.tokens(), .cluster = processors}});
    for (std::size_t i = 0; i < engine_kinds * static_cast<std::size_t>(gpus); ++i) { bank.add(engine); }
  }
};

[[nodiscard]] inline auto make_gpu_system(std::uint64_t seed) -> random_gpu_system {
  takt::random_stream random{seed};
  random_gpu_system s;
  s.seed = seed;
  s.processors = static_cast<std::int32_t>(random.between(1, 4));
  s.gpus = static_cast<std::int32_t>(random.between(1, 2));
  s.tokens_per_gpu = static_cast<std::int32_t>(random.between(1, 3));
  const ticks spread = random.chance(1, 2) ? 6 : 40;
  const ticks longest = random.between(1, 8);
  const bool equal = random.chance(1, 2);
  s.workload.token_pool(0, {.gpus = s.gpus, .tokens_per_gpu = s.tokens_per_gpu});
  const auto tasks = static_cast<std::int64_t>(random.between(2, most_lock_tasks));
  const std::int64_t turn = random.chance(1, 2) ? tasks - 1 : random.below(tasks);
  for (std::int64_t t = 0; t < tasks; ++t) {
    auto& w = s.workload.task();
    if (random.chance(1, 2)) { w.execute(random.between(0, 3)); }
    random_gpu_system::section section;
    w.lock(0);
    const auto operations = random.between(1, 4);
    for (ticks i = 0; i < operations; ++i) {
      if (random.chance(1, 2)) {
        const ticks time = random.between(0, 2);
        w.execute(time);
        section.own += time;
      }
      const auto kind = static_cast<std::size_t>(random.below(engine_kinds));
      const ticks time = equal ? longest : random.between(1, longest);
      w.lock_of_token(s.row(kind)).suspend(time).unlock_of_token(s.row(kind));
      section.own += time;
      ++section.requests[kind];
      s.longest_operation[kind] = std::max(s.longest_operation[kind], time);
    }
    w.unlock(0);
    if (random.chance(1, 2)) { w.execute(random.between(0, 3)); }
    w.released(random.below(spread), {t <= turn ? turn - t : t});
    s.sections.push_back(section);
  }
  return s;
}

inline constexpr std::size_t group_mutexes = 4;

/// One cluster whose jobs request sets of mutexes, one set at a time.
struct random_group_system {
  std::uint64_t seed = 0;
  std::int32_t processors = 1;
  lock_programs workload;
  std::vector<std::int64_t> requests;  ///< per task, of each job
  ticks longest = 0;
};

[[nodiscard]] inline auto make_group_system(std::uint64_t seed) -> random_group_system {
  takt::random_stream random{seed};
  random_group_system s;
  s.seed = seed;
  s.processors = static_cast<std::int32_t>(random.between(1, 4));
  const auto tasks = static_cast<std::int64_t>(random.between(2, most_lock_tasks));
  for (std::int64_t t = 0; t < tasks; ++t) {
    auto& w = s.workload.task();
    s.requests.push_back(random.between(1, 2));
    for (std::int64_t i = 0; i < s.requests.back(); ++i) {
      if (random.chance(1, 2)) { w.execute(random.between(0, 3)); }
      std::vector<operand> group;
      const auto first = random.below(group_mutexes);
      const auto size = random.between(1, group_mutexes);
      for (ticks j = 0; j < size; ++j) {
        group.push_back({static_cast<resource_id>((first + j) % static_cast<ticks>(group_mutexes))});
      }
      const ticks length = random.between(1, 6);
      w.lock(group);
      if (random.chance(1, 2)) {
        w.suspend(length);
      } else {
        w.execute(length);
      }
      w.unlock(group);
      s.longest = std::max(s.longest, length);
    }
    w.released(random.below(20), {random.chance(1, 2) ? tasks - t : 100 + t});
  }
  return s;
}

[[nodiscard]] inline auto describe(const lock_programs& w) -> std::string {
  std::string text;
  for (std::size_t t = 0; t < w.tasks.size(); ++t) {
    text += "task " + std::to_string(t) + ", cluster " + std::to_string(w.tasks[t].cluster) + ":";
    for (const auto& o : w.tasks[t].operations) {
      switch (o.what) {
        case operation_kind::execute: text += " E" + std::to_string(o.time); break;
        case operation_kind::suspend: text += " S" + std::to_string(o.time); break;
        case operation_kind::lock: text += " L"; break;
        case operation_kind::unlock: text += " U"; break;
      }
      for (const auto& x : o.on) { text += (x.of_token ? "@" : "") + std::to_string(x.resource) + ","; }
    }
    for (const auto& j : w.tasks[t].jobs) {
      text += "; at " + std::to_string(j.release) + " prio " + std::to_string(j.priority.point);
    }
    text += "\n";
  }
  return text;
}
[[nodiscard]] inline auto describe(const random_gpu_system& s) -> std::string {
  return "seed " + std::to_string(s.seed) + ", " + std::to_string(s.processors) + " processors, " +
         std::to_string(s.gpus) + " GPUs of " + std::to_string(s.tokens_per_gpu) + " tokens\n" + describe(s.workload);
}
[[nodiscard]] inline auto describe(const random_group_system& s) -> std::string {
  return "seed " + std::to_string(s.seed) + ", " + std::to_string(s.processors) + " processors\n" +
         describe(s.workload);
}
[[nodiscard]] inline auto describe(const random_lock_system& s) -> std::string {
  std::string text = "seed " + std::to_string(s.seed) + ", " + std::to_string(s.clusters) + " clusters of " +
                     std::to_string(s.processors) + ", replicas";
  for (const auto k : s.replicas) { text += " " + std::to_string(k); }
  return text + "\n" + describe(s.workload);
}

}  // namespace takt_tests
