// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/cuda/pinning.hpp>

namespace takt::cuda {

/// What the host changes and reads while kernels run, in mapped memory.
struct elastic_words {
  std::uint32_t allowed[max_sms];
  std::uint32_t chunks_left[max_lanes];
};

/// Slots that stay what they were at the launch.
struct fixed_slots {
  sm_slots slots;
  elastic_words* words = nullptr;

  [[nodiscard]] __device__ auto allowed(std::uint32_t sm) const -> std::uint32_t { return slots.at(sm); }
  __device__ void left(std::uint32_t lane, std::uint32_t chunks) const {
    *static_cast<volatile std::uint32_t*>(&words->chunks_left[lane]) = chunks;
  }
};

/// Slots that the host may change at any time. A look costs a read across the bus.
struct elastic_slots {
  elastic_words* words = nullptr;

  [[nodiscard]] __device__ auto allowed(std::uint32_t sm) const -> std::uint32_t {
    return *static_cast<const volatile std::uint32_t*>(&words->allowed[sm]);
  }
  __device__ void left(std::uint32_t lane, std::uint32_t chunks) const {
    *static_cast<volatile std::uint32_t*>(&words->chunks_left[lane]) = chunks;
  }
};

/// Fixed slots until the host asks for a yield in a word of its own; how many chunks are left is told in another.
struct yielding_slots {
  sm_slots slots;
  const volatile std::uint32_t* yield_asked = nullptr;
  volatile std::uint64_t* chunks_left = nullptr;

  [[nodiscard]] __device__ auto allowed(std::uint32_t sm) const -> std::uint32_t {
    return *yield_asked != 0 ? 0U : slots.at(sm);
  }
  __device__ void left(std::uint32_t, std::uint32_t chunks) const { *chunks_left = chunks; }
};

namespace detail {

[[nodiscard]] inline __device__ auto physical_sm() -> std::uint32_t {
  std::uint32_t id = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

/// The machine of `pinned_walk` on a device; its functions are called by one thread of the block.
template <class Slots>
class device_machine {
 public:
  __device__ device_machine(const Slots& slots, std::uint32_t lane) : slots_{&slots}, lane_{lane} {}

  [[nodiscard]] __device__ auto sm() const -> std::uint32_t { return physical_sm(); }
  [[nodiscard]] __device__ auto allowed(std::uint32_t sm) const -> std::uint32_t { return slots_->allowed(sm); }

  template <class Word>
  [[nodiscard]] __device__ auto load(const Word& w) const -> Word {
    return *static_cast<const volatile Word*>(&w);
  }
  __device__ auto exchange_if(std::uint32_t& w, std::uint32_t expected, std::uint32_t desired) const -> std::uint32_t {
    return atomicCAS(&w, expected, desired);
  }
  __device__ auto exchange_if(std::uint64_t& w, std::uint64_t expected, std::uint64_t desired) const -> std::uint64_t {
    using word = unsigned long long;
    static_assert(sizeof(word) == sizeof(std::uint64_t));
    return atomicCAS(reinterpret_cast<word*>(&w), static_cast<word>(expected), static_cast<word>(desired));
  }
  __device__ auto add(std::uint32_t& w, std::uint32_t n) const -> std::uint32_t {
    __threadfence();
    const std::uint32_t was = atomicAdd(&w, n);
    __threadfence();
    return was;
  }
  __device__ void clear(std::uint32_t& w, std::uint32_t bits) const { atomicAnd(&w, ~bits); }
  template <class Word>
  __device__ void store(Word& w, Word value) const {
    __threadfence();
    *static_cast<volatile Word*>(&w) = value;
  }
  __device__ void left(std::uint32_t chunks) const {
    slots_->left(lane_, chunks);
    __threadfence_system();
  }

 private:
  const Slots* slots_;
  std::uint32_t lane_;
};

}  // namespace detail
}  // namespace takt::cuda
