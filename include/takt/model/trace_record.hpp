// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/stage.hpp>

namespace takt::inline TAKT_ABI {

/// Says what the index of a unit counts.
enum class unit_kind : std::uint8_t {
  numbered,      ///< cores, copy engines of the board, or SMs
  whole,         ///< a GPU, or its copy engine, that serves one after the other
  part,          ///< parts of a GPU, whose SMs are not told
  share,         ///< applications, each with a share of the GPU
  copies_out,    ///< the copy engine of a GPU that copies to the host
  copies_in,     ///< the one that copies to the device
  own_resource,  ///< units of a resource that takt does not know
};

/// A unit that does work: a core, a copy engine, or the SM range of a task (`index` is then the first SM).
struct track {
  stage where = stage::cpu;
  std::int32_t gpu = 0;  ///< only for kernels and for copy engines of a GPU
  std::int32_t index = 0;
  std::int32_t count = 1;  ///< SMs, only for kernels
  unit_kind kind = unit_kind::numbered;
  std::uint8_t percent = 0;  ///< of the GPU, where the unit is a share

  [[nodiscard]] friend constexpr auto operator==(const track&, const track&) noexcept -> bool = default;
};

/// One uninterrupted piece of a segment on a unit. A segment that is preempted has several.
struct slice {
  std::uint32_t task = 0;     ///< position in the given order
  std::uint32_t segment = 0;  ///< position in the chain
  std::uint64_t job = 0;      ///< counts from 0 per task
  track where{};
  ticks start = 0;
  ticks end = 0;
};

enum class mark_kind : std::uint8_t { release, completion, deadline, miss };

/// Something that happens to a job at an instant. A miss is marked at the deadline that passed.
struct mark {
  mark_kind what = mark_kind::release;
  std::uint32_t task = 0;
  std::uint64_t job = 0;
  ticks time = 0;
};

/// A job held one of the tokens of some GPUs. Waiting began at `asked`.
struct token_hold {
  std::uint32_t task = 0;
  std::uint64_t job = 0;
  std::int32_t pool = 0;  ///< of tokens
  std::int32_t token = 0;
  ticks asked = 0;
  ticks start = 0;
  ticks end = 0;
};

/// Holds for a type that listens to a simulation or a run. One that also takes a `token_hold` is told of tokens. Calls
/// come in no particular order of time across units.
template <class R>
concept TraceRecorder = requires(R& r, const slice& s, const mark& m) {
  r.record(s);
  r.record(m);
};

/// Listens to nothing and costs nothing.
struct null_recorder {
  constexpr void record(const slice& /*s*/) const noexcept {}
  constexpr void record(const mark& /*m*/) const noexcept {}
};
/// The recorder that hosts tell where they are given none.
inline constexpr null_recorder no_recorder{};

}  // namespace takt::inline TAKT_ABI
