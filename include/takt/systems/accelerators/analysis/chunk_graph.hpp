// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/exact.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/model/accelerator_fault.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Describes an interval of slot time within the life of one job.
template <ExactNumber Number>
struct chunk {
  Number offset{};  ///< since the first release
  Number length{};
  std::int64_t job = 0;
};

enum class chunk_status : std::uint8_t {
  complete,
  too_many,  ///< more chunks or jobs than the graph holds
  overflow,
};

inline constexpr std::size_t default_max_chunks = 256;

/// Says where the jobs of a strictly periodic task, the first released with the slot table, find slot time. It covers
/// the least common multiple of both periods.
template <ExactNumber Number, std::size_t MaxChunks = default_max_chunks>
struct chunk_graph {
  Number pattern{};          ///< after which everything repeats
  std::int64_t jobs = 0;     ///< within the pattern
  std::int64_t starved = 0;  ///< jobs among them that have no chunk
  chunk_status status = chunk_status::complete;
  inline_vector<chunk<Number>, MaxChunks> chunks;  ///< by job, then by time
};

/// Returns all chunks of a task in a slot. Source: Zahaf and Lipari 2020, Algorithm 1, with its loop bound, the slot
/// that crosses the edge of the pattern and starved jobs repaired. Pre: neither has a fault, budget > 0. Cost: one step
/// per slot and job.
template <std::size_t MaxChunks = default_max_chunks, class Number>
[[nodiscard]] constexpr auto make_chunk_graph(const accelerator_task<Number>& task,
                                              const slot_reservation<Number>& slot) -> chunk_graph<Number, MaxChunks> {
  TAKT_EXPECTS(takt::detail::kernel_fault(task) == model_fault::none && !takt::detail::slot_fault(slot) &&
               Number(0) < slot.budget);
  chunk_graph<Number, MaxChunks> out;
  Number farthest{};
  if (!common_multiple(task.period, slot.period, out.pattern) || !add_exactly(out.pattern, slot.period, farthest) ||
      !add_exactly(farthest, slot.period, farthest)) {
    out.status = chunk_status::overflow;
    return out;
  }
  for (Number release(0); release < out.pattern; release = release + task.period, ++out.jobs) {
    if (out.jobs > static_cast<std::int64_t>(16 * MaxChunks)) {
      out.status = chunk_status::too_many;
      return out;
    }
    const Number due = release + task.deadline;
    const Number passed = number_traits<Number>::floor_quotient(release, slot.period);
    Number begin = (passed - Number(1)) * slot.period + slot.offset;
    bool served = false;
    bool exact = is_number(due) && is_number(begin);
    for (; exact && begin < due; begin = begin + slot.period) {
      const Number end = begin + slot.budget;
      exact = is_number(end);
      const Number first = begin < release ? release : begin;
      const Number last = due < end ? due : end;
      if (!(first < last)) { continue; }
      served = true;
      if (!out.chunks.try_push_back({first, Number(last - first), out.jobs})) {
        out.status = chunk_status::too_many;
        return out;
      }
    }
    if (!served) { ++out.starved; }
    if (!exact || !is_number(begin) || !is_number(Number(release + task.period))) {
      out.status = chunk_status::overflow;
      return out;
    }
  }
  return out;
}

/// Returns the longest chunk of each job, the earliest of equals. Source: Zahaf and Lipari 2020, Definition 1.
template <class Number, std::size_t MaxChunks>
[[nodiscard]] constexpr auto longest_chunks(const chunk_graph<Number, MaxChunks>& graph)
    -> chunk_graph<Number, MaxChunks> {
  chunk_graph<Number, MaxChunks> out;
  out.pattern = graph.pattern;
  out.jobs = graph.jobs;
  out.starved = graph.starved;
  out.status = graph.status;
  for (std::size_t i = 0; i < graph.chunks.size(); ++i) {
    const auto& c = graph.chunks[i];
    if (out.chunks.empty() || out.chunks.back().job != c.job) {
      // Bound: at most the chunks of `graph`.
      out.chunks.unchecked_push_back(c);
    } else if (out.chunks.back().length < c.length) {
      out.chunks.back() = c;
    }
  }
  return out;
}

/// Describes a sporadic task on a processor of its own.
template <ExactNumber Number>
struct sporadic_task {
  Number wcet{};
  Number deadline{};
  Number period{};
};

/// Returns a task as if it were released at each of its longest chunks. The shortest of them is the deadline. The least
/// distance of two starts is the period, the distance over the edge of the pattern included. Source: Zahaf and Lipari
/// 2020, Definition 2. Pre: `kept` is the result of `longest_chunks` and not empty. Without `starved` jobs, deadline <=
/// period.
template <class Number, std::size_t MaxChunks>
[[nodiscard]] constexpr auto sporadic_abstraction(const Number& wcet, const chunk_graph<Number, MaxChunks>& kept)
    -> sporadic_task<Number> {
  TAKT_EXPECTS(!kept.chunks.empty());
  const auto& chunks = kept.chunks;
  sporadic_task<Number> out{wcet, chunks[0].length, chunks[0].offset + kept.pattern - chunks.back().offset};
  for (std::size_t i = 1; i < chunks.size(); ++i) {
    const Number apart = chunks[i].offset - chunks[i - 1].offset;
    if (chunks[i].length < out.deadline) { out.deadline = chunks[i].length; }
    if (apart < out.period) { out.period = apart; }
  }
  return out;
}

namespace detail {

/// Returns what a chunk does when its job's work is spread over all of them in proportion to their lengths.
/// Pre: the job of chunk i is not starved. Cost: the job's chunks.
template <ExactFraction Number, std::size_t MaxChunks>
[[nodiscard]] constexpr auto proportional_share(const Number& wcet, const chunk_graph<Number, MaxChunks>& graph,
                                                std::size_t i) -> Number {
  TAKT_EXPECTS(i < graph.chunks.size() && Number(0) < graph.chunks[i].length);
  const auto& chunks = graph.chunks;
  std::size_t first = i;
  while (first > 0 && chunks[first - 1].job == chunks[i].job) { --first; }
  Number whole(0);
  for (std::size_t k = first; k < chunks.size() && chunks[k].job == chunks[i].job; ++k) {
    whole = whole + chunks[k].length;
  }
  return wcet * chunks[i].length / whole;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
