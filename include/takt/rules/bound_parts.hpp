// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <takt/core/expects.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI {

/// Names what a part of a bound is spent on.
enum class term_kind : std::uint8_t {
  cpu,
  copy,
  gpu,
  cpu_interference,
  copy_interference,
  copy_blocking,
  gpu_interference,
  gpu_blocking,
  gpu_section,       ///< its own copies and kernels, and its waits for engines in between
  token_wait,        ///< its waits for tokens, and for the end of a loan
  job_interference,  ///< another task's jobs with their sections and waits
  engine_wait,       ///< for execution and copy engines that others use
  loan,              ///< its priority is lent to a token holder
  overheads,         ///< of the system, and the interrupts of other tasks' operations
  competition,       ///< for the CPUs of its cluster
  history,           ///< the past that a graph waits for
  node,              ///< a visit as a whole, with its waits, such as a node on the longest path of a graph
  own_work,          ///< its own time on a pool
  interference,      ///< visits that go first
  blocking,          ///< a visit that is under way or holds a lock, and goes first only for that
  queue,             ///< visits that came before
  release_jitter,    ///< from its nominal release to its latest one
  guard,             ///< an offset of the plan that it waits for
  slot_wait,         ///< time in which its slot is closed
  local_deadline,    ///< the time that the plan, or the test of a pool, gives it
  others,            ///< what is left of a list that is full
  bound,             ///< a bound of which nothing else is known
};

[[nodiscard]] constexpr auto name_of(term_kind k) noexcept -> std::string_view {
  switch (k) {
    case term_kind::cpu: return "cpu";
    case term_kind::copy: return "copy";
    case term_kind::gpu: return "gpu";
    case term_kind::cpu_interference: return "cpu-interference";
    case term_kind::copy_interference: return "copy-interference";
    case term_kind::copy_blocking: return "copy-blocking";
    case term_kind::gpu_interference: return "gpu-interference";
    case term_kind::gpu_blocking: return "gpu-blocking";
    case term_kind::gpu_section: return "gpu-section";
    case term_kind::token_wait: return "token-wait";
    case term_kind::job_interference: return "job-interference";
    case term_kind::engine_wait: return "engine-wait";
    case term_kind::loan: return "loan";
    case term_kind::overheads: return "overheads";
    case term_kind::competition: return "competition";
    case term_kind::history: return "history";
    case term_kind::node: return "node";
    case term_kind::own_work: return "own-work";
    case term_kind::interference: return "interference";
    case term_kind::blocking: return "blocking";
    case term_kind::queue: return "queue";
    case term_kind::release_jitter: return "release-jitter";
    case term_kind::guard: return "guard";
    case term_kind::slot_wait: return "slot-wait";
    case term_kind::local_deadline: return "local-deadline";
    case term_kind::others: return "others";
    case term_kind::bound: return "bound";
  }
  return "";
}

namespace detail {

inline constexpr std::uint16_t whole_job = 0xffff;
inline constexpr std::uint8_t unknown_pool = 0xff;

/// Holds one part of a bound: what the time is spent on, the task that causes it, and where.
template <class Number>
struct bound_part {
  Number time{};
  std::uint32_t by = 0;        ///< task, in the given order, or `no_index`
  std::uint16_t position = 0;  ///< of the visit of the job that takes or waits for it, or 0xffff: of the whole job
  term_kind what{};
  std::uint8_t pool = 0;  ///< of the board, where that visit is, or 0xff: unknown
};

/// Stores the parts of a bound in place. They add up to the bound; empty: nothing is said. No part is dropped: where
/// there is no room, the shortest but for the first go into one of `term_kind::others`.
template <class Number, std::size_t Most>
class bound_parts {
  static_assert(Most >= 2, "the first part and the others");

 public:
  static constexpr std::size_t most = Most;

  /// Adds a time to the part of one kind, cause and visit. A time of zero is no part.
  constexpr void add(term_kind what, std::uint32_t by, const Number& time, std::uint16_t position = detail::whole_job) {
    if (time == Number{}) { return; }
    for (auto& part : parts_) {
      if (part.what != what || part.by != by || part.position != position) { continue; }
      part.time = part.time + time;
      return;
    }
    bound_part<Number> rest{time, by, position, what, detail::unknown_pool};
    if (parts_.size() + 1 < Most) {
      parts_.unchecked_push_back(rest);
      return;
    }
    if (!parts_.full()) {
      parts_.unchecked_push_back({Number{}, no_index, detail::whole_job, term_kind::others, detail::unknown_pool});
    }
    for (std::size_t k = 1; k + 1 < Most; ++k) {
      if (parts_[k].time < rest.time) { std::swap(parts_[k], rest); }
    }
    parts_[Most - 1].time = parts_[Most - 1].time + rest.time;
  }
  /// Adds the parts of one visit of the job. Where there is no room for them and for `later` visits, the shortest of
  /// them become one.
  template <std::size_t Other>
  constexpr void add_visit(const bound_parts<Number, Other>& parts, std::uint16_t position, std::size_t later) {
    const std::size_t taken = parts_.size() + later + 1;
    const std::size_t room = taken < Most ? Most - taken : 1;
    Number rest{};
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const auto& part = parts[k];
      std::size_t longer = 0;
      for (std::size_t j = 0; j < parts.size(); ++j) {
        longer += part.time < parts[j].time || (j < k && !(parts[j].time < part.time)) ? 1U : 0U;
      }
      if (parts.size() <= room || longer + 1 < room) {
        add(part.what, part.by, part.time, position);
      } else {
        rest = rest + part.time;
      }
    }
    add(room == 1 ? term_kind::node : term_kind::others, no_index, rest, position);
  }
  constexpr void clear() noexcept { parts_.clear(); }

  [[nodiscard]] constexpr auto sum() const -> Number {
    Number out{};
    for (const auto& part : parts_) { out = out + part.time; }
    return out;
  }
  /// Returns the time of all parts of one kind.
  [[nodiscard]] constexpr auto sum(term_kind what) const -> Number {
    Number out{};
    for (const auto& part : parts_) { out = part.what == what ? out + part.time : out; }
    return out;
  }
  [[nodiscard]] constexpr auto empty() const noexcept -> bool { return parts_.empty(); }
  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return parts_.size(); }
  /// Pre: k < size().
  [[nodiscard]] constexpr auto operator[](std::size_t k) const noexcept -> const bound_part<Number>& {
    TAKT_EXPECTS(k < size());
    return parts_[k];
  }
  [[nodiscard]] constexpr auto begin() noexcept { return parts_.begin(); }
  [[nodiscard]] constexpr auto end() noexcept { return parts_.end(); }
  [[nodiscard]] constexpr auto begin() const noexcept { return parts_.begin(); }
  [[nodiscard]] constexpr auto end() const noexcept { return parts_.end(); }

 private:
  inline_vector<bound_part<Number>, Most> parts_;
};

}  // namespace detail

template <class Number>
using parts_of_visit = detail::bound_parts<Number, 8>;
template <class Number>
using parts_of_task = detail::bound_parts<Number, 24>;

}  // namespace takt::inline TAKT_ABI
