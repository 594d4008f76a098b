// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/cuda/pinning.hpp>
#include <takt/prediction/kernel_profile.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/emulated_unit.hpp>
#include <takt/runtime/event.hpp>

namespace takt::inline TAKT_ABI::cuda {

namespace detail {

/// Is the machine of `pinned_walk` for a thread of the host.
class host_machine {
 public:
  host_machine(const sm_slots& slots, std::uint32_t sm, std::atomic<std::uint32_t>& chunks_left) noexcept
      : slots_{&slots}, sm_{sm}, chunks_left_{&chunks_left} {}

  [[nodiscard]] auto sm() const noexcept -> std::uint32_t { return sm_; }
  [[nodiscard]] auto dealt(std::uint32_t sm) const noexcept -> std::uint32_t { return slots_->at(sm); }
  [[nodiscard]] auto allowed(std::uint32_t sm) const noexcept -> std::uint32_t { return slots_->at(sm); }
  template <class Word>
  [[nodiscard]] static auto load(Word& w) noexcept -> Word {
    return std::atomic_ref{w}.load(std::memory_order_relaxed);
  }
  static auto exchange_if(std::uint32_t& w, std::uint32_t expected, std::uint32_t desired) noexcept -> std::uint32_t {
    (void)std::atomic_ref{w}.compare_exchange_strong(expected, desired, std::memory_order_relaxed);
    return expected;
  }
  template <class Word>
  static auto add(Word& w, Word n) noexcept -> Word {
    return std::atomic_ref{w}.fetch_add(n, std::memory_order_relaxed);
  }
  static auto publish(std::uint64_t& w, std::uint64_t n) noexcept -> std::uint64_t {
    return std::atomic_ref{w}.fetch_add(n, std::memory_order_release);
  }
  static auto take(std::uint64_t& w) noexcept -> std::uint64_t {
    return std::atomic_ref{w}.exchange(0, std::memory_order_acquire);
  }
  static void clear(std::uint32_t& w, std::uint32_t bits) noexcept {
    std::atomic_ref{w}.fetch_and(~bits, std::memory_order_relaxed);
  }
  template <class Word>
  static void store(Word& w, Word value) noexcept {
    std::atomic_ref{w}.store(value, std::memory_order_relaxed);
  }
  void left(std::uint32_t chunks, std::uint32_t /*claimed*/) const noexcept { chunks_left_->store(chunks); }

 private:
  const sm_slots* slots_;
  std::uint32_t sm_;
  std::atomic<std::uint32_t>* chunks_left_;
};

}  // namespace detail

/// Runs host threads in place of SMs, so that kernels can be profiled without a GPU. There is one for each virtual SM,
/// as far as an `emulated_unit` has room. Blocks are pinned by the algorithm of the device. A launch has a block for
/// each virtual SM; a block on an SM that it may not use leaves. What is measured is this host: SMs beyond its cores do
/// not add speed.
class host_bench {
 public:
  /// Does the logical indices from the first up to the last, which is not one of them; called by several threads.
  using chunk_body = std::function<void(std::int64_t first, std::int64_t last)>;

  /// `clock`: read before and after each launch. Pre: sms and per_sm are at least 1, their numbers within those of
  /// `sm_slots`.
  host_bench(std::int32_t sms, std::int32_t per_sm, chunk_body body, const pinned_work& work,
             std::function<ticks()> clock = runtime::now)
      : sms_{sms},
        per_sm_{per_sm},
        body_{std::move(body)},
        work_{work},
        clock_{std::move(clock)},
        threads_{std::min(static_cast<std::size_t>(sms) * static_cast<std::size_t>(per_sm),
                          runtime::emulated_unit::most_sms)} {
    TAKT_EXPECTS(1 <= sms && static_cast<std::uint32_t>(sms) <= max_sms && 1 <= per_sm &&
                 static_cast<std::uint32_t>(per_sm) <= max_slots);
  }

  [[nodiscard]] auto virtual_per_sm() const noexcept -> std::int32_t { return per_sm_; }

  [[nodiscard]] auto chunks() const noexcept -> std::uint32_t { return work_.chunks; }
  /// Returns false: each virtual SM has a thread, so no block is in the way of another launch.
  [[nodiscard]] static auto passes_foreign_sms() noexcept -> bool { return false; }
  [[nodiscard]] static auto fault() -> std::string {
    return "SMs or blocks beyond those of the bench, or a job that was not done";
  }

  [[nodiscard]] auto time_job(std::int32_t sms, std::int32_t per_sm) -> std::optional<ticks> {
    return time_pinned(sms, per_sm, work_, body_);
  }
  [[nodiscard]] auto time_empty(std::int32_t sms, std::int32_t per_sm, std::uint32_t chunks) -> std::optional<ticks> {
    const auto one_each = divide_work(chunks, 1);
    return one_each ? time_pinned(sms, per_sm, *one_each, [](std::int64_t, std::int64_t) {}) : std::nullopt;
  }
  [[nodiscard]] auto time_plain_empty(std::int32_t sms, std::int32_t per_sm) -> std::optional<ticks> {
    return time_launch({std::int64_t{sms} * per_sm, [](std::int64_t) {}});
  }

 private:
  [[nodiscard]] auto time_pinned(std::int32_t sms, std::int32_t per_sm, pinned_work work, const chunk_body& body)
      -> std::optional<ticks> {
    if (sms > sms_ || per_sm > per_sm_ || work.chunks == 0) { return std::nullopt; }
    const sm_slots slots = isolated_slots(0, sms, per_sm);
    const auto blocks = static_cast<std::uint32_t>(sms_ * per_sm_);
    std::atomic<std::uint32_t> chunks_left{work.chunks};
    work.job = next_job_++;
    const auto block = [&](std::int64_t b) {
      detail::host_machine here{slots, static_cast<std::uint32_t>(b / per_sm_), chunks_left};
      pinned_walk walk{work, 0, blocks};
      while (walk.advance(here, state_) == walk_stop::chunk) {
        body(work.first(walk.chunk()), work.last(walk.chunk()));
      }
    };
    const ticks time = time_launch({blocks, block});
    return chunks_left == 0 ? std::optional{time} : std::nullopt;
  }

  [[nodiscard]] auto time_launch(const runtime::emulated_kernel& kernel) -> ticks {
    runtime::event done;
    const ticks begin = clock_();
    threads_.submit(kernel, runtime::notify<&runtime::event::signal>(&done));
    done.wait();
    return clock_() - begin;
  }

  std::int32_t sms_;
  std::int32_t per_sm_;
  chunk_body body_;
  pinned_work work_;
  std::function<ticks()> clock_;
  pinning_state state_;
  std::uint32_t next_job_ = 0;
  runtime::emulated_unit threads_;
};

static_assert(KernelBench<host_bench>);

}  // namespace takt::inline TAKT_ABI::cuda
